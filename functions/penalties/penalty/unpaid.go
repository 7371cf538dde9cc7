package penalty

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/search"
)

// Owed says how many penalties are not paid, and what they come to; and of these how many can still be paid at a
// discount, what they come to without it, and when the first of these discounts ends.
type Owed struct {
	Count          int64
	Amount         money.Amount
	DiscountCount  int64
	DiscountAmount money.Amount
	DiscountEnds   *int64 // microseconds since 1970
}

// Unpaid counts the penalties of a query that are not paid, from the search index alone.
func Unpaid(ctx context.Context, s record.Scope, q search.Query) (o Owed, err error) {
	q.Where(func(e search.Entry) bool { return e.Number(byPaid) == 0 })
	list, err := Kind().Index(s).Entries(ctx, q)
	if err != nil {
		return o, err
	}
	now := s.Now().Truncate(time.Second).UnixMicro()
	for _, e := range list {
		amount := money.FromCents(e.Number(byAmount))
		o.Count++
		o.Amount = o.Amount.Add(amount)
		ends := e.Number(byDiscount)
		if !e.Has(byDiscount) || ends <= now {
			continue
		}
		o.DiscountCount++
		o.DiscountAmount = o.DiscountAmount.Add(amount)
		if o.DiscountEnds == nil || ends < *o.DiscountEnds {
			o.DiscountEnds = &ends
		}
	}
	return o, nil
}
