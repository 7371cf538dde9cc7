package listing

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
)

// Writer runs transactions. It is a company's handle, or the platform's handle where a record
// is written together with items that belong to no company.
type Writer interface {
	Write(ctx context.Context, build func(tx *table.Tx, conflicts int) error) error
}

// Counts are the changes that one transaction makes to listings.
type Counts struct{ ledgers []*ledger }

// ledger holds the changes of one listing.
type ledger struct {
	listing Listing
	first   int64 // the first id counted; it determines the stripe
	counted map[int64]bool
	changes map[int]*change // by bucket
	due     map[int]bool    // buckets to ask to fold
}

// bucketID identifies a bucket among the buckets of all listings.
type bucketID struct {
	partition string
	number    int
}

// sealedError says that a stripe is sealed and takes no more changes.
type sealedError struct {
	listing Listing
	bucket  int
}

// Error is for logs.
func (e *sealedError) Error() string {
	return fmt.Sprintf("listing: stripe of bucket %d of %s is sealed", e.bucket, e.listing.kind)
}

// Write runs one transaction that creates and deletes records, of several listings if need be:
// all or nothing. build puts the records into the transaction and reports their ids to c. After
// a conflict it is called again, with new Counts. A listing adds at most two operations and two
// messages for up to Bucket consecutive ids.
//
// As with table.Tenant.Write, a fault Unavailable means that the outcome is not known: the
// caller has to find out, with Settle, before it answers.
func Write(ctx context.Context, w Writer, build func(tx *table.Tx, c *Counts) error) error {
	generations, tries := map[bucketID]int64{}, map[bucketID]int{}
	for {
		err := w.Write(ctx, func(tx *table.Tx, conflicts int) error {
			c := new(Counts)
			if err := build(tx, c); err != nil {
				return err
			}
			for _, l := range c.ledgers {
				if err := l.add(ctx, tx, conflicts, generations); err != nil {
					return err
				}
			}
			return nil
		})
		var sealed *sealedError
		if !errors.As(err, &sealed) {
			return err
		}
		at := sealed.listing.bucketID(sealed.bucket)
		if tries[at]++; tries[at] >= 8 {
			return fault.ErrUnavailable.Because(err)
		}
		// Its fold may have ended already, or be under way.
		absorbed, err := sealed.listing.absorbed(ctx, sealed.bucket)
		if err != nil {
			return err
		}
		generations[at] = max(generations[at]+1, absorbed)
	}
}

// Settle resolves the error of a transaction whose outcome may be unknown: it is nil if
// happened finds that the transaction took place.
func Settle(err error, happened func() (bool, error)) error {
	if err != nil && table.Unavailable(err) {
		if did, lookErr := happened(); lookErr == nil && did {
			return nil
		}
	}
	return err
}

// Created counts records that the transaction creates. Their ids must be reserved by this
// request.
func (c *Counts) Created(d Listing, ids ...int64) error { return c.of(d).count(ids, 1) }

// Deleted counts a record that the transaction deletes.
func (c *Counts) Deleted(d Listing, id int64) error { return c.of(d).count([]int64{id}, -1) }

func (c *Counts) of(d Listing) *ledger {
	partition := d.tenant.Listing(d.kind)
	for _, l := range c.ledgers {
		if l.listing.tenant.Listing(l.listing.kind) == partition {
			return l
		}
	}
	l := &ledger{listing: d, counted: map[int64]bool{}, changes: map[int]*change{}, due: map[int]bool{}}
	c.ledgers = append(c.ledgers, l)
	return l
}

// count counts records; by is 1 for created and -1 for deleted ones.
func (l *ledger) count(ids []int64, by int64) error {
	for _, id := range ids {
		if id < 1 || id > maxID || l.counted[id] {
			return fmt.Errorf("listing: id %d of %s is not to be counted, or was already", id, l.listing.kind)
		}
		if len(l.counted) == 0 {
			l.first = id
		}
		l.counted[id] = true
		b := bucketOf(id)
		if l.changes[b] == nil {
			l.changes[b] = new(change)
		}
		l.changes[b].count(id, by)
	}
	if by > 0 {
		l.given(ids)
	}
	return nil
}

// given asks to fold the buckets whose last ids are among these.
func (l *ledger) given(ids []int64) {
	for _, id := range ids {
		if b, due := folds(id); due {
			l.due[b] = true
		}
	}
}

// add puts the changes into the transaction: creates into a stripe, deletes into
// the base.
func (l *ledger) add(ctx context.Context, tx *table.Tx, conflicts int, generations map[bucketID]int64) error {
	d := l.listing
	for _, b := range sorted(l.changes) {
		c, at := l.changes[b], d.bucketID(b)
		if c.deletes && conflicts < patience {
			tx.Update(c.on(d.tenant.Update(d.key(baseKey(b)))).Add("r", 1), nil)
			continue
		}
		generation, known := generations[at]
		if c.deletes && !known { // a stripe of a generation below z is ignored by readers
			var err error
			if generation, err = d.absorbed(ctx, b); err != nil {
				return err
			}
			generations[at] = generation
		}
		s := stripe{bucket: b, generation: generation, number: stripeOf(l.first)}
		if conflicts > 0 {
			s.number = rand.IntN(stripes) //nolint:gosec // a random choice, not a secret
		}
		if generation > 0 {
			l.due[b] = true
		}
		tx.Update(c.on(d.tenant.Update(d.key(s.key()))).If("attribute_not_exists(s)"), &sealedError{listing: d, bucket: b})
	}
	for _, bucket := range sorted(l.due) {
		if d.ask != nil {
			if err := d.ask(tx, bucket); err != nil {
				return fmt.Errorf("listing: ask to fold bucket %d: %w", bucket, err)
			}
		}
	}
	return nil
}

func (d Listing) bucketID(number int) bucketID {
	return bucketID{partition: d.tenant.Listing(d.kind), number: number}
}

// folds tells whether an id asks to fold a bucket. The last id of a bucket does. As its create
// may fail, two ids of the next bucket ask again.
func folds(id int64) (bucket int, due bool) {
	switch at := (id - 1) % Bucket; {
	case at == Bucket-1:
		return bucketOf(id), true
	case id > Bucket && (at == 99 || at == 999):
		return bucketOf(id) - 1, true
	}
	return 0, false
}

// stripeOf spreads consecutive ids over the stripes, and consecutive batches of ids too.
func stripeOf(id int64) int { return int((id + id/stripes) % stripes) }
