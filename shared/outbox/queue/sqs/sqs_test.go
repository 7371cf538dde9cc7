package sqs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/tenantry/tenantry/infra/local/awsapi"
	local "github.com/tenantry/tenantry/infra/local/sqs"
	"github.com/tenantry/tenantry/shared/outbox/queue"
	"github.com/tenantry/tenantry/shared/outbox/queue/sqs"
	"github.com/tenantry/tenantry/shared/table"
)

var _ queue.Queue = sqs.Queue{}

const address = "https://sqs.us-east-1.amazonaws.com/123456789012/normal"

func start(t *testing.T, o local.Options, secret string) (*local.Server, sqs.Queue) {
	t.Helper()
	o.Options = awsapi.Options{Keys: map[string]string{"id": "secret"}}
	s, err := local.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, sqs.New(aws.Config{
		Region: "us-east-1", BaseEndpoint: aws.String(s.URL), RetryMaxAttempts: 1,
		Credentials: credentials.NewStaticCredentialsProvider("id", secret, ""),
	}, address)
}

// some are keys of ten messages: of company 7, and one that belongs to none and is held back.
func some() []queue.Entry {
	entries := []queue.Entry{{Key: table.Key{PK: "G#outbox", SK: "outbox#k#identity.linked#1"}, After: 4100 * time.Millisecond}}
	for i := range queue.Most - 1 {
		entries = append(entries, queue.Entry{Key: table.Key{PK: "T#7#outbox", SK: fmt.Sprintf("outbox#0%025d", i)}})
	}
	return entries
}

func TestABatch(t *testing.T) {
	s, q := start(t, local.Options{}, "secret")
	keys := some()
	if refused, err := q.Send(t.Context(), keys); err != nil || len(refused) > 0 {
		t.Fatalf("%v, %v", refused, err)
	}
	sent := s.Sent()
	if len(sent) != queue.Most {
		t.Fatalf("%d messages", len(sent))
	}
	for i, m := range sent {
		group := map[bool]string{true: "none", false: "7"}[i == 0]
		after := map[bool]int{true: 5}[i == 0]
		if k, err := queue.Decode(m.Body); err != nil || k != keys[i].Key || m.After != after || m.Queue != address || m.Group != group {
			t.Errorf("%+v, want %v of %s: %v", m, keys[i].Key, group, err)
		}
	}
	if want := `{"pk":"G#outbox","sk":"outbox#k#identity.linked#1"}`; sent[0].Body != want {
		t.Errorf("%s, want %s", sent[0].Body, want)
	}
}

// What the queue doesn't take of a batch comes back, in any place of it; the rest is in the queue.
func TestWhatIsRefused(t *testing.T) {
	keys := some()
	bad := []table.Key{keys[0].Key, keys[4].Key, keys[9].Key}
	s, q := start(t, local.Options{Deliver: func(_ context.Context, m local.Message) error {
		if k, err := queue.Decode(m.Body); err != nil || slices.Contains(bad, k) {
			return errors.New("not now")
		}
		return nil
	}}, "secret")
	refused, err := q.Send(t.Context(), keys)
	if err != nil || !slices.Equal(refused, bad) || len(s.Sent()) != len(keys)-len(bad) {
		t.Errorf("%v, %v, %d in the queue", refused, err, len(s.Sent()))
	}
}

func TestErrors(t *testing.T) {
	for says, row := range map[string]struct {
		fail   func() error
		secret string
		keys   []queue.Entry
	}{
		"the region is away":           {func() error { return errors.New("the region is away") }, "secret", some()},
		"InvalidSignatureException":    {nil, "guess", some()},
		"TooManyEntriesInBatchRequest": {nil, "secret", append(some(), some()[0])},
	} {
		s, q := start(t, local.Options{Fail: row.fail}, row.secret)
		refused, err := q.Send(t.Context(), row.keys)
		if err == nil || !strings.HasPrefix(err.Error(), "sqs: ") || !strings.Contains(err.Error(), says) || refused != nil || len(s.Sent()) > 0 {
			t.Errorf("%s: %v, %v, %v", says, refused, err, s.Sent())
		}
	}
}
