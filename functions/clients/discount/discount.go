// Package discount is the discounts of a company as other groups may use them.
//
// What never goes in here: HTTP, and how a price follows from a discount (functions/orders/pricing).
package discount

import (
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

// Discount is a discount as it is stored: it has either Percent or Amount.
type Discount struct {
	record.Meta
	Name    string        `dynamo:"n"`
	Percent *money.Amount `dynamo:"p"`
	Amount  *money.Amount `dynamo:"a"`
}

// Shown is what callers and the history see of a discount.
type Shown struct {
	ID        int64         `json:"id"`
	CreatedAt string        `json:"created_at" format:"date-time"`
	UpdatedAt string        `json:"updated_at" format:"date-time"`
	Name      string        `json:"name"`
	Percent   *money.Amount `json:"percent" nullable:"true"`
	Amount    *money.Amount `json:"amount" nullable:"true"`
}

// Kind is the kind of discounts.
func Kind() *record.Kind[*Discount] { return declared.Get(declare) }

var declared record.Declared[*Discount]

func declare() record.Kind[*Discount] {
	return record.Kind[*Discount]{
		Kind: kinds.Of(kinds.Discount), Name: func(d *Discount) string { return d.Name },
		Shown: func(d *Discount) any { return d.Shown() },
	}
}

// Shown returns what callers see of a discount.
func (d *Discount) Shown() Shown {
	return Shown{ID: d.ID, CreatedAt: d.CreatedAt(), UpdatedAt: d.UpdatedAt(), Name: d.Name, Percent: d.Percent, Amount: d.Amount}
}
