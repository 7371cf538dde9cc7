package order

import (
	"context"
	"errors"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/nullable"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
)

// Arriving is the message, left by a return, that moves the items to the rental point at which they were returned. A return that changed
// the items itself would wait for whoever edits one of them, and has no room for 30 of them in its transaction.
const Arriving outbox.Kind = "orders.arrive"

// arriving is the body of the message Arriving.
type arriving struct {
	Order  int64       `json:"order"`
	Point  int64       `json:"point"`
	Number int64       `json:"number"` // of the move; see item.Arrive
	Lines  []arrival   `json:"lines"`
	Actor  audit.Actor `json:"actor"` // who took the items back, for their histories
}

// bringTo leaves, when the unit of work ends, the message that moves the items of returned lines to the order's rental_point_return.
// editChosen has read the items and their calendars.
func (o *Order) bringTo(ctx context.Context, w *record.Work, lines []*Line) error {
	m := arriving{Order: o.ID, Point: o.returnPoint(), Actor: w.Scope().Actor}
	if m.Point == 0 {
		return nil
	}
	for _, l := range lines {
		it, err := find(ctx, w, item.Kind(), l.Item)
		if err != nil {
			return err
		}
		c, err := calendar.Read(ctx, w, l.Item)
		if err != nil {
			return err
		}
		if a := (arrival{Line: l.ID, Item: l.Item, Revision: l.Return.Revision}); it != nil && a.mayMove(m.Point, it.Point, &c) {
			m.Lines = append(m.Lines, a)
		}
	}
	if len(m.Lines) == 0 {
		return nil
	}
	w.Finally(func(ctx context.Context) (err error) {
		if m.Number, err = w.Next(ctx, kinds.Move); err != nil {
			return err
		}
		return w.Send(Arriving, m)
	})
	return nil
}

// arrive carries a message Arriving out.
func arrive(ctx context.Context, c *table.Conn, now func() time.Time, message outbox.Message) error {
	var m arriving
	s, err := record.OpenMessage(c, message, now, &m)
	if err != nil {
		return err
	}
	at := s.Actor.At
	s.Actor = m.Actor
	s.Actor.At = at // the item moves now: it may have been changed since the return
	for _, a := range m.Lines {
		if err := s.Do(ctx, nil, func(w *record.Work) error { return m.move(ctx, w, a) }); err != nil {
			return err
		}
	}
	return nil
}

// move moves one item, each in a transaction of its own: that of the return may be done in part, and is done again from its beginning.
func (m arriving) move(ctx context.Context, w *record.Work, a arrival) error {
	t := w.Scope().Table
	err := w.Load(ctx, t.Record(kinds.OrderInventory, a.Line), t.Record(kinds.Inventory, a.Item), t.Record(kinds.RentalPoint, m.Point))
	if err != nil {
		return err
	}
	l, err := Lines().Rely(ctx, w, a.Line)
	if errors.Is(err, fault.ErrNotFound) {
		return nil
	}
	if err != nil || !a.holds(l) {
		return err
	}
	return item.Arrive(ctx, w, a.Item, item.Arrival{Point: m.Point, Number: m.Number, Order: m.Order, Line: a.Line})
}

// returnElsewhere says in the calendars of the items that are to come back where that will be, if the unit of work has changed it.
func (o *Order) returnElsewhere(ctx context.Context, w *record.Work, before *Order) error {
	if nullable.Same(before.PointReturn, o.PointReturn) {
		return nil
	}
	if err := o.checkReturns(before); err != nil {
		return err
	}
	var keys []table.Key
	for _, h := range o.toReturn() {
		keys = append(keys, w.Scope().Table.Calendar(h.Item))
	}
	if err := w.Load(ctx, distinct(keys)...); err != nil {
		return err
	}
	for _, h := range o.toReturn() {
		err := calendar.Change(ctx, w, h.Item, func(c *calendar.Calendar) error {
			c.ReturnAt(calendar.Entry{Line: h.ID}, o.returnPoint())
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
