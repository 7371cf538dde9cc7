package bulk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	// MaxRows is how many records an import can create.
	MaxRows = 1000
	// Lease is how long after its start an import is left alone. It is longer than the request
	// that runs the import can last.
	Lease = 30 * time.Second
	// MaxOperations is how many operations a caller can add to a commit.
	MaxOperations = 89

	perTransaction = 100
	toAbandon      = 5 * time.Second
)

// Imports declares the imports of one kind of records.
type Imports struct {
	Kind    kinds.Code
	Message outbox.Kind // the kind of the message on which the worker ends an import: "clients.import"
	// Reserved returns the keys of a row's reservations. It is nil if rows reserve no values.
	Reserved func(t *table.Tenant, row table.Attributes) []table.Key
	// Settle is the message, with a key, that asks the search to take in the records of committed imports, which have no entries
	// of their own: the commit leaves it. It is nil if nobody searches the records.
	Settle func(t *table.Tenant, now time.Time) outbox.Message
}

// Plan is what an import is to create.
type Plan struct {
	Rows  []Row
	By    int64            // the user
	About table.Attributes // small data that is kept with the state of the import
	// Also adds the caller's operations to the first transaction, such as web.Request.Hold.
	// until is the end of the lease. Also may be nil.
	Also func(tx *table.Tx, until time.Time) error
}

// Row is one record to be created.
type Row struct {
	Operations int // how many operations Put adds
	// Put adds the record, under the given id, to a transaction, with the attributes im and w,
	// and its reservations, with im. It is called again after a conflict.
	Put func(tx *table.Tx, id, im int64) error
}

// Making is an import that this process is running. If it is not committed it has to be
// abandoned; otherwise it stays running until its lease is over.
type Making struct {
	imports Imports
	tenant  *table.Tenant
	listing listing.Listing
	now     func() time.Time
	ids     listing.Range
	rows    []Row
	written int // rows
	until   time.Time
}

// errEnded says that an import is no longer running.
var errEnded = errors.New("bulk: the import has ended")

// Run creates the records of a plan: all of them, or none. commit adds the caller's operations
// to the last transaction, at most MaxOperations, and whatever else the listings are to count;
// it may be nil. The error is that of the first operation whose condition failed, or a fault
// Unavailable. After a fault Unavailable the records may still appear, but only if abandoning
// the import has failed too.
func (m Imports) Run(ctx context.Context, t *table.Tenant, d listing.Listing, now func() time.Time, plan Plan,
	commit func(tx *table.Tx, c *listing.Counts, im int64) error,
) (im int64, err error) {
	i, err := m.Begin(ctx, t, d, now, plan)
	if err != nil {
		return 0, err
	}
	if err = i.Write(ctx); err == nil {
		err = i.Commit(ctx, commit)
	}
	if err == nil {
		return i.ID(), nil
	}
	if done, abandonErr := i.Abandon(ctx); abandonErr == nil && done {
		return i.ID(), nil
	}
	return 0, err
}

// Begin starts an import, in two calls.
func (m Imports) Begin(ctx context.Context, t *table.Tenant, d listing.Listing, now func() time.Time, plan Plan) (*Making, error) {
	if len(plan.Rows) == 0 || len(plan.Rows) > MaxRows {
		return nil, fmt.Errorf("bulk: an import of %d rows", len(plan.Rows))
	}
	ids, err := d.ReserveApart(ctx, len(plan.Rows))
	if err != nil {
		return nil, err
	}
	at := now().UTC()
	i := &Making{imports: m, tenant: t, listing: d, now: now, ids: ids, rows: plan.Rows, until: at.Add(Lease)}
	state := State{
		Item: table.At(i.key(), version), Status: Running, Rows: int64(len(plan.Rows)), Lease: i.until.UnixMicro(),
		At: at.UnixMicro(), By: plan.By, About: plan.About,
	}
	err = t.Write(ctx, func(tx *table.Tx, _ int) (err error) {
		tx.Put(t.Create(state), fmt.Errorf("bulk: import %d of %s exists", i.ID(), m.Kind))
		if err := d.Hide(tx, ids); err != nil {
			return err
		}
		if err := i.ask(tx, at, i.until.Add(time.Second)); err != nil {
			return err
		}
		if plan.Also != nil {
			if err := plan.Also(tx, i.until); err != nil {
				return err
			}
		}
		i.written, err = i.fill(tx, 0)
		return err
	})
	err = listing.Settle(err, func() (bool, error) {
		s, err := read(ctx, t, m.Kind, i.ID())
		return s.Status == Running, err
	})
	if err != nil {
		return nil, err
	}
	return i, nil
}

// ID identifies the import: it is the first of its record ids.
func (i *Making) ID() int64 { return i.ids.From }

func (i *Making) key() table.Key { return i.tenant.Bulk(i.imports.Kind, i.ID()) }

// ask adds a message that asks the worker to end the import.
func (i *Making) ask(tx *table.Tx, at, due time.Time) error {
	m, err := outbox.New(i.tenant.Message, i.imports.Message, body{Import: i.ID()}, at, due)
	if err != nil {
		return err
	}
	outbox.Send(tx, i.tenant, m)
	return nil
}

// fill adds rows to a transaction, starting with row from, as long as there is room. It returns
// the index of the next row.
func (i *Making) fill(tx *table.Tx, from int) (next int, err error) {
	for next = from; next < len(i.rows) && tx.Len()+i.rows[next].Operations <= perTransaction; next++ {
		row, before := i.rows[next], tx.Len()
		if err := row.Put(tx, i.ids.From+int64(next), i.ID()); err != nil {
			return next, err
		}
		if added := tx.Len() - before; added != row.Operations {
			return next, fmt.Errorf("bulk: row %d has %d operations, not %d", next, added, row.Operations)
		}
	}
	return next, nil
}

// Write writes the rows that did not fit into the transaction of Begin. It stops at the first
// error.
func (i *Making) Write(ctx context.Context) error {
	for i.written < len(i.rows) {
		next := 0
		err := i.tenant.Write(ctx, func(tx *table.Tx, _ int) (err error) {
			tx.Check(i.running(), errEnded)
			next, err = i.fill(tx, i.written)
			return err
		})
		err = listing.Settle(err, func() (bool, error) { return i.listing.Has(ctx, i.ids.From+int64(i.written)) })
		if err == nil && next == i.written {
			err = fmt.Errorf("bulk: row %d is too large for a transaction", next)
		}
		if err != nil {
			return ended(err)
		}
		i.written = next
	}
	return nil
}

// running is the condition, in a transaction of rows, that nobody has ended the import.
func (i *Making) running() *dynamo.ConditionCheck {
	k := i.key()
	return i.tenant.Table().Check("pk", k.PK).Range("sk", k.SK).If("'st' = ?", Running)
}

// Commit makes the records visible.
func (i *Making) Commit(ctx context.Context, build func(tx *table.Tx, c *listing.Counts, im int64) error) error {
	if i.written < len(i.rows) {
		return fmt.Errorf("bulk: %d of %d rows are written", i.written, len(i.rows))
	}
	ids := make([]int64, len(i.rows))
	for n := range ids {
		ids[n] = i.ids.From + int64(n)
	}
	err := listing.Write(ctx, i.tenant, func(tx *table.Tx, c *listing.Counts) error {
		tx.Update(i.tenant.Update(i.key()).Set("st", Done).If("'st' = ?", Running), errEnded)
		if i.imports.Settle != nil {
			i.listing.Commit(tx, i.ids)
			outbox.Arm(tx, i.tenant, i.imports.Settle(i.tenant, i.now()))
		} else {
			i.listing.Show(tx, i.ids)
		}
		if build != nil {
			if err := build(tx, c, i.ID()); err != nil {
				return err
			}
		}
		return c.Created(i.listing, ids...)
	})
	return ended(listing.Settle(err, func() (bool, error) {
		return Visible(ctx, i.tenant, i.imports.Kind, i.ID())
	}))
}

// Abandon ends an import whose rows must not appear, and asks the worker to clean up. It also
// works after the caller's context has ended. done reports that the import turned out to be
// committed, which its process may not know.
func (i *Making) Abandon(ctx context.Context) (done bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), toAbandon)
	defer cancel()
	at := i.now().UTC()
	err = i.tenant.Write(ctx, func(tx *table.Tx, _ int) error {
		tx.Update(i.tenant.Update(i.key()).Set("st", Dead).If("'st' = ?", Running), errEnded)
		return i.ask(tx, at, at)
	})
	if err == nil || !errors.Is(err, errEnded) && !table.Unavailable(err) {
		return false, err
	}
	s, lookErr := read(ctx, i.tenant, i.imports.Kind, i.ID())
	switch {
	case lookErr != nil:
		return false, lookErr
	case s.Status == Running:
		return false, err
	}
	return s.Status == Done, nil
}

// ended is the error for a caller whose import was ended by somebody else.
func ended(err error) error {
	if errors.Is(err, errEnded) {
		return fault.ErrUnavailable.Because(err)
	}
	return err
}
