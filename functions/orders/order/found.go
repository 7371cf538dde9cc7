package order

import (
	"context"

	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
)

// Having returns the ids of the orders that have a line which matches a query. They may lag behind changes by about a second.
func Having(ctx context.Context, s record.Scope, lines search.Query) ([]int64, error) {
	var ids []int64
	err := Lines().Index(s).Rows(ctx, lines, func(r segment.Row) {
		if id, ok := r.Number(byOrder); ok {
			ids = append(ids, id)
		}
	})
	return ids, err
}

// Debts returns what clients owe for orders in rent and completed ones, and of the fees of cancelled ones, in hundredths, by the ids of
// the clients; who owes nothing is not among them. It follows from the orders themselves as the search knows them, so no write of an
// order has to tell its client's entry. It may lag behind changes by about a second.
func Debts(ctx context.Context, s record.Scope) (map[int64]int64, error) {
	debts := map[int64]int64{}
	owed := search.Query{Where: []segment.Condition{
		segment.In(byStatus, having(traitHandedOut|traitOwesFees)...), segment.Not(segment.In(byDebt, 0)), segment.Has(ByClient),
	}}
	err := Kind().Index(s).Rows(ctx, owed, func(r segment.Row) {
		client, _ := r.Number(ByClient)
		debt, _ := r.Number(byDebt)
		debts[client] += debt
	})
	return debts, err
}
