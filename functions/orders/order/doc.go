// Package order is the orders of a company: what a client rents or buys, for which time, and what
// it costs. Other groups change orders through its verbs, within their own unit of work.
//
// # What is stored
//
// An Order, its lines of items (Line) and its lines of services (ServiceLine) are records of their
// own. The order holds the ids of its lines, and of each item line its time and where its item is
// (Held), so that what happens to the whole order reads no line that it does not change. It also
// holds the sums of its lines' prices: a line that comes, goes or changes moves them by the
// difference, and the totals follow from the sums alone. Deposits and fees lie inside the order.
//
// The status is the order's and is never copied. A line copies its client, so that whoever finds
// the line of an item at a time knows who had it.
//
// # One revision
//
// Every change below an order edits the order too, so the order's revision counts all changes, two
// changes of one order are decided one after the other, and one entry of its history tells what
// changed, of which line.
//
// # What a line is priced by
//
// A line keeps its Terms: one tariff, or an offer of all that took part, as they were, and how months
// count; and its Place: the number of the price book of then, and where its rules are asked. It takes
// those of today where it is new, or its caller says so (hasNewTerms); otherwise a new time is priced
// by what it keeps, and a line that stays as it was keeps its price without being asked (priceOf). An
// agreed price has no offer and no Place, and keeps what tariffs would have cost, for the bound of
// discounts (limitrules.go).
//
// A line is priced for its plan, or for the time that it keeps besides (PricedFrom, PricedUntil): one whose item is out and gets a
// shorter end, or comes back early, keeps what it was priced for, or is priced for what was used, as the setting early says
// (earlyrules.go). What it costs is the same whichever of the two comes first. Lines without EndKept are from before there was the setting.
//
// A rental whose item was swapped while it was out has a line for each item, its parts, which name each other (Continues, ContinuedBy).
// Each costs its share of what all of the rental costs by the part's own terms, so whatever changes the time or the discounts of one part
// prices all of them (withParts, comesBack); all but the last are over, and follow it (swaprules.go).
//
// A service line that is Timed is charged for its own time or the order's. Whatever changes that time
// prices it anew, in the same transaction (follow).
//
// # When an item is occupied
//
// Only the calendar of an item decides whether a line may have it (functions/inventory/calendar).
// Each verb that gives a line a time, moves it, hands its item out, takes it back or lets it go
// changes the calendar in the same transaction. A line occupies its item from its creation until
// it is returned, removed or cancelled; a sale from its start for ever.
//
// # Where an item comes back
//
// Entries of calendars keep the order's rental_point_return. A return leaves a message that moves the items there (arrive.go): it has no
// room for 30 items, and would wait for whoever edits one of them. The return takes a number of the sequence of all moves, and an item
// keeps that of its last one, so neither the order of messages nor their repetition matters; a message asks the line whether it is back
// still from the same return, so one that was undone moves nothing.
//
// # Money
//
// What is owed is the price, plus late fees and fees, less what was paid. A cancelled order owes its
// fees alone (OwesFees), that of its cancellation among them (cancelrules.go); one that was cancelled
// before that was so, or without fees, owes nothing and takes no money. Every verb that changes one of
// them settles the order: its totals, its payment status, whether a completed order is one of a debtor,
// and the sums of its client are written together.
//
// # What happened
//
// Each verb says what it did (events.go, moneyevents.go): the events lie in the order's history, from which
// the timeline tells them (event.go), and go into the company's log. What came with a new order, or went with
// one, has no event of its own. What happened to documents and penalties that concern an order is said in
// their domains and put under the order by the log; the timeline knows those events by their names (beside.go).
// Histories from before there were events are read by before.go.
//
// # How a verb decides
//
// A verb reads, lets rules decide, and writes what they decided. A rule needs neither a Work nor a
// context: timesrules.go (times of lines), admitrules.go (what an order lets happen), pricerules.go and
// servicerules.go (what lines cost), limitrules.go (how much may be taken off), occupyrules.go
// (calendars), arriverules.go (where items come back), actionrules.go, refundrules.go (what a return refunds), reopenrules.go,
// cancelrules.go (what cancelling costs),
// earlyrules.go, swaprules.go (parts of a rental), holdrules.go, moverules.go, moneyrules.go, sumsrules.go (totals, status).
//
// Arrange is the longest. Its steps, in prepare: how each line was before (remember); may it change
// (checkChanges); reading (load, and newPricer and today: settings and price books); the tax of the
// settings (takeTax); times; prices; all that is wrong at once (CheckAll); the bound of the order's
// discounts; a plan of the calendars, made on copies (fulfil). Then, in Arrange, the lines get their
// ids, the plan is written (apply), and services follow the order's time (follow). MakeQuote stops
// after prepare.
//
// # The verbs, in the order of an order's life
//
//   - MakeQuote says what lines would cost, and what is in their way. It writes nothing. A line of it may name a
//     group (class.go); classrules.go says which item it gets.
//   - Suppose tells what any of the verbs below would make of an order, within a trial (record.Scope.Trial). What is in the way of items
//     is no error then (Order.refuse).
//   - Numbered runs the unit of work that makes an order, again if the unique_id that follows from its
//     id is taken; Arrange gives lines their prices and their times.
//   - LinesOf and ServicesOf edit lines that a call names; Arrange prices them. PriceOf explains what one costs.
//     Remove, or Drop, ends them.
//   - SwapItem gives a rental another item, and makes a record of it where the item was out.
//   - Amend follows a change of the order's own fields, such as its client or its discount.
//   - TakeDeposit, ChangeDeposit, ReturnDeposit and DropDeposit: money that comes back.
//   - Act takes the order a step further: it is reserved, its items are handed out and taken back, or it is cancelled. What
//     is overpaid at a return is refunded, if the caller wants that (giveBack): of the payments that the order keeps, or the search knows.
//   - Reopen undoes a hand-out or a return, by what the line remembers of before it (Done).
//   - Charge and Charged: fees. Uncharge takes back one that is a traffic penalty.
//   - Pay, and Refunded for a payment that finance refunds.
//   - Refer, ChangeReferral, PayReferral, TakeReferralBack and DropReferral: what whoever brought the client gets.
//   - Erase ends the order, with all that is below it.
//
// Amend, Erase, Drop, Charged, ChangeDeposit, DropDeposit, Refer, ChangeReferral and DropReferral are for hooks: their
// caller makes, changes or removes the record itself, in the same unit of work. All other verbs do it
// themselves. The order that a verb takes was made or is edited by the same unit of work, which has to
// be given up if the verb fails: it may leave the order half changed.
//
// What changes the lines, the status, or what is owed or paid ends with settle, so the order is consistent
// whatever else the unit of work does; Erase alone does not, because no order is left. Those who only
// read use LoadShown or LoadLines for an order's lines, TimelineOf for what happened, and
// Having and Debts for orders that match.
//
// What never goes in here: HTTP, how a price follows from tariffs and rules (functions/orders/pricing), and
// the balance of an account (functions/finance/ledger).
package order
