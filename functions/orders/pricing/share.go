package pricing

import (
	"time"

	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
)

// Share is the part of a rental's time for which one of its items was there, where it went on with another one. A line with a share costs
// that part of what the whole time costs, and of what is taken off it.
type Share struct {
	From  time.Time // zero: from the start of the time
	Until time.Time // zero: until its end, however late that is priced
}

// Of is the share of an amount that is for the time from start to end. Each part gets what is due up to its end, less what is due up to
// its beginning, so that the parts of a time add up to the amount exactly. It counts microseconds: parts of whole seconds get what they
// would by seconds.
func (s Share) Of(amount money.Amount, start, end time.Time) (money.Amount, error) {
	whole := end.Sub(start).Microseconds()
	if whole <= 0 {
		return amount, nil // such a time has no parts
	}
	from, until := s.Within(start, end)
	before, err := amount.Ratio(from.Sub(start).Microseconds(), whole)
	if err != nil {
		return amount, err
	}
	after, err := amount.Ratio(until.Sub(start).Microseconds(), whole)
	return after.Sub(before), err
}

// shared is the share of a price that is for the whole time.
func (it Item) shared(whole Price) (p Price, err error) {
	p = whole
	if p.Gross, err = it.Share.Of(whole.Gross, it.Start, it.End); err != nil {
		return p, err
	}
	if p.Discount, err = it.Share.Of(whole.Discount, it.Start, it.End); err != nil {
		return p, err
	}
	p.Net = p.Gross.Sub(p.Discount)
	from, until := it.Share.Within(it.Start, it.End)
	p.Steps = append(p.Steps, Step{
		Kind: Shared, Text: say.PricingWithItem(timeOf(seconds(from, until), seconds(it.Start, it.End))), Amount: p.Net.Sub(whole.Net),
	})
	return p, nil
}

// Within is the share as far as it lies in a time.
func (s Share) Within(start, end time.Time) (from, until time.Time) {
	from, until = start, end
	if s.From.After(start) {
		from = earlier(s.From, end)
	}
	if !s.Until.IsZero() && s.Until.Before(end) {
		until = s.Until
	}
	if until.Before(from) {
		until = from
	}
	return from, until
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
