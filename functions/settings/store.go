package settings

import (
	"context"
	"errors"
	"fmt"

	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// store is the custom fields of one company.
type store struct{ tenant *table.Tenant }

// sets reads the definitions of all keys with one query: together they have some kilobytes.
func (s store) sets(ctx context.Context, consistent bool) (sets []customfield.Set, err error) {
	err = s.tenant.Table().Get("pk", s.tenant.AllDefinitions()).Consistent(consistent).All(ctx, &sets)
	if err != nil {
		return nil, fmt.Errorf("settings: custom fields: %w", err)
	}
	return sets, nil
}

// set reads the definitions of one key.
func (s store) set(ctx context.Context, key string) (set customfield.Set, err error) {
	err = s.tenant.Get(ctx, s.tenant.Definitions(key), &set)
	if errors.Is(err, table.ErrNotFound) {
		return customfield.Empty(s.tenant, key), nil
	}
	return set, err
}

// find reads a definition and the set that it is in, among all sets.
func (s store) find(ctx context.Context, id int64) (d customfield.Definition, in customfield.Set, sets []customfield.Set, err error) {
	if id > table.MaxID {
		return d, in, nil, fault.ErrNotFound // the number may be longer than any of ours
	}
	if sets, err = s.sets(ctx, true); err != nil {
		return d, in, nil, err
	}
	for _, set := range sets {
		if found := set.Find(id); found != nil {
			return *found, set, sets, nil
		}
	}
	return d, in, nil, fault.ErrNotFound
}

// nextID allocates the number of a definition.
func (s store) nextID(ctx context.Context) (int64, error) {
	return listing.Of(s.tenant, kinds.CustomField, nil).Reserve(ctx, 1)
}

// put adds the next revisions of sets to a unit of work, together with the entry of the
// history. The transaction fails if the previous revisions have changed, or if the caller is
// no longer a manager.
func (s store) put(w *record.Work, told audit.Revision, sets ...customfield.Set) error {
	items := make([]table.Attributes, len(sets))
	for i, set := range sets {
		item, err := set.Encode()
		if err != nil {
			return err
		}
		items[i] = item
	}
	staff.Stands(w, tenant.Manager)
	w.Revise(told)
	w.Also(func(tx *table.Tx) error {
		for i, item := range items {
			put := s.tenant.Create(item)
			if before := sets[i].Revision - 1; before > 0 {
				put = s.tenant.Put(item).If("'r' = ?", before)
			}
			tx.Put(put, table.ErrRevision)
		}
		return nil
	})
	return nil
}
