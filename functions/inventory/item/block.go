package item

import (
	"context"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
)

// Block is a time for which an item can't be rented, such as that of a repair. It lies inside the
// item. The item's calendar has it too, and decides: see Blocked.
type Block struct {
	record.Element
	Start  moment.Micros `dynamo:"s"` // included
	End    moment.Micros `dynamo:"e"` // excluded
	Reason *string       `dynamo:"w,omitempty,allowempty"`
}

// ShownBlock is what callers and the history see of a block.
type ShownBlock struct {
	ID        int64   `json:"id"`
	CreatedAt string  `json:"created_at" format:"date-time"`
	UpdatedAt string  `json:"updated_at" format:"date-time"`
	StartAt   string  `json:"start_at" format:"date-time"`
	EndAt     string  `json:"end_at" format:"date-time"`
	Reason    *string `json:"reason" nullable:"true"`
}

// Blocks is the list of blocks inside items.
func Blocks() record.Embedded[*Item, Block] {
	return record.Embedded[*Item, Block]{In: Kind(), Numbers: kinds.Of(kinds.Block), Of: blocksOf}
}

func blocksOf(it *Item) *[]Block { return &it.Blocks }

// Shown returns what callers see of a block.
func (b *Block) Shown() ShownBlock {
	return ShownBlock{
		ID: b.ID, CreatedAt: b.CreatedAt(), UpdatedAt: b.UpdatedAt(), Reason: b.Reason,
		StartAt: encode.Instant(b.Start.Time()), EndAt: encode.Instant(b.End.Time()),
	}
}

// shownBlocks are the blocks of an item as its history shows them.
func shownBlocks(it *Item) audit.Lists {
	return record.Embedded[*Item, Block]{Of: blocksOf}.Lists("blocks", it, func(b *Block) any { return b.Shown() })
}

func (b *Block) entry() calendar.Entry {
	return calendar.Entry{Block: b.ID, Start: b.Start, End: b.End}
}

// Blocked keeps the calendar of an item in step with a block that was made (was is nil), changed
// or removed (is is nil), and says what was made or removed.
func Blocked(ctx context.Context, w *record.Work, it *Item, was, is *Block) error {
	switch {
	case was == nil:
		w.Happened(BlockMade{it.on(), is.time()})
	case is == nil:
		w.Happened(BlockGone{it.on(), was.time()})
	}
	return calendar.Change(ctx, w, it.ID, func(c *calendar.Calendar) error {
		if is == nil {
			c.Release(was.entry())
			return nil
		}
		if was != nil && was.entry() == is.entry() { // it may be so old that the calendar has dropped it
			return nil
		}
		return c.Occupy(is.entry(), w.Scope().Now())
	})
}

// Used follows an item that is made or changed: if the item goes out of use, it closes the calendar; if
// the item returns to use, it opens the calendar.
func Used(w *record.Work, it *Item) {
	was := Kind().Before(w, it.ID)
	if it.IsActive() == (was == nil || was.IsActive()) {
		return
	}
	w.Finally(func(ctx context.Context) error {
		return calendar.Change(ctx, w, it.ID, func(c *calendar.Calendar) error {
			if it.IsActive() {
				c.Open()
				return nil
			}
			return c.Close(w.Scope().Now())
		})
	})
}

// Ended closes the calendar of an item that is deleted.
func Ended(ctx context.Context, w *record.Work, it *Item) error {
	return calendar.Change(ctx, w, it.ID, func(c *calendar.Calendar) error { return c.CloseAndClear(w.Scope().Now()) })
}
