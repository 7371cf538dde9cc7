package order

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// Supposed is what a verb would make of an order.
type Supposed struct {
	Before, After Explained
	Conflicts     Conflicts // what is in the way of its items
}

// Explained is an order with its lines, and how what they cost comes about.
type Explained struct {
	Order    *Order
	Totals   pricing.Totals
	Lines    []ExplainedLine
	Services []ExplainedService
}

// ExplainedLine is an item line, how its price comes about, and its share in the price of the order.
type ExplainedLine struct {
	Line  *Line
	Price pricing.Price
	Share money.Amount
}

// ExplainedService is the same of a service line.
type ExplainedService struct {
	Line  *ServiceLine
	Price pricing.Price
	Share money.Amount
}

// Suppose lets verb change an order that the unit of work edits, and tells how the order was, and how it would be. Its caller writes
// nothing (record.Scope.Trial). Items that are not free are no error: the order is told as if they were, with what is in their way.
func Suppose(ctx context.Context, w *record.Work, o *Order, verb func() error) (s Supposed, err error) {
	o.supposed = &s.Conflicts
	if err := verb(); err != nil {
		return s, s.refusal(err)
	}
	if err := w.Errors("").Err(); err != nil {
		return s, err
	}
	before, t := Kind().Before(w, o.ID), w.Scope().Table
	keys := []table.Key{t.Company()}
	for _, l := range before.Lines {
		keys = append(keys, t.Record(kinds.OrderInventory, l.ID))
	}
	for _, id := range before.Services {
		keys = append(keys, t.Record(kinds.OrderService, id))
	}
	lines, services, err := LoadLines(ctx, w, o, keys...)
	if err != nil {
		return s, err
	}
	linesBefore, servicesBefore, err := before.loadedBefore(ctx, w)
	if err != nil {
		return s, err
	}
	p, err := newPricer(ctx, w, o.Point, append(linesBefore, lines...)...)
	if err != nil {
		return s, err
	}
	if s.Before, err = before.explain(p, linesBefore, servicesBefore); err != nil {
		return s, err
	}
	s.After, err = o.explain(p, lines, services)
	return s, err
}

// refusal is why the verb would have been refused: it stops at what is in the way of items, and never comes to what is wrong behind that.
func (s Supposed) refusal(err error) error {
	if _, refused := fault.As(err); refused && len(s.Conflicts) > 0 && !errors.Is(err, table.ErrRevision) {
		return s.Conflicts.err()
	}
	return err
}

// refuse is calendar.ErrOverlap with what is in the way of lines; nil if nothing is. An order that is only supposed to change goes on, and
// tells it.
func (o *Order) refuse(c Conflicts) error {
	if o.supposed == nil {
		return c.err()
	}
	*o.supposed = append(*o.supposed, c...)
	return nil
}

// loadedBefore are the lines of an order as they were before the unit of work, which has loaded them.
func (o *Order) loadedBefore(ctx context.Context, w *record.Work) (lines []*Line, services []*ServiceLine, err error) {
	for _, held := range o.Lines {
		l := Lines().Before(w, held.ID)
		if l == nil {
			if l, err = stillThere(Lines().Read(ctx, w, held.ID)); err != nil {
				return nil, nil, err
			}
		}
		if !o.Holds(l) {
			return nil, nil, table.ErrRevision
		}
		lines = append(lines, l)
	}
	for _, id := range o.Services {
		l := ServiceLines().Before(w, id)
		if l == nil {
			if l, err = stillThere(ServiceLines().Read(ctx, w, id)); err != nil {
				return nil, nil, err
			}
		}
		services = append(services, l)
	}
	return lines, services, nil
}

// explain tells how what an order costs comes about. It has these lines.
func (o *Order) explain(p pricer, lines []*Line, services []*ServiceLine) (e Explained, err error) {
	e.Order = o
	summed := *o
	if e.Totals, err = summed.sumUp(); err != nil {
		return e, err
	}
	var nets []money.Amount
	for _, l := range lines {
		price, err := p.priceOf(l, true)
		if err != nil {
			return e, err
		}
		e.Lines, nets = append(e.Lines, ExplainedLine{Line: l, Price: price}), append(nets, price.Net)
	}
	for _, l := range services {
		price, err := p.price(&l.Terms, l.item(), true)
		if err != nil {
			return e, err
		}
		e.Services, nets = append(e.Services, ExplainedService{Line: l, Price: price}), append(nets, price.Net)
	}
	for i, share := range pricing.Shares(nets, e.Totals) {
		if i < len(lines) {
			e.Lines[i].Share = share
		} else {
			e.Services[i-len(lines)].Share = share
		}
	}
	return e, nil
}
