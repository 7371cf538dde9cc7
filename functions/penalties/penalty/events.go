package penalty

import (
	"context"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/nullable"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/event"
)

// concerns are the records that events of a penalty concern: the order and the client that it belongs to, and the item that is its car.
func concerns(p *Penalty) []event.Ref {
	return event.Some(event.To(kinds.Order, p.Order), event.To(kinds.Client, p.Client), event.To(kinds.Inventory, p.Item))
}

// OfMatch is who had the car of a penalty.
type OfMatch struct {
	Item   *int64 `json:"inventory" nullable:"true" doc:"Id of the inventory item that is the car."`
	Order  *int64 `json:"order" nullable:"true" doc:"Id of the order that had the car."`
	Line   *int64 `json:"line" nullable:"true" doc:"Id of the line of that order."`
	Client *int64 `json:"client" nullable:"true" doc:"Id of the client of that order; null if it had none."`
}

func (m Match) told() OfMatch { return OfMatch{m.Item, m.Order, m.Line, m.Client} }

func (m Match) on(penalty int64) event.On {
	return event.Of(penalty, concerns(&Penalty{Item: m.Item, Order: m.Order, Client: m.Client})...)
}

// Matched says that a penalty belongs to an order from now on, or to another line or client of it.
type Matched struct {
	event.On
	OfMatch
}

// Name is for event.Event.
func (Matched) Name() event.Name { return "penalty.matched" }

// Tells is for event.Part: what a penalty belongs to changes with its date or its car.
func (Matched) Tells() []string { return []string{"inventory", "request", "client", "car.id"} }

// Unmatched says that a penalty does not belong to an order any more.
type Unmatched struct {
	event.On
	OfMatch
}

// Name is for event.Event.
func (Unmatched) Name() event.Name { return "penalty.unmatched" }

// Tells is for event.Part.
func (Unmatched) Tells() []string { return []string{"request", "client"} }

// OfCharge is the fee of an order that a penalty has become, or was.
type OfCharge struct {
	Order int64 `json:"order" doc:"Id of the order."`
	Fee   int64 `json:"fee" doc:"Id of the order's fee."`
}

// WasCharged says that an order is charged with a penalty.
type WasCharged struct {
	event.On
	OfCharge
	Amount money.Amount `json:"amount" doc:"What the order is charged with, which may be another amount than that of the penalty."`
}

// Name is for event.Event.
func (WasCharged) Name() event.Name { return "penalty.charged" }

// WasUncharged says that the charge of a penalty was taken back.
type WasUncharged struct {
	event.On
	OfCharge
}

// Name is for event.Event.
func (WasUncharged) Name() event.Name { return "penalty.uncharged" }

// Events are the events of penalties, besides those that come by themselves.
func Events() []event.Sample {
	item, order, line, client := int64(11), int64(7), int64(21), int64(15)
	m := Match{Item: &item, Order: &order, Line: &line, Client: &client}
	on := m.on(31)
	return []event.Sample{
		{
			Event: Matched{on, m.told()},
			Doc:   "It was found out, when the penalty was made or later, which order had the car; or that has another client now.",
		},
		{
			Event: Unmatched{on, m.told()},
			Doc:   "The penalty does not belong to that order any more. If it is another's, penalty.matched follows.",
		},
		{Event: WasCharged{on, OfCharge{order, 4}, money.Whole(19660)}, Doc: "The penalty was added to its order as a fee."},
		{Event: WasUncharged{on, OfCharge{order, 4}}, Doc: "The fee was taken back from the order."},
	}
}

// rightful says that a penalty belongs to somebody else than before the unit of work, once it has an id.
func (p *Penalty) rightful(w *record.Work, was, is Match) {
	alike := nullable.Same(was.Item, is.Item) && nullable.Same(was.Line, is.Line) && nullable.Same(was.Client, is.Client)
	same := nullable.Same(was.Order, is.Order)
	w.Finally(func(context.Context) error {
		if was.Order != nil && !same {
			w.Happened(Unmatched{was.on(p.ID), was.told()})
		}
		if is.Order != nil && !(same && alike) {
			w.Happened(Matched{is.on(p.ID), is.told()})
		}
		return nil
	})
}
