// Package listingtest writes single records into a listing, for tests of code that reads
// listings. The platform itself writes them in units of work (shared/record).
package listingtest

import (
	"context"

	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/table"
)

// Create gives a record its id and writes it. build puts the record into the
// transaction; it is called again after a conflict.
func Create(ctx context.Context, w listing.Writer, d listing.Listing, build func(tx *table.Tx, id int64) error) (int64, error) {
	id, err := d.Reserve(ctx, 1)
	if err != nil {
		return 0, err
	}
	err = listing.Write(ctx, w, func(tx *table.Tx, c *listing.Counts) error {
		if err := build(tx, id); err != nil {
			return err
		}
		return c.Created(d, id)
	})
	return id, listing.Settle(err, func() (bool, error) { return d.Has(ctx, id) })
}

// Delete removes a record. build puts the removal into the transaction, on the condition that
// the record exists; it is called again after a conflict.
func Delete(ctx context.Context, w listing.Writer, d listing.Listing, id int64, build func(tx *table.Tx) error) error {
	err := listing.Write(ctx, w, func(tx *table.Tx, c *listing.Counts) error {
		if err := build(tx); err != nil {
			return err
		}
		return c.Deleted(d, id)
	})
	return listing.Settle(err, func() (bool, error) {
		there, err := d.Has(ctx, id)
		return !there, err
	})
}
