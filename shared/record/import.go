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
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/table"
)

// LongAnswer is the Answer of a request that takes several transactions.
type LongAnswer interface {
	Answer
	// Hold adds to the first of these transactions that the request is in progress, until the
	// given time at the latest.
	Hold(tx *table.Tx, until time.Time)
}

// Imports are the imports of the kind, with the work that ends them. message is the kind of the
// messages for that: "clients.import".
func (k *Kind[T]) Imports(message outbox.Kind) bulk.Imports {
	of := bulk.Imports{
		Kind: k.Kind.Code, Message: message,
		Reserved: func(t *table.Tenant, row table.Attributes) (keys []table.Key) {
			rec, err := k.decode(row)
			if err != nil {
				return nil // the reservations of a row that can't be read can't be found
			}
			for _, v := range k.UniqueValues(rec) {
				keys = append(keys, v.Key(t))
			}
			return keys
		},
	}
	if k.IsSearched() {
		of.Settle = func(t *table.Tenant, now time.Time) outbox.Message { return search.Merging(t, k.Kind.Code, false, now) }
	}
	return of
}

// importTries is how often an import is attempted while other requests are faster. It is small
// because each attempt writes all rows.
const importTries = 4

// Import creates more records of the kind than a transaction holds, up to bulk.MaxRows: all of
// them or none. Whatever else the decision does to the unit of work is in the last transaction,
// together with the answer; that is also where the records take hold of the others that they
// refer to, with one operation for each of these. The records must be of a simple kind: without
// a parent, and without a limit on their number.
//
// decide is as in Do. It returns the new records, no two of which may have a unique value in
// common. It has to check their references and free parts itself, with Check. Whether their
// unique values are free is not looked up first, as that would be one call for each hundred:
// the values are reserved, and only if that fails are all of them looked up. Then decide is
// called again, and taken are the values that other records have; decide has to refuse those.
func (k *Kind[T]) Import(
	ctx context.Context, s Scope, message outbox.Kind, a LongAnswer, decide func(w *Work, taken []TakenRow) ([]T, error),
) error {
	reserved, try := map[kinds.Code][]int64{}, 0
	var (
		taken     []TakenRow
		abandoned unique.Abandoned
		busy      *fault.Error
	)
	return table.Anew(ctx, importTries, func() error {
		w := newWork(s, reserved)
		try++
		w.try = try
		rows, err := decide(w, taken)
		if err != nil {
			return err
		}
		if busy != nil {
			return busy
		}
		if err := k.importable(s, rows); err != nil {
			return err
		}
		if k.ArmsImport != nil {
			w.arm(k.ArmsImport(rows))
		}
		if err := w.ready(ctx, k.heldBy(rows)...); err != nil {
			return err
		}
		err = w.explain(ctx, k.importRows(ctx, w, message, a, rows, abandoned))
		if lost := new(unique.TakenError); errors.As(err, &lost) && lost.Value.Kind == k.Kind.Code {
			found, lookErr := k.Taken(ctx, s, rows, unique.Look)
			if lookErr != nil {
				return lookErr
			}
			taken, abandoned, busy = found.Rows, found.Abandoned, found.Busy
		}
		return err
	}, raced)
}

// importable refuses what an import does not support, which is a mistake in our code.
func (k *Kind[T]) importable(s Scope, rows []T) error {
	if k.Parent != nil || k.AppendOnly || k.Most > 0 || s.Through != nil {
		return fmt.Errorf("record: records of %s can't be imported", k.Kind.Code)
	}
	seen := map[unique.Value]bool{}
	for _, rec := range rows {
		for _, v := range k.UniqueValues(rec) {
			if seen[v] {
				return fmt.Errorf("record: two records of an import have one %s of %s", v.Name, v.Kind)
			}
			seen[v] = true
		}
	}
	return nil
}

// heldBy are the records that the rows of an import hold.
func (k *Kind[T]) heldBy(rows []T) (list []held) {
	for _, rec := range rows {
		for _, r := range k.holds(rec) {
			list = append(list, held{k.Kind.Code, r})
		}
	}
	return list
}

// Check checks the references of new records that an import is to create, and their free parts
// against the custom fields, as Do does for the records of a unit of work. Errors of recs[i]
// are added to errs[i]. It reads what w does not know yet, with one call for each hundred.
func (k *Kind[T]) Check(ctx context.Context, w *Work, recs []T, errs []fault.FieldErrors) error {
	q := &questions{}
	for i, rec := range recs {
		p := trackedRecord[T]{kind: k, action: create, dirty: true, rec: rec, errs: errs[i]}
		p.addQuestions(q)
	}
	return w.answer(ctx, q)
}

// TakenRows are the unique values of new records that other records already have.
type TakenRows struct {
	unique.Found
	Rows []TakenRow
}

// TakenRow is a unique value of a new record that the record Owner already has.
type TakenRow struct {
	At    int    // the index of the new record
	Field string // the field that the error is reported at
	Owner int64  // the id of the record that has it
}

// Taken finds out which of the new records have unique values that other records already have.
// look is unique.Look, or unique.Peek if nothing is to be written.
func (k *Kind[T]) Taken(ctx context.Context, s Scope, rows []T,
	look func(context.Context, *table.Tenant, []unique.Value, time.Time) (unique.Found, error),
) (t TakenRows, err error) {
	var values []unique.Value
	var of []TakenRow
	for i, rec := range rows {
		for _, u := range k.uniques(rec) {
			values = append(values, u.of(k.Kind.Code))
			of = append(of, TakenRow{At: i, Field: u.Field})
		}
	}
	if t.Found, err = look(ctx, s.Table, values, s.Now()); err != nil {
		return t, err
	}
	for n, i := range t.Found.Taken {
		row := of[i]
		row.Owner = t.Owners[n]
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// UniqueValues are the unique values that a record has.
func (k *Kind[T]) UniqueValues(rec T) []unique.Value { return valuesOf(k.Kind.Code, k.uniques(rec)) }

// importRows writes the records, and then everything else in the last transaction.
func (k *Kind[T]) importRows(ctx context.Context, w *Work, message outbox.Kind, a LongAnswer, rows []T, abandoned unique.Abandoned) error {
	s := w.scope
	plan := bulk.Plan{
		Rows: make([]bulk.Row, len(rows)), By: s.Actor.User, About: s.Actor.About(),
		Also: func(tx *table.Tx, until time.Time) error {
			a.Hold(tx, until)
			return nil
		},
	}
	for i, rec := range rows {
		values := k.UniqueValues(rec)
		plan.Rows[i] = bulk.Row{Operations: 1 + len(values), Put: func(tx *table.Tx, id, im int64) error {
			*rec.meta() = Meta{Revision: 1, Created: s.moment(), Updated: s.moment(), Import: im, Waiting: true}
			rec.meta().stamped(w.stamp)
			k.Place(s.Table, rec, id)
			tx.Put(s.Table.Create(rec), fmt.Errorf("record: %s %d exists", k.Kind.Code, id))
			for _, v := range values {
				abandoned.Of(im).Reserve(tx, s.Table, v, id)
			}
			return nil
		}}
	}
	last := func(tx *table.Tx, c *listing.Counts, im int64) error {
		if err := a.Keep(ctx, tx); err != nil {
			return err
		}
		if err := w.imports(k.Kind, im, len(rows)); err != nil {
			return err
		}
		return w.write(tx, c)
	}
	_, err := k.Imports(message).Run(ctx, s.Table, s.Listing(k.Kind.Code), s.Now, plan, last)
	return err
}
