package bulk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"
	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/table"
)

// parallel is how many items the worker writes at a time.
const parallel = 8

// body names an import. The kind of its records follows from the kind of the message, and the
// company from the message's key.
type body struct {
	Import int64 `json:"import"`
}

// Work ends imports.
func (m Imports) Work(c *table.Conn, now func() time.Time) outbox.Work {
	return outbox.Work{m.Message: func(ctx context.Context, message outbox.Message) error {
		var b body
		company, ok := message.Tenant()
		if err := message.Decode(&b); err != nil || !ok || b.Import <= 0 {
			return fmt.Errorf("%w: %s names no import: %q", outbox.ErrDrop, message.Kind, message.Body)
		}
		err := m.End(ctx, table.Of(c, company), b.Import, now())
		if errors.Is(err, table.ErrNotFound) {
			return fmt.Errorf("%w: no import %d", outbox.ErrDrop, b.Import)
		}
		return err
	}}
}

// End does what is left to do for an import. It removes w from the rows of a committed import,
// and everything that a dead import has left. It may be interrupted at any point, and repeated.
// For an import that is still running it returns outbox.Later.
func (m Imports) End(ctx context.Context, t *table.Tenant, im int64, now time.Time) error {
	s, err := Read(ctx, t, ID{Kind: m.Kind, Import: im}, now)
	if err != nil {
		return err
	}
	switch s.Status {
	case Running:
		return outbox.Later{Until: s.Until().Add(time.Second)}
	case Done:
		return m.settle(ctx, t, im, s.Rows)
	}
	return m.sweep(ctx, t, im, s.Rows)
}

// rows reads the records that an import has created.
func (m Imports) rows(ctx context.Context, t *table.Tenant, im, n int64) ([]table.Attributes, error) {
	var rows []table.Attributes
	err := t.Table().Get("pk", t.Records(m.Kind)).Range("sk", dynamo.Between, table.SortID(im), table.SortID(im+n-1)).
		Filter("'im' = ?", im).Consistent(true).All(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("bulk: rows of %d: %w", im, err)
	}
	return rows, nil
}

// settle removes w from the rows.
func (m Imports) settle(ctx context.Context, t *table.Tenant, im, n int64) error {
	rows, err := m.rows(ctx, t, im, n)
	if err != nil {
		return err
	}
	var waiting []table.Key
	for _, row := range rows {
		if row[Waiting] != nil {
			waiting = append(waiting, table.Key{PK: row.Text("pk"), SK: row.Text("sk")})
		}
	}
	return each(ctx, waiting, func(ctx context.Context, k table.Key) error {
		return t.Update(k).Remove(Waiting).If("attribute_exists('w')").Run(ctx)
	})
}

// sweep removes what a dead import has left: first the reservations that still carry it, then
// the rows that tell which these are, then the pending range.
func (m Imports) sweep(ctx context.Context, t *table.Tenant, im, n int64) error {
	rows, err := m.rows(ctx, t, im, n)
	if err != nil {
		return err
	}
	var reserved, own []table.Key
	records := make([]dynamo.Keyed, 0, len(rows))
	for _, row := range rows {
		if m.Reserved != nil {
			reserved = append(reserved, m.Reserved(t, row)...)
		}
		records = append(records, table.Key{PK: row.Text("pk"), SK: row.Text("sk")})
	}
	items, err := t.GetMany(ctx, reserved...)
	if err != nil {
		return err
	}
	for k, item := range items {
		if table.Attributes(item).Int(Import) == im {
			own = append(own, k)
		}
	}
	err = each(ctx, own, func(ctx context.Context, k table.Key) error {
		return t.Delete(k).If("'im' = ?", im).Run(ctx)
	})
	if err != nil {
		return err
	}
	if len(records) > 0 {
		err = table.Retry(ctx, func() error {
			_, err := t.Table().Batch("pk", "sk").Write().Delete(records...).Run(ctx)
			return err
		})
		if err != nil {
			return fmt.Errorf("bulk: remove rows of %d: %w", im, err)
		}
	}
	return t.Write(ctx, func(tx *table.Tx, _ int) error {
		listing.Of(t, m.Kind, nil).Show(tx, listing.Range{From: im, To: im + n - 1})
		return nil
	})
}

// each writes items, a few at a time. If the condition of a write fails, the item has changed
// meanwhile, and it is left as it is.
func each(ctx context.Context, keys []table.Key, write func(ctx context.Context, k table.Key) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for _, k := range keys {
		g.Go(func() error {
			err := table.Retry(ctx, func() error { return write(ctx, k) })
			if err != nil && !dynamo.IsCondCheckFailed(err) {
				return fmt.Errorf("bulk: end %s %s: %w", k.PK, k.SK, err)
			}
			return nil
		})
	}
	return g.Wait()
}
