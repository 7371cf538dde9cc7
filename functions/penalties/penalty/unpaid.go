package penalty

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
)

// Owed says how many penalties are not paid, and what they come to; and of these how many can still be paid at a
// discount, what they come to without it, and when the first of these discounts ends.
type Owed struct {
	Count          int64
	Amount         money.Amount
	DiscountCount  int64
	DiscountAmount money.Amount
	DiscountEnds   *moment.Micros
}

// Unpaid counts the penalties of a query that are not paid, as far as the search knows them: it may lag behind changes by about a second.
func Unpaid(ctx context.Context, s record.Scope, q search.Query) (o Owed, err error) {
	q.Add(segment.In(byPaid, 0))
	now := moment.Of(s.Now().Truncate(time.Second))
	err = Kind().Index(s).Rows(ctx, q, func(r segment.Row) {
		cents, _ := r.Number(byAmount)
		number, hasEnd := r.Number(byDiscount)
		ends := moment.Micros(number)
		o.add(money.FromCents(cents), ends, hasEnd && ends > now)
	})
	return o, err
}

func (o *Owed) add(amount money.Amount, ends moment.Micros, discounted bool) {
	o.Count++
	o.Amount = o.Amount.Add(amount)
	if !discounted {
		return
	}
	o.DiscountCount++
	o.DiscountAmount = o.DiscountAmount.Add(amount)
	if o.DiscountEnds == nil || ends < *o.DiscountEnds {
		o.DiscountEnds = &ends
	}
}
