// Package unique keeps values unique among the live records of a company: each
// is reserved by an item of its own, in the transaction that writes its record,
// so that of two who want one at the same moment only one succeeds.
//
// What never goes in here: which values are unique, how they are compared, and
// how a caller is told.
//
// # Imports
//
// What an import reserves (shared/record/bulk) carries the import. While that is
// running the value is neither taken nor free: whoever wants it comes again
// later. Of a dead import it is taken over, on the condition that it still has
// it; its sweep, which may come later, leaves it alone. Who meets such a value
// tries to claim it, and asks Look only when that fails: a value that is free
// costs nothing but its reservation.
package unique

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/bulk"
	"github.com/tenantry/tenantry/shared/table"
)

const version = 1

// item is a reservation.
type item struct {
	table.Item
	Owner  int64 `dynamo:"o"`            // the record
	Import int64 `dynamo:"im,omitempty"` // that made it
}

// Value is one value of the records of a kind.
type Value struct {
	Kind  kinds.Code
	Name  string // one of kinds.Kind.Unique
	Value string
}

// Key is the key of its reservation.
func (v Value) Key(t *table.Tenant) table.Key {
	return t.Reservation(kinds.Kind{Code: v.Kind}.UniqueName(v.Name), v.Value)
}

// Owner is the record that has a value, by the item of its reservation: for
// values that no import reserves, which are read with other items. 0 where there
// is none.
func Owner(reservation table.Attributes) int64 { return reservation.Int("o") }

// TakenError is the result of a transaction that claims what is reserved. Look
// tells whether a live record has it.
type TakenError struct{ Value Value }

// Error is for logs, and keeps the value out of them.
func (e *TakenError) Error() string {
	return fmt.Sprintf("unique: a %s of %s is taken", e.Value.Name, e.Value.Kind)
}

// Claims reserve values. The zero Claims takes what is free; those of Look take
// over what dead imports have left, too.
type Claims struct {
	owner int64 // the import; 0 for records made by themselves
	dead  map[table.Key]int64
}

// And is what both claim.
func (c Claims) And(o Claims) Claims {
	all := maps.Clone(c.dead)
	if all == nil {
		all = map[table.Key]int64{}
	}
	maps.Copy(all, o.dead)
	c.dead = all
	return c
}

// Of is the same for the rows of an import.
func (c Claims) Of(im int64) Claims {
	c.owner = im
	return c
}

// Claim adds the reservation of a value for a record to a transaction: one
// operation. Where another has it, Write returns a *TakenError.
func (c Claims) Claim(tx *table.Tx, t *table.Tenant, v Value, owner int64) {
	k := v.Key(t)
	put := t.Put(item{Item: table.At(k, version), Owner: owner, Import: c.owner})
	if im := c.dead[k]; im != 0 {
		put = put.If("attribute_not_exists(pk) OR 'im' = ?", im)
	} else {
		put = put.If("attribute_not_exists(pk)")
	}
	tx.Put(put, &TakenError{v})
}

// Release adds the end of a reservation to a transaction: one operation. It
// fails where another record has the value.
func Release(tx *table.Tx, t *table.Tenant, v Value, owner int64) {
	tx.Delete(t.Delete(v.Key(t)).If("attribute_not_exists(pk) OR 'o' = ?", owner),
		fmt.Errorf("unique: a %s is not reserved by %s %d", v.Name, v.Kind, owner))
}

// Move adds to a transaction that a value goes from one record to another: one
// operation.
func Move(tx *table.Tx, t *table.Tenant, v Value, from, to int64) {
	put := t.Put(item{Item: table.At(v.Key(t), version), Owner: to})
	tx.Put(put.If("attribute_not_exists(pk) OR 'o' = ?", from), &TakenError{v})
}

// Found is what Look finds.
type Found struct {
	Taken  []int        // the values, by their place, that live records have
	Busy   *fault.Error // for the caller, where a running import has some of the others; else nil
	Claims Claims       // with which it is worth trying, where nothing is taken or busy
}

// Look finds out which records have some values, consistently, with a call for
// each hundred and one more where imports made any.
func Look(ctx context.Context, t *table.Tenant, values []Value, now time.Time) (Found, error) {
	return look(ctx, t, values, now, bulk.ReadAll)
}

// Peek is Look for what writes nothing, and so gives no Claims: an import that
// has to be dead is not ended by it.
func Peek(ctx context.Context, t *table.Tenant, values []Value, now time.Time) (Found, error) {
	f, err := look(ctx, t, values, now, bulk.Peek)
	f.Claims = Claims{}
	return f, err
}

type statesReader func(ctx context.Context, t *table.Tenant, ids []bulk.ID, now time.Time) (map[bulk.ID]bulk.State, error)

func look(ctx context.Context, t *table.Tenant, values []Value, now time.Time, read statesReader) (f Found, err error) {
	keys := make([]table.Key, len(values))
	for i, v := range values {
		keys[i] = v.Key(t)
	}
	items, err := t.GetMany(ctx, keys...)
	if err != nil {
		return Found{}, fmt.Errorf("unique: %w", err)
	}
	holders, imports := make([]item, len(values)), []bulk.ID{}
	for i, k := range keys {
		if items[k] == nil {
			continue
		}
		if err := table.Attributes(items[k]).Decode(&holders[i]); err != nil {
			return Found{}, err
		}
		if im := holders[i].Import; im != 0 {
			imports = append(imports, bulk.ID{Kind: values[i].Kind, Import: im})
		}
	}
	states, err := read(ctx, t, imports, now)
	if err != nil {
		return Found{}, err
	}
	f.Claims.dead = map[table.Key]int64{}
	for i, h := range holders {
		switch state := states[bulk.ID{Kind: values[i].Kind, Import: h.Import}]; {
		case h.V == 0:
		case h.Import == 0 || state.V == 0 || state.Status == bulk.Done:
			f.Taken = append(f.Taken, i)
		case state.Status == bulk.Running:
			if wait := max(state.Until().Sub(now), time.Second); f.Busy == nil || wait > f.Busy.RetryAfter {
				f.Busy = busy(wait)
			}
		default:
			f.Claims.dead[keys[i]] = h.Import
		}
	}
	return f, nil
}

// busy is the fault of a caller who needs what a running import has.
func busy(wait time.Duration) *fault.Error {
	f := fault.New(fault.Conflict, "An import that is running has this value.").With("code", "import_running")
	f.RetryAfter = wait
	return f
}
