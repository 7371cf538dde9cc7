// Package notify sends a message to a person outside of the platform: by e-mail now, by SMS
// later. Only the worker that carries out the outbox sends; a request leaves a message in the
// outbox instead.
//
// What never goes in here: the text of messages. A group makes the text when its outbox message
// is delivered, because the text may hold a one-time code, which is stored nowhere.
package notify

import "context"

// Channel is a way to reach a person.
type Channel string

// The channels.
const (
	Email Channel = "email"
	SMS   Channel = "sms"
)

// Message is one message to one person.
type Message struct {
	ID      string // the id of the outbox message; the same ID means the same message
	Channel Channel
	To      string // an e-mail address, or a phone number in E.164
	Subject string // only for an e-mail
	Text    string
}

// Sender delivers messages. After an error the message may be sent again with the same ID.
type Sender interface {
	Send(ctx context.Context, m Message) error
}
