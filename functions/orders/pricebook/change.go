package pricebook

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// Bounds of a book. An item has at most 400 KB, and a quote reads all of it.
const (
	MostActive = 100
	MaxSize    = 340 << 10
)

// next is the next book of a company within a unit of work.
type next struct {
	now   Book
	rules []*Rule // those that are made and changed
	gone  []int64
}

// Keep brings the price book in step with a rule that is made or changed in a unit of work, which it belongs to, and reports what
// is wrong with its price list, and with what the book would be. What changes nothing of the book makes no new one.
func Keep(ctx context.Context, w *record.Work, r *Rule) error {
	t := w.Scope().Table
	keys := []table.Key{Key(t)}
	if len(r.Prices) > 0 {
		keys = append(keys, groupKeys(t, r)...)
	}
	if err := w.Load(ctx, keys...); err != nil {
		return err
	}
	if err := checkTariffs(ctx, w, r); err != nil {
		return err
	}
	n, err := open(ctx, w)
	if err != nil {
		return err
	}
	n.rules = append(n.rules, r)
	return n.check(w.Errors(""))
}

// Drop takes a rule that is removed out of the price book.
func Drop(ctx context.Context, w *record.Work, r *Rule) error {
	n, err := open(ctx, w)
	if err == nil {
		n.gone = append(n.gone, r.ID)
	}
	return err
}

// open is the next book of a unit of work, which is written when all its rules have their ids.
func open(ctx context.Context, w *record.Work) (*next, error) {
	return record.Once(w, Key(w.Scope().Table), func() (*next, error) {
		now, err := Now(ctx, w)
		n := &next{now: now}
		w.Finally(func(context.Context) error { return n.finish(w) })
		return n, err
	})
}

// book is the next book. A new rule has no id before the end, so what is measured before has the largest one.
func (n *next) book() Book {
	b := Book{Number: n.now.Number + 1}
	for _, e := range n.now.Rules {
		if !slices.Contains(n.gone, e.ID) && !slices.ContainsFunc(n.rules, func(r *Rule) bool { return r.ID == e.ID }) {
			b.Rules = append(b.Rules, e)
		}
	}
	for _, r := range n.rules {
		if r.Active {
			b.Rules = append(b.Rules, Entry{cmp.Or(r.ID, table.MaxID), r.Definition})
		}
	}
	slices.SortFunc(b.Rules, func(a, b Entry) int { return cmp.Compare(a.ID, b.ID) })
	return b
}

// check reports a book that has too many rules, or can't be stored.
func (n *next) check(errs fault.FieldErrors) error {
	b := n.book()
	if len(b.Rules) > MostActive {
		errs.Add("active", say.PriceRulesTooMany(MostActive))
		return nil
	}
	item, err := b.encode(table.Key{})
	if err == nil && item.Size() > MaxSize {
		errs.Add(fault.NonField, say.PriceRulesTooLarge(MaxSize>>10))
	}
	return err
}

// finish adds the next book to the transaction, if it says anything else than the one before.
func (n *next) finish(w *record.Work) error {
	t, b := w.Scope().Table, n.book()
	now, err := b.encode(Key(t))
	if err != nil {
		return err
	}
	before, err := Book{b.Number, n.now.Rules}.encode(Key(t))
	if err != nil || reflect.DeepEqual(now, before) {
		return err
	}
	kept, err := b.encode(KeyOf(t, b.Number))
	if err != nil {
		return err
	}
	w.Also(func(tx *table.Tx) error {
		put := t.Create(now)
		if n.now.Number > 0 {
			put = t.Put(now).If("'r' = ?", n.now.Number)
		}
		tx.Put(put, table.ErrRevision)
		tx.Put(t.Create(kept), table.ErrRevision)
		return nil
	})
	return nil
}

// encode is the item of a book.
func (b Book) encode(key table.Key) (table.Attributes, error) {
	item, err := dynamo.MarshalItem(stored{table.At(key, version), b.Number, b.Rules})
	if err != nil {
		return nil, fmt.Errorf("pricebook: the book %d: %w", b.Number, err)
	}
	return item, nil
}

func groupKeys(t *table.Tenant, r *Rule) (keys []table.Key) {
	for _, id := range r.Groups {
		keys = append(keys, t.Record(kinds.InventoryGroup, id))
	}
	return keys
}

// checkTariffs reports the tariffs of a price list that none of its groups has. One that the list had before, for the same groups,
// stays, even if it is gone.
func checkTariffs(ctx context.Context, w *record.Work, r *Rule) error {
	errs := w.Errors("")
	if len(r.Prices) == 0 || errs.Has("groups") {
		return nil
	}
	before := Kind().Before(w, r.ID)
	kept := before != nil && slices.Equal(before.Groups, r.Groups)
	var known []int64
	for _, id := range r.Groups {
		item, err := w.Item(ctx, w.Scope().Table.Record(kinds.InventoryGroup, id))
		if err != nil {
			return err
		}
		if item == nil {
			continue // it is reported where the rule refers to it
		}
		g, err := group.Kind().Read(ctx, w, id)
		if err != nil {
			return err
		}
		for _, t := range g.Tariffs {
			known = append(known, t.ID)
		}
	}
	for i, p := range r.Prices {
		if len(w.Errors("prices."+strconv.Itoa(i))) > 0 {
			continue // it is no price at all
		}
		had := kept && slices.ContainsFunc(before.Prices, func(o Price) bool { return o.Tariff == p.Tariff })
		if !had && !slices.Contains(known, p.Tariff) {
			errs.AddAt("prices."+strconv.Itoa(i)+".tarif", say.DoesNotExist(p.Tariff))
		}
	}
	return nil
}
