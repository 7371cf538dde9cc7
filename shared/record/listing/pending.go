package listing

import (
	"context"
	"fmt"
	"strings"

	"github.com/tenantry/tenantry/shared/table"
)

// Range is a run of consecutive ids, both ends included.
type Range struct{ From, To int64 }

// pendingVersion is the schema version of the items of pending ranges.
const pendingVersion = 1

// ReserveApart gives out n consecutive ids that share no group with other ids: only such a
// range can be pending. At most 16 ids before and after the range become holes.
func (d Listing) ReserveApart(ctx context.Context, n int) (Range, error) {
	const before = span - 1 // at most so many ids are left in a group that other records have begun
	first, err := d.Reserve(ctx, (n+span-1)/span*span+before)
	if err != nil {
		return Range{}, err
	}
	first = firstOf(groupOf(first + before))
	return Range{From: first, To: first + int64(n) - 1}, nil
}

// Hide makes the ids of a range pending in the transaction: no list shows records with these
// ids until Show. Counting them then makes them all live at once.
func (d Listing) Hide(tx *table.Tx, r Range) error {
	if r.From < 1 || r.To < r.From || r.To > maxID || r.From != firstOf(groupOf(r.From)) {
		return fmt.Errorf("listing: %+v can't be pending", r)
	}
	tx.Put(d.tenant.Create(pending{
		Item: table.At(d.tenant.Pending(d.kind, r.From), pendingVersion), To: firstOf(groupOf(r.To)) + span - 1,
	}), fmt.Errorf("listing: %+v is pending already", r))
	return nil
}

// Show ends a pending or a committed range. It belongs in the transaction that counts the records, or comes
// after their removal; ending a range twice does no harm.
func (d Listing) Show(tx *table.Tx, r Range) {
	tx.Delete(d.tenant.Delete(d.tenant.Pending(d.kind, r.From)), nil)
}

// pending is the item of a pending range: whole groups, with the first id in its key.
type pending struct {
	table.Item
	To int64 `dynamo:"to"`
}

// Committed is a range that is pending no more: its records are counted, but no entry of the search tells of them yet. So a
// search reads the records themselves, until a segment has them (Settled).
type Committed struct {
	Range
	Settled int64 // the revision of the search's manifest from which on segments have the records; 0 while none has
	At      int64 // when that was, in microseconds since 1970
}

// Commit ends a pending range like Show, for a kind that is searched: the range stays, as Committed. It belongs in
// the transaction that counts the records.
func (d Listing) Commit(tx *table.Tx, r Range) {
	tx.Update(d.tenant.Update(d.tenant.Pending(d.kind, r.From)).Set("v", pendingVersion).
		Set("to", firstOf(groupOf(r.To))+span-1).Set("c", true), nil)
}

// Settle tells, in the transaction that makes it true, from which revision of the search's manifest on segments have the
// records of a committed range.
func (d Listing) Settle(tx *table.Tx, c Committed, revision, at int64) {
	u := d.tenant.Update(d.tenant.Pending(d.kind, c.From)).Set("s", revision).Set("sa", at)
	tx.Update(u.If("attribute_exists('c')"), table.ErrRevision)
}

func parsePending(item table.Attributes) (c Committed, isCommitted bool, err error) {
	sk := item.Text("sk")
	from, err := table.ParseSortID(strings.TrimPrefix(sk, table.PendingPrefix))
	to := item.Int("to")
	if err != nil || to < from {
		return c, false, fmt.Errorf("listing: pending range %q to %d", sk, to)
	}
	return Committed{Range: Range{From: from, To: to}, Settled: item.Int("s"), At: item.Int("sa")}, item["c"] != nil, nil
}
