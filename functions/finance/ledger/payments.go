package ledger

import (
	"context"

	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
)

// The letters of columns of postings that PaymentsOf looks at.
const (
	bySort    = "k"
	byRequest = "q"
)

// PaymentsOf are the ids of an order's payments, as far as the search knows them: it may lag behind changes by about a second.
func PaymentsOf(ctx context.Context, s record.Scope, request int64) ([]int64, error) {
	return Postings().Index(s).IDs(ctx, search.Query{Where: []segment.Condition{
		segment.In(byRequest, request), {Field: bySort, Is: segment.Among, Texts: []string{string(SortPayment)}},
	}})
}

// Left is how much of a posting was not refunded.
func (p *Posting) Left() money.Amount { return abs(p.Amount).Sub(p.Refunded) }
