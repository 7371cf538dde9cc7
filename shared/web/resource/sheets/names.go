package sheets

import (
	"context"

	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// Named declares records of another kind, one of which each row of an import can name.
// Existing records are found by a unique value; the others are made together with the import.
type Named[T record.Stored] struct {
	Many say.Message // "attraction methods", as it stands behind how many there are
	// Most is how many records an import may make. Each of them needs a reservation and an
	// audit record in the transaction that commits the import: 25 fit. Where rows hold the
	// records that they name, each of these needs one operation more: All is then how many the
	// rows may name, 0 being no limit, and 3·Most + All at most 85.
	Most, All int
	Value     func(name string) unique.Value
	// Make makes one record in a unit of work. id may be called once the record has its
	// number.
	Make func(w *record.Work, name string) (id func() int64)
	// Apply sets the named record's id in the record of a row.
	Apply func(rec T, id int64)
}

// look looks up the records that the rows name and, if they are not known yet, the custom
// fields. It takes one call for a hundred of them together.
func (a *attempt[T, V]) look(ctx context.Context) error {
	var keys []table.Key
	for _, e := range a.extras {
		keys = append(keys, a.scope.Table.Definitions(e.Key))
	}
	a.known, a.unknown = map[unique.Value]int64{}, nil
	if a.named == nil {
		return a.read.Load(ctx, keys...)
	}
	var order []string
	for i := range a.rows {
		name := a.rows[i].name
		if name == "" {
			continue
		}
		v := a.named.Value(name)
		if _, seen := a.known[v]; !seen {
			a.known[v] = 0
			order, keys = append(order, name), append(keys, v.Key(a.scope.Table))
		}
	}
	if err := a.read.Load(ctx, keys...); err != nil {
		return err
	}
	for _, name := range order {
		v := a.named.Value(name)
		item, err := a.read.Item(ctx, v.Key(a.scope.Table))
		if err != nil {
			return err
		}
		if a.known[v] = unique.Owner(item); a.known[v] == 0 {
			a.unknown = append(a.unknown, name)
		}
	}
	if n := len(order); a.named.All > 0 && n > a.named.All {
		return badRows(say.SheetNamesTooMany(n, a.named.Many, a.named.All))
	}
	if n := len(a.unknown); n > a.named.Most {
		return badRows(say.SheetNewNamesTooMany(n, a.named.Many, a.named.Most))
	}
	return nil
}

// name makes the named records that do not exist yet, and sets the named record of each row.
func (a *attempt[T, V]) name(ctx context.Context, w *record.Work) error {
	if a.named == nil {
		return nil
	}
	made := make([]func() int64, len(a.unknown))
	for i, name := range a.unknown {
		made[i] = a.named.Make(w, name)
	}
	if err := w.Number(ctx); err != nil {
		return err
	}
	for i, name := range a.unknown {
		a.known[a.named.Value(name)] = made[i]()
	}
	for i := range a.rows {
		if name := a.rows[i].name; name != "" {
			a.named.Apply(a.rows[i].rec, a.known[a.named.Value(name)])
		}
	}
	return nil
}
