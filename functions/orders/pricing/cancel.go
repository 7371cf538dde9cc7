package pricing

import (
	"time"

	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
)

// CancellationRow is a row of what cancelling costs: so many percent of the price, until so many seconds before the start.
type CancellationRow struct {
	Before  moment.Seconds
	Percent int64
}

// Cancellation is what cancelling an order costs, left before its start; left is negative after it. Of the rows whose time before the start
// is not shorter than left, the shortest counts. Without such a row, cancelling costs nothing.
func Cancellation(price money.Amount, rows []CancellationRow, left time.Duration) (fee money.Amount, err error) {
	var of *CancellationRow
	for i := range rows {
		if left <= rows[i].Before.Duration() && (of == nil || rows[i].Before < of.Before) {
			of = &rows[i]
		}
	}
	if of == nil {
		return fee, nil
	}
	return price.Percent(money.Whole(of.Percent))
}
