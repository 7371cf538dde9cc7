package pricing

import (
	"time"

	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
)

// LateFee returns the fee for a line that came back at some time, before discounts. There is none for a sale. Lateness counts from the
// end of the line, or from that of the time that was priced if it is later, in whole seconds. Nothing is due within the grace.
//
// After the grace, the fee is part of the price of the line's tariff for each whole step, and none if the tariff has no duration; or
// it is what the rental would have cost more until then, by the same tariffs and price rules.
func (r Rules) LateFee(it Item, back time.Time) (fee money.Amount, err error) {
	if it.Sale || it.Timeless {
		return fee, nil
	}
	it.Share = nil // the item that comes back late is the last one
	due, _ := r.least(it, it.ruled())
	late := moment.Seconds(back.Unix() - due.Unix())
	if back.Nanosecond() < due.Nanosecond() {
		late-- // whole seconds only
	}
	if late <= r.LateGrace {
		return fee, nil
	}
	if r.LateByTariffs {
		fee, err = r.dearer(it, due.Add(late.Duration()))
	} else {
		fee, err = r.proRata(it.Terms, late)
	}
	if err != nil || r.LateDayCap == nil {
		return fee, err
	}
	most, err := r.LateDayCap.Times(int64((late-1)/Day + 1))
	if err == nil && most.Cmp(fee) < 0 {
		fee = most
	}
	return fee, nil // a bound that is no amount is above all fees
}

// proRata is part of the price of a tariff for each whole step after the grace.
func (r Rules) proRata(t Terms, late moment.Seconds) (money.Amount, error) {
	if t.Duration <= 0 {
		return money.Amount{}, nil
	}
	step := max(r.LateStep, MinLateStep)
	percent, of := r.latePercent()
	return t.Price.Ratio(int64((late-r.LateGrace)/step)*percent, int64((t.Duration-1)/step+1)*of)
}

// dearer is how much more a rental would have cost until it came back.
func (r Rules) dearer(it Item, back time.Time) (money.Amount, error) {
	agreed, err := r.Price(it)
	if err != nil {
		return money.Amount{}, err
	}
	it.End = back
	longer, err := r.Price(it)
	if err != nil {
		return money.Amount{}, err
	}
	percent, of := r.latePercent()
	return atLeastZero(longer.Gross.Sub(agreed.Gross)).Ratio(percent, of)
}

// latePercent is the part of a fee that is charged, as a ratio in its lowest terms.
func (r Rules) latePercent() (n, of int64) {
	if r.LatePercent == nil {
		return 1, 1
	}
	n, of = *r.LatePercent, 100
	a, b := n, of
	for b != 0 {
		a, b = b, a%b
	}
	return n / a, of / a
}
