package order

import (
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/event"
)

// The events of an order, of its time and of its lines; those of its money are in moneyevents.go. The members of their data are called as
// the fields of orders and lines are. What is born with its order has no event of its own: order.created stands for all of it.
type (
	// WasReserved says that the items of an order are promised to its client.
	WasReserved struct{ event.On }

	// WasStarted says that an order is in rent: its first items were handed out.
	WasStarted struct {
		event.On
		At *string `json:"rent_fact_start" format:"date-time" doc:"When the first item was handed out."`
	}

	// WasCompleted says that all items of an order are back.
	WasCompleted struct {
		event.On
		At   *string      `json:"rent_fact_end" format:"date-time" doc:"When the last item came back."`
		Debt money.Amount `json:"debt" doc:"What is still owed."`
	}

	// WasCancelled says that an order was cancelled, and its items are free.
	WasCancelled struct {
		event.On
		Lapsed *string `json:"expires_at" nullable:"true" format:"date-time" doc:"When the hold of the request ended, if it was cancelled because of that."`
	}

	// Amended says that fields of an order were changed that callers send; what follows from them is not named.
	Amended struct {
		event.On
		event.UpdatedData
	}
)

// LineTold is what an event tells of an item line.
type LineTold struct {
	Line      int64        `json:"line" doc:"Id of the item line."`
	Inventory int64        `json:"inventory" doc:"Id of its inventory item."`
	Start     string       `json:"start_at" format:"date-time" doc:"The planned start."`
	End       *string      `json:"end_at" nullable:"true" format:"date-time" doc:"The planned end; null for a sale."`
	Price     money.Amount `json:"price" doc:"Before discounts."`
}

// The events of item lines.
type (
	// LineAdded says that an order has another item line.
	LineAdded struct {
		event.On
		LineTold
	}

	// LineUpdated says that an item line was changed.
	LineUpdated struct {
		event.On
		LineTold
		event.UpdatedData
	}

	// LineRemoved says that an item line was taken out of its order.
	LineRemoved struct {
		event.On
		LineTold
	}

	// LineHandedOut says that the item of a line was handed out.
	LineHandedOut struct {
		event.On
		Line      int64   `json:"line" doc:"Id of the item line."`
		Inventory int64   `json:"inventory" doc:"Id of its inventory item."`
		At        *string `json:"fact_start_at" format:"date-time" doc:"When it happened, which may have been told later."`
	}

	// LineReturned says that the item of a line was taken back.
	LineReturned struct {
		event.On
		Line      int64        `json:"line" doc:"Id of the item line."`
		Inventory int64        `json:"inventory" doc:"Id of its inventory item."`
		At        *string      `json:"fact_end_at" format:"date-time" doc:"When it happened, which may have been told later."`
		LateFee   money.Amount `json:"penalty_amount" doc:"The fee for coming back late; 0.00 if it was in time."`
	}

	// LineSwapped says that a rental has another item.
	LineSwapped struct {
		event.On
		SwapTold
	}
)

// SwapTold is what an event tells of a swap.
type SwapTold struct {
	Line      int64     `json:"line" doc:"Id of the item line that had the item before."`
	Next      int64     `json:"next_line" doc:"Id of the line that goes on with the other item; the same line, if the item was not handed out."`
	Inventory int64     `json:"inventory" doc:"Id of the item before."`
	With      int64     `json:"inventory_to" doc:"Id of the item from now on."`
	Exchange  *int64    `json:"exchange" nullable:"true" doc:"Id of the exchange; null if the item was not handed out."`
	Price     SwapPrice `json:"swap_price" doc:"What the rental costs from then on: keep, as agreed before, or new, by the tariffs of the other item."`
	Reason    string    `json:"reason" doc:"As it was sent."`
}

// LineReopened says that the return of a line was undone, or its hand-out.
type LineReopened struct {
	event.On
	Line      int64  `json:"line" doc:"Id of the item line."`
	Inventory int64  `json:"inventory" doc:"Id of its inventory item."`
	Undone    Undone `json:"undone" doc:"What was undone: {values}."`
	Status    Status `json:"status" doc:"That of the order from now on: {meanings}."`
}

// ServiceTold is what an event tells of a service line.
type ServiceTold struct {
	Line    int64        `json:"line" doc:"Id of the service line."`
	Service int64        `json:"service" doc:"Id of its service."`
	Title   string       `json:"service_name" doc:"The name that the service had when the line was priced."`
	Count   int64        `json:"count" doc:"How many times its price is charged."`
	Price   money.Amount `json:"price" doc:"Before discounts."`
}

// The events of service lines.
type (
	// ServiceAdded says that an order has another service line.
	ServiceAdded struct {
		event.On
		ServiceTold
	}

	// ServiceUpdated says that a service line was changed.
	ServiceUpdated struct {
		event.On
		ServiceTold
		event.UpdatedData
	}

	// ServiceRemoved says that a service line was taken out of its order.
	ServiceRemoved struct {
		event.On
		ServiceTold
	}
)

// Name is order.reserved.
func (WasReserved) Name() event.Name { return "order.reserved" }

// Name is order.started.
func (WasStarted) Name() event.Name { return "order.started" }

// Name is order.completed.
func (WasCompleted) Name() event.Name { return "order.completed" }

// Name is order.cancelled.
func (WasCancelled) Name() event.Name { return "order.cancelled" }

// Name is order.updated, which would otherwise come by itself.
func (Amended) Name() event.Name { return event.Updated.Of(kinds.Of(kinds.Order)) }

// Name is order.line.added.
func (LineAdded) Name() event.Name { return "order.line.added" }

// Name is order.line.updated.
func (LineUpdated) Name() event.Name { return "order.line.updated" }

// Name is order.line.removed.
func (LineRemoved) Name() event.Name { return "order.line.removed" }

// Name is order.line.handed_out.
func (LineHandedOut) Name() event.Name { return "order.line.handed_out" }

// Name is order.line.returned.
func (LineReturned) Name() event.Name { return "order.line.returned" }

// Name is order.line.swapped.
func (LineSwapped) Name() event.Name { return "order.line.swapped" }

// Name is order.line.reopened.
func (LineReopened) Name() event.Name { return "order.line.reopened" }

// Name is order.service.added.
func (ServiceAdded) Name() event.Name { return "order.service.added" }

// Name is order.service.updated.
func (ServiceUpdated) Name() event.Name { return "order.service.updated" }

// Name is order.service.removed.
func (ServiceRemoved) Name() event.Name { return "order.service.removed" }

// on says of which order an event is; it concerns the client, and what else is named.
func (o *Order) on(also ...event.Ref) event.On {
	return event.Of(o.ID, append([]event.Ref{event.To(kinds.Client, o.payer())}, also...)...)
}

// onLine says of which order an event of an item line is.
func (o *Order) onLine(l *Line) event.On {
	return o.on(event.Ref{Kind: kinds.OrderInventory, ID: l.ID}, event.Ref{Kind: kinds.Inventory, ID: l.Item})
}

// onService says of which order an event of a service line is.
func (o *Order) onService(l *ServiceLine) event.On {
	return o.on(event.Ref{Kind: kinds.OrderService, ID: l.ID}, event.Ref{Kind: kinds.Service, ID: l.Service})
}

// about is what an event tells of a line.
func (l *Line) about() LineTold {
	return LineTold{
		Line: l.ID, Inventory: l.Item, Start: encode.Instant(l.Start.Time()), End: encode.Moment(l.due()), Price: l.Price,
	}
}

// onSwap says of which order a swap is; it concerns both lines, and both items.
func (o *Order) onSwap(l, next *Line, was int64) event.On {
	also := []event.Ref{{Kind: kinds.OrderInventory, ID: l.ID}, {Kind: kinds.Inventory, ID: was}, {Kind: kinds.Inventory, ID: next.Item}}
	if next.ID != l.ID {
		also = append(also, event.Ref{Kind: kinds.OrderInventory, ID: next.ID})
	}
	return o.on(also...)
}

// swapped is what an event tells of a line whose item was swapped for that of next.
func (l *Line) swapped(was int64, next *Line, exchange *int64, s Swap) SwapTold {
	return SwapTold{Line: l.ID, Next: next.ID, Inventory: was, With: next.Item, Exchange: exchange, Price: s.price(), Reason: s.Reason}
}

// about is what an event tells of a service line.
func (l *ServiceLine) about() ServiceTold {
	return ServiceTold{Line: l.ID, Service: l.Service, Title: l.Title, Count: l.Count, Price: l.Price}
}

// handOutOf is the event of a line whose item was handed out.
func (o *Order) handOutOf(l *Line) LineHandedOut {
	return LineHandedOut{On: o.onLine(l), Line: l.ID, Inventory: l.Item, At: encode.Moment(l.FactStart)}
}

// returnOf is the event of a line whose item was taken back.
func (o *Order) returnOf(l *Line) LineReturned {
	return LineReturned{On: o.onLine(l), Line: l.ID, Inventory: l.Item, At: encode.Moment(l.FactEnd), LateFee: l.LateFee}
}

// sayAmended says which fields of its own an order has other values in.
func (o *Order) sayAmended(w *record.Work, before *Order) error {
	of, err := differing(before.own(), o.own())
	if err == nil && len(of.Fields) > 0 {
		w.Happened(Amended{o.on(), of})
	}
	return err
}

// own are the fields of an order that follow from no others. The time of an order with lines is theirs.
func (o *Order) own() Shown {
	s := o.Shown()
	own := Shown{
		Client: s.Client, UniqueID: s.UniqueID, Discount: s.Discount, RentalPoint: s.RentalPoint, RentalPointReturn: s.RentalPointReturn,
		TaxPercent: s.TaxPercent, TaxIncluded: s.TaxIncluded, AdditionalDiscount: s.AdditionalDiscount, ExpiresAt: s.ExpiresAt,
		CreatedBy: s.CreatedBy, Extra: s.Extra,
	}
	if len(o.Lines) == 0 {
		own.RentStart, own.RentEnd = s.RentStart, s.RentEnd
	}
	return own
}

// sayArranged says which lines came to an order, and which were changed. Those of a new order came with it.
func (o *Order) sayArranged(w *record.Work, c Changes) error {
	if Kind().Before(w, o.ID) == nil {
		return nil
	}
	for _, d := range c.Lines {
		if d.before == nil {
			w.Happened(LineAdded{o.onLine(d.Line), d.Line.about()})
			continue
		}
		of, err := differing(Lines().Shown(d.before), Lines().Shown(d.Line))
		if err != nil {
			return err
		}
		if len(of.Fields) > 0 {
			w.Happened(LineUpdated{o.onLine(d.Line), d.Line.about(), of})
		}
	}
	for _, d := range c.Services {
		if d.before == nil {
			w.Happened(ServiceAdded{o.onService(d.Line), d.Line.about()})
			continue
		}
		of, err := differing(d.before.Shown(), d.Line.Shown())
		if err != nil {
			return err
		}
		if len(of.Fields) > 0 {
			w.Happened(ServiceUpdated{o.onService(d.Line), d.Line.about(), of})
		}
	}
	return nil
}

// sayRemoved says which lines were taken out of an order.
func (o *Order) sayRemoved(w *record.Work, lines []*Line, services []*ServiceLine) {
	for _, l := range lines {
		w.Happened(LineRemoved{o.onLine(l), l.about()})
	}
	for _, l := range services {
		w.Happened(ServiceRemoved{o.onService(l), l.about()})
	}
}

// differing are the fields in which two values that callers see differ, as the history names them; no more than an event updated
// names.
func differing(was, is any) (event.UpdatedData, error) {
	r := audit.Revision{Before: audit.View{Fields: was}, After: audit.View{Fields: is}}
	if err := r.Compare(); err != nil {
		return event.UpdatedData{}, err
	}
	return event.Named(r.Changed())
}
