package order

import (
	"context"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

// Draft is an item line that a unit of work makes or changes, as its caller wants it.
type Draft struct {
	Line *Line
	Path string // of the body, where its errors are reported
	// Class is the group that a line of a quote names instead of an item; nil for all others.
	Class *Class
	Asked
	before *Line    // as it was, nil for a new line; see Changes.remember
	agreed bool     // its caller names a price of its own; priceBy sets it
	same   bool     // its terms are those that it had; cost sets it
	bound  bound    // of its new price, as long as its terms stay; cost sets it
	anew   bool     // of a last part: it has new terms, as told before it is priced
	others []*Draft // of the last part of a rental whose item was swapped: the other parts; see Order.withParts
	last   *Draft   // of such another part: the last one
	// Price is how the price came about. Arrange and MakeQuote set it.
	Price pricing.Price
	// Conflicts are what is in the way of the line. Arrange and MakeQuote set them.
	Conflicts Conflicts
}

// ServiceDraft is a service line that a unit of work makes or changes, as its caller wants it.
type ServiceDraft struct {
	Line *ServiceLine
	Path string
	Asked
	DiscountSent bool // the caller sent a discount or null, so that the service's own is not taken
	before       *ServiceLine
	Price        pricing.Price
}

// Asked is what a caller asks of the price of a line, besides its tariff. Nil means that nothing was said.
type Asked struct {
	Cost     *money.Amount   // a price that was agreed on, instead of that of a tariff
	Duration *moment.Seconds // and the time that it is for
	Combined *bool           // whether the price is the cheapest sum of all tariffs
	Reprice  bool            // the line takes the tariffs and the price rules of today
}

// Changes are the lines that a unit of work makes or changes of one order. New ones are already
// created in the unit of work, and have no id.
type Changes struct {
	Lines    []*Draft
	Services []*ServiceDraft
	// NoTaxPercent and NoTaxIncluded say that the caller of a new order sent none: it takes those of the settings.
	NoTaxPercent, NoTaxIncluded bool
	Hold                        *moment.Seconds // for how long a new request is held; nil: as the settings say
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
	c.remember(w)
	c, err := o.withParts(ctx, w, c)
	if err != nil {
		return err
	}
	p, err := prepare(ctx, w, o, c)
	if err != nil {
		return err
	}
	if err := o.refuse(p.conflicts); err != nil {
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
	if err := o.follow(ctx, w, p.pricer, len(c.Lines)+len(p.changed)+len(c.Services)); err != nil {
		return err
	}
	if err := settle(ctx, w, o); err != nil {
		return err
	}
	return o.checkDiscount(Kind().Before(w, o.ID), p.pricer.limit(w))
}

// prepare prices lines of an order, and plans what becomes of the calendars of their items. It writes nothing and
// uses up no numbers.
func prepare(ctx context.Context, w *record.Work, o *Order, c Changes) (p plan, err error) {
	if err := o.checkChanges(c); err != nil {
		return p, err
	}
	shareDiscounts(c.Lines, w.Errors)
	if err := load(ctx, w, o, c); err != nil {
		return p, err
	}
	if p.pricer, err = newPricer(ctx, w, o.Point, c.before()...); err != nil {
		return p, err
	}
	if err := p.pricer.today(ctx, w, c); err != nil {
		return p, err
	}
	settings, now := p.pricer.settings, w.Scope().Actor.At
	o.takeTax(c, settings)
	if o.ID == 0 {
		if err := o.hold(w, o.holdOf(c, settings)); err != nil {
			return p, err
		}
	}
	o.setTimes(c.Lines, settings.Buffer, now, w.Errors)
	p.pricer.span = o.spanWith(c.Lines)
	if err := price(ctx, w, o, c, p.pricer); err != nil {
		return p, err
	}
	if err := o.checkTimed(c); err != nil {
		return p, err
	}
	if err := w.CheckAll(ctx); err != nil {
		return p, err
	}
	if err := o.checkDiscountWith(Kind().Before(w, o.ID), c, p.pricer.limit(w)); err != nil {
		return p, err
	}
	wishes := wishesOf(c.Lines)
	if p.calendars, err = copies(ctx, w, wishes); err != nil {
		return p, err
	}
	p.point = o.returnPoint()
	err = p.fulfil(wishes, settings.Buffer, now)
	return p, err
}

// before are the item lines of a call that were there before, and nil for each new one.
func (c Changes) before() (lines []*Line) {
	for _, d := range c.Lines {
		lines = append(lines, d.before)
	}
	return lines
}

// takeTax gives a new order the tax of the settings, as far as its caller named none.
func (o *Order) takeTax(c Changes, settings company.Rental) {
	if c.NoTaxPercent {
		o.TaxPercent = settings.TaxPercent
	}
	if c.NoTaxIncluded {
		o.TaxIncluded = settings.TaxIncluded
	}
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
