package sns_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/outbox/notify/sns"
)

var message = notify.Message{ID: "7.1.0", Channel: notify.SMS, To: "+77011234567", Text: "Сәлем"}

// serve answers as SNS does.
func serve(t *testing.T, answer http.HandlerFunc) notify.Sender {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return at(server.URL)
}

func at(address string) notify.Sender {
	return sns.New(aws.Config{
		Region: "eu-central-1", BaseEndpoint: aws.String(address),
		Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
	})
}

func TestSend(t *testing.T) {
	var got []url.Values
	sender := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		form, _ := url.ParseQuery(string(body))
		got = append(got, form)
		_, _ = io.WriteString(w, `<PublishResponse><PublishResult><MessageId>1</MessageId></PublishResult></PublishResponse>`)
	})
	if err := sender.Send(t.Context(), message); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Get("Action") != "Publish" || got[0].Get("PhoneNumber") != message.To || got[0].Get("Message") != message.Text ||
		got[0].Get("MessageAttributes.entry.1.Value.StringValue") != "Transactional" {
		t.Errorf("calls %q", got)
	}
	mail := notify.Message{ID: "1", Channel: notify.Email, To: "a@b.test"}
	if err := sender.Send(t.Context(), mail); !errors.Is(err, notify.ErrNotSent) || len(got) != 1 {
		t.Errorf("an e-mail: %v, %d calls", err, len(got))
	}
	if notify.TraitsOf(sender, notify.SMS) != (notify.Traits{}) {
		t.Error("SNS is relied on for what it doesn't do")
	}
}

// Each answer is asked for once: SNS would send a second SMS.
func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		name, code      string
		status          int
		refused, unsent bool
	}{
		{"a number that is none", "InvalidParameter", 400, true, false},
		{"a text that can't be sent", "ParameterValueInvalid", 400, true, false},
		{"too many", "Throttling", 400, false, true},
		{"no right to send", "AuthorizationError", 403, false, true},
		{"busy", "ServiceUnavailable", 503, false, true},
		{"a failure inside", "InternalError", 500, false, false},
		{"a proxy that gave up", "", 504, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			calls := 0
			sender := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				calls++
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, `<ErrorResponse><Error><Type>Sender</Type><Code>`+c.code+`</Code></Error></ErrorResponse>`)
			})
			err := sender.Send(t.Context(), message)
			if err == nil || errors.Is(err, notify.ErrRefused) != c.refused || errors.Is(err, notify.ErrNotSent) != c.unsent || calls != 1 {
				t.Errorf("%v after %d calls", err, calls)
			}
		})
	}
}

func TestNoAnswer(t *testing.T) {
	cut := serve(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	if err := cut.Send(t.Context(), message); err == nil || errors.Is(err, notify.ErrNotSent) || errors.Is(err, notify.ErrRefused) {
		t.Errorf("an answer that was cut off: %v", err)
	}
	server := httptest.NewServer(nil)
	server.Close()
	if err := at(server.URL).Send(t.Context(), message); !errors.Is(err, notify.ErrNotSent) {
		t.Errorf("nobody there: %v", err)
	}
}
