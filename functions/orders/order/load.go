package order

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// Around are the keys of what an answer shows of an order besides itself: its lines, their items,
// and its client.
func Around(t *table.Tenant, o *Order) (keys []table.Key) {
	for _, l := range o.Lines {
		keys = append(keys, t.Record(kinds.OrderInventory, l.ID), t.Record(kinds.Inventory, l.Item))
	}
	for _, id := range o.Services {
		keys = append(keys, t.Record(kinds.OrderService, id))
	}
	if o.Client != nil {
		keys = append(keys, t.Record(kinds.Client, *o.Client))
	}
	return distinct(keys)
}

// Parts are the lines of an order, as the order holds them. If one of them is not there, or has
// another time by now, the order was changed after it was read: the error is table.ErrRevision.
func Parts(ctx context.Context, w *record.Work, o *Order) (lines []*Line, services []*ServiceLine, err error) {
	if err := w.Load(ctx, Around(w.Scope().Table, o)...); err != nil {
		return nil, nil, err
	}
	return loaded(ctx, w, o)
}

// Alone are the lines of an order as Parts returns them, for those who need neither their items nor
// the client. It reads also what else they need, in the same call.
func Alone(ctx context.Context, w *record.Work, o *Order, also ...table.Key) (lines []*Line, services []*ServiceLine, err error) {
	keys, t := also, w.Scope().Table
	for _, l := range o.Lines {
		keys = append(keys, t.Record(kinds.OrderInventory, l.ID))
	}
	for _, id := range o.Services {
		keys = append(keys, t.Record(kinds.OrderService, id))
	}
	if err := w.Load(ctx, keys...); err != nil {
		return nil, nil, err
	}
	return loaded(ctx, w, o)
}

// loaded are the lines that an order holds, which the unit of work has loaded.
func loaded(ctx context.Context, w *record.Work, o *Order) (lines []*Line, services []*ServiceLine, err error) {
	for _, held := range o.Lines {
		l, err := below(Lines().Read(ctx, w, held.ID))
		if err != nil {
			return nil, nil, err
		}
		if !o.Fits(l) {
			return nil, nil, table.ErrRevision
		}
		lines = append(lines, l)
	}
	for _, id := range o.Services {
		l, err := below(ServiceLines().Read(ctx, w, id))
		if err != nil {
			return nil, nil, err
		}
		services = append(services, l)
	}
	return lines, services, nil
}

// Fits tells whether an order holds a line as it is. If not, the order or the line was changed after
// it was read, and before the other one was.
func (o *Order) Fits(l *Line) bool {
	held := o.Line(l.ID)
	return held != nil && *held == l.held()
}

// below is a record that an order holds. If it is not there, the order was changed after it was
// read: the error is table.ErrRevision, and everything is decided anew.
func below[T any](rec *T, err error) (*T, error) {
	if errors.Is(err, fault.ErrNotFound) {
		return nil, table.ErrRevision
	}
	return rec, err
}
