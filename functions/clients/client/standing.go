package client

import (
	"context"

	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

// The sums beside a client, which the orders of the client add to (functions/orders/order).
const (
	OrdersCount  = "c" // of all orders but cancelled ones
	OrdersAmount = "a" // their prices with penalties
	OrdersPaid   = "p"
	OrdersDebt   = "d" // what is owed for orders in rent and completed ones, and of the fees of cancelled ones
)

// Standing is what a client's orders come to.
type Standing struct {
	Count              int64
	Amount, Paid, Debt money.Amount
}

// StandingOf is what a client's orders come to, as the unit of work has it.
func StandingOf(ctx context.Context, w *record.Work, id int64) (Standing, error) {
	sums, err := Kind().Sums(ctx, w, id)
	return Standing{
		Count: sums[OrdersCount].Cents() / 100, Amount: sums[OrdersAmount], Paid: sums[OrdersPaid], Debt: sums[OrdersDebt],
	}, err
}
