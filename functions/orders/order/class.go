package order

import (
	"context"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// Class is what a quoted line asks that names a group and no item.
type Class struct {
	Group int64
	// Free is how many items of the group the line could have. MakeQuote sets it.
	Free  int64
	known bool       // the group is there
	like  *item.Item // by which a line is priced that gets no item
}

// chooseItems gives each line that names a group an item of it that is free. A line that gets none stays without.
func chooseItems(ctx context.Context, w *record.Work, o *Order, c Changes) error {
	asked, err := classesOf(ctx, w, o, c)
	if err != nil || len(asked) == 0 {
		return err
	}
	of, err := company.Get(ctx, w)
	if err != nil {
		return err
	}
	var wants []item.Want
	var entries []calendar.Entry
	for _, d := range asked {
		e := d.Line.entry(o.returnPoint())
		e.Gap = of.RentalRules().Buffer
		entries = append(entries, e)
		wants = append(wants, item.Want{Group: d.Class.Group, Start: e.Start, End: e.End, Gap: e.Gap})
	}
	found, first, err := item.Free(ctx, w.Scope(), wants...)
	if err != nil {
		return err
	}
	has := had{}
	for _, d := range c.Lines {
		if d.Class == nil {
			o.fillTime(d.Line, w.Scope().Actor.At)
			has.add(d.Line.Item, stretchOf(d.Line, of.RentalRules().Buffer))
		}
	}
	asks, t := make([]ask, len(asked)), w.Scope().Table
	var keys []table.Key
	for i, d := range asked {
		asks[i] = ask{group: d.Class.Group, free: found[i], time: stretchOf(d.Line, of.RentalRules().Buffer)}
		if id := first[d.Class.Group]; id != 0 {
			keys = append(keys, t.Record(kinds.Inventory, id))
		}
	}
	tries := triesOf(asks, has)
	for _, ids := range tries {
		for _, id := range ids {
			keys = append(keys, t.Record(kinds.Inventory, id), t.Calendar(id))
		}
	}
	if err := w.Load(ctx, distinct(keys)...); err != nil {
		return err
	}
	for i, d := range asked {
		if d.Class.like, err = find(ctx, w, item.Kind(), first[d.Class.Group]); err != nil {
			return err
		}
		really := map[int64]bool{}
		for _, id := range tries[i] {
			if really[id], err = isFree(ctx, w, id, d.Class.Group, entries[i]); err != nil {
				return err
			}
		}
		chosen, free := choose(asks[i].free, tries[i], really, has.at(asks[i].time))
		d.Class.Free = free
		if chosen != 0 {
			d.Line.Item, d.Line.nameless = chosen, false
			has.add(chosen, asks[i].time)
		}
	}
	return nil
}

// classesOf are the lines that name a group that is there, and a time. A group that is not there is reported; what is
// wrong with a time is reported later.
func classesOf(ctx context.Context, w *record.Work, o *Order, c Changes) (asked []*Draft, err error) {
	t := w.Scope().Table
	keys := []table.Key{t.Company()}
	for _, d := range c.Lines {
		if d.Class != nil && valid(d.Class.Group) {
			keys = append(keys, t.Record(kinds.InventoryGroup, d.Class.Group))
		}
	}
	if len(keys) == 1 {
		keys = nil
	}
	if err := w.Load(ctx, distinct(keys)...); err != nil {
		return nil, err
	}
	for _, d := range c.Lines {
		if d.Class == nil {
			continue
		}
		d.Line.nameless = true
		errs := w.Errors(d.Path)
		if errs.Has("inventory_group") {
			continue
		}
		g, err := find(ctx, w, group.Kind(), d.Class.Group)
		if err != nil {
			return nil, err
		}
		if g == nil {
			errs.Add("inventory_group", say.DoesNotExist(d.Class.Group))
			continue
		}
		d.Class.known = true
		o.fillTime(d.Line, w.Scope().Actor.At)
		if d.Line.Start != 0 && d.Line.until() > d.Line.Start {
			asked = append(asked, d)
		}
	}
	return asked, nil
}

// isFree tells whether an item is an active one of a group and is free, by what is stored and not by what the search says.
func isFree(ctx context.Context, w *record.Work, id, of int64, e calendar.Entry) (bool, error) {
	it, err := find(ctx, w, item.Kind(), id)
	if err != nil || it == nil || !it.IsActive() || it.Group == nil || *it.Group != of {
		return false, err
	}
	c, err := calendar.Read(ctx, w, id)
	return err == nil && c.IsFree(e, w.Scope().Now()), err
}

// item is the item that a line without one is priced as.
func (c *Class) item() *item.Item {
	if c.like != nil {
		return c.like
	}
	return &item.Item{Group: &c.Group}
}
