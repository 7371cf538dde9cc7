package record

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/bulk"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/table"
)

// LongAnswer is the Answer of a request that takes several transactions.
type LongAnswer interface {
	Answer
	// Hold adds to the first of them that the request is under way, at most until
	// a time.
	Hold(tx *table.Tx, until time.Time)
}

// Imports are the imports of the kind, whose worker they are ended by. message is
// the kind of its messages: "clients.import".
func (k Kind[T]) Imports(message outbox.Kind) bulk.Imports {
	return bulk.Imports{
		Kind: k.Kind.Code, Message: message,
		Reserved: func(t *table.Tenant, row table.Attributes) (keys []table.Key) {
			rec, err := k.decode(row)
			if err != nil {
				return nil // a row that can't be read has reserved nothing that could be found
			}
			for _, v := range k.Values(rec) {
				keys = append(keys, v.Key(t))
			}
			return keys
		},
	}
}

// importTries is how often an import is decided because others are faster: each
// try writes its rows.
const importTries = 4

// Import makes more records of the kind than a transaction holds, up to
// bulk.MaxRows, and yet all of them or none, with whatever else the decision makes
// of the unit of work: that is in the last transaction, with the answer. The
// records are of a plain kind: they hold no others, have no parent, and there may
// be any number of them.
//
// decide is as in Do, and gives the new records, no two of which have a unique
// value in common. Their references and free parts are its own to check, with
// Check. Who has their unique values is not looked up, which would be a call for
// each hundred: they are claimed, and only where that fails are all looked up. taken
// are those that others have; then decide has to refuse them.
func (k Kind[T]) Import(ctx context.Context, s Scope, message outbox.Kind, a LongAnswer, decide func(w *Work, taken []TakenRow) ([]*T, error)) error {
	reserved, again := map[kinds.Code][]int64{}, false
	var (
		taken []TakenRow
		claim unique.Claims
		busy  error
	)
	return table.Anew(ctx, importTries, func() error {
		w := newWork(s, reserved)
		w.again, again = again, true
		rows, err := decide(w, taken)
		if err == nil {
			err = busy
		}
		if err == nil {
			err = k.importable(s, rows)
		}
		if err == nil {
			err = w.ready(ctx)
		}
		if err != nil {
			return err
		}
		err = w.told(ctx, k.importRows(ctx, w, message, a, rows, claim))
		if lost := new(unique.TakenError); errors.As(err, &lost) && lost.Value.Kind == k.Kind.Code {
			found, lookErr := k.Taken(ctx, s, rows, unique.Look)
			if lookErr != nil {
				return lookErr
			}
			taken, claim, busy = found.Rows, found.Claims, nil
			if found.Busy != nil {
				busy = found.Busy
			}
		}
		return err
	}, raced)
}

// importable refuses what an import does not do, which is a mistake of ours.
func (k Kind[T]) importable(s Scope, rows []*T) error {
	if k.Parent != nil || k.AppendOnly || k.Most > 0 || s.Through != nil {
		return fmt.Errorf("record: records of %s can't be imported", k.Kind.Code)
	}
	seen := map[unique.Value]bool{}
	for _, rec := range rows {
		if len(k.holds(rec)) > 0 {
			return fmt.Errorf("record: a record of %s that holds another can't be imported", k.Kind.Code)
		}
		for _, v := range k.Values(rec) {
			if seen[v] {
				return fmt.Errorf("record: two records of an import have one %s of %s", v.Name, v.Kind)
			}
			seen[v] = true
		}
	}
	return nil
}

// Check holds new records that an import is to make to what they refer to, and their
// free parts to the custom fields, as Do does with those of a unit of work. What is
// wrong with a record is added to its errors, which stand in step with the records.
// w reads what it does not know yet: a call for each hundred.
func (k Kind[T]) Check(ctx context.Context, w *Work, recs []*T, errs []fault.FieldErrors) error {
	q := &questions{}
	for i, rec := range recs {
		p := one[T]{kind: k, doing: creates, dirty: true, rec: rec, errs: errs[i]}
		p.asks(q)
	}
	return w.answer(ctx, q)
}

// TakenRows are unique values of records that others have.
type TakenRows struct {
	unique.Found
	Rows []TakenRow
}

// TakenRow is one of them.
type TakenRow struct {
	At    int    // the place of the record
	Field string // where the error stands
}

// Taken finds out which of new records have unique values that others have, with
// unique.Look, or unique.Peek where nothing is to be written.
func (k Kind[T]) Taken(ctx context.Context, s Scope, rows []*T,
	look func(context.Context, *table.Tenant, []unique.Value, time.Time) (unique.Found, error),
) (t TakenRows, err error) {
	var values []unique.Value
	var of []TakenRow
	for i, rec := range rows {
		for _, u := range k.uniques(rec) {
			values = append(values, unique.Value{Kind: k.Kind.Code, Name: u.Name, Value: u.Value})
			of = append(of, TakenRow{At: i, Field: u.Field})
		}
	}
	if t.Found, err = look(ctx, s.Table, values, s.Now()); err != nil {
		return t, err
	}
	for _, i := range t.Found.Taken {
		t.Rows = append(t.Rows, of[i])
	}
	return t, nil
}

// Values are the unique values that a record has.
func (k Kind[T]) Values(rec *T) (list []unique.Value) {
	for _, u := range k.uniques(rec) {
		list = append(list, unique.Value{Kind: k.Kind.Code, Name: u.Name, Value: u.Value})
	}
	return list
}

// importRows writes the records, and then everything else in the last
// transaction.
func (k Kind[T]) importRows(ctx context.Context, w *Work, message outbox.Kind, a LongAnswer, rows []*T, claims unique.Claims) error {
	s := w.scope
	plan := bulk.Plan{
		Rows: make([]bulk.Row, len(rows)), By: s.Actor.User, About: s.Actor.About(),
		Also: func(tx *table.Tx, until time.Time) error {
			a.Hold(tx, until)
			return nil
		},
	}
	for i, rec := range rows {
		values := k.Values(rec)
		plan.Rows[i] = bulk.Row{Operations: 1 + len(values), Put: func(tx *table.Tx, id, im int64) error {
			*metaOf(rec) = Meta{Revision: 1, Created: s.micros(), Updated: s.micros(), Import: im, Waiting: true}
			k.Place(s.Table, rec, id)
			tx.Put(s.Table.Create(rec), fmt.Errorf("record: %s %d exists", k.Kind.Code, id))
			for _, v := range values {
				claims.Of(im).Claim(tx, s.Table, v, id)
			}
			return nil
		}}
	}
	_, err := k.Imports(message).Run(ctx, s.Table, s.Listing(k.Kind.Code), s.Now, plan, func(tx *table.Tx, c *listing.Counts, _ int64) error {
		if err := a.Keep(ctx, tx); err != nil {
			return err
		}
		return w.write(tx, c)
	})
	return err
}
