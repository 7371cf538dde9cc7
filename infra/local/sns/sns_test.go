package sns_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	service "github.com/aws/aws-sdk-go-v2/service/sns"

	"github.com/tenantry/tenantry/infra/local/awsapi"
	local "github.com/tenantry/tenantry/infra/local/sns"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/outbox/notify/sns"
)

func start(t *testing.T, deliver func(context.Context, local.SMS) error, secret string) (*local.Server, aws.Config) {
	t.Helper()
	s, err := local.Start(t.Context(), local.Options{Options: awsapi.Options{Keys: map[string]string{"id": "secret"}}, Deliver: deliver})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, aws.Config{
		Region: "us-east-1", BaseEndpoint: aws.String(s.URL), RetryMaxAttempts: 1,
		Credentials: credentials.NewStaticCredentialsProvider("id", secret, ""),
	}
}

func message() notify.Message {
	return notify.Message{ID: "01J", Channel: notify.SMS, To: "+77011234567", Text: "Код & <1>: 123456"}
}

func TestSend(t *testing.T) {
	var delivered []local.SMS
	s, config := start(t, func(_ context.Context, m local.SMS) error { delivered = append(delivered, m); return nil }, "secret")
	if err := sns.New(config).Send(t.Context(), message()); err != nil {
		t.Fatal(err)
	}
	sent := s.Sent()
	if len(sent) != 1 || !reflect.DeepEqual(sent, delivered) || sent[0].ID == "" {
		t.Fatalf("sent %v, delivered %v", sent, delivered)
	}
	sent[0].ID = ""
	if want := (local.SMS{
		To: "+77011234567", Text: "Код & <1>: 123456", Attributes: map[string]string{"AWS.SNS.SMS.SMSType": "Transactional"},
	}); !reflect.DeepEqual(sent[0], want) {
		t.Errorf("sent %v", sent[0])
	}
	out, err := service.NewFromConfig(config).Publish(t.Context(), &service.PublishInput{PhoneNumber: aws.String("+1"), Message: aws.String("m")})
	if err != nil || aws.ToString(out.MessageId) == "" || aws.ToString(out.MessageId) != s.Sent()[1].ID {
		t.Errorf("%v, %v", out, err)
	}
}

// A caller tells by the error whether the SMS went out and whether another attempt may help.
func TestWhatIsRefused(t *testing.T) {
	full := func(context.Context, local.SMS) error { return errors.New("the disk is full") }
	for name, row := range map[string]struct {
		deliver func(context.Context, local.SMS) error
		secret  string
		to      string
		want    error
		says    string
	}{
		"a wrong secret": {nil, "guess", "+77011234567", notify.ErrNotSent, "InvalidSignatureException"},
		"no number":      {nil, "secret", "8 701", notify.ErrRefused, "InvalidParameter"},
		"too long":       {nil, "secret", "+7701123456789012", notify.ErrRefused, "InvalidParameter"},
		"not delivered":  {full, "secret", "+77011234567", nil, "the disk is full"},
	} {
		t.Run(name, func(t *testing.T) {
			s, config := start(t, row.deliver, row.secret)
			m := message()
			m.To = row.to
			err := sns.New(config).Send(t.Context(), m)
			if err == nil || !strings.Contains(err.Error(), row.says) || row.want != nil && !errors.Is(err, row.want) || len(s.Sent()) > 0 {
				t.Errorf("%v, sent %v", err, s.Sent())
			}
		})
	}
	s, config := start(t, nil, "secret")
	if _, err := service.NewFromConfig(config).ListTopics(t.Context(), &service.ListTopicsInput{}); err == nil || len(s.Sent()) > 0 {
		t.Error(err)
	}
}
