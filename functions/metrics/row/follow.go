package row

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// operations is how many operations one transaction holds.
const operations = 96

// forever is the revision of an order that was deleted. It is later than every other revision.
const forever = math.MaxInt64

// Follow works out the rows of an order again, from what is true now, and writes those that differ.
// The rows of an order that was deleted go.
//
// All transactions about an order are conditional on the revision of the order's own row, so they
// are decided one after the other, and none is decided on an order that is older than the one that
// the rows were made from. Rows and what the days come to are written together; an order with many
// lines takes several transactions, each of which decides anew.
func Follow(ctx context.Context, s record.Scope, id int64) error {
	for more := true; more; {
		if err := table.Anew(ctx, table.Tries, func() (err error) {
			more, err = follow(ctx, s, id)
			return err
		}, nil); err != nil {
			return err
		}
	}
	return nil
}

// follow writes what one transaction holds of the rows that differ; more says that there are others.
func follow(ctx context.Context, s record.Scope, id int64) (more bool, err error) {
	w, head := s.Reading(), idOf(ofOrder, id)
	d := difference{scope: s, source: order.Kind().Key(s.Table, id)}
	if err := w.Load(ctx, d.source, Kind().Key(s.Table, head), s.Table.Company()); err != nil {
		return false, err
	}
	o, err := there(order.Kind().Read(ctx, w, id))
	if err != nil {
		return false, err
	}
	if d.before, err = there(Kind().Read(ctx, w, head)); err != nil {
		return false, err
	}
	switch {
	case d.before == nil && o == nil:
		return false, nil
	case d.before != nil && o != nil && d.before.Of > o.Revision:
		return false, table.ErrRevision // the order was read before it was changed, and its row after that
	}
	var old []int64
	if d.before != nil {
		if old, err = unpack(d.before.Others); err != nil {
			return false, err
		}
	}
	want, err := wanted(ctx, w, o, old)
	if err != nil {
		return false, err
	}
	d.after = Row{Gone: true, Of: forever}
	if o != nil {
		d.after, want = want[0], want[1:]
		d.after.Of = o.Revision
	}
	d.after.ID = head
	if err := d.compare(ctx, w, old, want); err != nil {
		return false, err
	}
	return d.write(ctx)
}

// there returns nil for a record that does not exist, instead of an error.
func there[T any](rec *T, err error) (*T, error) {
	if errors.Is(err, fault.ErrNotFound) {
		return nil, nil
	}
	return rec, err
}

// wanted returns the rows that an order has to have: no rows if it was deleted. It loads the rows that
// the order has into w, too.
func wanted(ctx context.Context, w *record.Work, o *order.Order, old []int64) ([]Row, error) {
	var keys []table.Key
	for _, id := range old {
		keys = append(keys, Kind().Key(w.Scope().Table, id))
	}
	if o == nil {
		return nil, w.Load(ctx, keys...)
	}
	lines, services, err := order.LoadLines(ctx, w, o, keys...)
	if err != nil {
		return nil, err
	}
	of, err := company.Get(ctx, w)
	if err != nil {
		return nil, err
	}
	zone, err := of.Zone()
	if err != nil {
		return nil, err
	}
	return rowsOf(o, lines, services, zone), nil
}

// difference is what differs between the rows that are there and those that there should be.
type difference struct {
	scope   record.Scope
	source  table.Key      // the order's key
	before  *Row           // the order's own row; nil if the order has no rows yet
	after   Row            // what becomes of it
	others  map[int64]bool // the ids of the order's other rows
	changes []change       // what becomes of these
}

// change is what becomes of a row: it is made where before is nil, and removed where after is.
type change struct {
	id            int64
	before, after *Row
}

// compare finds the rows that differ.
func (d *difference) compare(ctx context.Context, w *record.Work, old []int64, want []Row) error {
	d.others = map[int64]bool{}
	have := map[int64]*Row{}
	for _, id := range old {
		r, err := Kind().Read(ctx, w, id)
		if err != nil {
			return fmt.Errorf("row: %d, which an order has: %w", id, err)
		}
		have[id], d.others[id] = r, true
	}
	for i := range want {
		after := &want[i]
		before := have[after.ID]
		delete(have, after.ID)
		if before == nil || !record.Same(before, after) {
			d.changes = append(d.changes, change{after.ID, before, after})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(have)) {
		d.changes = append(d.changes, change{id, have[id], nil})
	}
	return nil
}

// write writes as many changes as one transaction holds.
func (d *difference) write(ctx context.Context) (more bool, err error) {
	sums := days{}
	sums.add(d.before, d.after.listed())
	n := 0
	for ; n < len(d.changes); n++ {
		c := d.changes[n]
		next := sums.with(c.before, c.after)
		if 2+n+1+len(next) > operations { // the order's own row takes two
			break
		}
		sums = next
		if c.after == nil {
			delete(d.others, c.id)
		} else {
			d.others[c.id] = true
		}
	}
	if more = n < len(d.changes); more && d.after.Gone { // it goes with the last of them
		sums.add(d.after.listed(), d.before)
		d.after = *d.before
	}
	d.after.Others = pack(slices.Sorted(maps.Keys(d.others)))
	if n == 0 && d.before != nil && record.Same(d.before, &d.after) {
		return false, nil
	}
	return more, d.scope.Table.Write(ctx, func(tx *table.Tx, _ int) error {
		conditional(tx, d.scope, d.before, &d.after, d.source)
		for _, c := range d.changes[:n] {
			if c.after == nil {
				tx.Delete(d.scope.Table.Delete(Kind().Key(d.scope.Table, c.id)), nil)
				continue
			}
			c.after.revise(d.scope, c.before)
			tx.Put(d.scope.Table.Put(c.after), nil)
		}
		sums.write(tx, d.scope.Table)
		return nil
	})
}

// conditional writes a row on its revision. A new one is written on the revision of the record that it
// is made from: otherwise nothing would stop a worker that has read the record long ago.
func conditional(tx *table.Tx, s record.Scope, before, after *Row, of table.Key) {
	after.revise(s, before)
	if before == nil {
		tx.Check(s.Table.Table().Check("pk", of.PK).Range("sk", of.SK).If("'r' = ?", after.Of), table.ErrRevision)
		tx.Put(s.Table.Create(after), table.ErrRevision)
		return
	}
	tx.Put(s.Table.Put(after).If("'r' = ?", before.Revision), table.ErrRevision)
}

// revise makes the next revision of a row, and gives it its place in the index.
func (r *Row) revise(s record.Scope, before *Row) {
	now := moment.Of(s.Now())
	r.Meta = record.Meta{ID: r.ID, Revision: 1, Created: now, Updated: now}
	if before != nil {
		r.Revision, r.Created = before.Revision+1, before.Created
	}
	Kind().Place(s.Table, r, r.ID)
}

// listed is the row, if lists show it.
func (r *Row) listed() *Row {
	if r == nil || r.Gone {
		return nil
	}
	return r
}
