package order

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/say"
)

// Limits of an order.
const (
	MaxLines    = 80      // item lines
	MaxServices = 50      // service lines
	maxExtra    = 2 << 10 // bytes of the free part of a line: an answer shows all lines of an order, with their items
	AtOnce      = 30      // item lines that one call adds, changes, removes, hands out or takes back
)

// Order is an order as it is stored.
type Order struct {
	record.Meta
	Client      *int64         `dynamo:"cl,omitempty"`
	ClientGone  bool           `dynamo:"cg,omitempty"` // it was deleted when the order was completed or cancelled
	Status      Status         `dynamo:"st"`
	UniqueID    *string        `dynamo:"ui,omitempty"` // nil: its number
	Again       int64          `dynamo:"an,omitempty"` // another order was given its number as unique_id: "17-1"
	RentStart   *moment.Micros `dynamo:"rs,omitempty"` // for lines that name no time
	RentEnd     *moment.Micros `dynamo:"re,omitempty"`
	FactStart   *moment.Micros `dynamo:"fs,omitempty"` // the first item was handed out
	FactEnd     *moment.Micros `dynamo:"fe,omitempty"` // the last one came back
	Discount    *Reduction     `dynamo:"di,omitempty"`
	Additional  money.Amount   `dynamo:"ad"`
	TaxPercent  money.Amount   `dynamo:"tp"`
	TaxIncluded bool           `dynamo:"ti,omitempty"`
	Point       *int64         `dynamo:"rp,omitempty"`
	PointReturn *int64         `dynamo:"rr,omitempty"`
	Expires     *moment.Micros `dynamo:"ex,omitempty"` // of a request: its hold ends
	CreatedBy   *int64         `dynamo:"cb,omitempty"`
	Extra       decode.JSON    `dynamo:"e"`

	Lines     []Held    `dynamo:"li,omitempty"` // item lines, in the order in which they were added
	Services  []int64   `dynamo:"sv,omitempty"` // service lines
	Timed     []int64   `dynamo:"sm,omitempty"` // those of them that follow a time (ServiceLine.follows)
	Referrals []int64   `dynamo:"rf,omitempty"`
	Deposits  []Deposit `dynamo:"dp,omitempty"`
	Fees      []Fee     `dynamo:"fx,omitempty"`

	// The sums of the lines, and what follows from them; see settle.
	GrossInventory money.Amount `dynamo:"gi"`
	GrossService   money.Amount `dynamo:"gs"`
	LineDiscounts  money.Amount `dynamo:"ld"`
	AgreedBelow    money.Amount `dynamo:"ab"` // by how much agreed prices lie below those by tariffs
	LateFees       money.Amount `dynamo:"lf"`
	PriceDiscount  money.Amount `dynamo:"dc"`
	Tax            money.Amount `dynamo:"tx"`
	Price          money.Amount `dynamo:"p"`
	PaidAmount     money.Amount `dynamo:"pa"`

	// Collected is what PaidAmount is made of, by day; what was paid before orders kept that is not in it.
	Collected []Collected `dynamo:"cd,omitempty"`

	// Payments are the postings that paid for it, in the order in which they were posted, the newest MostPayments. Those from before orders
	// kept them are not among them.
	Payments []int64 `dynamo:"py,omitempty"`

	// OwesFees says that the order was cancelled with fees, which it owes. One that was cancelled before fees were owed does not have it.
	OwesFees bool `dynamo:"of,omitempty"`

	// supposed, of an order that is only supposed to change (Suppose), takes what is in the way of its lines; nil of all others.
	supposed *Conflicts
}

// Held is what an order holds of an item line.
type Held struct {
	ID     int64         `dynamo:"i"`
	Item   int64         `dynamo:"n"`
	Start  moment.Micros `dynamo:"s"`
	Plan   moment.Micros `dynamo:"p,omitempty"` // the planned start, if the item was handed out before it
	End    moment.Micros `dynamo:"e,omitempty"` // 0 for a sale
	Priced moment.Micros `dynamo:"u,omitempty"` // the end that services are charged for, if it is another one
	State  State         `dynamo:"x,omitempty"`
	Set    string        `dynamo:"g,omitempty"` // lines with the same one stay together in bulk calls
	Began  moment.Micros `dynamo:"b,omitempty"` // the planned start of the first one, if the line goes on with another item
}

// State says where the item of a line is.
type State int64

// The states of a line.
const (
	Planned  State = 0
	Out      State = 1 // handed out; the last state of a sale
	Returned State = 2
)

// Reduction is a discount as it was when it was given.
type Reduction struct {
	ID      int64         `dynamo:"i"`
	Percent *money.Amount `dynamo:"p"`
	Amount  *money.Amount `dynamo:"a"`
}

// Shown is what callers and the history see of an order, without what lies inside it.
type Shown struct {
	ID                 int64         `json:"id"`
	CreatedAt          string        `json:"created_at" format:"date-time"`
	UpdatedAt          string        `json:"updated_at" format:"date-time"`
	Client             *int64        `json:"client" nullable:"true"`
	RentStart          *string       `json:"rent_start" nullable:"true" format:"date-time" doc:"The first start of its item lines; without any, what was sent."`
	RentEnd            *string       `json:"rent_end" nullable:"true" format:"date-time" doc:"The last end of its rental lines; without any, what was sent."`
	RentFactStart      *string       `json:"rent_fact_start" nullable:"true" format:"date-time" doc:"When the first item was handed out"`
	RentFactEnd        *string       `json:"rent_fact_end" nullable:"true" format:"date-time" doc:"When the order was completed: the last return"`
	Status             Status        `json:"status" doc:"{meanings}"`
	ExpiresAt          *string       `json:"expires_at" nullable:"true" format:"date-time" doc:"When a request is cancelled by itself, unless it is reserved, or money is left for it, before; null: it has no such end"`
	UniqueID           string        `json:"unique_id" doc:"Its id as text, or such as 17-1 where another order was given that, unless another one was sent"`
	Discount           *int64        `json:"discount" nullable:"true" doc:"Id of a discount, with the percent or amount that it had when it was given"`
	RentalPoint        *int64        `json:"rental_point" nullable:"true"`
	RentalPointReturn  *int64        `json:"rental_point_return" nullable:"true" doc:"Where its items are returned"`
	TaxPercent         money.Amount  `json:"tax_percent"`
	TaxIncluded        bool          `json:"tax_included"`
	AdditionalDiscount money.Amount  `json:"additional_discount"`
	CreatedBy          *int64        `json:"created_by" nullable:"true" doc:"Number of a user"`
	Extra              decode.JSON   `json:"extra"`
	Price              money.Amount  `json:"price" doc:"All lines less all discounts, with the tax that is added"`
	PriceInventory     money.Amount  `json:"price_inventory" doc:"The item lines before discounts"`
	PriceService       money.Amount  `json:"price_service" doc:"The service lines before discounts"`
	PriceDiscount      money.Amount  `json:"price_discount" doc:"All discounts"`
	Tax                money.Amount  `json:"tax" doc:"Added to the price, or inside it (tax_included)"`
	AllFees            money.Amount  `json:"penalty_amount" doc:"Late fees and fees"`
	PaidAmount         money.Amount  `json:"paid_amount"`
	Debt               money.Amount  `json:"debt" doc:"What is still owed; 0 when more was paid. A cancelled order owes its fees alone."`
	Overpaid           money.Amount  `json:"overpaid" doc:"What was paid above what is owed; for a cancelled order, what was paid above its fees"`
	PaymentStatus      PaymentStatus `json:"payment_status" doc:"{values}"`
}

// Kind is the kind of orders.
func Kind() *record.Kind[*Order] { return declared.Get(declare) }

var declared record.Declared[*Order]

func declare() record.Kind[*Order] {
	return record.Kind[*Order]{
		Kind: kinds.Of(kinds.Order), Name: func(o *Order) string { return o.Number() },
		Shown: func(o *Order) any { return o.Shown() }, Lists: lists,
		Columns: columns(), SearchVersion: 1, References: references,
		Unique: func(o *Order) []record.Unique {
			return []record.Unique{{Name: "unique_id", Value: o.Number(), Field: "unique_id"}}
		},
		Extras: record.Free("order", func(o *Order) decode.JSON { return o.Extra }),
		Arms:   tells, Concerns: func(o *Order) []event.Ref { return []event.Ref{event.To(kinds.Client, o.payer())} },
	}
}

// lists are the parts of an order that its history names.
func lists(o *Order) audit.Lists {
	all := Deposits().Lists("deposits", o, func(d *Deposit) any { return d.Shown() })
	for name, list := range Fees().Lists("penalties", o, func(f *Fee) any { return f.Shown() }) {
		all[name] = list
	}
	return all
}

// The letters of an order, and of a line, in the search that lists look at by themselves.
const (
	ByStart  = "s"
	ByEnd    = "e"
	ByClient = "c"
	ByItem   = "i" // of a line

	byOrder  = "q" // of a line
	byStatus = "o"
	byDebt   = "d"
)

// columns are the values by which lists of orders are filtered and ordered.
func columns() []column.Column[*Order] {
	return []column.Column[*Order]{
		column.Choice("status", byStatus, func(o *Order) *Status { return &o.Status }),
		column.Reference("client", ByClient, func(o *Order) *int64 { return o.Client }).Doc("Id of a client"),
		column.Reference("rental_point", "r", func(o *Order) *int64 { return o.Point }).Doc("Id of a rental point"),
		column.Reference("rental_point_return", "b", func(o *Order) *int64 { return o.PointReturn }).
			Doc("Id of the rental point that items come back to"),
		column.Moment("rent_start", ByStart, (*Order).first).
			Doc("A time, or a whole day of the company"),
		column.Moment("rent_end", ByEnd, (*Order).last).
			Doc("A time, or a whole day of the company"),
		column.Choice("payment_status", "y", func(o *Order) *PaymentStatus { s := o.PaymentStatus(); return &s }),
		column.Amount("debt", byDebt, func(o *Order) *money.Amount { d := o.debt(); return &d }).
			Doc("What is still owed; for a cancelled order, of its fees"),
	}
}

// references are the records that an order refers to. A client can't be deleted while an order of
// it is open or owed.
func references(o *Order) (list []record.Reference) {
	add := func(field string, kind kinds.Code, id *int64, hold bool) {
		if id != nil {
			list = append(list, record.Reference{Field: field, Kind: kind, ID: *id, Hold: hold})
		}
	}
	if !o.ClientGone {
		add("client", kinds.Client, o.Client, o.holdsClient())
	}
	add("rental_point", kinds.RentalPoint, o.Point, false)
	add("rental_point_return", kinds.RentalPoint, o.PointReturn, false)
	if o.Discount != nil {
		add("discount", kinds.Discount, &o.Discount.ID, false)
	}
	return list
}

// ended is when an order was completed; nil as long as items of it are out.
func (o *Order) ended() *moment.Micros {
	if o.Status.is(traitOver) {
		return o.FactEnd
	}
	return nil
}

// holdsClient tells whether the order keeps its client from being deleted.
func (o *Order) holdsClient() bool {
	return o.Client != nil && !o.ClientGone && (o.Status.is(traitHoldsClient) || o.OwesFees && !o.debt().IsZero())
}

// Number is the unique_id of an order; empty before it has an id.
func (o *Order) Number() string {
	switch {
	case o.UniqueID != nil:
		return *o.UniqueID
	case o.ID == 0:
		return ""
	case o.Again != 0:
		return fmt.Sprintf("%d-%d", o.ID, o.Again)
	}
	return strconv.FormatInt(o.ID, 10)
}

// mostAgain is how many numbers of the form "17-1" are tried.
const mostAgain = 9

// Numbered runs do, a unit of work that makes an order, until its unique_id is free. The first two runs
// get again 0 (the second one has another id), each further one the next value for Order.Again. An
// order whose caller sent a unique_id is made in one run.
func Numbered(sent decode.Optional[string], do func(again int64) error) error {
	if sent.Set && !sent.Null {
		return do(0)
	}
	for try := int64(0); ; try++ {
		err := do(max(0, try-1))
		f, ok := fault.As(err)
		if !ok || try == mostAgain || !isTaken(f) {
			return err
		}
	}
}

func isTaken(f *fault.Error) bool {
	list, ok := f.Fields["unique_id"].([]say.Message)
	return ok && len(f.Fields) == 1 && len(list) == 1 && list[0].Code() == say.NotUnique.Code()
}

// IsOpen tells whether lines may still come, change and go.
func (o *Order) IsOpen() bool { return o.Status.is(traitOpen) }

// Time is the planned time of an order: that of its item lines; without any, what was sent.
func (o *Order) Time() (start, end *moment.Micros) {
	for _, l := range o.Lines {
		if start == nil || l.Start < *start {
			start = &l.Start
		}
		if l.End != 0 && (end == nil || l.End > *end) {
			end = &l.End
		}
	}
	if start == nil {
		start = o.RentStart
	}
	if end == nil {
		end = o.RentEnd
	}
	return start, end
}

func (o *Order) first() *moment.Micros {
	start, _ := o.Time()
	return start
}

func (o *Order) last() *moment.Micros {
	_, end := o.Time()
	return end
}

// Line is what the order holds of a line; nil if it is not one of its lines.
func (o *Order) Line(id int64) *Held {
	if i := slices.IndexFunc(o.Lines, func(l Held) bool { return l.ID == id }); i >= 0 {
		return &o.Lines[i]
	}
	return nil
}

// In are the ids of the lines that are in a state.
func (o *Order) In(s State) (ids []int64) {
	for _, l := range o.Lines {
		if l.State == s {
			ids = append(ids, l.ID)
		}
	}
	return ids
}

// conditions are what prices the whole order.
func (o *Order) conditions() pricing.Conditions {
	return pricing.Conditions{
		Discount: o.Discount.pricing(), Additional: o.Additional, TaxPercent: o.TaxPercent, TaxIncluded: o.TaxIncluded,
	}
}

func (r *Reduction) pricing() pricing.Discount {
	if r == nil {
		return pricing.Discount{}
	}
	return pricing.Discount{Percent: r.Percent, Amount: r.Amount}
}

func (r *Reduction) id() *int64 {
	if r == nil {
		return nil
	}
	return &r.ID
}

// Shown returns what callers see of an order.
func (o *Order) Shown() Shown {
	start, end := o.Time()
	s := Shown{
		ID: o.ID, CreatedAt: o.CreatedAt(), UpdatedAt: o.UpdatedAt(), Client: o.Client, Status: o.Status, UniqueID: o.Number(),
		ExpiresAt: encode.Moment(o.Expires),
		RentStart: encode.Moment(start), RentEnd: encode.Moment(end), RentFactStart: encode.Moment(o.FactStart),
		RentFactEnd: encode.Moment(o.ended()), Discount: o.Discount.id(), RentalPoint: o.Point, RentalPointReturn: o.PointReturn,
		TaxPercent: o.TaxPercent, TaxIncluded: o.TaxIncluded, AdditionalDiscount: o.Additional, CreatedBy: o.CreatedBy, Extra: o.Extra,
		Price: o.Price, PriceInventory: o.GrossInventory, PriceService: o.GrossService, PriceDiscount: o.PriceDiscount, Tax: o.Tax,
		AllFees: o.AllFees(), PaidAmount: o.PaidAmount, PaymentStatus: o.PaymentStatus(),
	}
	s.Debt, s.Overpaid = o.debt(), o.overpaid()
	return s
}

// overpaid is what was paid above what is owed; all of it, for a cancelled order that owes no fees.
func (o *Order) overpaid() money.Amount {
	if !o.takesMoney() {
		return o.PaidAmount
	}
	if owed := o.Owed(); owed.IsNegative() {
		return owed.Neg()
	}
	return money.Amount{}
}

// debt is what is still owed; 0 when more was paid, and for a cancelled order that owes no fees.
func (o *Order) debt() money.Amount {
	if owed := o.Owed(); o.takesMoney() && !owed.IsNegative() {
		return owed
	}
	return money.Amount{}
}
