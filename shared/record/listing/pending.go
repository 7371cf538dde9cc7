package listing

import (
	"context"
	"fmt"
	"strings"

	"github.com/tenantry/tenantry/shared/table"
)

// Range is a run of ids, both ends included.
type Range struct{ From, To int64 }

// pendingVersion is that of the items of pending ranges.
const pendingVersion = 1

// ReserveApart gives out n ids that share no group with another's: only such a
// range can be pending. At most 16 ids before and after it become holes.
func (d Listing) ReserveApart(ctx context.Context, n int) (Range, error) {
	const before = span - 1 // at most, of the group that others have begun
	first, err := d.Reserve(ctx, (n+span-1)/span*span+before)
	if err != nil {
		return Range{}, err
	}
	first = firstOf(groupOf(first + before))
	return Range{From: first, To: first + int64(n) - 1}, nil
}

// Hide makes the ids of a range pending with the transaction: whatever records
// they have, no list shows them, until Show. Count then makes them live at once.
func (d Listing) Hide(tx *table.Tx, r Range) error {
	if r.From < 1 || r.To < r.From || r.To > maxID || r.From != firstOf(groupOf(r.From)) {
		return fmt.Errorf("listing: %+v can't be pending", r)
	}
	tx.Put(d.tenant.Create(pending{
		Item: table.At(d.tenant.Pending(d.kind, r.From), pendingVersion), To: firstOf(groupOf(r.To)) + span - 1,
	}), fmt.Errorf("listing: %+v is pending already", r))
	return nil
}

// Show ends it. It happens in the transaction that counts the records, or after
// they are removed; ending it twice does no harm.
func (d Listing) Show(tx *table.Tx, r Range) {
	tx.Delete(d.tenant.Delete(d.tenant.Pending(d.kind, r.From)), nil)
}

// pending is the item of a range: whole groups, by the first of their ids.
type pending struct {
	table.Item
	To int64 `dynamo:"to"`
}

func parsePending(item table.Attributes) (Range, error) {
	sk := item.Text("sk")
	from, err := table.ParseSortID(strings.TrimPrefix(sk, table.PendingPrefix))
	to := item.Int("to")
	if err != nil || to < from {
		return Range{}, fmt.Errorf("listing: pending range %q to %d", sk, to)
	}
	return Range{From: from, To: to}, nil
}
