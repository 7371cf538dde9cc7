package order

import (
	"context"
	"errors"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

// Draft is an item line that a unit of work makes or changes, as its caller wants it.
type Draft struct {
	Line   *Line
	Path   string // of the body, where its errors are reported
	before *Line  // as it was, nil for a new line; see Changes.remember
	Agreed
	// Price is how the price came about. Arrange and Price set it.
	Price pricing.Price
	// Conflicts are what is in the way of the line. Arrange and MakeQuote set them.
	Conflicts Conflicts
}

// ServiceDraft is a service line that a unit of work makes or changes, as its caller wants it.
type ServiceDraft struct {
	Line   *ServiceLine
	Path   string
	before *ServiceLine
	Agreed
	// Discounted says that the caller named the line's discount, or said that it has none.
	Discounted bool
	Price      pricing.Price
}

// takesDiscount tells whether a line takes the discount of its service: it is new, or has another
// service than before, and its caller said nothing of a discount.
func (d *ServiceDraft) takesDiscount() bool {
	return !d.Discounted && (d.before == nil || d.before.Service != d.Line.Service)
}

// Agreed is what the company agreed on instead of the price and the duration of a tariff.
type Agreed struct {
	Cost     *money.Amount
	Duration *int64 // seconds
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
	rules, conflicts, err := prepare(ctx, w, o, c)
	if err != nil || conflicts != nil {
		return conflicts.or(err) // before numbers are used up
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
	if conflicts, err := occupy(ctx, w, stored(w), c.Lines, rules.Buffer); err != nil || conflicts != nil {
		return conflicts.or(err)
	}
	o.include(c)
	return settle(ctx, w, o)
}

// prepare prices lines of an order, and finds out what is in their way. It writes nothing and uses
// up no numbers.
func prepare(ctx context.Context, w *record.Work, o *Order, c Changes) (company.Rental, Conflicts, error) {
	c.remember(w)
	if err := o.admits(c); err != nil {
		return company.Rental{}, nil, err
	}
	rules, err := Price(ctx, w, o, c)
	if err != nil {
		return rules, nil, err
	}
	if err := w.CheckAll(ctx); err != nil {
		return rules, nil, err
	}
	conflicts, err := occupy(ctx, w, copies(w), c.Lines, rules.Buffer)
	return rules, conflicts, err
}

// Price prices lines as Arrange does, and writes nothing: what it works out is in the drafts. What
// is wrong with a line is reported at its path. It returns the rules that it priced by.
func Price(ctx context.Context, w *record.Work, o *Order, c Changes) (company.Rental, error) {
	if err := load(ctx, w, o, c); err != nil {
		return company.Rental{}, err
	}
	of, err := company.Get(ctx, w)
	if err != nil {
		return company.Rental{}, err
	}
	settings := of.RentalRules()
	zone, err := of.Zone()
	if err != nil {
		return settings, err
	}
	o.times(c.Lines, settings.Buffer, w.Scope().Actor.At, w.Errors)
	p := pricer{w: w, rules: rulesOf(settings, zone)}
	for _, d := range c.Lines {
		d.Line.Client = o.Client
		if err := p.line(ctx, d); err != nil {
			return settings, err
		}
	}
	for _, d := range c.Services {
		d.Line.Client = o.Client
		if err := p.service(ctx, d); err != nil {
			return settings, err
		}
	}
	return settings, reduce(ctx, w, &o.Discount)
}

// rulesOf are the rules by which a company prices.
func rulesOf(settings company.Rental, zone *time.Location) pricing.Rules {
	return pricing.Rules{
		Zone: zone, CalendarMonths: settings.Month == company.CalendarMonths,
		LateGrace: settings.LateGrace, LateStep: settings.LateStep,
	}
}

// calendars changes the calendar of an item: that of the unit of work, or a copy, to find out what
// would happen.
type calendars func(ctx context.Context, item int64, change func(c *calendar.Calendar) error) error

// stored changes the calendars of the unit of work.
func stored(w *record.Work) calendars {
	return func(ctx context.Context, item int64, change func(c *calendar.Calendar) error) error {
		return calendar.Change(ctx, w, item, change)
	}
}

// copies changes copies of the calendars of the unit of work.
func copies(w *record.Work) calendars {
	all := map[int64]*calendar.Calendar{}
	return func(ctx context.Context, item int64, change func(c *calendar.Calendar) error) error {
		if all[item] == nil {
			c, err := calendar.Read(ctx, w, item)
			if err != nil {
				return err
			}
			all[item] = &c
		}
		return change(all[item])
	}
}

// occupy changes calendars as item lines need it. Lines that get another item, or begin at another time
// among others of this item, give up what they had; then those that stay change their ends; then the
// rest takes what is free. What stays keeps its entry, and so all that the calendar knows of it; a
// line whose time does not change asks for nothing.
func occupy(ctx context.Context, w *record.Work, in calendars, drafts []*Draft, buffer int64) (Conflicts, error) {
	lines := map[int64]int{}
	for _, d := range drafts {
		lines[d.Line.Item]++
	}
	for _, d := range drafts {
		was := d.before
		if was == nil || d.stays() || was.Item == d.Line.Item && lines[was.Item] == 1 {
			continue
		}
		if err := in(ctx, was.Item, func(c *calendar.Calendar) error { c.Release(calendar.Entry{Line: was.ID}); return nil }); err != nil {
			return nil, err
		}
	}
	var conflicts Conflicts
	for _, stays := range []bool{true, false} {
		for i, d := range drafts {
			l := d.Line
			if l.state() == Returned || !valid(l.Item) || d.stays() != stays || stays && !d.renews() {
				continue
			}
			if l.Type == Rental && d.renews() {
				l.Buffer = buffer
			}
			entry := l.entry()
			if entry.Line == 0 { // it has no number yet
				entry.Line = -int64(i) - 1
			}
			err := in(ctx, l.Item, func(c *calendar.Calendar) error { return c.Occupy(entry, w.Scope().Actor.At) })
			d.Conflicts = nil
			if err := d.Conflicts.take(err); err != nil {
				return nil, err
			}
			conflicts = append(conflicts, d.Conflicts...)
		}
	}
	return conflicts, nil
}

func release(ctx context.Context, w *record.Work, it, line int64) error {
	return calendar.Change(ctx, w, it, func(c *calendar.Calendar) error {
		c.Release(calendar.Entry{Line: line})
		return nil
	})
}

// Conflicts are what is in the way of the lines of a call.
type Conflicts []calendar.ItemConflict

// take takes the conflicts out of the error of a calendar. Any other error is returned.
func (c *Conflicts) take(err error) error {
	f, ok := fault.As(err)
	if !ok || !errors.Is(err, calendar.ErrOverlap) {
		return err
	}
	list, _ := f.Members["conflicts"].([]calendar.ItemConflict)
	*c = append(*c, list...)
	return nil
}

// or is the error of a call with these conflicts, or another one.
func (c Conflicts) or(err error) error {
	if err != nil || len(c) == 0 {
		return err
	}
	return calendar.ErrOverlap.With("conflicts", []calendar.ItemConflict(c))
}
