// Package notify says something to a person outside of the platform: by e-mail
// now, by SMS later. Only the worker that carries out the outbox sends; a
// request leaves a message in the outbox instead.
//
// What never goes in here: what is said. A group makes the text when a message
// of its own is delivered, because it may hold a one-time code, which is
// nowhere stored.
package notify

import "context"

// Channel is a way to reach a person.
type Channel string

// The channels.
const (
	Email Channel = "email"
	SMS   Channel = "sms"
)

// Message is one thing said to one person.
type Message struct {
	ID      string // of the outbox message; the same again is the same message
	Channel Channel
	To      string // an e-mail address, or a phone number in E.164
	Subject string // of an e-mail
	Text    string
}

// Sender delivers. An error means that it may be tried again with the same ID.
type Sender interface {
	Send(ctx context.Context, m Message) error
}
