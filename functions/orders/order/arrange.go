package order

import (
	"context"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

// Draft is an item line that a unit of work makes or changes, as its caller wants it.
type Draft struct {
	Line *Line
	Path string // of the body, where its errors are reported
	Agreed
	before *Line // as it was, nil for a new line; see Changes.remember
	// Price is how the price came about. Arrange and MakeQuote set it.
	Price pricing.Price
	// Conflicts are what is in the way of the line. Arrange and MakeQuote set them.
	Conflicts Conflicts
}

// ServiceDraft is a service line that a unit of work makes or changes, as its caller wants it.
type ServiceDraft struct {
	Line *ServiceLine
	Path string
	Agreed
	DiscountSent bool // the caller sent a discount or null, so that the service's own is not taken
	before       *ServiceLine
	Price        pricing.Price
}

// Agreed is what the company agreed on instead of the price and the duration of a tariff.
type Agreed struct {
	Cost     *money.Amount
	Duration *moment.Seconds
}

// Changes are the lines that a unit of work makes or changes of one order. New ones are already
// created in the unit of work, and have no id.
type Changes struct {
	Lines    []*Draft
	Services []*ServiceDraft
}

// remember keeps in the drafts how their lines were before the unit of work.
func (c Changes) remember(w *record.Work) {
	for _, d := range c.Lines {
		d.before = Lines().Before(w, d.Line.ID)
	}
	for _, d := range c.Services {
		d.before = ServiceLines().Before(w, d.Line.ID)
	}
}

// Arrange gives lines of an order their prices, gives item lines their times in the calendars of
// their items, and settles the order. An order without an id is new. What is wrong with a line is
// reported at its path. An item that is not free is the fault calendar.ErrOverlap, with the
// conflicts of all lines.
func Arrange(ctx context.Context, w *record.Work, o *Order, c Changes) error {
	p, err := prepare(ctx, w, o, c)
	if err != nil {
		return err
	}
	if err := p.conflicts.err(); err != nil {
		return err // before numbers are used up
	}
	if err := w.Number(ctx); err != nil {
		return err
	}
	for _, d := range c.Lines {
		d.Line.Order = o.ID
	}
	for _, d := range c.Services {
		d.Line.Order = o.ID
	}
	if err := p.apply(ctx, w, c.Lines); err != nil {
		return err
	}
	o.include(c)
	if err := o.sayArranged(w, c); err != nil {
		return err
	}
	return settle(ctx, w, o)
}

// prepare prices lines of an order, and plans what becomes of the calendars of their items. It writes nothing and
// uses up no numbers.
func prepare(ctx context.Context, w *record.Work, o *Order, c Changes) (p plan, err error) {
	c.remember(w)
	if err := o.checkChanges(c); err != nil {
		return p, err
	}
	if err := load(ctx, w, o, c); err != nil {
		return p, err
	}
	settings, rules, err := pricingRules(ctx, w)
	if err != nil {
		return p, err
	}
	o.setTimes(c.Lines, settings.Buffer, w.Scope().Actor.At, w.Errors)
	if err := price(ctx, w, o, c, rules); err != nil {
		return p, err
	}
	if err := w.CheckAll(ctx); err != nil {
		return p, err
	}
	wishes := wishesOf(c.Lines)
	if p.calendars, err = copies(ctx, w, wishes); err != nil {
		return p, err
	}
	err = p.fulfil(wishes, settings.Buffer, w.Scope().Actor.At)
	return p, err
}

// copies are copies of the calendars that item lines wish to change, by their items.
func copies(ctx context.Context, w *record.Work, wishes []wish) (map[int64]*calendar.Calendar, error) {
	all := make(map[int64]*calendar.Calendar, len(wishes))
	for _, one := range wishes {
		if all[one.item] != nil {
			continue
		}
		c, err := calendar.Read(ctx, w, one.item)
		if err != nil {
			return nil, err
		}
		all[one.item] = &c
	}
	return all, nil
}

// apply makes the calendars of the unit of work what was planned, once the lines have their numbers. Nothing may have
// changed them since they were copied.
func (p *plan) apply(ctx context.Context, w *record.Work, drafts []*Draft) error {
	for _, item := range p.changed {
		planned := p.numbered(item, drafts)
		if err := calendar.Change(ctx, w, item, func(c *calendar.Calendar) error { *c = planned; return nil }); err != nil {
			return err
		}
	}
	return nil
}

// release takes a line's entry out of its item's calendar.
func (l Held) release(ctx context.Context, w *record.Work) error {
	return calendar.Change(ctx, w, l.Item, func(c *calendar.Calendar) error {
		c.Release(calendar.Entry{Line: l.ID})
		return nil
	})
}
