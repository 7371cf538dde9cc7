package order

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// LinesOf edits those item lines of an order that a list of a body names by their ids, all in one
// read. Errors are reported in the list: an id that is not one of the order's lines or is named
// twice, and a line without the others of its set. field is what stands between the place in the
// list and the id, such as ".id".
func LinesOf(ctx context.Context, w *record.Work, o *Order, ids []int64, list, field string) ([]*Line, error) {
	errs, t := w.Errors(""), w.Scope().Table
	var keys []table.Key
	for i, id := range ids {
		at := list + "." + strconv.Itoa(i) + field
		held := o.Line(id)
		switch {
		case errs.Has(at): // it is no id
			continue
		case held == nil:
			errs.AddAt(at, say.DoesNotExist(id))
			continue
		case slices.Contains(ids[:i], id):
			errs.AddAt(at, say.LineNamedTwice(id))
			continue
		}
		if missing := o.others(held.Set, ids); missing != "" {
			errs.AddAt(at, say.SetIncomplete(missing))
		}
		keys = append(keys, t.Record(kinds.OrderInventory, id), t.Calendar(held.Item))
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	if err := w.Load(ctx, distinct(append(keys, ShownKeys(t, o)...))...); err != nil {
		return nil, err
	}
	return edit(ctx, w, Lines(), ids, list)
}

// others are the lines of a set that are not among ids, for a message; empty if all are.
func (o *Order) others(set string, ids []int64) string {
	if set == "" {
		return ""
	}
	var missing []string
	for _, l := range o.Lines {
		if l.Set == set && !slices.Contains(ids, l.ID) {
			missing = append(missing, strconv.FormatInt(l.ID, 10))
		}
	}
	return strings.Join(missing, ", ")
}

// ServicesOf does for service lines what LinesOf does for item lines.
func ServicesOf(ctx context.Context, w *record.Work, o *Order, ids []int64, list, field string) ([]*ServiceLine, error) {
	errs := w.Errors("")
	for i, id := range ids {
		at := list + "." + strconv.Itoa(i) + field
		switch {
		case errs.Has(at):
		case !slices.Contains(o.Services, id):
			errs.AddAt(at, say.DoesNotExist(id))
		case slices.Contains(ids[:i], id):
			errs.AddAt(at, say.LineNamedTwice(id))
		}
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	if err := w.Load(ctx, ShownKeys(w.Scope().Table, o)...); err != nil {
		return nil, err
	}
	return edit(ctx, w, ServiceLines(), ids, list)
}

// edit edits the records that the elements of a list of the body name.
func edit[T record.Stored](ctx context.Context, w *record.Work, k *record.Kind[T], ids []int64, list string) (recs []T, err error) {
	for i, id := range ids {
		rec, err := stillThere(k.EditAt(ctx, w, id, list+"."+strconv.Itoa(i)))
		if err != nil {
			return nil, err
		}
		recs = append(recs, rec)
	}
	return recs, nil
}

// Remove removes lines of an order, with what goes with that.
func Remove(ctx context.Context, w *record.Work, o *Order, lines []*Line, services []*ServiceLine) error {
	if err := Drop(ctx, w, o, lines, services); err != nil {
		return err
	}
	for _, l := range lines {
		if err := Lines().Remove(ctx, w, l.ID); err != nil {
			return err
		}
	}
	for _, l := range services {
		if err := ServiceLines().Remove(ctx, w, l.ID); err != nil {
			return err
		}
	}
	return nil
}
