// Package sns sends SMS through Amazon SNS. Only the worker links it.
package sns

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sns/types"

	"github.com/tenantry/tenantry/shared/outbox/notify"
)

// Sender sends SMS from the account's number or name.
type Sender struct{ client func() *sns.Client }

// New makes a Sender; its client is made with the first message. SNS has no idempotency key, so the
// client tries only once: whoever sends decides whether an unknown outcome is worth a second SMS.
func New(config aws.Config, options ...func(*sns.Options)) Sender {
	options = append(options, func(o *sns.Options) { o.Retryer = aws.NopRetryer{} })
	return Sender{client: sync.OnceValue(func() *sns.Client { return sns.NewFromConfig(config, options...) })}
}

// Send sends an SMS.
func (s Sender) Send(ctx context.Context, m notify.Message) error {
	if m.Channel != notify.SMS {
		return fmt.Errorf("sns: message %s: %w: no way to send %s", m.ID, notify.ErrNotSent, m.Channel)
	}
	ctx, reached := notify.Watch(ctx)
	_, err := s.client().Publish(ctx, &sns.PublishInput{
		PhoneNumber: aws.String(m.To),
		Message:     aws.String(m.Text),
		MessageAttributes: map[string]types.MessageAttributeValue{
			"AWS.SNS.SMS.SMSType": {DataType: aws.String("String"), StringValue: aws.String("Transactional")},
		},
	})
	switch {
	case err == nil:
		return nil
	case isRefused(err):
		return fmt.Errorf("sns: message %s: %w: %w", m.ID, notify.ErrRefused, err)
	case !reached(), isNotSent(err):
		return fmt.Errorf("sns: message %s: %w: %w", m.ID, notify.ErrNotSent, err)
	}
	return fmt.Errorf("sns: message %s: %w", m.ID, err)
}

// isRefused tells whether SNS can't send this message to this number.
func isRefused(err error) bool {
	var invalid *types.InvalidParameterException
	var value *types.InvalidParameterValueException
	return errors.As(err, &invalid) || errors.As(err, &value)
}

// isNotSent tells whether SNS has refused the request before it looked at the message: because of
// its rate, its signature or its rights.
func isNotSent(err error) bool {
	var answer *awshttp.ResponseError
	if !errors.As(err, &answer) {
		return false
	}
	status := answer.HTTPStatusCode()
	return status >= 400 && status < 500 || status == http.StatusServiceUnavailable
}
