package record

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
)

// What names a record keeps its number when the record is deleted. Those who show what was named then
// show it as it was at the end, from the archive. The archive is asked only where a record is missing,
// so that this costs nothing as long as nothing was deleted.

// LoadEver reads records that others name, in one batch, and those of them that were deleted in a second one.
func (w *Work) LoadEver(ctx context.Context, named ...Reference) error {
	keys := make([]table.Key, len(named))
	for i, r := range named {
		keys[i] = w.scope.Table.Record(r.Kind, r.ID)
	}
	if err := w.Load(ctx, keys...); err != nil {
		return err
	}
	return w.Load(ctx, w.Archived(named...)...)
}

// Archived returns the keys in the archive of those records that the unit of work has looked for and not found.
func (w *Work) Archived(named ...Reference) (keys []table.Key) {
	for _, r := range named {
		k := w.scope.Table.Record(r.Kind, r.ID)
		if w.at[k] == nil && w.found[k] == nil {
			keys = append(keys, w.scope.Table.Archive(r.Kind, r.ID))
		}
	}
	return keys
}

// ItemEver is the item of a record as Item returns it, or that of the archive if the record was deleted.
func (w *Work) ItemEver(ctx context.Context, kind kinds.Code, id int64) (table.Attributes, error) {
	item, err := w.Item(ctx, w.scope.Table.Record(kind, id))
	if item != nil || err != nil {
		return item, err
	}
	return w.Item(ctx, w.scope.Table.Archive(kind, id))
}

// ReadEver is a record as Read returns it, or as it was when it was deleted, which gone tells.
func (k *Kind[T]) ReadEver(ctx context.Context, w *Work, id int64) (rec T, gone bool, err error) {
	rec, err = k.Read(ctx, w, id)
	if !errors.Is(err, fault.ErrNotFound) {
		return rec, false, err
	}
	item, err := w.Item(ctx, w.scope.Table.Archive(k.Kind.Code, id))
	if err != nil {
		return rec, false, err
	}
	if item == nil {
		return rec, false, fault.ErrNotFound
	}
	rec, err = k.decode(item)
	return rec, true, err
}
