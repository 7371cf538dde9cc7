// Package notify sends a message to a person outside of the platform: by e-mail or by SMS. Only
// the worker that carries out the outbox sends; a request leaves a message in the outbox instead.
//
// What never goes in here: the text of messages. A group makes the text when its outbox message
// is delivered, because the text may hold a one-time code, which is stored nowhere.
package notify

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptrace"
	"sync/atomic"
)

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

// Sender delivers messages. Its error tells by ErrRefused or ErrNotSent that the message was not
// sent. After any other error it may have been sent or not: the outcome is unknown.
type Sender interface {
	Send(ctx context.Context, m Message) error
}

var (
	// ErrRefused says that the provider will never take the message.
	ErrRefused = errors.New("the message was refused for good")
	// ErrNotSent says that the provider has not taken the message, and may take it later.
	ErrNotSent = errors.New("the message was not sent")
)

// Traits are what a sender can be relied on for. The zero Traits promise nothing.
type Traits struct {
	Once    bool // a message that is sent again with the same ID arrives once
	Reports bool // the provider tells later whether a message has arrived
}

// TraitsOf are the traits of a sender for a channel.
func TraitsOf(s Sender, c Channel) Traits {
	if described, ok := s.(interface{ Traits(c Channel) Traits }); ok {
		return described.Traits(c)
	}
	return Traits{}
}

// ByChannel sends each message by the sender of its channel.
type ByChannel map[Channel]Sender

// Send sends a message, if its channel has a sender.
func (b ByChannel) Send(ctx context.Context, m Message) error {
	s := b[m.Channel]
	if s == nil {
		return fmt.Errorf("notify: message %s: %w: nothing sends %s here", m.ID, ErrNotSent, m.Channel)
	}
	return s.Send(ctx, m)
}

// Traits are those of the channel's sender.
func (b ByChannel) Traits(c Channel) Traits { return TraitsOf(b[c], c) }

// Watch watches whether a request over HTTP gets a connection to its provider. What has got none,
// because nobody listens or the certificate is over, was not sent.
func Watch(ctx context.Context) (watched context.Context, reached func() bool) {
	var got atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { got.Store(true) }}
	return httptrace.WithClientTrace(ctx, trace), got.Load
}
