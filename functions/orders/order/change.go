package order

import (
	"context"

	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/nullable"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// Amend does what goes with a change of an order's own fields by the unit of work: its lines get
// its client, the calendars of its items where they are returned, a discount is completed, and the order
// is settled. Lines that have exactly the order's time get the one that the caller wants, and a request is
// held from now on for a time, if one is named.
func Amend(ctx context.Context, w *record.Work, o *Order, to Times, hold *moment.Seconds) error {
	before, errs := Kind().Before(w, o.ID), w.Errors("")
	if to = to.differing(before); before.rents() {
		o.keepTime(before, to)
	}
	if before.UniqueID != nil && o.UniqueID == nil {
		if err := o.renumber(ctx, w); err != nil {
			return err
		}
	}
	if o.Status != before.Status {
		errs.Add("status", say.OrderStatusByAction)
	}
	if o.checkTime(errs); len(errs) > 0 {
		return w.Check(ctx) // with the references that are wrong
	}
	if hold != nil {
		if err := o.hold(w, *hold); err != nil {
			return err
		}
	}
	if err := load(ctx, w, o, Changes{}); err != nil {
		return err
	}
	discount, err := completed(ctx, w, o.Discount)
	if err != nil {
		return err
	}
	o.Discount = discount
	if !nullable.Same(before.Client, o.Client) {
		o.ClientGone = false
		if err := o.handOver(ctx, w); err != nil {
			return err
		}
	}
	if err := o.returnElsewhere(ctx, w, before); err != nil {
		return err
	}
	if err := o.sayAmended(w, before); err != nil {
		return err
	}
	moved, err := o.move(ctx, w, before, to)
	if err != nil {
		return err
	}
	if n := len(moved.Lines); n > 0 {
		if !nullable.Same(before.Client, o.Client) && len(o.Lines)+len(o.Services)+n > mostAtOnce {
			return errTooManyAtOnce
		}
		return Arrange(ctx, w, o, moved)
	}
	p, err := newPricer(ctx, w, o.Point)
	if err != nil {
		return err
	}
	if err := o.follow(ctx, w, p, 0); err != nil {
		return err
	}
	if err := settle(ctx, w, o); err != nil {
		return err
	}
	return o.checkDiscount(before, p.limit(w))
}

// renumber gives an order that has no unique_id of its own any more the first number for it that no
// other order has.
func (o *Order) renumber(ctx context.Context, w *record.Work) error {
	for o.Again = 0; o.Again < mostAgain; o.Again++ {
		number := unique.Value{Kind: kinds.Order, Name: "unique_id", Value: o.Number()}
		reserved, err := w.Item(ctx, number.Key(w.Scope().Table))
		if err != nil {
			return err
		}
		if owner := unique.Owner(reserved); owner == 0 || owner == o.ID {
			return nil
		}
	}
	return nil
}

// handOver gives the lines of an order its client.
func (o *Order) handOver(ctx context.Context, w *record.Work) error {
	t := w.Scope().Table
	var keys []table.Key
	for _, l := range o.Lines {
		keys = append(keys, t.Record(kinds.OrderInventory, l.ID))
	}
	for _, id := range o.Services {
		keys = append(keys, t.Record(kinds.OrderService, id))
	}
	if len(keys) > mostRewritten {
		return fault.New(fault.Conflict, say.OrderKeepsClient(mostRewritten)).Coded()
	}
	if err := w.Load(ctx, keys...); err != nil {
		return err
	}
	for _, held := range o.Lines {
		l, err := stillThere(Lines().Edit(ctx, w, held.ID))
		if err != nil {
			return err
		}
		l.Client = o.Client
	}
	for _, id := range o.Services {
		l, err := stillThere(ServiceLines().Edit(ctx, w, id))
		if err != nil {
			return err
		}
		l.Client = o.Client
	}
	return nil
}

// How many lines fit into one transaction beside the order, its history, the sums of its clients,
// the events, and the answer: 97 operations in all.
const (
	mostRewritten = 88 // an operation each
	mostRemoved   = 86 // operations: 2 for each record, 1 for the calendar of its item
)

// Drop does what goes with the end of lines of an order, which the caller removes in the same unit
// of work. What was handed out stays. A cancelled order may be too large to be deleted at once, so
// lines of it can go, too.
func Drop(ctx context.Context, w *record.Work, o *Order, lines []*Line, services []*ServiceLine) error {
	if err := o.checkRemoval(lines, services); err != nil {
		return err
	}
	if err := o.removeLines(ctx, w, lines, services); err != nil {
		return err
	}
	o.sayRemoved(w, lines, services)
	if !o.Status.Counts() || len(o.Timed) == 0 && !o.hasDiscount() {
		return settle(ctx, w, o)
	}
	p, err := newPricer(ctx, w, o.Point)
	if err != nil {
		return err
	}
	if err := o.follow(ctx, w, p, 3*len(lines)+2*len(services)); err != nil {
		return err
	}
	if err := settle(ctx, w, o); err != nil {
		return err
	}
	return o.checkDiscount(Kind().Before(w, o.ID), p.limit(w))
}

// removeLines takes lines out of an order, and frees their items.
func (o *Order) removeLines(ctx context.Context, w *record.Work, lines []*Line, services []*ServiceLine) error {
	t := w.Scope().Table
	var keys []table.Key
	for _, l := range lines {
		keys = append(keys, t.Calendar(l.Item))
	}
	if err := w.Load(ctx, distinct(keys)...); err != nil {
		return err
	}
	o.exclude(lines, services)
	for _, l := range lines {
		if err := l.held().release(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// Erase does what goes with the end of an order, which the caller removes in the same unit of work:
// its lines and referrals are removed with it. Only a request and a cancelled order can be deleted,
// and only if no money of it is left.
func Erase(ctx context.Context, w *record.Work, o *Order) error {
	if err := o.checkErasure(w.Scope().Role); err != nil {
		return err
	}
	t := w.Scope().Table
	var keys []table.Key
	for _, l := range o.Lines {
		keys = append(keys, t.Record(kinds.OrderInventory, l.ID), t.Calendar(l.Item))
	}
	for _, id := range o.Services {
		keys = append(keys, t.Record(kinds.OrderService, id))
	}
	for _, id := range o.Referrals {
		keys = append(keys, t.Record(kinds.Referral, id))
	}
	if err := w.Load(ctx, distinct(keys)...); err != nil {
		return err
	}
	for _, l := range o.Lines {
		if o.Status.Counts() {
			if err := l.release(ctx, w); err != nil {
				return err
			}
		}
		if _, err := stillThere(Lines().Edit(ctx, w, l.ID)); err != nil {
			return err
		}
		if err := Lines().Remove(ctx, w, l.ID); err != nil {
			return err
		}
	}
	for _, id := range o.Services {
		if _, err := stillThere(ServiceLines().Edit(ctx, w, id)); err != nil {
			return err
		}
		if err := ServiceLines().Remove(ctx, w, id); err != nil {
			return err
		}
	}
	if err := o.eraseReferrals(ctx, w); err != nil {
		return err
	}
	return o.tellClient(ctx, w, true)
}
