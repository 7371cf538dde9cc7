package penalty

import (
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/column"
)

// The letters under which the search knows what Unpaid looks at.
const (
	byPaid     = "p"
	byAmount   = "a"
	byDiscount = "d"
)

// columns are the values by which lists of penalties are filtered and ordered.
func columns() []column.Column[*Penalty] {
	return []column.Column[*Penalty]{
		column.Reference("state", "s", func(p *Penalty) *int64 { return p.State }).Doc("Id of a penalty state"),
		column.Flag("paid", byPaid, func(p *Penalty) bool { return p.Paid }).Doc("Whether it is paid."),
		column.Flag("noted", "n", func(p *Penalty) bool { return p.Noted }).Doc("Whether somebody has dealt with it."),
		column.Second("violated_at", "v", func(p *Penalty) *moment.Micros { return p.ViolatedAt }).
			Doc("A time, or a whole day of the company"),
		column.Amount("amount", byAmount, func(p *Penalty) *money.Amount { return p.Amount }).
			Doc("What it comes to, without a discount"),
		column.Second("discount_expires_at", byDiscount, func(p *Penalty) *moment.Micros { return p.DiscountEnds }).
			Doc("A time, or a whole day of the company"),
		column.Code("number", "k", func(p *Penalty) *string { plate := p.plate(); return &plate }, item.Plate).
			Doc("The whole number of a car, however it is written"),
		column.Reference("inventory", "i", func(p *Penalty) *int64 { return p.Item }).Doc("Id of the inventory item that the car is"),
		column.Reference("request", "q", func(p *Penalty) *int64 { return p.Order }).Doc("Id of the order that had the car"),
		column.Reference("client", "c", func(p *Penalty) *int64 { return p.Client }).Doc("Id of the client who had the car"),
	}
}

// more is what a search finds a penalty by besides its protocol: the number of its car and the names
// of its driver.
func more(p *Penalty) string {
	text := p.plate()
	if d := p.Driver; d != nil {
		text += " " + record.Texts(d.LastName, d.FirstName, d.MiddleName)
	}
	return text
}
