package row

import (
	"slices"
	"time"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/functions/services/service"
	"github.com/tenantry/tenantry/shared/money"
)

// rowsOf are the rows of an order: first that of the order itself, then those of its item lines, its
// service lines and its fees. Without the first one, their predictions add up to what the order
// costs with its fees, or if it is cancelled to the fees that it owes, and their profits to what was paid for it.
func rowsOf(o *order.Order, lines []*order.Line, services []*order.ServiceLine, zone *time.Location) []Row {
	start, created := o.Created, dayOf(o.Created, zone)
	if first, _ := o.Time(); first != nil {
		start = *first
	}
	like := Row{Order: &o.ID, Status: &o.Status, Client: o.Client, Point: o.Point, Date: dayOf(start, zone)}
	of := func(t Type, source, id int64) Row {
		r := like
		r.Letter, r.Source, r.ID = t.letter(), id, idOf(source, id)
		return r
	}
	rows := []Row{of(Request, ofOrder, o.ID)}
	var nets, besides []money.Amount // of each row: its part of the price follows from one, the other is owed besides
	for _, l := range lines {
		r := of(Inventory, ofLine, l.ID)
		if l.Type == order.Sale {
			r.Letter = Sale.letter()
		}
		r.Item, r.Group, r.Date = &l.Item, l.Group, dayOf(l.Start, zone)
		rows, nets, besides = append(rows, r), append(nets, l.Price.Sub(l.PriceDiscount)), append(besides, l.LateFee)
	}
	for _, l := range services {
		r := of(serviceType(l.Type), ofService, l.ID)
		r.Service = &l.Service
		rows, nets, besides = append(rows, r), append(nets, l.Price.Sub(l.PriceDiscount)), append(besides, money.Amount{})
	}
	worth := pricing.Shares(nets, pricing.Totals{Price: o.Price})
	for i := range worth {
		worth[i] = worth[i].Add(besides[i])
	}
	for _, f := range o.Fees {
		r := of(Penalty, ofFee, f.ID)
		r.Date = dayOf(f.Created, zone)
		rows, nets, worth = append(rows, r), append(nets, f.Amount), append(worth, f.Amount)
	}
	if len(rows) == 1 && !o.PaidAmount.IsZero() {
		r := of(Service, ofRest, o.ID)
		r.Date = created
		rows, nets, worth = append(rows, r), append(nets, money.Amount{}), append(worth, money.Amount{})
	}
	share(rows, o, nets, worth)
	return rows
}

// share gives rows their predictions and profits: what each is worth, and the part of what was paid
// that is due to it. Where nothing is worth anything, it is due as the nets are.
func share(rows []Row, o *order.Order, nets, worth []money.Amount) {
	if o.OwesFees {
		shareFees(rows, o, nets, worth)
		return
	}
	weights := worth
	if !slices.ContainsFunc(worth, func(a money.Amount) bool { return !a.IsZero() }) {
		weights = nets
	}
	counts := o.Status.Counts()
	if rows[0].Profit = o.PaidAmount; counts {
		rows[0].Prediction = o.Price.Add(o.AllFees())
	}
	for i, profit := range o.PaidAmount.Spread(weights...) {
		if rows[i+1].Profit = profit; counts {
			rows[i+1].Prediction = worth[i]
		}
	}
}

// shareFees does so for a cancelled order that owes its fees alone: the last rows. What was paid serves them first, and the rest is due as
// it is where nothing is owed.
func shareFees(rows []Row, o *order.Order, nets, worth []money.Amount) {
	first, fees := len(worth)-len(o.Fees), o.AllFees()
	serves := o.PaidAmount
	if first > 0 && serves.Cmp(fees) > 0 {
		serves = fees
	}
	weights := worth[:first]
	if !slices.ContainsFunc(weights, func(a money.Amount) bool { return !a.IsZero() }) {
		weights = nets[:first]
	}
	rows[0].Prediction, rows[0].Profit = fees, o.PaidAmount
	for i, profit := range o.PaidAmount.Sub(serves).Spread(weights...) {
		rows[i+1].Profit = profit
	}
	for i, profit := range serves.Spread(worth[first:]...) {
		rows[first+i+1].Prediction, rows[first+i+1].Profit = worth[first+i], profit
	}
}

// serviceType is the type of the rows of service lines, by the type that the service had.
func serviceType(of service.Type) Type {
	switch of {
	case service.TypeDelivery, service.TypeBack, service.TypeBothWays:
		return Delivery
	case service.TypeWorkshop:
		return Workshop
	case service.TypeNone:
	}
	return Service
}
