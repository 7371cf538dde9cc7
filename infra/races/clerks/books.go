package clerks

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// books are what was read of a company's orders and money.
type books struct {
	orders    []*order
	postings  []posting
	referrals []referral
	exchanges []exchange
	accounts  []account
	clients   []client
}

// faults are what in the books does not follow from the rest of them.
func (b *books) faults(now time.Time) (all []string) {
	for _, o := range b.orders {
		for _, rule := range []string{
			o.totals(), o.taxes(), b.paid(o), o.standing(), o.times(), o.held(now), b.deposited(o), b.referred(o.ID),
		} {
			if rule != "" {
				all = append(all, fmt.Sprintf("order %d: %s", o.ID, rule))
			}
		}
	}
	for _, rule := range [][]string{b.swaps(), b.ofGoneOrders(), b.refunded(), b.balances(), b.sums()} {
		all = append(all, rule...)
	}
	return all
}

// differs tells how something is that should be otherwise; it is empty if it is so.
func differs[T comparable](what string, is, want T) string {
	if is == want {
		return ""
	}
	return fmt.Sprintf("its %s are %v, and its parts come to %v", what, is, want)
}

// parts are the sums of what an order has.
func (o *order) parts() (gross, services, discounts, penalties amount) {
	for _, l := range o.Inventories {
		gross, discounts, penalties = gross+l.Price, discounts+l.Discount, penalties+l.Penalty
	}
	for _, l := range o.Services {
		services, discounts = services+l.Price, discounts+l.PriceDiscount
	}
	for _, f := range o.Penalties {
		penalties += f.Amount
	}
	return gross, services, discounts, penalties
}

// totals compares the totals of an order with its lines and fees. None of the clerks' orders has a discount in percent.
func (o *order) totals() string {
	gross, services, discounts, penalties := o.parts()
	additional := min(o.Additional, gross+services-discounts)
	price := gross + services - discounts - additional
	if !o.TaxIncluded {
		price += o.Tax
	}
	is := [...]amount{o.Gross, o.GrossService, o.Discount, o.Price, o.Penalty}
	return differs("totals", is, [...]amount{gross, services, discounts + additional, price, penalties})
}

// taxes compares the tax of an order with its price before it.
func (o *order) taxes() string {
	net, percent := o.Gross+o.GrossService-o.Discount, o.TaxPercent
	of := amount(100_00)
	if o.TaxIncluded {
		of += percent
	}
	return differs("taxes", o.Tax, (2*net*percent+of)/(2*of)) // half a cent is rounded up
}

// paid compares what was paid for an order with its postings.
func (b *books) paid(o *order) string {
	return differs("payments", o.Paid, b.posted(func(p posting) bool {
		return p.Request != nil && *p.Request == o.ID && (p.Kind == ofPayment || p.Kind == ofRefund)
	}))
}

// posted is the sum of some postings.
func (b *books) posted(fits func(p posting) bool) (sum amount) {
	for _, p := range b.postings {
		if fits(p) {
			sum += p.Amount
		}
	}
	return sum
}

// owed is what is to be paid for an order yet, by its price and its fees. A cancelled one owes its fees alone.
func (o *order) owed() amount {
	if o.Status == cancelled {
		return o.Penalty - o.Paid
	}
	return o.Price + o.Penalty - o.Paid
}

// standing compares what an order owes, and its status, with its price, its fees and what was paid.
func (o *order) standing() string {
	owed := o.owed()
	state := int64(2)
	if o.Status == cancelled && o.Penalty == 0 {
		owed = min(owed, 0)
		if o.PaymentStatus != state { // it owed nothing from the beginning, and tells how much of its price is paid
			state = stateOf(o.Price-o.Paid, o.Paid)
		}
	} else {
		state = stateOf(owed, o.Paid)
	}
	if fault := differs("debts", [...]amount{o.Debt, o.Overpaid}, [...]amount{max(owed, 0), max(-owed, 0)}); fault != "" {
		return fault
	}
	if o.Status == debtor && owed <= 0 || o.Status == completed && owed > 0 {
		return fmt.Sprintf("it has the status %d, and %s is owed", o.Status, owed)
	}
	return differs("payment statuses", o.PaymentStatus, state)
}

// stateOf is the payment status of what owes so much.
func stateOf(owed, paid amount) int64 {
	switch {
	case owed <= 0:
		return 2
	case paid > 0:
		return 1
	}
	return 0
}

// times compares the time of an order with that of its lines.
func (o *order) times() string {
	var start, end time.Time
	for _, l := range o.Inventories {
		from := l.Start
		if l.FactStart != nil && l.FactStart.Before(from) {
			from = *l.FactStart
		}
		if start.IsZero() || from.Before(start) {
			start = from
		}
		if l.End != nil && l.End.After(end) {
			end = *l.End
		}
	}
	if end.IsZero() || o.Start == nil || o.End == nil { // it has what was sent once
		return ""
	}
	return differs("times", text(*o.Start)+" to "+text(*o.End), text(start)+" to "+text(end))
}

// held tells whether a hold is over, or should not be.
func (o *order) held(now time.Time) string {
	switch {
	case o.Expires == nil:
		return ""
	case o.Status != request || o.Paid != 0 || len(o.Deposits) > 0:
		return "its hold was not lifted"
	case o.Expires.Add(slow).Before(now):
		return "its hold has ended " + text(*o.Expires) + ", and it is not cancelled"
	}
	return ""
}

// deposited compares what is left of the deposits of an order with their postings.
func (b *books) deposited(o *order) string {
	var left amount
	for _, d := range o.Deposits {
		if left += d.left(); d.left() < 0 || d.Returned < 0 || d.Withheld < 0 {
			return fmt.Sprintf("more is taken from its deposit %d than there was", d.ID)
		}
		if !slices.ContainsFunc(b.postings, func(p posting) bool {
			return p.ID == d.Transaction && p.Kind == ofDeposit && p.Amount == d.Amount && p.Account == d.Account
		}) {
			return fmt.Sprintf("its deposit %d is not posted", d.ID)
		}
	}
	return differs("deposits", left, b.posted(func(p posting) bool {
		return p.Request != nil && *p.Request == o.ID && p.Kind == ofDeposit
	}))
}

// referred compares the referrals of an order that are paid with their postings.
func (b *books) referred(order int64) string {
	var paid amount
	for _, r := range b.referrals {
		if r.Request == order && r.Status == referralPaid {
			paid += r.Amount
		}
	}
	return differs("referrals", paid, -b.posted(func(p posting) bool {
		return p.Request != nil && *p.Request == order && p.Kind == ofReferral
	}))
}

// swaps compares the exchanges of items with the lines that they have ended and begun.
func (b *books) swaps() (faults []string) {
	lines, ended, begun := map[int64]*line{}, map[int64]int64{}, map[int64]int64{}
	for _, o := range b.orders {
		for _, l := range o.some(func(*line) bool { return true }) {
			lines[l.ID] = l
		}
	}
	for _, e := range b.exchanges {
		if fault := e.of(lines[e.From], lines[e.To]); fault != "" || ended[e.From] != 0 || begun[e.To] != 0 {
			fault = cmp.Or(fault, "another one is of the same")
			faults = append(faults, fmt.Sprintf("exchange %d of lines %d and %d: %s", e.ID, e.From, e.To, fault))
		}
		ended[e.From], begun[e.To] = e.ID, e.ID
	}
	for id, l := range lines {
		if last := cmp.Or(ended[id], begun[id]); last == 0 && l.Exchange != nil || last != 0 && (l.Exchange == nil || *l.Exchange != last) {
			faults = append(faults, fmt.Sprintf("line %d does not name the exchange that it was in last: %d", id, last))
		}
	}
	return faults
}

// of compares an exchange with the lines that it has ended and begun.
func (e exchange) of(from, to *line) string {
	isAt := func(at *time.Time) bool { return at != nil && at.Equal(e.At) }
	switch {
	case from == nil || to == nil:
		return "one of them is not there"
	case from.Request != e.Request || to.Request != e.Request:
		return fmt.Sprintf("they are not of order %d", e.Request)
	case !isAt(from.FactEnd) || !isAt(from.End) || !isAt(to.FactStart):
		return "the one does not go on when the other ends: " + text(e.At)
	case from.item() != 0 && from.item() != e.Gave || to.item() != 0 && to.item() != e.Got || e.Gave == e.Got:
		return fmt.Sprintf("they are not of the items %d and %d", e.Gave, e.Got)
	}
	return ""
}

// ofGoneOrders tells of money and referrals of orders that are deleted.
func (b *books) ofGoneOrders() (faults []string) {
	here, left := map[int64]bool{}, map[int64]amount{}
	for _, o := range b.orders {
		here[o.ID] = true
	}
	for _, p := range b.postings {
		if p.Request != nil && !here[*p.Request] {
			left[*p.Request] += p.Amount
		}
	}
	for id, sum := range left {
		if sum != 0 {
			faults = append(faults, fmt.Sprintf("order %d is deleted, and %s is left of it", id, sum))
		}
	}
	for _, r := range b.referrals {
		if !here[r.Request] {
			faults = append(faults, fmt.Sprintf("referral %d is of order %d, which is deleted", r.ID, r.Request))
		}
	}
	return faults
}

// refunded compares what was refunded of each posting with its refunds.
func (b *books) refunded() (faults []string) {
	for _, p := range b.postings {
		back := -b.posted(func(r posting) bool { return r.RefundOf != nil && *r.RefundOf == p.ID && r.Account == p.Account })
		if p.Refunded != back || back > max(p.Amount, 0) {
			faults = append(faults, fmt.Sprintf("posting %d of %s: %s of it was refunded, and its refunds come to %s",
				p.ID, p.Amount, p.Refunded, back))
		}
	}
	return faults
}

// balances compares the balance of each account with its postings.
func (b *books) balances() (faults []string) {
	for _, a := range b.accounts {
		sum := a.Initial + b.posted(func(p posting) bool { return p.Account == a.ID })
		if sum != a.Balance {
			faults = append(faults, fmt.Sprintf("account %d has %s, and its postings come to %s", a.ID, a.Balance, sum))
		}
	}
	return faults
}

// sums compares the sums of each client with its orders.
func (b *books) sums() (faults []string) {
	for _, is := range b.clients {
		want := client{ID: is.ID}
		for _, o := range b.orders {
			if o.Client == nil || *o.Client != is.ID {
				continue
			}
			if o.Status != cancelled {
				want.Count, want.Amount, want.Paid = want.Count+1, want.Amount+o.Price+o.Penalty, want.Paid+o.Paid
			}
			if o.Status >= inRent {
				want.Debt += max(o.owed(), 0)
			}
		}
		if is != want {
			faults = append(faults, fmt.Sprintf("client %d: its sums are %v, and its orders come to %v", is.ID, is, want))
		}
	}
	return faults
}
