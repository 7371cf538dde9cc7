package awsapi

import (
	"context"
	"slices"
	"sync"
)

// Outbox keeps what a server was sent, such as e-mails. It is safe for concurrent use.
type Outbox[M any] struct {
	deliver func(context.Context, M) error

	mu   sync.Mutex
	sent []M
}

// NewOutbox makes an empty one. deliver is given each message before it is kept, and its error keeps the message out; it may be
// nil.
func NewOutbox[M any](deliver func(context.Context, M) error) *Outbox[M] {
	return &Outbox[M]{deliver: deliver}
}

// Add delivers a message and keeps it.
func (o *Outbox[M]) Add(ctx context.Context, message M) error {
	if o.deliver != nil {
		if err := o.deliver(ctx, message); err != nil {
			return err
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent = append(o.sent, message)
	return nil
}

// Sent returns the messages that were kept so far, the oldest first.
func (o *Outbox[M]) Sent() []M {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.sent)
}
