package order

import (
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

// Deposit is money that a client leaves until the items are back, as it is stored inside an order.
// It is no payment.
type Deposit struct {
	record.Element
	Amount   money.Amount  `dynamo:"s"` // above 0
	Account  int64         `dynamo:"a"`
	Type     *int64        `dynamo:"ty,omitempty"`
	Posting  int64         `dynamo:"po"`
	Date     moment.Micros `dynamo:"at"`
	Comment  *string       `dynamo:"co,omitempty,allowempty"`
	Returned money.Amount  `dynamo:"rt"` // given back
	Withheld money.Amount  `dynamo:"wh"` // became a payment
}

// ShownDeposit is what callers and the history see of a deposit.
type ShownDeposit struct {
	ID          int64        `json:"id"`
	CreatedAt   string       `json:"created_at" format:"date-time"`
	UpdatedAt   string       `json:"updated_at" format:"date-time"`
	Amount      money.Amount `json:"amount"`
	Account     int64        `json:"account"`
	Type        *int64       `json:"type" nullable:"true" doc:"Of the transaction"`
	Transaction int64        `json:"transaction" doc:"Id of the transaction that it was posted by"`
	Date        string       `json:"date" format:"date-time"`
	Comment     *string      `json:"comment" nullable:"true"`
	Returned    money.Amount `json:"returned" doc:"How much was given back"`
	Withheld    money.Amount `json:"withheld" doc:"How much was kept, and became a payment"`
}

// Shown returns what callers see of a deposit.
func (d *Deposit) Shown() ShownDeposit {
	return ShownDeposit{
		ID: d.ID, CreatedAt: d.CreatedAt(), UpdatedAt: d.UpdatedAt(), Amount: d.Amount, Account: d.Account, Type: d.Type,
		Transaction: d.Posting,
		Date:        encode.Instant(d.Date.Time()), Comment: d.Comment, Returned: d.Returned, Withheld: d.Withheld,
	}
}

// Left is what of a deposit is neither given back nor kept.
func (d *Deposit) Left() money.Amount { return d.Amount.Sub(d.Returned).Sub(d.Withheld) }

// Deposits is the list of deposits inside orders.
func Deposits() record.Embedded[*Order, Deposit] {
	return record.Embedded[*Order, Deposit]{
		In: Kind(), Numbers: kinds.Of(kinds.Deposit), Of: func(o *Order) *[]Deposit { return &o.Deposits },
	}
}

// Fee is what a client is charged besides the price, as it is stored inside an order.
type Fee struct {
	record.Element
	Amount  money.Amount `dynamo:"s"` // above 0
	Comment *string      `dynamo:"co,omitempty,allowempty"`
	Penalty *int64       `dynamo:"pe,omitempty"` // the traffic penalty that it charges
}

// ShownFee is what callers and the history see of a fee.
type ShownFee struct {
	ID        int64        `json:"id"`
	CreatedAt string       `json:"created_at" format:"date-time"`
	UpdatedAt string       `json:"updated_at" format:"date-time"`
	Amount    money.Amount `json:"amount"`
	Comment   *string      `json:"comment" nullable:"true"`
	Penalty   *int64       `json:"penalty" nullable:"true" doc:"Id of the traffic penalty that it charges"`
}

// Shown returns what callers see of a fee.
func (f *Fee) Shown() ShownFee {
	return ShownFee{
		ID: f.ID, CreatedAt: f.CreatedAt(), UpdatedAt: f.UpdatedAt(), Amount: f.Amount, Comment: f.Comment, Penalty: f.Penalty,
	}
}

// Fees is the list of fees inside orders.
func Fees() record.Embedded[*Order, Fee] {
	return record.Embedded[*Order, Fee]{In: Kind(), Numbers: kinds.Of(kinds.Fee), Of: func(o *Order) *[]Fee { return &o.Fees }}
}
