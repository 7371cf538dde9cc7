package order

import (
	"context"
	"slices"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/orders/pricebook"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// SwapKey is the key of what SwapItem reads of the other item, for those who read the line before.
func SwapKey(t *table.Tenant, with int64) table.Key { return t.Record(kinds.Inventory, max(with, 0)) }

// SwapItem gives a rental another item. One that is out goes on with it on a new line from that moment, and the line that it had ends
// then; both name the exchange. A line whose item was not handed out gets the other item, and nothing else happens. What is wrong with the
// swap is reported at the fields "inventory", "datetime" and "price" of the body.
func SwapItem(ctx context.Context, w *record.Work, o *Order, line int64, s Swap) error {
	t, errs := w.Scope().Table, w.Errors("")
	at := happened(s.At, w.Scope().Actor.At, errs, "datetime")
	held := o.Line(line)
	if held == nil {
		return table.ErrRevision // it went after the order was read
	}
	if held.Item == s.Item {
		errs.Add("inventory", say.SwapSameItem)
	}
	keys := append(ShownKeys(t, o), t.Company(), t.Calendar(held.Item), t.Definitions("order_inventory"))
	if s.New {
		keys = append(keys, pricebook.Key(t))
	}
	with, err := find(ctx, w, item.Kind(), s.Item)
	if err != nil {
		return err
	}
	if with != nil {
		keys = append(keys, t.Calendar(s.Item))
	} else if !errs.Has("inventory") {
		errs.Add("inventory", say.DoesNotExist(s.Item))
	}
	l, err := stillThere(Lines().Edit(ctx, w, line))
	if err != nil {
		return err
	}
	if err := w.Load(ctx, distinct(append(keys, l.toPrice(t, with)...))...); err != nil {
		return err
	}
	if !o.Holds(l) {
		return table.ErrRevision
	}
	if s.At != nil && l.state() == Planned {
		errs.Add("datetime", say.SwapBeforeHandOut)
	}
	if err := errs.Err(); err != nil {
		return err
	}
	if err := o.checkSwap(l, at); err != nil {
		return err
	}
	if l.state() == Planned {
		return o.replace(ctx, w, l, s)
	}
	return o.exchange(ctx, w, l, s, at)
}

// toPrice are the keys of what the price of a line follows from, once it has another item.
func (l *Line) toPrice(t *table.Tenant, with *item.Item) (keys []table.Key) {
	if with != nil && with.Group != nil {
		keys = append(keys, t.Record(kinds.InventoryGroup, *with.Group))
	}
	if l.Place != nil {
		keys = append(keys, pricebook.KeyOf(t, l.Place.Book))
	}
	return keys
}

// replace gives a line whose item was not handed out another item.
func (o *Order) replace(ctx context.Context, w *record.Work, l *Line, s Swap) error {
	was := l.Item
	d := &Draft{Line: l}
	if l.Item = s.Item; s.New {
		l.Tariff, d.Reprice = nil, true
	}
	if err := Arrange(ctx, w, o, Changes{Lines: []*Draft{d}}); err != nil {
		return priceAt(err)
	}
	w.Happened(LineSwapped{o.onSwap(l, l, was), l.swapped(was, l, nil, s)})
	return nil
}

// exchange ends a line that is out, and makes one that goes on with another item.
func (o *Order) exchange(ctx context.Context, w *record.Work, l *Line, s Swap, at moment.Micros) error {
	if len(o.Lines) >= MaxLines {
		return errTooManyLines
	}
	others, err := o.partsOf(ctx, w, l)
	if err != nil {
		return err
	}
	if len(others)+2 > maxParts {
		return errTooManyParts
	}
	before := *l
	next := l.goOn(s.Item, at)
	p, err := o.priceSwap(ctx, w, &before, l, next, s)
	if err != nil {
		return err
	}
	next.Buffer = p.settings.Buffer
	free, err := calendar.Read(ctx, w, s.Item)
	if err != nil {
		return err
	}
	now := w.Scope().Actor.At
	var conflicts Conflicts
	if err := conflicts.take(free.Occupy(next.entry(o.returnPoint()), now)); err != nil {
		return err
	}
	if err := o.refuse(conflicts); err != nil {
		return err // before numbers are used up
	}
	made := &Exchange{
		Order: o.ID, Client: o.Client, Line: l.ID, From: l.Item, To: s.Item, At: at, New: s.New, Reason: s.Reason,
		CreatedBy: userOf(w),
	}
	next.CreatedBy = made.CreatedBy
	Lines().Create(w, "", next)
	Exchanges().Create(w, "", made)
	if err := w.Number(ctx); err != nil {
		return err
	}
	made.Next, l.ContinuedBy = next.ID, next.ID
	l.Exchange, next.Exchange = &made.ID, &made.ID
	if err := o.moveOn(ctx, w, l, next); err != nil {
		return err
	}
	o.count(&before, money.Amount.Sub)
	for _, part := range []*Line{l, next} {
		o.count(part, money.Amount.Add)
	}
	o.Lines = append(slices.Clone(o.Lines), next.held())
	*o.Line(l.ID) = l.held()
	w.Happened(o.returnOf(l))
	w.Happened(LineAdded{o.onLine(next), next.about()})
	w.Happened(o.handOutOf(next))
	w.Happened(LineSwapped{o.onSwap(l, next, l.Item), l.swapped(l.Item, next, &made.ID, s)})
	if err := settle(ctx, w, o); err != nil {
		return err
	}
	return o.checkDiscount(Kind().Before(w, o.ID), p.limit(w))
}

// moveOn writes a swap into the calendars of both items. What is in the way of the other one has been told before. Nobody knows where the
// first item is left: it keeps its rental point.
func (o *Order) moveOn(ctx context.Context, w *record.Work, l, next *Line) error {
	err := calendar.Change(ctx, w, l.Item, func(c *calendar.Calendar) error {
		c.ReturnAt(calendar.Entry{Line: l.ID}, 0)
		c.Return(calendar.Entry{Line: l.ID}, next.Start)
		return nil
	})
	if err != nil {
		return err
	}
	var told Conflicts
	return told.take(calendar.Change(ctx, w, next.Item, func(c *calendar.Calendar) error {
		return c.Occupy(next.entry(o.returnPoint()), w.Scope().Actor.At)
	}))
}

// priceSwap prices the two parts of what was one line before. Those that were there before stay as they are.
func (o *Order) priceSwap(ctx context.Context, w *record.Work, before, l, next *Line, s Swap) (p pricer, err error) {
	if p, err = newPricer(ctx, w, o.Point, before); err != nil {
		return p, err
	}
	l.ContinuedBy = provisional(0) // so that both are parts, before the new one has its number
	kept := *next
	if err := p.divide(before, l, &kept); err != nil {
		return p, errTooMuch
	}
	if err := divideList(before, l, &kept); err != nil {
		return p, errTooMuch
	}
	d := &Draft{Line: next}
	of, err := d.readOffer(ctx, w)
	if err != nil {
		return p, err
	}
	if !s.New {
		*next = kept
		next.Group = of.item.Group
		return p, nil
	}
	if err := p.today(ctx, w, Changes{Lines: []*Draft{d}}); err != nil {
		return p, err
	}
	next.Group, next.Tariff = of.item.Group, nil
	errs := fault.FieldErrors{}
	if d.tariff(of, p, errs); len(errs) > 0 {
		return p, priceAt(errs.Err())
	}
	price, err := p.priceOf(next, false)
	if err != nil {
		return p, errTooMuch
	}
	next.worth(price, false)
	checkDiscount(nil, &next.Terms, p.limit(w), errs)
	return p, priceAt(errs.Err())
}

// withParts adds to the changes of a call the other parts of rentals whose items were swapped, where a change of one part is one of all.
func (o *Order) withParts(ctx context.Context, w *record.Work, c Changes) (Changes, error) {
	for _, d := range c.Lines {
		if !d.differsForAll() || d.last != nil || len(d.others) > 0 {
			continue
		}
		others, err := o.partsOf(ctx, w, d.Line)
		if err != nil {
			return c, err
		}
		of := []*Draft{d}
		for _, l := range others {
			i := slices.IndexFunc(c.Lines, func(d *Draft) bool { return d.Line.ID == l.ID })
			if i < 0 {
				i = len(c.Lines)
				c.Lines = append(slices.Clip(c.Lines), &Draft{Line: l, Path: d.Path, before: Lines().Before(w, l.ID)})
			}
			of = append(of, c.Lines[i])
		}
		last := of[slices.IndexFunc(of, func(d *Draft) bool { return d.Line.ContinuedBy == 0 })]
		last.anew = last.hasNewTerms()
		for _, part := range of {
			if part != last {
				part.last = last
				last.others = append(last.others, part)
			}
		}
	}
	if len(c.Lines) > mostAtOnce/2 {
		return c, errTooManyAtOnce
	}
	return c, nil
}

// partsOf edits the other parts of a line's rental.
func (o *Order) partsOf(ctx context.Context, w *record.Work, l *Line) (others []*Line, err error) {
	if !l.isPart() {
		return nil, nil
	}
	var keys []table.Key
	for _, h := range o.Lines {
		keys = append(keys, w.Scope().Table.Record(kinds.OrderInventory, h.ID))
	}
	if err := w.Load(ctx, keys...); err != nil {
		return nil, err
	}
	for _, to := range []func(*Line) int64{func(l *Line) int64 { return l.Continues }, func(l *Line) int64 { return l.ContinuedBy }} {
		for at := l; to(at) != 0; {
			if at, err = stillThere(Lines().Edit(ctx, w, to(at))); err != nil {
				return nil, err
			}
			others = append(others, at)
		}
	}
	return others, nil
}

// partsOfAll edits, for each line, the other parts of its rental.
func (o *Order) partsOfAll(ctx context.Context, w *record.Work, lines []*Line) (others [][]*Line, err error) {
	others = make([][]*Line, len(lines))
	for i, l := range lines {
		if others[i], err = o.partsOf(ctx, w, l); err != nil {
			return nil, err
		}
	}
	return others, nil
}

// userOf is who changes something; nil for what is no user.
func userOf(w *record.Work) *int64 {
	if id := w.Scope().Actor.User; id != 0 {
		return &id
	}
	return nil
}
