// Package ses sends e-mails through Amazon SES. Only the worker links it.
package ses

import (
	"context"
	"fmt"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"

	"github.com/tenantry/tenantry/shared/outbox/notify"
)

// Sender sends e-mails from one address.
type Sender struct {
	client func() *sesv2.Client
	from   string
}

// New makes a Sender; its client is made with the first message.
func New(config aws.Config, from string, options ...func(*sesv2.Options)) Sender {
	return Sender{
		client: sync.OnceValue(func() *sesv2.Client { return sesv2.NewFromConfig(config, options...) }),
		from:   from,
	}
}

// Send sends an e-mail. SES has no idempotency key: a message that is sent
// again after a lost answer may arrive twice, and both carry its ID as a tag.
func (s Sender) Send(ctx context.Context, m notify.Message) error {
	if m.Channel != notify.Email {
		return fmt.Errorf("ses: message %s: no way to send %s", m.ID, m.Channel)
	}
	text := func(data string) *types.Content {
		return &types.Content{Data: aws.String(data), Charset: aws.String("UTF-8")}
	}
	_, err := s.client().SendEmail(ctx, &sesv2.SendEmailInput{
		FromEmailAddress: aws.String(s.from),
		Destination:      &types.Destination{ToAddresses: []string{m.To}},
		Content: &types.EmailContent{Simple: &types.Message{
			Subject: text(m.Subject),
			Body:    &types.Body{Text: text(m.Text)},
		}},
		EmailTags: []types.MessageTag{{Name: aws.String("message"), Value: aws.String(m.ID)}},
	})
	if err != nil {
		return fmt.Errorf("ses: message %s: %w", m.ID, err)
	}
	return nil
}
