package restore

import (
	"context"
	"fmt"

	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
)

// maxItem is how many bytes an item may have.
const maxItem = 400 << 10

// Dry goes through all that would be written for a company under a number of its own, and is an error if something of it can't be. So what
// never could be ended is not begun.
func (r *Restorer) Dry(ctx context.Context, was tenant.ID) error {
	members, err := r.members(ctx, was)
	if err != nil {
		return err
	}
	const some = tenant.ID(table.MaxID) // a number that no company has
	dry := *r
	dry.Arrives = nil // which asks KMS for each sign, and makes no item too large
	run := &run{Restorer: &dry, was: was, is: some, all: r.To.All(), to: r.To.Of(some), members: members, anew: true, report: &Report{
		Left: map[string]int{},
	}}
	company, err := r.From.Company(ctx, was)
	if err != nil {
		return err
	}
	if run.company, err = run.renamed(company); err != nil {
		return err
	}
	if run.numbers, err = r.From.Numbers(ctx, was); err != nil {
		return err
	}
	keys := keyspace.New()
	for item, err := range run.copied(ctx, r.From.Own(ctx, was, run.numbers)) {
		if err == nil {
			err = writable(keys, item)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrRefused, err)
		}
	}
	for item, err := range r.From.Outside(ctx, was) {
		var renamed table.Attributes
		if err == nil {
			renamed, err = run.renamed(item.Attributes)
		}
		if err == nil {
			err = writable(keys, renamed)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrRefused, err)
		}
	}
	return nil
}

// writable is an error if the table does not take an item.
func writable(keys *keyspace.Space, item table.Attributes) error {
	key := estate.KeyOf(item)
	t, own := table.TenantOf(key.PK)
	switch {
	case !keys.Item(key.PK, key.SK):
		return fmt.Errorf("%q %q is no key of the table", key.PK, key.SK)
	case item.Size() > maxItem:
		return fmt.Errorf("%s %s has %d bytes, more than an item may have", key.PK, key.SK, item.Size())
	}
	for _, index := range keyspace.Indexes() {
		value, is := item[index.Hash]
		if !is {
			continue
		}
		hash := item.Text(index.Hash)
		of, ofCompany := table.TenantOf(hash)
		if !keys.Index(index.Name, hash) || ofCompany && (!own || of != t) {
			return fmt.Errorf("%s %s has %v in the index %s", key.PK, key.SK, value, index.Name)
		}
	}
	return nil
}
