package clerks

import (
	"fmt"
	"time"

	"github.com/tenantry/tenantry/shared/money"
)

// The statuses of an order.
const (
	request   = 0
	reserved  = 1
	inRent    = 2
	cancelled = 3
	completed = 4
	debtor    = 5
)

// amount is a number of cents.
type amount int64

// UnmarshalJSON reads an amount as the API writes it.
func (a *amount) UnmarshalJSON(text []byte) error {
	of, err := money.ParseAmount(string(text[1 : len(text)-1]))
	*a = amount(of.Cents())
	return err
}

func (a amount) String() string {
	sign := ""
	if a < 0 {
		sign, a = "-", -a
	}
	return fmt.Sprintf("%s%d.%02d", sign, a/100, a%100)
}

// order is an order as it was answered.
type order struct {
	ID            int64
	Client        *int64
	Status        int64
	Start         *time.Time `json:"rent_start"`
	End           *time.Time `json:"rent_end"`
	Expires       *time.Time `json:"expires_at"`
	Price         amount
	Gross         amount `json:"price_inventory"`
	GrossService  amount `json:"price_service"`
	Discount      amount `json:"price_discount"`
	Additional    amount `json:"additional_discount"`
	Tax           amount
	TaxPercent    amount `json:"tax_percent"`
	TaxIncluded   bool   `json:"tax_included"`
	Penalty       amount `json:"penalty_amount"`
	Paid          amount `json:"paid_amount"`
	PaymentStatus int64  `json:"payment_status"`
	Debt          amount
	Overpaid      amount
	Lines         []int64 `json:"order_inventories"`
	ServiceLines  []int64 `json:"order_services"`
	Inventories   []line
	Services      []service
	Penalties     []fee
	Deposits      []deposit
}

// service is a service line of an order.
type service struct {
	ID            int64
	Price         amount
	PriceDiscount amount `json:"price_discount"`
}

// fee is a fee of an order.
type fee struct {
	ID     int64
	Amount amount
}

// deposit is a deposit of an order.
type deposit struct {
	ID, Account, Transaction   int64
	Amount, Returned, Withheld amount
}

func (d deposit) left() amount { return d.Amount - d.Returned - d.Withheld }

// The statuses of a referral.
const (
	referralPaid    = 0
	referralPending = 1
)

// referral is what an agent gets for an order.
type referral struct {
	ID, Request, Status int64
	Amount              amount
}

// posting is a posting into an account.
type posting struct {
	ID, Account int64
	Request     *int64
	Amount      amount
	Kind        string
	Refunded    amount
	RefundOf    *int64 `json:"refund_of"`
}

// exchange is a swap of an item that was out for another one.
type exchange struct {
	ID, Request int64
	From        int64     `json:"order_inventory_from"`
	To          int64     `json:"order_inventory_to"`
	Gave        int64     `json:"inventory_from"`
	Got         int64     `json:"inventory_to"`
	At          time.Time `json:"datetime"`
}

// The kinds of postings.
const (
	ofPayment  = "payment"
	ofRefund   = "refund"
	ofDeposit  = "deposit"
	ofReferral = "referral"
)

// account is an account.
type account struct {
	ID               int64
	Initial, Balance amount
}

// client is a client with the sums of the orders.
type client struct {
	ID     int64
	Count  int64  `json:"orders_count"`
	Amount amount `json:"orders_amount"`
	Paid   amount `json:"orders_paid_amount"`
	Debt   amount `json:"orders_debt_amount"`
}

// line is an item line as it was answered.
type line struct {
	ID        int64
	Request   int64
	Type      int64
	Start     time.Time  `json:"start_at"`
	End       *time.Time `json:"end_at"`
	FactStart *time.Time `json:"fact_start_at"`
	FactEnd   *time.Time `json:"fact_end_at"`
	Price     amount
	Discount  amount `json:"price_discount"`
	Penalty   amount `json:"penalty_amount"`
	Inventory *record
	Exchange  *int64
}

// conflict is a time that is in the way, as it was answered.
type conflict struct {
	Line, Request, Block, Inventory int64
	Start                           time.Time  `json:"start_at"`
	End                             *time.Time `json:"end_at"`
	Overdue                         bool
}

// refusal is the body of a 409.
type refusal struct {
	Detail    string
	Code      string
	Conflicts []conflict
}

// block is a time for which an item can't be rented, as it was answered.
type block struct {
	ID    int64
	Start time.Time `json:"start_at"`
	End   time.Time `json:"end_at"`
}

// forever is the end of what does not end.
func forever() time.Time { return time.Unix(1<<40, 0) }

func (l *line) isPlanned() bool  { return l.FactStart == nil }
func (l *line) isReturned() bool { return l.FactEnd != nil }

// isMovable tells whether a rental has not begun, of an item that is there.
func (l *line) isMovable() bool { return l.isPlanned() && l.End != nil && l.item() != 0 }

// isRented tells whether an item was handed out that has to come back.
func (l *line) isRented() bool { return l.FactStart != nil && l.FactEnd == nil && l.End != nil }

// due is when a line has to end.
func (l *line) due() time.Time {
	if l.End == nil {
		return forever()
	}
	return *l.End
}

func (l *line) item() int64 {
	if l.Inventory == nil {
		return 0
	}
	return l.Inventory.ID
}

func (o *order) isOpen() bool { return o.Status <= inRent }

// some are the lines of an order for which fits is true.
func (o *order) some(fits func(l *line) bool) (list []*line) {
	for i := range o.Inventories {
		if fits(&o.Inventories[i]) {
			list = append(list, &o.Inventories[i])
		}
	}
	return list
}

func meets(a, b, x, y time.Time) bool { return a.Before(y) && x.Before(b) }
