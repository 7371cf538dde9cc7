package clients

import (
	"context"
	"slices"
	"time"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/fault"
	compared "github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// filters returns the filters of the list that need more than a column.
func filters(now func() time.Time) []resource.Filter {
	return []resource.Filter{byDebt(now), {
		Params: []web.Param{{Name: "name", Doc: "Words of the name; all of them must be in it."}},
		Add: func(_ context.Context, r *web.Request, q *search.Query, _ fault.FieldErrors) error {
			q.InName = append(q.InName, search.Words(r.Param("name"))...)
			return nil
		},
	}}
}

// byDebt is the filter by what clients owe. That is a sum beside the record, which the search of clients doesn't hold: it would be
// a write of the client with each payment. It follows from what is owed for the orders, which the search of orders holds.
func byDebt(now func() time.Time) resource.Filter {
	field := compared.Amount[*order.Order]("orders_debt_amount", segment.ID, nil).
		Doc("What is owed for orders in rent and completed ones").Field
	return resource.Comparing(field, []compared.Comparison{compared.Equal, compared.In, compared.AtLeast, compared.AtMost},
		func(ctx context.Context, r *web.Request, q *search.Query, wanted []segment.Condition) error {
			debts, err := order.Debts(ctx, resource.Scope(r, now))
			q.Add(owing(debts, wanted))
			return err
		})
}

// owing is true for the clients whose debt fits all conditions. Who is not among the debts owes nothing.
func owing(debts map[int64]int64, wanted []segment.Condition) segment.Condition {
	fits := func(debt int64) bool {
		return !slices.ContainsFunc(wanted, func(c segment.Condition) bool { return !c.Takes(debt) })
	}
	nothing := fits(0)
	var ids []int64 // of those to whom the answer is another than to who owes nothing
	for id, debt := range debts {
		if fits(debt) != nothing {
			ids = append(ids, id)
		}
	}
	if nothing {
		return segment.Not(segment.In(segment.ID, ids...))
	}
	return segment.In(segment.ID, ids...)
}
