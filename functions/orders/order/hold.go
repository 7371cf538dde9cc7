package order

import (
	"context"
	"errors"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// Lapsing is the message, due when the hold of a request ends, that cancels the order.
const Lapsing outbox.Kind = "orders.lapse"

// lapsing is the body of the message Lapsing.
type lapsing struct {
	Order int64 `json:"order"`
}

// Work carries the messages of orders out.
func Work(c *table.Conn, now func() time.Time) outbox.Work {
	return outbox.Work{
		Lapsing: func(ctx context.Context, message outbox.Message) error {
			var m lapsing
			s, err := record.OpenMessage(c, message, now, &m)
			if err != nil {
				return err
			}
			return s.Do(ctx, nil, func(w *record.Work) error { return lapse(ctx, w, m.Order) })
		},
		Arriving: func(ctx context.Context, message outbox.Message) error { return arrive(ctx, c, now, message) },
	}
}

// lapse cancels a request whose hold has ended. It waits for the end of one that is still held, and leaves one alone whose hold was lifted.
func lapse(ctx context.Context, w *record.Work, id int64) error {
	o, err := Kind().Edit(ctx, w, id)
	if errors.Is(err, fault.ErrNotFound) {
		return nil
	}
	if err != nil || o.Expires == nil {
		return err
	}
	if !o.hasLapsed(w.Scope().Actor.At) {
		return outbox.Later{Until: o.Expires.Time()} // it is held longer by now, or this clock is behind that of the sweep
	}
	if err := o.cancel(ctx, w, Action{lapsed: o.Expires}); err != nil {
		return err
	}
	return settle(ctx, w, o)
}

// sendLapse leaves, when the unit of work ends and the order has its id, the message that ends its hold. Where the hold was made longer,
// the messages of both wait for the later end.
func (o *Order) sendLapse(w *record.Work) {
	w.Finally(func(context.Context) error {
		if o.Expires == nil {
			return nil
		}
		_, err := w.SendAt(Lapsing, lapsing{o.ID}, o.Expires.Time())
		return err
	})
}

// hold holds the items of a request for a time from now on; 0 holds them without end. What is wrong with that is reported at
// the field "hold".
func (o *Order) hold(w *record.Work, seconds moment.Seconds) error {
	if err := o.checkHold(seconds, w.Errors("")); err != nil {
		return err
	}
	if o.holdFor(seconds, w.Scope().Actor.At); o.Expires != nil {
		o.sendLapse(w)
	}
	return nil
}
