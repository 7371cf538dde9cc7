package row

import (
	"context"
	"errors"
	"math"

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
// the rows were made from. Rows and what the days come to are written together. An order with many
// lines takes several transactions; if another worker writes between them, all is decided anew. Of the
// steps of lines, a portion is written: the last transaction arms the message of the order for the others.
func Follow(ctx context.Context, s record.Scope, id int64) error {
	return table.Anew(ctx, table.Tries, func() error { return follow(ctx, s, id) }, nil)
}

// follow decides and writes once.
func follow(ctx context.Context, s record.Scope, id int64) error {
	w, head := s.Reading(), idOf(ofOrder, id)
	d := difference{scope: s, source: order.Kind().Key(s.Table, id), order: id}
	if err := w.Load(ctx, d.source, Kind().Key(s.Table, head), s.Table.Company()); err != nil {
		return err
	}
	o, err := there(order.Kind().Read(ctx, w, id))
	if err != nil {
		return err
	}
	if d.before, err = there(Kind().Read(ctx, w, head)); err != nil {
		return err
	}
	switch {
	case d.before == nil && o == nil:
		return nil
	case d.before != nil && o != nil && d.before.Of > o.Revision:
		return table.ErrRevision // the order was read before it was changed, and its row after that
	}
	var old []int64
	if d.before != nil {
		if old, err = unpack(d.before.Others); err != nil {
			return err
		}
	}
	own, want, err := wanted(ctx, w, o, old)
	if err != nil {
		return err
	}
	d.after = Row{Gone: true, Of: forever}
	if o != nil {
		d.after = own
		d.after.Of = o.Revision
	}
	d.after.ID = head
	if err := d.compare(ctx, w, old, want); err != nil {
		return err
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

// wanted returns the rows that an order has to have: its own, and the others; none if it was deleted. It loads the rows that the order
// has into w, too, but for steps.
func wanted(ctx context.Context, w *record.Work, o *order.Order, old []int64) (own Row, want []set, err error) {
	var keys []table.Key
	for _, id := range old {
		keys = append(keys, Kind().Key(w.Scope().Table, id))
	}
	if o == nil {
		return own, nil, w.Load(ctx, keys...)
	}
	lines, services, err := order.LoadLines(ctx, w, o, keys...)
	if err != nil {
		return own, nil, err
	}
	of, err := company.Get(ctx, w)
	if err != nil {
		return own, nil, err
	}
	zone, err := of.Zone()
	if err != nil {
		return own, nil, err
	}
	rows := rowsOf(o, lines, services, zone)
	if of.RentalRules().Accrual == company.AccrualDaily {
		return rows[0], byDay(rows[1:], o, lines, services, zone), nil
	}
	for _, r := range rows[1:] {
		want = append(want, set{base: r})
	}
	return rows[0], want, nil
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
