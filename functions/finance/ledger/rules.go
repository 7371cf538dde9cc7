package ledger

import (
	"slices"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/nullable"
	"github.com/tenantry/tenantry/shared/say"
)

// The days of UTC on which something can be booked. In every time zone they have the years from
// 1900 to 2999. BadDate names them.
const (
	firstDay = "1900-01-02"
	lastDay  = "2999-12-30"
)

// ValidDate tells whether something can be booked at a moment.
func ValidDate(at time.Time) bool {
	day := at.UTC().Format(time.DateOnly)
	return day >= firstDay && day <= lastDay
}

// BadDate is the message of a date for which ValidDate is false.
const BadDate = say.DateNotBookable

// place is where a posting stands in the statements of its account: by its day, then by its
// moment, then by its id.
func (p *Posting) place() string {
	return string(p.Day) + "." + p.Date.Time().UTC().Format(momentLayout)
}

const momentLayout = "2006-01-02T15:04:05.000000Z"

// Check is what tells a day's postings apart from others: a sum over all of them changes if one
// of them comes, goes, or moves within the day. Two changes that cancel each other, such as one
// that goes and one with the next id that comes a microsecond earlier, leave the sum as it was.
func (p *Posting) Check() int64 {
	return p.ID + int64(p.Date)%(24*time.Hour.Microseconds())
}

// Free refuses to change a posting that another record has posted.
func Free(p *Posting) error {
	switch {
	case p.Owned && p.Sort == SortPayment:
		return errOrdered
	case p.Owned, p.Exchange != nil:
		return errOwned
	}
	return nil
}

// isBookedAlike tells whether two versions of a posting make the same of accounts and days.
func isBookedAlike(a, b *Posting) bool {
	return a.Account == b.Account && a.Date == b.Date && a.Amount.Cmp(b.Amount) == 0
}

// checkType reports a type that is not among the account's, or is missing where the account has types.
func (p *Posting) checkType(types []int64, errs fault.FieldErrors) {
	switch {
	case p.Type == nil && len(types) > 0:
		errs.Add("type", say.Required)
	case p.Type != nil && !slices.Contains(types, *p.Type):
		errs.Add("type", say.InvalidChoice(*p.Type))
	}
}

// refunds adds to what was refunded of a posting, and reports an amount that is more than what
// is left.
func refunds(of *Posting, more money.Amount, errs fault.FieldErrors) error {
	left := of.Left()
	if more.Cmp(left) > 0 {
		errs.Add("amount", say.RefundAboveLeft(left.String()))
		return errs.Err()
	}
	of.Refunded = of.Refunded.Add(more)
	return nil
}

// refundsAnotherAmount tells whether a posting is a refund of another amount than before, with the sign that it had.
func (p *Posting) refundsAnotherAmount(before *Posting) bool {
	return p.RefundOf != nil && p.Amount.Cmp(before.Amount) != 0 && p.Amount.IsNegative() == before.Amount.IsNegative()
}

// checkRefund reports what is wrong with a change of a posting that is a refund, or has refunds. of is what it refunds, where it refunds
// another amount than before: it gets that amount.
func (p *Posting) checkRefund(before, of *Posting, errs fault.FieldErrors) error {
	if (p.RefundOf != nil || !p.Refunded.IsZero()) && p.Account != before.Account {
		errs.Add("account", say.RefundKeepsAccount)
	}
	if p.RefundOf != nil && !nullable.Same(p.Request, before.Request) {
		errs.Add("request", say.RefundKeepsOrder)
	}
	if p.Amount.Cmp(before.Amount) == 0 {
		return nil
	}
	turned := p.Amount.IsNegative() != before.Amount.IsNegative()
	switch {
	case p.RefundOf != nil && turned:
		errs.Add("amount", say.RefundSignWrong)
	case p.RefundOf != nil:
		of.Refunded = of.Refunded.Sub(abs(before.Amount))
		return refunds(of, abs(p.Amount), errs)
	case !p.Refunded.IsZero() && (turned || abs(p.Amount).Cmp(p.Refunded) < 0):
		errs.Add("amount", say.PostingRefundedMore(p.Refunded.String()))
	}
	return nil
}

func abs(a money.Amount) money.Amount {
	if a.IsNegative() {
		return a.Neg()
	}
	return a
}
