package item

import (
	"time"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/nullable"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/event"
)

// concerns are the records that events of an item concern: its inventory group.
func concerns(it *Item) []event.Ref {
	return event.Some(event.To(kinds.InventoryGroup, it.Group))
}

// Moved says that an item is in another inventory group than before.
type Moved struct {
	event.On
	From *int64 `json:"from" nullable:"true" doc:"Id of the inventory group that it was in; null if it was in none."`
	To   *int64 `json:"to" nullable:"true" doc:"Id of the inventory group that it is in now; null if it is in none."`
}

// Name is for event.Event.
func (Moved) Name() event.Name { return "inventory.moved" }

// Tells is for event.Part: a request that moves an item may change other fields, too.
func (Moved) Tells() []string { return []string{"group"} }

// Arrived says that an item was returned at a rental point where it was not before.
type Arrived struct {
	event.On
	From    *int64 `json:"from" nullable:"true" doc:"Id of the rental point at which the item was before; null if it was at none."`
	To      int64  `json:"to" doc:"Id of the rental point at which the item is now."`
	Request int64  `json:"request" doc:"Id of the order from which the item came back."`
	Line    int64  `json:"line" doc:"Id of the line of that order."`
}

// Name is for event.Event.
func (Arrived) Name() event.Name { return "inventory.arrived" }

// Tells is for event.Part.
func (Arrived) Tells() []string { return []string{"rental_point"} }

// BlockTime is the time for which an item is blocked.
type BlockTime struct {
	Block   int64  `json:"block" doc:"Id of the block."`
	StartAt string `json:"start_at" format:"date-time" doc:"When the block begins."`
	EndAt   string `json:"end_at" format:"date-time" doc:"When the block ends, from which on the item can be rented."`
}

// BlockMade says that an item can't be rented for some time.
type BlockMade struct {
	event.On
	BlockTime
}

// Name is for event.Event.
func (BlockMade) Name() event.Name { return "inventory.blocked" }

// BlockGone says that a block of an item was deleted.
type BlockGone struct {
	event.On
	BlockTime
}

// Name is for event.Event.
func (BlockGone) Name() event.Name { return "inventory.unblocked" }

// Events are the events of items, besides those that come by themselves.
func Events() []event.Sample {
	from, to := int64(2), int64(3)
	on := event.Of(11, event.Ref{Kind: kinds.InventoryGroup, ID: to})
	at := moment.Of(time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC))
	block := Block{Element: record.Element{ID: 5}, Start: at, End: at + moment.Micros(48*time.Hour/time.Microsecond)}
	return []event.Sample{
		{
			Event: Moved{event.Of(11, event.To(kinds.InventoryGroup, &to), event.To(kinds.InventoryGroup, &from)), &from, &to},
			Doc:   "The item was put into another inventory group, by itself or with others, or taken out of one.",
		},
		{
			Event: Arrived{on, &from, 3, 7, 5},
			Doc: "The item came back at the `rental_point_return` of its order, and has that rental point now. A rental point that is " +
				"changed by hand is an inventory.updated.",
		},
		{Event: BlockMade{on, block.time()}, Doc: "A block was made: the item can't be rented for that time."},
		{Event: BlockGone{on, block.time()}, Doc: "A block was deleted. One whose times change is an inventory.updated."},
	}
}

func (it *Item) on() event.On { return event.Of(it.ID, concerns(it)...) }

func (b *Block) time() BlockTime {
	return BlockTime{b.ID, encode.Instant(b.Start.Time()), encode.Instant(b.End.Time())}
}

// saysArrival says that an item came back at a rental point.
func (it *Item) saysArrival(w *record.Work, from *int64, a Arrival) {
	w.Happened(Arrived{it.on(), from, a.Point, a.Order, a.Line})
}

// saysMove says that an item was moved, if it is in another group than the given one.
func (it *Item) saysMove(w *record.Work, from *int64) {
	if nullable.Same(from, it.Group) {
		return
	}
	refs := append(concerns(it), event.To(kinds.InventoryGroup, from))
	w.Happened(Moved{event.Of(it.ID, refs...), from, it.Group})
}
