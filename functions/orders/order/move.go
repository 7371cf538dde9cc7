package order

import (
	"context"
	"fmt"
	"slices"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// move makes changes of the lines that have exactly the time of their order, which is to be another one. Its caller arranges them.
func (o *Order) move(ctx context.Context, w *record.Work, before *Order, to Times) (c Changes, err error) {
	if to == (Times{}) || !before.rents() {
		return c, nil
	}
	if !o.IsOpen() {
		return c, o.statusFault(say.OrderOver)
	}
	ids, errs := before.moving(to), w.Errors("")
	to.check(before, ids, errs)
	if err := errs.Err(); err != nil {
		return c, err
	}
	t := w.Scope().Table
	keys := ShownKeys(t, o)
	for _, id := range ids {
		keys = append(keys, t.Record(kinds.OrderInventory, id), t.Calendar(o.Line(id).Item))
	}
	if err := w.Load(ctx, distinct(keys)...); err != nil {
		return c, err
	}
	for i, held := range o.Lines {
		if !slices.Contains(ids, held.ID) {
			continue
		}
		l, err := stillThere(Lines().Edit(ctx, w, held.ID))
		if err != nil {
			return c, err
		}
		if !o.Holds(l) {
			return c, table.ErrRevision
		}
		to.give(l)
		c.Lines = append(c.Lines, &Draft{Line: l, Path: fmt.Sprintf("order_inventories.%d", i)})
	}
	return c, nil
}
