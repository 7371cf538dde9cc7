package order

import (
	"context"

	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

// mostAlternatives is how many items are offered instead of one that is not free.
const mostAlternatives = 10

// Quote is what an order would cost, and which of its items could be had. The price of each line
// and what is in its way are in the drafts.
type Quote struct {
	Totals pricing.Totals
	// Shares is what each line is worth within the order, with its part of the order's own
	// discount and of the added tax: first of the item lines, then of the service lines.
	Shares []money.Amount
	// Alternatives are, for each item line, free items of the same group. A line whose item is
	// free has none.
	Alternatives [][]item.Alternative
	Available    bool // all items are free, and each line has one
}

// MakeQuote prices a new order and its lines as Arrange does, and finds out which items are free.
// The order gets its totals. Nothing is written, and no number is used up. What is wrong with a
// line is reported as Arrange reports it, but an item that is not free is no error. A line that names
// a group gets an item of it first, as far as one is free.
func MakeQuote(ctx context.Context, w *record.Work, o *Order, c Changes) (Quote, error) {
	c.remember(w)
	if err := chooseItems(ctx, w, o, c); err != nil {
		return Quote{}, err
	}
	p, err := prepare(ctx, w, o, c)
	if err != nil {
		return Quote{}, err
	}
	q := Quote{Available: len(p.conflicts) == 0, Alternatives: make([][]item.Alternative, len(c.Lines))}
	for _, d := range c.Lines {
		q.Available = q.Available && !d.Line.nameless
	}
	o.include(c)
	if q.Totals, err = o.sumUp(); err != nil {
		return q, err
	}
	var nets []money.Amount
	for _, d := range c.Lines {
		nets = append(nets, d.Price.Net)
	}
	for _, d := range c.Services {
		nets = append(nets, d.Price.Net)
	}
	q.Shares = pricing.Shares(nets, q.Totals)
	if !q.Available {
		err = q.findAlternatives(ctx, w.Scope(), c.Lines)
	}
	return q, err
}

// findAlternatives looks for free items instead of those that are not.
func (q *Quote) findAlternatives(ctx context.Context, s record.Scope, drafts []*Draft) error {
	var wanted []int64
	for _, d := range drafts {
		wanted = append(wanted, d.Line.Item)
	}
	var wants []item.Want
	var of []int // the line that each is for
	for i, d := range drafts {
		if len(d.Conflicts) == 0 || d.Line.Group == nil {
			continue
		}
		e := d.Line.entry(0)
		wants = append(wants, item.Want{
			Group: *d.Line.Group, Start: e.Start, End: e.End, Gap: e.Gap, Not: wanted, Most: mostAlternatives,
		})
		of = append(of, i)
	}
	if len(wants) == 0 {
		return nil
	}
	found, err := item.Alternatives(ctx, s, wants...)
	if err != nil {
		return err
	}
	for n, i := range of {
		q.Alternatives[i] = found[n]
	}
	return nil
}
