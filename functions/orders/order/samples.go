package order

import (
	"time"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record/event"
)

// Events are the events that verbs say of orders, with an example of each. Those that come by themselves (order.created, order.updated
// and order.deleted) are not among them.
func Events() []event.Sample {
	var (
		from, to = moment.Of(time.Date(2027, 3, 5, 9, 0, 0, 0, time.UTC)), moment.Of(time.Date(2027, 3, 7, 9, 0, 0, 0, time.UTC))
		late     = to.Add(3 * time.Hour)
		client   = int64(3)
		agent    = int64(2)
		o        = &Order{Client: &client}
		line     = &Line{Item: 12, Start: from, End: to, FactStart: &from, FactEnd: &late, LateFee: money.Whole(500)}
		next     = &Line{Item: 13}
		exchange = int64(2)
		delivery = &ServiceLine{Service: 1, Title: "Delivery", Count: 2}
		fee      = &Fee{Amount: money.Whole(2000)}
		deposit  = &Deposit{Amount: money.Whole(50000), Account: 1}
		referral = &Referral{Agent: &agent, Amount: money.Whole(1500)}
		owed     = money.Whole(9750)
		posted   = []event.Ref{{Kind: kinds.Account, ID: 1}, {Kind: kinds.Transaction, ID: 31}}
	)
	o.ID, line.ID, next.ID, delivery.ID, fee.ID, deposit.ID, referral.ID = 7, 5, 11, 4, 6, 8, 9
	line.Price, delivery.Price = money.Whole(6000), money.Whole(3000)
	sample := func(e event.Event, doc string) event.Sample { return event.Sample{Event: e, Doc: doc} }
	fields := func(names ...string) event.UpdatedData { return event.UpdatedData{Fields: names} }
	left := func(n int64) DepositTold { return deposit.about(money.Whole(n)) }
	return []event.Sample{
		sample(WasReserved{o.on()}, "The items of an order are promised to its client."),
		sample(WasStarted{o.on(), encode.Moment(&from)}, "The first items of an order were handed out."),
		sample(WasCompleted{o.on(), encode.Moment(&late), owed}, "All rentals of an order are back, and all sales handed out."),
		sample(WasCancelled{o.on(), nil}, "An order was cancelled, and its items are free."),
		sample(WasPaid{o.on(posted...), money.Whole(5000)}, "Money was paid, a deposit was kept, or a refund was taken back."),
		sample(WasRefunded{o.on(posted...), money.Whole(1000)}, "A payment for an order was refunded, or a part of it."),
		sample(WasIndebted{o.on(), owed}, "Something is owed for an order that is completed."),
		sample(WasSettled{o.on()}, "Nothing is owed any more for an order that is completed."),
		sample(LineAdded{o.onLine(line), line.about()}, "An order has another item line."),
		sample(LineUpdated{o.onLine(line), line.about(), fields("end_at", "price")}, "An item line was changed."),
		sample(LineRemoved{o.onLine(line), line.about()}, "An item line was taken out of its order."),
		sample(o.handOutOf(line), "The item of a line was handed out."),
		sample(o.returnOf(line), "The item of a line was taken back."),
		sample(LineSwapped{o.onSwap(line, next, line.Item), line.swapped(line.Item, next, &exchange, Swap{Reason: "The gearbox broke"})},
			"A rental has another item."),
		sample(LineReopened{On: o.onLine(line), Line: line.ID, Inventory: line.Item, Undone: UndoneReturn, Status: InRent},
			"The return of a line was undone, or its hand-out."),
		sample(ServiceAdded{o.onService(delivery), delivery.about()}, "An order has another service line."),
		sample(ServiceUpdated{o.onService(delivery), delivery.about(), fields("count", "price")}, "A service line was changed."),
		sample(ServiceRemoved{o.onService(delivery), delivery.about()}, "A service line was taken out of its order."),
		sample(FeeAdded{o.onFee(fee), fee.about()}, "An order was charged with a fee."),
		sample(FeeUpdated{o.onFee(fee), fee.about(), fields("amount")}, "A fee was changed."),
		sample(FeeRemoved{o.onFee(fee), fee.about()}, "A fee was taken out of its order."),
		sample(DepositReceived{o.onDeposit(deposit), left(50000)}, "A client left a deposit."),
		sample(DepositUpdated{o.onDeposit(deposit), left(50000), fields("comment")}, "A deposit was changed."),
		sample(DepositReturned{o.onDeposit(deposit), left(40000)}, "A deposit was given back, or a part of it."),
		sample(DepositWithheld{o.onDeposit(deposit), left(10000)}, "A deposit was kept, or a part of it, and became a payment."),
		sample(DepositRemoved{o.onDeposit(deposit), left(50000)}, "A deposit was taken out of its order."),
		sample(ReferralCreated{o.onReferral(referral), referral.about()}, "An agent is to get something for having brought an order."),
		sample(ReferralUpdated{o.onReferral(referral), referral.about(), fields("amount")}, "A referral was changed."),
		sample(ReferralWasPaid{o.onReferral(referral), referral.about()}, "The agent has got the amount of a referral."),
		sample(ReferralReversed{o.onReferral(referral), referral.about()}, "The payout of a referral was taken back."),
		sample(ReferralRemoved{o.onReferral(referral), referral.about()}, "A referral was taken out of its order."),
	}
}
