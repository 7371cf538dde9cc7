package order

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tenantry/tenantry/shared/nullable"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// Draft is an item line that a unit of work makes or changes, as its caller wants it.
type Draft struct {
	Line *Line
	Path string // of the body, where its errors are reported
	Agreed
	// Price is how the price came about. Arrange and Price set it.
	Price pricing.Price
	// Conflicts are what is in the way of the line. Arrange and MakeQuote set them.
	Conflicts Conflicts
}

// ServiceDraft is a service line that a unit of work makes or changes, as its caller wants it.
type ServiceDraft struct {
	Line *ServiceLine
	Path string
	Agreed
	// Discounted says that the caller named the line's discount, or said that it has none.
	Discounted bool
	Price      pricing.Price
}

// takesDiscount tells whether a line takes the discount of its service: it is new, or has another
// service than before, and its caller said nothing of a discount.
func (d *ServiceDraft) takesDiscount(w *record.Work) bool {
	before := ServiceLines().Before(w, d.Line.ID)
	return !d.Discounted && (before == nil || before.Service != d.Line.Service)
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
	o.include(w, c)
	return settle(ctx, w, o)
}

// prepare prices lines of an order, and finds out what is in their way. It writes nothing and uses
// up no numbers.
func prepare(ctx context.Context, w *record.Work, o *Order, c Changes) (company.Rental, Conflicts, error) {
	if err := o.admits(w, c); err != nil {
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

// admits refuses changes of lines that the order does not take as it is.
func (o *Order) admits(w *record.Work, c Changes) error {
	if !o.IsOpen() {
		return o.refuses("The order is completed or cancelled.")
	}
	more, moreServices := 0, 0
	for _, d := range c.Lines {
		before := Lines().Before(w, d.Line.ID)
		if before == nil {
			more++
			continue
		}
		if !o.Fits(before) {
			return table.ErrRevision
		}
		if err := before.admits(d.Line); err != nil {
			return err
		}
	}
	for _, d := range c.Services {
		switch {
		case d.Line.ID == 0:
			moreServices++
		case !slices.Contains(o.Services, d.Line.ID):
			return table.ErrRevision
		}
	}
	if len(o.Lines)+more > MaxLines {
		return fault.Field(fault.NonField, fmt.Sprintf("An order has at most %d item lines.", MaxLines))
	}
	if len(o.Services)+moreServices > MaxServices {
		return fault.Field(fault.NonField, fmt.Sprintf("An order has at most %d service lines.", MaxServices))
	}
	return nil
}

// admits refuses to change what a line can't change once its item was handed out, or is back.
func (l *Line) admits(to *Line) error {
	moved := l.Start != to.Start || l.Item != to.Item || l.Type != to.Type
	switch l.state() {
	case Out:
		if moved {
			return errOut
		}
	case Returned:
		if moved || l.End != to.End || !nullable.Same(l.Tariff, to.Tariff) {
			return errReturned
		}
	case Planned:
	}
	return nil
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
	if o.ID == 0 {
		o.checkTime(w.Errors(""))
	}
	p := pricer{w: w, rules: rulesOf(settings, zone)}
	for _, d := range c.Lines {
		d.Line.Client = o.Client
		o.gives(d.Line, w.Scope().Actor.At)
		d.Line.check(w.Errors(d.Path))
		d.Line.follow()
	}
	overlaps(w, c.Lines, settings.Buffer)
	for _, d := range c.Lines {
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
		was := Lines().Before(w, d.Line.ID)
		if was == nil || d.stays(w) || was.Item == d.Line.Item && lines[was.Item] == 1 {
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
			if l.state() == Returned || !valid(l.Item) || d.stays(w) != stays || stays && !d.renews(w) {
				continue
			}
			if l.Type == Rental && d.renews(w) {
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

// stays tells whether a line has its item from the same moment on as before.
func (d *Draft) stays(w *record.Work) bool {
	was := Lines().Before(w, d.Line.ID)
	return was != nil && was.Item == d.Line.Item && was.from() == d.Line.from()
}

// moves tells whether a line is new, or has another time, or another item, than before.
func (d *Draft) moves(w *record.Work) bool { return !d.stays(w) || d.renews(w) }

// renews tells whether a line is kept free afterwards as the company wishes now: it is new, or has
// another end, or another item, than before.
func (d *Draft) renews(w *record.Work) bool {
	was := Lines().Before(w, d.Line.ID)
	return was == nil || was.Item != d.Line.Item || was.End != d.Line.End
}

func release(ctx context.Context, w *record.Work, it, line int64) error {
	return calendar.Change(ctx, w, it, func(c *calendar.Calendar) error {
		c.Release(calendar.Entry{Line: line})
		return nil
	})
}

// include takes lines into the sums of an order, and into what it holds of them.
func (o *Order) include(w *record.Work, c Changes) {
	o.Lines, o.Services = slices.Clone(o.Lines), slices.Clone(o.Services)
	for _, d := range c.Lines {
		l, before := d.Line, Lines().Before(w, d.Line.ID)
		if before != nil {
			o.count(before, money.Amount.Sub)
		}
		o.count(l, money.Amount.Add)
		if before != nil {
			*o.Line(l.ID) = l.held()
		} else {
			o.Lines = append(o.Lines, l.held())
		}
	}
	for _, d := range c.Services {
		if before := ServiceLines().Before(w, d.Line.ID); before != nil {
			o.countService(before, money.Amount.Sub)
		} else {
			o.Services = append(o.Services, d.Line.ID)
		}
		o.countService(d.Line, money.Amount.Add)
	}
}

// count adds a line to the sums of its order, or takes it out of them.
func (o *Order) count(l *Line, by func(a, b money.Amount) money.Amount) {
	o.GrossInventory, o.LineDiscounts = by(o.GrossInventory, l.Price), by(o.LineDiscounts, l.PriceDiscount)
	o.LateFees = by(o.LateFees, l.LateFee)
}

func (o *Order) countService(l *ServiceLine, by func(a, b money.Amount) money.Amount) {
	o.GrossService, o.LineDiscounts = by(o.GrossService, l.Price), by(o.LineDiscounts, l.PriceDiscount)
}
