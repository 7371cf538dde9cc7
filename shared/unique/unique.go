// Package unique keeps values unique among the live records of a company: each
// is reserved by an item of its own, in the transaction that writes its record,
// so that of two who want one at the same moment only one succeeds.
//
// What never goes in here: which values are unique, how they are compared, and
// how a caller is told. Names are a company's own, whatever the kind of its
// records: "cli.iin".
//
// # Imports
//
// What an import reserves (shared/bulk) carries the import. While that is
// running the value is neither taken nor free: whoever wants it comes again
// later. Of a dead import it is taken over, on the condition that it still has
// it; its sweep, which may come later, leaves it alone. Who meets such a value
// tries to claim it, and asks Look only when that fails: a value that is free
// costs nothing but its reservation.
package unique

import (
	"context"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/shared/bulk"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
)

const version = 1

// item is a reservation.
type item struct {
	table.Item
	Owner  int64 `dynamo:"o"`            // the record
	Import int64 `dynamo:"im,omitempty"` // that made it
}

// Value is one value of a name.
type Value struct{ Name, Value string }

// TakenError is the result of a transaction that claims what is reserved. Look
// tells by whom.
type TakenError struct{ Name, Value string }

// Error is for logs, and keeps the value out of them.
func (e *TakenError) Error() string { return fmt.Sprintf("unique: a value of %s is taken", e.Name) }

// Claims reserve values. The zero Claims takes what is free; those of Look take
// over what dead imports have left, too.
type Claims struct {
	owner int64 // the import; 0 for records made by themselves
	dead  map[table.Key]int64
}

// Of is the same for the rows of an import.
func (c Claims) Of(im int64) Claims {
	c.owner = im
	return c
}

// Claim adds the reservation of a value for a record to a transaction: one
// operation. Where another has it, Write returns a *TakenError.
func (c Claims) Claim(tx *table.Tx, t *table.Tenant, name, value string, owner int64) {
	k := t.Reservation(name, value)
	put := t.Put(item{Item: table.At(k, version), Owner: owner, Import: c.owner})
	if im := c.dead[k]; im != 0 {
		put = put.If("attribute_not_exists(pk) OR 'im' = ?", im)
	} else {
		put = put.If("attribute_not_exists(pk)")
	}
	tx.Put(put, &TakenError{Name: name, Value: value})
}

// Release adds the end of a reservation to a transaction: one operation. It
// fails where another record has the value.
func Release(tx *table.Tx, t *table.Tenant, name, value string, owner int64) {
	tx.Delete(t.Delete(t.Reservation(name, value)).If("attribute_not_exists(pk) OR 'o' = ?", owner),
		fmt.Errorf("unique: the value of %s is not reserved by %d", name, owner))
}

// Found is what Look finds.
type Found struct {
	Taken  []int        // the values, by their place, that live records have
	Busy   *fault.Error // for the caller, where a running import has some of the others; else nil
	Claims Claims       // with which it is worth trying, where nothing is taken or busy
}

// Look finds out which records of a kind have some values, consistently, with a call for each hundred
// and one more where imports made any. What the record owner has itself is not
// taken; owner is 0 for a new one.
func Look(ctx context.Context, t *table.Tenant, kind kinds.Code, values []Value, owner int64, now time.Time) (Found, error) {
	return look(ctx, t, kind, values, owner, now, bulk.ReadAll)
}

// Peek is Look for a new record that writes nothing, and so gives no Claims: an
// import that has to be dead is not ended by it.
func Peek(ctx context.Context, t *table.Tenant, kind kinds.Code, values []Value, now time.Time) (Found, error) {
	f, err := look(ctx, t, kind, values, 0, now, bulk.Peek)
	f.Claims = Claims{}
	return f, err
}

type statesReader func(ctx context.Context, t *table.Tenant, ids []bulk.ID, now time.Time) (map[bulk.ID]bulk.State, error)

func look(ctx context.Context, t *table.Tenant, kind kinds.Code, values []Value, owner int64, now time.Time, read statesReader) (f Found, err error) {
	keys := make([]table.Key, len(values))
	for i, v := range values {
		keys[i] = t.Reservation(v.Name, v.Value)
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
			imports = append(imports, bulk.ID{Kind: kind, Import: im})
		}
	}
	states, err := read(ctx, t, imports, now)
	if err != nil {
		return Found{}, err
	}
	f.Claims.dead = map[table.Key]int64{}
	for i, h := range holders {
		switch state := states[bulk.ID{Kind: kind, Import: h.Import}]; {
		case h.V == 0 || h.Owner == owner:
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
