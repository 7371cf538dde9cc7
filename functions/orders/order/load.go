package order

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/orders/pricebook"
	"github.com/tenantry/tenantry/functions/services/service"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/table"
)

// ShownKeys are the keys of what an answer shows of an order besides itself: its lines, their items,
// and its client.
func ShownKeys(t *table.Tenant, o *Order) (keys []table.Key) {
	for _, l := range o.Lines {
		keys = append(keys, t.Record(kinds.OrderInventory, l.ID), t.Record(kinds.Inventory, l.Item))
	}
	for _, id := range o.Services {
		keys = append(keys, t.Record(kinds.OrderService, id))
	}
	if o.Client != nil {
		keys = append(keys, t.Record(kinds.Client, *o.Client))
	}
	return distinct(keys)
}

// LoadShown reads what an answer shows of an order, and returns its lines, as the order holds them. If one of them is not there, or has
// another time by now, the order was changed after it was read: the error is table.ErrRevision.
func LoadShown(ctx context.Context, w *record.Work, o *Order) (lines []*Line, services []*ServiceLine, err error) {
	if err := w.Load(ctx, ShownKeys(w.Scope().Table, o)...); err != nil {
		return nil, nil, err
	}
	return loaded(ctx, w, o)
}

// LoadLines returns the lines of an order as LoadShown does, for those who need neither their items nor
// the client. The items at the keys more are read in the same call.
func LoadLines(ctx context.Context, w *record.Work, o *Order, more ...table.Key) (lines []*Line, services []*ServiceLine, err error) {
	keys, t := more, w.Scope().Table
	for _, l := range o.Lines {
		keys = append(keys, t.Record(kinds.OrderInventory, l.ID))
	}
	for _, id := range o.Services {
		keys = append(keys, t.Record(kinds.OrderService, id))
	}
	if err := w.Load(ctx, keys...); err != nil {
		return nil, nil, err
	}
	return loaded(ctx, w, o)
}

// loaded are the lines that an order holds, which the unit of work has loaded.
func loaded(ctx context.Context, w *record.Work, o *Order) (lines []*Line, services []*ServiceLine, err error) {
	for _, held := range o.Lines {
		l, err := stillThere(Lines().Read(ctx, w, held.ID))
		if err != nil {
			return nil, nil, err
		}
		if !o.Holds(l) {
			return nil, nil, table.ErrRevision
		}
		lines = append(lines, l)
	}
	for _, id := range o.Services {
		l, err := stillThere(ServiceLines().Read(ctx, w, id))
		if err != nil {
			return nil, nil, err
		}
		services = append(services, l)
	}
	return lines, services, nil
}

// Holds tells whether an order holds a line as it is. If not, the order or the line was changed after
// it was read, and before the other one was.
func (o *Order) Holds(l *Line) bool {
	held := o.Line(l.ID)
	if held == nil {
		return false
	}
	was, is := *held, l.held()
	was.Plan, is.Plan = 0, 0 // lines from before it was held have none
	return was == is
}

// stillThere is for a record that an order holds. If it is not there, the order was changed after it was
// read: the error is table.ErrRevision, and everything is decided anew.
func stillThere[T any](rec T, err error) (T, error) {
	if errors.Is(err, fault.ErrNotFound) {
		err = table.ErrRevision
	}
	return rec, err
}

// load reads, in two calls, what prices follow from, and what the check of the unit of work will ask for:
// references, the unique_id, custom fields. The second one reads the groups of the items, and the discounts of the services.
func load(ctx context.Context, w *record.Work, o *Order, c Changes) error {
	t := w.Scope().Table
	keys := []table.Key{t.Company()}
	if len(c.Lines) > 0 {
		keys = append(keys, pricebook.Key(t))
	}
	var known []record.Reference
	if before := Kind().Before(w, o.ID); before != nil {
		known = references(before)
	}
	for _, r := range references(o) {
		if r.Kind == kinds.Client || !slices.Contains(known, r) { // answers show the client
			keys = append(keys, t.Record(r.Kind, r.ID))
		}
	}
	if o.ID == 0 {
		keys = append(keys, t.Definitions("order"))
	}
	if o.UniqueID != nil {
		keys = append(keys, unique.Value{Kind: kinds.Order, Name: "unique_id", Value: *o.UniqueID}.Key(t))
	}
	for _, d := range c.Lines {
		for _, r := range lineReferences(d.Line) {
			keys = append(keys, t.Record(r.Kind, r.ID))
		}
		if valid(d.Line.Item) {
			keys = append(keys, t.Calendar(d.Line.Item))
		}
		if was := d.before; was != nil && was.Item != d.Line.Item {
			keys = append(keys, t.Calendar(was.Item))
		}
		if place := d.Line.Place; place != nil {
			keys = append(keys, pricebook.KeyOf(t, place.Book))
		}
		keys = append(keys, t.Definitions("order_inventory"))
	}
	for _, d := range c.Services {
		for _, r := range serviceReferences(d.Line) {
			keys = append(keys, t.Record(r.Kind, r.ID))
		}
		keys = append(keys, t.Definitions("order_service"))
	}
	if err := w.Load(ctx, distinct(keys)...); err != nil {
		return err
	}
	var further []table.Key
	for _, d := range c.Lines {
		it, err := find(ctx, w, item.Kind(), d.Line.Item)
		if err != nil {
			return err
		}
		if it != nil && it.Group != nil {
			further = append(further, t.Record(kinds.InventoryGroup, *it.Group))
		}
	}
	for _, d := range c.Services {
		if !d.takesDiscount() {
			continue
		}
		of, err := find(ctx, w, service.Kind(), d.Line.Service)
		if err != nil {
			return err
		}
		if of != nil && of.Discount != nil {
			further = append(further, t.Record(kinds.Discount, *of.Discount))
		}
	}
	return w.Load(ctx, distinct(further)...)
}

func valid(id int64) bool { return id >= 1 && id <= table.MaxID }

func distinct(keys []table.Key) []table.Key {
	slices.SortFunc(keys, func(a, b table.Key) int { return cmp.Or(cmp.Compare(a.PK, b.PK), cmp.Compare(a.SK, b.SK)) })
	return slices.Compact(keys)
}

// find reads a record. It returns nil for one that does not exist, because the check of references reports that.
func find[T record.Stored](ctx context.Context, w *record.Work, k *record.Kind[T], id int64) (rec T, err error) {
	if !valid(id) {
		return rec, nil
	}
	rec, err = k.Read(ctx, w, id)
	if errors.Is(err, fault.ErrNotFound) {
		return rec, nil
	}
	return rec, err
}
