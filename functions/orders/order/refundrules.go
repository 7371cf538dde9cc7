package order

import (
	"cmp"
	"slices"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Limits of what a return refunds.
const (
	MostRefunded = 10  // payments
	MostPayments = 100 // whose ids an order keeps
	mostSought   = 300 // payments of an order that does not keep them all
)

// What is refused about refunds by a return.
var (
	errUnrefunded   = fault.New(fault.Conflict, say.RefundPaymentsMissing).Coded()
	errManyPayments = fault.New(fault.Conflict, say.RefundTooManyPayments).Coded()
	errManyReturned = fault.New(fault.Conflict, say.RefundTooManyLines).Coded()
)

// mayRefund tells whether a role may have what is overpaid given back. What has no role may.
func mayRefund(role tenant.Role) bool { return role == "" || role.Covers(tenant.Manager) }

// keepPayment keeps the id of a posting that pays for an order.
func (o *Order) keepPayment(id int64) {
	list := append(slices.Clone(o.Payments), id) // Edit copies shallowly: what was before has the same slice
	o.Payments = list[max(0, len(list)-MostPayments):]
}

// refundPart is what is refunded of a payment.
type refundPart struct {
	payment int64
	amount  money.Amount
}

// refundsOf tells which payments give an amount back, and how much of each: the newest first, those of one moment from the last that was
// posted on.
func refundsOf(amount money.Amount, payments []*ledger.Posting) (list []refundPart, err error) {
	newest := slices.Clone(payments)
	slices.SortFunc(newest, func(a, b *ledger.Posting) int { return cmp.Or(cmp.Compare(b.Date, a.Date), cmp.Compare(b.ID, a.ID)) })
	for _, p := range newest {
		part := refundPart{p.ID, lesser(p.Left(), amount)}
		if part.amount.IsZero() {
			continue
		}
		if len(list) == MostRefunded {
			return nil, errManyPayments
		}
		list, amount = append(list, part), amount.Sub(part.amount)
	}
	return list, nil
}

// accountsFor tells whether payments are all that were made for an order: what is left of them is what it was paid.
func (o *Order) accountsFor(payments []*ledger.Posting) bool {
	left := money.Amount{}
	for _, p := range payments {
		left = left.Add(p.Left())
	}
	return left.Cmp(o.PaidAmount) == 0
}

// checkFits refuses refunds that don't fit into one transaction with what a return does besides: done operations on lines, calendars and
// services. A refund is two postings and their histories; an account has its sums, its day, and is checked.
func checkFits(list []refundPart, payments []*ledger.Posting, done int) error {
	const ofRefund, ofAccount = 4, 3
	accounts := map[int64]bool{}
	for _, p := range payments {
		if slices.ContainsFunc(list, func(part refundPart) bool { return part.payment == p.ID }) {
			accounts[p.Account] = true
		}
	}
	if done+ofRefund*len(list)+ofAccount*len(accounts) > mostAtOnce {
		return errManyReturned
	}
	return nil
}
