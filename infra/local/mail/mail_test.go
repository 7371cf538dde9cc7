package mail_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"

	"github.com/tenantry/tenantry/infra/local/awsapi"
	"github.com/tenantry/tenantry/infra/local/mail"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/outbox/notify/ses"
)

func start(t *testing.T, deliver func(context.Context, mail.Email) error, secret string) (*mail.Server, func(from string) notify.Sender) {
	t.Helper()
	s, err := mail.Start(t.Context(), mail.Options{Options: awsapi.Options{Keys: map[string]string{"id": "secret"}}, Deliver: deliver})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, func(from string) notify.Sender {
		return ses.New(aws.Config{
			Region: "us-east-1", BaseEndpoint: aws.String(s.URL), Credentials: credentials.NewStaticCredentialsProvider("id", secret, ""),
		}, from, func(o *sesv2.Options) { o.RetryMaxAttempts = 1 })
	}
}

func message() notify.Message {
	return notify.Message{ID: "01J", Channel: notify.Email, To: "ann@tenantry.test", Subject: "Код", Text: "123456\n"}
}

func TestSend(t *testing.T) {
	var delivered []mail.Email
	s, from := start(t, func(_ context.Context, e mail.Email) error { delivered = append(delivered, e); return nil }, "secret")
	if err := from("noreply@tenantry.test").Send(t.Context(), message()); err != nil {
		t.Fatal(err)
	}
	sent := s.Sent()
	if len(sent) != 1 || !reflect.DeepEqual(sent, delivered) || sent[0].ID == "" {
		t.Fatalf("sent %v, delivered %v", sent, delivered)
	}
	sent[0].ID = ""
	if want := (mail.Email{
		From: "noreply@tenantry.test", To: []string{"ann@tenantry.test"}, Subject: "Код", Text: "123456\n", Tags: map[string]string{"message": "01J"},
	}); !reflect.DeepEqual(sent[0], want) {
		t.Errorf("sent %v", sent[0])
	}
}

func TestWhatIsRefused(t *testing.T) {
	full := func(context.Context, mail.Email) error { return errors.New("the disk is full") }
	for name, row := range map[string]struct {
		deliver      func(context.Context, mail.Email) error
		secret, from string
		change       func(m *notify.Message)
		want         string
	}{
		"a wrong secret":    {nil, "guess", "a@tenantry.test", func(*notify.Message) {}, "InvalidSignatureException"},
		"no sender":         {nil, "secret", "tenantry", func(*notify.Message) {}, "BadRequestException: no address: tenantry"},
		"nobody to send to": {nil, "secret", "a@tenantry.test", func(m *notify.Message) { m.To = "ann" }, "BadRequestException: no address: ann"},
		"no text":           {nil, "secret", "a@tenantry.test", func(m *notify.Message) { m.Text = "" }, "BadRequestException"},
		"not delivered":     {full, "secret", "a@tenantry.test", func(*notify.Message) {}, "the disk is full"},
	} {
		t.Run(name, func(t *testing.T) {
			s, from := start(t, row.deliver, row.secret)
			m := message()
			row.change(&m)
			if err := from(row.from).Send(t.Context(), m); err == nil || !strings.Contains(err.Error(), row.want) || len(s.Sent()) > 0 {
				t.Errorf("%v, sent %v", err, s.Sent())
			}
		})
	}
}

// What the platform doesn't use would be lost; so it is refused.
func TestUnknownMembers(t *testing.T) {
	s, _ := start(t, nil, "secret")
	client := sesv2.New(sesv2.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(s.URL), RetryMaxAttempts: 1,
		Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
	})
	_, err := client.SendEmail(t.Context(), &sesv2.SendEmailInput{Content: &types.EmailContent{}, ReplyToAddresses: []string{"a@b.test"}})
	if err == nil || !strings.Contains(err.Error(), "ReplyToAddresses") {
		t.Error(err)
	}
	if _, err = client.GetAccount(t.Context(), &sesv2.GetAccountInput{}); err == nil || !strings.Contains(err.Error(), "UnknownOperationException") {
		t.Error(err)
	}
}
