// Package unique keeps values unique among the live records of a company. Each value is
// reserved by an item of its own (the reservation), which is written in the same transaction as
// the record. So when two requests want one value at the same moment, only one succeeds.
//
// What never goes in here: which values are unique, how they are compared, and how a caller is
// told.
//
// # Imports
//
// A reservation that an import makes (shared/record/bulk) carries the id of that import. While
// the import is running, its value is neither taken nor free: whoever wants it has to try again
// later. When the import is dead, another record may take its reservation over, on the
// condition that the reservation still carries that import. The import's sweep, which may come
// later, leaves such a reservation alone.
//
// A writer first tries to reserve its values, and calls Look only when that fails. So a value
// that is free costs nothing but its reservation.
package unique

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/bulk"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

const version = 1

// item is a reservation.
type item struct {
	table.Item
	Owner  int64 `dynamo:"o"`            // the record
	Import int64 `dynamo:"im,omitempty"` // the import that made the reservation
}

// Value is one value of the records of a kind.
type Value struct {
	Kind  kinds.Code
	Name  string // one of kinds.Kind.Unique
	Value string
}

// Key is the key of the value's reservation.
func (v Value) Key(t *table.Tenant) table.Key {
	return t.Reservation(kinds.Kind{Code: v.Kind}.UniqueName(v.Name), v.Value)
}

// Owner returns the id of the record that has a value, read from the item of its reservation. Without a reservation it
// returns 0. It is for values that no import reserves and whose reservations are read together with other items.
func Owner(reservation table.Attributes) int64 { return reservation.Int("o") }

// TakenError is the error of a transaction that reserves a value which is already reserved.
// Look tells whether a live record has the value.
type TakenError struct{ Value Value }

// Error is for logs; it leaves the value out.
func (e *TakenError) Error() string {
	return fmt.Sprintf("unique: a %s of %s is taken", e.Value.Name, e.Value.Kind)
}

// Abandoned knows which reservations dead imports have left behind, and reserves values: those
// that are free, and those whose reservation it knows to be abandoned. The zero Abandoned
// reserves only what is free; Look finds the others.
type Abandoned struct {
	owner int64 // the import that reserves; 0 where no import does
	dead  map[table.Key]int64
}

// And joins the abandoned reservations that a and o know.
func (a Abandoned) And(o Abandoned) Abandoned {
	all := maps.Clone(a.dead)
	if all == nil {
		all = map[table.Key]int64{}
	}
	maps.Copy(all, o.dead)
	a.dead = all
	return a
}

// Of is the same Abandoned for the rows of an import: what it reserves carries the import.
func (a Abandoned) Of(im int64) Abandoned {
	a.owner = im
	return a
}

// Reserve adds the reservation of a value for a record to a transaction: one operation. If
// another record has reserved the value, Write returns a *TakenError.
func (a Abandoned) Reserve(tx *table.Tx, t *table.Tenant, v Value, owner int64) {
	k := v.Key(t)
	put := t.Put(item{Item: table.At(k, version), Owner: owner, Import: a.owner})
	if im := a.dead[k]; im != 0 {
		put = put.If("attribute_not_exists(pk) OR 'im' = ?", im)
	} else {
		put = put.If("attribute_not_exists(pk)")
	}
	tx.Put(put, &TakenError{v})
}

// Release adds the deletion of a reservation to a transaction: one operation. The transaction
// fails if another record has reserved the value.
func Release(tx *table.Tx, t *table.Tenant, v Value, owner int64) {
	tx.Delete(t.Delete(v.Key(t)).If("attribute_not_exists(pk) OR 'o' = ?", owner),
		fmt.Errorf("unique: a %s is not reserved by %s %d", v.Name, v.Kind, owner))
}

// Move adds to a transaction that a reservation passes from one record to another: one
// operation.
func Move(tx *table.Tx, t *table.Tenant, v Value, from, to int64) {
	put := t.Put(item{Item: table.At(v.Key(t), version), Owner: to})
	tx.Put(put.If("attribute_not_exists(pk) OR 'o' = ?", from), &TakenError{v})
}

// Found is the result of Look.
type Found struct {
	Taken     []int        // indexes of the values that live records have
	Owners    []int64      // these records, in step with Taken
	Busy      *fault.Error // the caller's fault if a running import has reserved any of the others; else nil
	Abandoned Abandoned    // to reserve the values with, if none is taken or busy
}

// Look finds out which records have the given values. It reads consistently, with one call for
// each hundred values and one more if imports reserved any of them.
func Look(ctx context.Context, t *table.Tenant, values []Value, now time.Time) (Found, error) {
	return look(ctx, t, values, now, bulk.ReadAll)
}

// Peek is Look for callers that write nothing. It does not mark an import as dead whose lease
// is over, and so it returns no Abandoned.
func Peek(ctx context.Context, t *table.Tenant, values []Value, now time.Time) (Found, error) {
	f, err := look(ctx, t, values, now, bulk.Peek)
	f.Abandoned = Abandoned{}
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
	f.Abandoned.dead = map[table.Key]int64{}
	for i, h := range holders {
		switch state := states[bulk.ID{Kind: values[i].Kind, Import: h.Import}]; {
		case h.V == 0:
		case h.Import == 0 || state.V == 0 || state.Status == bulk.Done:
			f.Taken, f.Owners = append(f.Taken, i), append(f.Owners, h.Owner)
		case state.Status == bulk.Running:
			if wait := max(state.Until().Sub(now), time.Second); f.Busy == nil || wait > f.Busy.RetryAfter {
				f.Busy = busy(wait)
			}
		default:
			f.Abandoned.dead[keys[i]] = h.Import
		}
	}
	return f, nil
}

// busy is the fault for a caller who needs a value that a running import has reserved.
func busy(wait time.Duration) *fault.Error {
	f := fault.New(fault.Conflict, say.ImportRunning).Coded()
	f.RetryAfter = wait
	return f
}
