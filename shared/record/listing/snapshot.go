package listing

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/table"
)

// errTorn says that a read saw some changes without the changes before them.
var errTorn = errors.New("listing: torn read")

// bucket is what one read saw of a bucket.
type bucket struct {
	number   int
	n        int64 // live records
	absorbed int64 // z
	revision int64 // r; 0 if the bucket has no base
	full     uint32
	parts    []table.Attributes // the base, and the stripes that are not absorbed
	stripes  []stripe           // all stripes
	records  []uint8            // live records of each group; nil until decode
}

// stripe names one stripe of a bucket.
type stripe struct {
	bucket     int
	generation int64
	number     int
}

func baseKey(bucket int) string { return fmt.Sprintf("%06d", bucket) }

func (s stripe) key() string {
	return fmt.Sprintf("%06d#%d#%02d", s.bucket, s.generation, s.number)
}

// parseKey reads a sort key of the listing; ofBase tells that it is the key of a base and not
// of a stripe.
func parseKey(sk string) (s stripe, ofBase bool, err error) {
	bucket, rest, ofStripe := strings.Cut(sk, "#")
	if s.bucket, err = strconv.Atoi(bucket); err != nil || !ofStripe {
		return s, true, err
	}
	generation, number, whole := strings.Cut(rest, "#")
	if !whole {
		return s, false, fmt.Errorf("listing: key %q", sk)
	}
	if s.generation, err = strconv.ParseInt(generation, 10, 64); err == nil {
		s.number, err = strconv.Atoi(number)
	}
	return s, false, err
}

// snapshot is what one read saw of the listing: its buckets in order, and the
// pending ranges, which come after them.
type snapshot struct {
	buckets   []bucket
	pending   []Range
	committed []Committed
	manifest  table.Attributes // of the search; nil if it has none
}

// read reads the listing, or the part whose sort keys begin with prefix. It leaves out the manifest of the search.
func (d Listing) read(ctx context.Context, prefix string, consistent bool) (snapshot, error) {
	if prefix != "" {
		return d.readKeys(ctx, dynamo.BeginsWith, prefix, consistent)
	}
	return d.readKeys(ctx, dynamo.Less, table.ManifestSort, consistent)
}

// readKeys reads the part of the listing whose sort keys compare with a key in some way.
func (d Listing) readKeys(ctx context.Context, compare dynamo.Operator, key string, consistent bool) (s snapshot, err error) {
	it := d.tenant.Table().Get("pk", d.tenant.Listing(d.kind)).Range("sk", compare, key).Consistent(consistent).Iter()
	var item table.Attributes
	for it.Next(ctx, &item) {
		if err := s.take(item); err != nil {
			return snapshot{}, err
		}
	}
	if err := it.Err(); err != nil {
		return snapshot{}, fmt.Errorf("listing: %w", err)
	}
	return s, nil
}

// take adds an item. Items arrive in the order of their keys, so a base comes before its
// stripes.
func (s *snapshot) take(item table.Attributes) error {
	switch sk := item.Text("sk"); {
	case strings.HasPrefix(sk, table.PendingPrefix):
		r, isCommitted, err := parsePending(item)
		if isCommitted {
			s.committed = append(s.committed, r)
		} else {
			s.pending = append(s.pending, r.Range)
		}
		return err
	case sk == table.ManifestSort:
		s.manifest = item
		return nil
	}
	at, ofBase, err := parseKey(item.Text("sk"))
	if err != nil {
		return err
	}
	if len(s.buckets) == 0 || s.buckets[len(s.buckets)-1].number != at.bucket {
		s.buckets = append(s.buckets, bucket{number: at.bucket})
	}
	b := &s.buckets[len(s.buckets)-1]
	if ofBase {
		b.absorbed, b.revision, b.full = item.Int("z"), item.Int("r"), uint32(item.Int("f"))
	} else {
		b.stripes = append(b.stripes, at)
		if at.generation < b.absorbed {
			return nil
		}
	}
	b.n += item.Int("n")
	b.parts = append(b.parts, item)
	return nil
}

// count is the number of live records. A bucket that is a single item can't be torn.
func (s *snapshot) count() (int, error) {
	total := int64(0)
	for i := range s.buckets {
		b := &s.buckets[i]
		if b.n < 0 || b.n > Bucket {
			return 0, errTorn
		}
		if len(b.parts) > 1 {
			if err := b.decode(); err != nil {
				return 0, err
			}
		}
		total += b.n
	}
	return int(total), nil
}

// sums adds up the attributes of the bucket's items.
func (b *bucket) sums() (sums [attributes]counter, err error) {
	for a := range sums {
		if b.full&(1<<a) != 0 {
			sums[a] = full()
		}
	}
	for _, part := range b.parts {
		for name := range part {
			if a := attribute(name); a >= 0 {
				c, err := parse(part.Number(name))
				if err != nil {
					return sums, err
				}
				sums[a].add(c)
			}
		}
	}
	return sums, nil
}

// decode fills records, unless they are filled already.
func (b *bucket) decode() error {
	if b.records != nil {
		return nil
	}
	sums, err := b.sums()
	if err != nil {
		return err
	}
	records, total := make([]uint8, groups), int64(0)
	for a, sum := range sums {
		n, ok := sum.decode(records[a*digits : (a+1)*digits])
		if !ok {
			return errTorn
		}
		total += n
	}
	if total != b.n {
		return errTorn
	}
	b.records = records
	return nil
}

// place is a group of ids and how many live records come before it.
type place struct {
	group   int64
	before  int
	records int
}

// find is the group of the record at a position, counted from the oldest. The
// position is below count.
func (s *snapshot) find(position int) (place, error) {
	before := 0
	for i := range s.buckets {
		b := &s.buckets[i]
		if position >= before+int(b.n) {
			before += int(b.n)
			continue
		}
		if err := b.decode(); err != nil {
			return place{}, err
		}
		for g, n := range b.records {
			if position < before+int(n) {
				return place{group: int64(b.number)*groups + int64(g), before: before, records: int(n)}, nil
			}
			before += int(n)
		}
	}
	return place{}, errTorn
}

// rows lists the group of each live record, for the groups from one to another.
func (s *snapshot) rows(from, to int64) (rows []int64, err error) {
	for i := range s.buckets {
		b := &s.buckets[i]
		start := int64(b.number) * groups
		if start+groups <= from || start > to || b.n == 0 {
			continue
		}
		if err := b.decode(); err != nil {
			return nil, err
		}
		for g := max(from, start); g <= min(to, start+groups-1); g++ {
			for range b.records[g-start] {
				rows = append(rows, g)
			}
		}
	}
	return rows, nil
}
