package transport_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tenantry/tenantry/shared/table/transport"
)

// pause is long enough that the other side does in it what it can.
const pause = 50 * time.Millisecond

// late is a connection that comes back late from writing: the answer begins before the request's writer goes on.
type late struct{ net.Conn }

func (l late) Write(b []byte) (int, error) {
	n, err := l.Conn.Write(b)
	time.Sleep(pause)
	return n, err
}

// An answer that begins while the request's writer is still at work arrives whole. Without Whole it doesn't, which shows that
// the SDK still needs it.
func TestAnAnswerThatBeginsEarly(t *testing.T) {
	text := strings.Repeat("x", 300<<10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		answer := fmt.Sprintf(`{"Item":{"a":{"S":"%s"}}}`, text)
		fmt.Fprint(w, answer[:len(answer)/2])
		w.(http.Flusher).Flush()
		time.Sleep(4 * pause)
		fmt.Fprint(w, answer[len(answer)/2:])
	}))
	t.Cleanup(server.Close)
	plain := awshttp.NewBuildableClient().WithTransportOptions(func(to *http.Transport) {
		dial := to.DialContext
		to.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dial(ctx, network, address)
			return late{c}, err
		}
	})
	get := func(by aws.HTTPClient) (string, error) {
		client := dynamodb.New(dynamodb.Options{
			Region: "x", BaseEndpoint: &server.URL, HTTPClient: by, Retryer: aws.NopRetryer{},
			Credentials: credentials.NewStaticCredentialsProvider("x", "x", ""),
		})
		out, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{
			TableName: aws.String("t"), Key: map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "1"}},
		})
		if err != nil {
			return "", err
		}
		return out.Item["a"].(*types.AttributeValueMemberS).Value, nil
	}
	if got, err := get(transport.Whole(plain)); err != nil || got != text {
		t.Errorf("%v, %d bytes", err, len(got))
	}
	if _, err := get(plain); err == nil {
		t.Error("the SDK needs Whole no more: remove this package")
	}
}
