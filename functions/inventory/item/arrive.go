package item

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/nullable"
	"github.com/tenantry/tenantry/shared/record"
)

// Place gives the change of an item's rental point by the unit of work a number, if it is one. So a return that was before, and whose
// message comes later, does not undo it (Arrive). Naming the point where the item is already does not count, as with Move.
func Place(w *record.Work, it *Item) {
	if before := Kind().Before(w, it.ID); before == nil || nullable.Same(before.Point, it.Point) {
		return
	}
	w.Finally(func(ctx context.Context) (err error) {
		it.Placed, err = later(ctx, w, it.Placed)
		return err
	})
}

// later is the number of a move of an item whose last one has another number. That of an earlier attempt may have been overtaken.
func later(ctx context.Context, w *record.Work, last int64) (n int64, err error) {
	for n <= last && err == nil {
		n, err = w.Next(ctx, kinds.Move)
	}
	return n, err
}

// Arrival is the return of an item at a rental point.
type Arrival struct {
	Point  int64
	Number int64 // which the return took, of the sequence of all moves
	Order  int64
	Line   int64
}

// Arrive moves an item to the rental point at which it was returned. It is carried out some time after the return, perhaps late, more
// than once, or after that of a later return. So an item keeps the number of its last move, by hand or by a return, and one with a lower
// number or the same changes nothing. Neither does one of an item or to a point that is gone.
func Arrive(ctx context.Context, w *record.Work, id int64, a Arrival) error {
	it, err := Kind().Read(ctx, w, id)
	if errors.Is(err, fault.ErrNotFound) {
		return nil
	}
	if err != nil || it.Placed >= a.Number {
		return err
	}
	there, err := w.Item(ctx, w.Scope().Table.Record(kinds.RentalPoint, a.Point))
	if err != nil || there == nil {
		return err
	}
	if it, err = Kind().Edit(ctx, w, id); err != nil {
		return err
	}
	from := it.Point
	it.Point, it.Placed = &a.Point, a.Number
	it.saysArrival(w, from, a)
	return nil
}
