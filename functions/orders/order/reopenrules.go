package order

import (
	"slices"
	"time"

	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/say"
)

// Reopenable is for how long a hand-out or a return can be undone, from when it was told.
const Reopenable = 24 * time.Hour

// Done is what a line was before its item was handed out, or taken back, and what it costs since: by that it can be undone.
type Done struct {
	At          moment.Micros `dynamo:"a"` // when it was told, whatever the moment is that was told
	Revision    int64         `dynamo:"r"` // of the order before it
	Start       moment.Micros `dynamo:"s"`
	End         moment.Micros `dynamo:"f,omitempty"`
	PricedFrom  moment.Micros `dynamo:"ps,omitempty"`
	PricedUntil moment.Micros `dynamo:"pe,omitempty"`
	Price       money.Amount  `dynamo:"p"`
	List        *money.Amount `dynamo:"ls,omitempty"`
	Tariff      *int64        `dynamo:"t,omitempty"` // that the line showed
	Left        money.Amount  `dynamo:"l"`           // the price afterwards
}

// done makes what a line remembers when it is handed out or taken back. before is the line as it was, and revision that of its order then.
func (l *Line) done(before *Line, revision int64, now time.Time) *Done {
	return &Done{
		At: moment.Of(now), Revision: revision, Start: before.Start, End: before.End, PricedFrom: before.PricedFrom,
		PricedUntil: before.PricedUntil, Price: before.Price, List: before.List, Tariff: before.Tariff, Left: l.Price,
	}
}

// What keeps a hand-out or a return from being undone.
var (
	errTooLate = fault.New(fault.Conflict, say.ReopenTooLate).Coded()
	errAgent   = fault.New(fault.Conflict, say.ReopenReferralPaid).Coded()
	errBooked  = fault.New(fault.Conflict, say.ReopenItemBooked).Coded()
)

// checkReopen refuses to undo what became of the item of a line, and returns what the line was before that: its return, or, as long as the
// item is out, its hand-out. What a swap began or ended stays.
func (o *Order) checkReopen(l *Line, now time.Time) (done *Done, err error) {
	switch l.state() {
	case Planned:
		return nil, o.statusFault(say.LineNotHandedOut(l.ID))
	case Out:
		done = l.HandOut
	case Returned:
		done = l.Return
	}
	switch {
	case l.ContinuedBy != 0 || l.Continues != 0 && l.state() == Out:
		return nil, errSwapped
	case done == nil || done.At.Add(Reopenable) < moment.Of(now): // nil: it is from before it was remembered
		return nil, errTooLate
	}
	return done, nil
}

// rewarded tells whether what becomes undone of a line is what an agent is paid for: the hand-out, or the end of the order.
func (o *Order) rewarded(l *Line) bool { return l.state() == Out || o.Status.is(traitOver) }

// bringOut undoes the return of a line, the first of the parts of its rental that are given: its item is out again, and it costs what it
// did before the return was told, as the other parts do that were priced anew by it.
func (o *Order) bringOut(rental []*Line, told moment.Micros, p pricer) error {
	for i, l := range rental {
		done := l.Return
		if done == nil || done.At != told {
			continue
		}
		o.count(l, money.Amount.Sub)
		if l.Return = nil; i == 0 {
			l.FactEnd, l.LateFee = nil, money.Amount{}
		}
		if err := p.restore(l, done); err != nil {
			return errTooMuch
		}
		o.count(l, money.Amount.Add)
		*o.Line(l.ID) = l.held()
	}
	return nil
}

// takeIn undoes the hand-out of a line, which is planned again from its start of then on. Whatever was changed of it since stays, and one
// that has another end or another price since is priced for its plan.
func (o *Order) takeIn(l *Line, done *Done, p pricer, of offer) (err error) {
	o.count(l, money.Amount.Sub)
	l.FactStart, l.HandOut = nil, nil
	switch {
	case l.Type == Sale:
	case l.isSince(done):
		l.Start = done.Start
		err = p.restore(l, done)
	default:
		err = l.replan(done.Start, p, of)
	}
	if err != nil {
		return errTooMuch
	}
	o.count(l, money.Amount.Add)
	*o.Line(l.ID) = l.held()
	return nil
}

// isSince tells whether a line has the end and the price that it was left with.
func (l *Line) isSince(done *Done) bool { return l.End == done.End && l.Price.Cmp(done.Left) == 0 }

// restore gives a line back the price that it had, and the time that was priced. Discounts stay as they are now.
func (p pricer) restore(l *Line, done *Done) error {
	if l.PricedFrom == done.PricedFrom && l.PricedUntil == done.PricedUntil && l.Price.Cmp(done.Price) == 0 {
		return nil
	}
	l.PricedFrom, l.PricedUntil, l.Price, l.List = done.PricedFrom, done.PricedUntil, done.Price, done.List
	if l.combined() && done.Tariff != nil {
		l.show(pricing.Offered{ID: *done.Tariff})
	}
	price, err := p.priceOf(l, true)
	if err == nil {
		l.worth(price, true)
	}
	return err
}

// replan makes a line one that begins at start, or when its item was handed out if it ends before that, and prices it for its plan, as if
// it had never been out.
func (l *Line) replan(start moment.Micros, p pricer, of offer) error {
	was := *l
	was.Start, was.End, was.PricedFrom, was.PricedUntil = l.pricedFrom(), l.pricedUntil(), 0, 0
	if start < l.End {
		l.Start = start
	}
	of.discount = l.Discount
	d, errs := &Draft{Line: l, before: &was}, fault.FieldErrors{}
	if err := d.priceBy(p, of, errs); err != nil || len(errs) > 0 {
		return errTooMuch
	}
	return nil
}

// turnBack gives an order the status and the times that follow from its lines, one of which was reopened.
func (o *Order) turnBack(lines []*Line) {
	o.Status, o.FactStart, o.FactEnd = Reserved, nil, nil
	for _, l := range lines {
		if at := l.FactStart; at != nil && (o.FactStart == nil || *at < *o.FactStart) {
			o.Status, o.FactStart = InRent, at
		}
		if at := l.FactEnd; at != nil && l.ContinuedBy == 0 && (o.FactEnd == nil || *at > *o.FactEnd) {
			o.FactEnd = at
		}
	}
}

// checkUnpaid refuses to undo what an agent was paid for.
func checkUnpaid(referrals []*Referral) error {
	if slices.ContainsFunc(referrals, func(r *Referral) bool { return r.Status == ReferralPaid }) {
		return errAgent
	}
	return nil
}

// Undone is what was undone of a line.
type Undone string

// What can be undone.
const (
	UndoneHandOut Undone = "hand_out"
	UndoneReturn  Undone = "return"
)

// Values are the names of what can be undone.
func (Undone) Values() []enum.Value { return enum.Named(UndoneHandOut, UndoneReturn) }

// StayKind is what stays although what it belongs to was undone.
type StayKind string

// The kinds of what stays.
const (
	StayDocument StayKind = "document"
	StayRefund   StayKind = "refund"
	StayReturned StayKind = "deposit_returned"
	StayWithheld StayKind = "deposit_withheld"
)

// Values are the names of the kinds.
func (StayKind) Values() []enum.Value {
	return enum.Named(StayDocument, StayRefund, StayReturned, StayWithheld)
}

// Stay is what stays although a hand-out or a return was undone that was before it.
type Stay struct {
	Kind   StayKind      `json:"kind" doc:"{values}"`
	ID     int64         `json:"id" doc:"Of the document, the transaction that refunds, or the deposit"`
	Amount *money.Amount `json:"amount" nullable:"true" doc:"Refunded, given back or kept; null for a document"`
	At     string        `json:"at" format:"date-time" doc:"When it was done"`
}

// staying are the events of what stays of what a history tells, and of what kind each is.
var staying = map[event.Name]struct {
	kind StayKind
	of   kinds.Code
}{
	WasRefunded{}.Name():     {StayRefund, kinds.Transaction},
	DepositReturned{}.Name(): {StayReturned, kinds.Deposit},
	DepositWithheld{}.Name(): {StayWithheld, kinds.Deposit},
}

// staysOf are the refunds and the returns of deposits that entries of an order's history tell, in their order.
func staysOf(entries []audit.Entry) (list []Stay) {
	for _, e := range entries {
		for _, s := range e.Events {
			is, stays := staying[s.Name]
			if !stays {
				continue
			}
			for _, object := range s.Concerns {
				if k, id, ok := kinds.ParseObject(object); ok && k.Code == is.of {
					list = append(list, Stay{Kind: is.kind, ID: id, Amount: factsOf(s.Data).amount(), At: e.At})
				}
			}
		}
	}
	return list
}
