package penalty

import (
	"context"
	"errors"
	"slices"

	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// match finds out who had the car of a penalty that a unit of work makes or changes, unless it is
// frozen. The transaction fails if the order changes meanwhile: everything that changes who had a car
// is a revision of the order. An order that begins to have the car after it was looked for leaves a message,
// with which follower.moved matches the penalty again.
func (p *Penalty) match(ctx context.Context, w *record.Work) error {
	if p.IsFrozen() {
		return nil
	}
	m, err := find(ctx, w, p)
	if err != nil {
		return err
	}
	was := Match{Item: p.Item, Order: p.Order, Line: p.Line, Client: p.Client}
	p.Item, p.Order, p.Line, p.Client = m.Item, m.Order, m.Line, m.Client
	p.rightful(w, was, m)
	if m.Order != nil {
		_, err = order.Kind().Rely(ctx, w, *m.Order)
	}
	return err
}

// MatchOf returns whom a penalty is matched to, as it is stored. If that is no order, Why says why: the search is made anew, and
// ReasonPending says that it finds one which is not stored yet.
func MatchOf(ctx context.Context, w *record.Work, p *Penalty) (Match, error) {
	stored := Match{Item: p.Item, Order: p.Order, Line: p.Line, Client: p.Client}
	if p.Order != nil {
		return stored, nil
	}
	if p.IsFrozen() {
		stored.Why = ReasonFrozen
		return stored, nil
	}
	m, err := find(ctx, w, p)
	if err != nil {
		return Match{}, err
	}
	if stored.Why = m.Why; m.Order != nil {
		stored.Why = ReasonPending
	}
	return stored, nil
}

// find finds the item that is the penalty's car, and who had it. A penalty stays with the item that it has as long
// as that is its car. It takes two calls if the item is known, or three if it is found by its number. Its units are
// those of the lines that it reads, with their orders: the first two, and rarely more.
func find(ctx context.Context, w *record.Work, p *Penalty) (Match, error) {
	if p.plate() == "" && p.passport() == "" {
		return Match{Why: ReasonNoCar}, nil
	}
	if p.Item != nil {
		lines, err := p.lines(ctx, w, *p.Item, true)
		if err != nil {
			return Match{}, err
		}
		if is, err := p.keeps(ctx, w, *p.Item); err != nil || is {
			return p.matchTo(*p.Item, lines), err
		}
	}
	id, why, err := p.car(ctx, w)
	if err != nil || id == 0 {
		return Match{Why: why}, err
	}
	lines, err := p.lines(ctx, w, id, false)
	return p.matchTo(id, lines), err
}

// keeps tells whether the item that a penalty has is its car: it has the number; or it has the tech passport, or was
// deleted, and no active item has the number.
func (p *Penalty) keeps(ctx context.Context, w *record.Work, id int64) (bool, error) {
	it, err := read(ctx, w, item.Kind(), id)
	if err != nil {
		return false, err
	}
	if is, sure := p.isCar(it); sure || p.plate() == "" {
		return is, nil
	}
	other, err := item.ByPlate(ctx, w, p.plate())
	return other == 0 || other == id, err
}

// CarKeys returns the keys of what finds the car of a row by its number, for callers that read several items at once.
func CarKeys(t *table.Tenant, row *Row) []table.Key {
	p := &Penalty{}
	row.parts(p, 0)
	if p.plate() == "" {
		return nil
	}
	return []table.Key{item.PlateKey(t, p.plate())}
}

// car finds the item that is the car of a penalty: the active one with its number, or the only one with its tech
// passport, where an active one comes before those that are not.
func (p *Penalty) car(ctx context.Context, w *record.Work) (id int64, why Reason, err error) {
	if p.plate() != "" {
		if id, err = item.ByPlate(ctx, w, p.plate()); err != nil || id != 0 {
			return id, "", err
		}
	}
	if p.passport() == "" {
		return 0, ReasonNoCar, nil
	}
	ids, err := item.ByPassport(ctx, w.Scope(), p.passport())
	if err != nil {
		return 0, "", err
	}
	var keys []table.Key
	for _, id := range ids {
		keys = append(keys, item.Kind().Key(w.Scope().Table, id))
	}
	if err := w.Load(ctx, keys...); err != nil {
		return 0, "", err
	}
	var items []*item.Item
	for _, id := range ids {
		it, err := read(ctx, w, item.Kind(), id)
		if err != nil {
			return 0, "", err
		}
		if it != nil {
			items = append(items, it)
		}
	}
	id, why = p.byPassport(items)
	return id, why, nil
}

// How many places of lines one call reads, and the lines of how many of them the first one. The last line that began
// before a violation nearly always tells who had the car; but any number of them may be cancelled.
const (
	mostPlaces = 32
	firstLines = 2
)

// lines reads the lines that may have had an item when a penalty happened: those that begin before, the last one
// first, until one was really handed out. It reads them together with their orders; and with the first ones the item,
// if withItem says so.
func (p *Penalty) lines(ctx context.Context, w *record.Work, id int64, withItem bool) (list []use, err error) {
	s := w.Scope()
	var keys []table.Key
	if withItem {
		keys = append(keys, item.Kind().Key(s.Table, id))
	}
	if p.ViolatedAt == nil {
		return nil, w.Load(ctx, keys...)
	}
	span, seen := order.Until(*p.ViolatedAt), map[int64]bool{}
	for span.Most = mostPlaces; ; {
		places, err := order.Lines().Places(ctx, s, kinds.Inventory, id, span)
		if err != nil {
			return nil, err
		}
		fresh := slices.DeleteFunc(slices.Clone(places), func(at record.Place) bool { return seen[at.ID] })
		for part := fresh; len(part) > 0 || len(keys) > 0; {
			n := len(part)
			if len(seen) == 0 {
				n = min(n, firstLines)
			}
			lines, err := linesAt(ctx, w, id, part[:n], keys)
			if err != nil {
				return nil, err
			}
			if list = append(list, lines...); decides(list) {
				return list, nil
			}
			for _, at := range part[:n] {
				seen[at.ID] = true
			}
			part, keys = part[n:], nil
		}
		if len(places) < span.Most || len(fresh) == 0 {
			return list, nil
		}
		span.To = places[len(places)-1].At // which is read again, and may have others beside it
	}
}

// linesAt reads the lines at some places below an item, with their orders; and other items by their keys, in the same
// call.
func linesAt(ctx context.Context, w *record.Work, id int64, places []record.Place, keys []table.Key) (list []use, err error) {
	t := w.Scope().Table
	for _, at := range places {
		of, err := order.OrderAt(at)
		if err != nil {
			return nil, err
		}
		keys = append(keys, order.Lines().Key(t, at.ID), order.Kind().Key(t, of))
	}
	if err := w.Load(ctx, keys...); err != nil {
		return nil, err
	}
	for _, at := range places {
		h, err := useAt(ctx, w, at, id)
		if err != nil {
			return nil, err
		}
		if h != nil {
			list = append(list, *h)
		}
	}
	return list, nil
}

// useAt is the line at a place below an item, as it is now; nil if it is not there any more.
func useAt(ctx context.Context, w *record.Work, at record.Place, id int64) (*use, error) {
	l, err := read(ctx, w, order.Lines(), at.ID)
	if err != nil || l == nil || l.Item != id {
		return nil, err
	}
	o, err := read(ctx, w, order.Kind(), l.Order)
	if err != nil || o == nil {
		return nil, err
	}
	u := useOf(l, o)
	return &u, nil
}

// read is a record; nil if it does not exist.
func read[T record.Stored](ctx context.Context, w *record.Work, k *record.Kind[T], id int64) (rec T, err error) {
	rec, err = k.Read(ctx, w, id)
	if errors.Is(err, fault.ErrNotFound) {
		return rec, nil
	}
	return rec, err
}
