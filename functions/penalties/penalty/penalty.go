// Package penalty is the traffic penalties of a company's cars as other groups may use them: what
// a registry and the staff say of a penalty, when it happened, and the car, the order and the
// client that it belongs to.
//
// A registry may send a penalty again and again. What the staff has changed by hand stays until
// the registry itself changes that field (see Feed).
//
// What never goes in here: HTTP, and the fees of orders (functions/orders/order).
package penalty

import (
	"strconv"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

// MaxPhotos is how many photos a penalty may have.
const MaxPhotos = 50

// Penalty is a traffic penalty as it is stored. Moments are in microseconds since 1970.
type Penalty struct {
	record.Meta
	Fields
	OuterID    *int64         `dynamo:"oi,omitempty"` // the registry's number of it
	ViolatedAt *moment.Micros `dynamo:"va,omitempty"` // follows from Date and Time; see Settle
	Car        *Car           `dynamo:"car,omitempty"`
	Driver     *Driver        `dynamo:"drv,omitempty"`
	Company    *Company       `dynamo:"com,omitempty"`
	Overridden *Overridden    `dynamo:"fd,omitempty"`

	// Who had the car at that moment: the inventory item that it is, the order and the line that
	// it was given out by, and the client of that order. Each may be unknown.
	Item   *int64 `dynamo:"it,omitempty"`
	Order  *int64 `dynamo:"od,omitempty"`
	Line   *int64 `dynamo:"ln,omitempty"`
	Client *int64 `dynamo:"cl,omitempty"`

	Charged *Charged `dynamo:"ch,omitempty"` // nil as long as no order is charged with it
}

// Fields are what both the registry and the staff may write.
type Fields struct {
	Protocol     string         `dynamo:"n"`
	Description  *string        `dynamo:"de,omitempty,allowempty"` // a text may be empty
	Department   *string        `dynamo:"dp,omitempty,allowempty"`
	Punishment   *string        `dynamo:"pm,omitempty,allowempty"`
	Amount       *money.Amount  `dynamo:"am"`
	Address      *string        `dynamo:"ad,omitempty,allowempty"`
	Date         *decode.Date   `dynamo:"vd,omitempty"`
	Time         *decode.Time   `dynamo:"vt,omitempty"` // in whole seconds
	Paid         bool           `dynamo:"pa"`
	PaymentDate  *moment.Micros `dynamo:"pt,omitempty"`
	DiscountEnds *moment.Micros `dynamo:"du,omitempty"`
	KNO          *string        `dynamo:"kno,omitempty,allowempty"`
	KBK          *string        `dynamo:"kbk,omitempty,allowempty"`
	KNP          *string        `dynamo:"knp,omitempty,allowempty"`
	TaxOffice    *string        `dynamo:"to,omitempty,allowempty"`
	TaxIBAN      *string        `dynamo:"ti,omitempty,allowempty"`
	TaxBIN       *string        `dynamo:"tb,omitempty,allowempty"`
	PDF          *string        `dynamo:"pf,omitempty,allowempty"`
	Photos       []string       `dynamo:"ph,omitempty"`
	State        *int64         `dynamo:"st,omitempty"`
	Noted        bool           `dynamo:"no"`
}

// Charged is the fee of an order that a penalty has become.
type Charged struct {
	Order int64 `dynamo:"o"`
	Fee   int64 `dynamo:"f"`
}

// Times are when the registry first sent a part of a penalty, and when it last changed it.
type Times struct {
	Created moment.Micros `dynamo:"c"`
	Updated moment.Micros `dynamo:"m"`
}

// Car is the car of a penalty, as the registry knows it.
type Car struct {
	Times
	OuterID      *int64         `dynamo:"oi,omitempty"`
	Number       *string        `dynamo:"n,omitempty,allowempty"` // as item.Plate keeps it
	TechPassport *string        `dynamo:"p,omitempty,allowempty"`
	PublishedAt  *moment.Micros `dynamo:"pu,omitempty"`
}

// Driver is who drove the car, as far as the registry knows.
type Driver struct {
	Times
	OuterID    *int64       `dynamo:"oi,omitempty"`
	IIN        *string      `dynamo:"iin,omitempty,allowempty"`
	Document   *string      `dynamo:"d,omitempty,allowempty"`
	FirstName  *string      `dynamo:"f,omitempty,allowempty"`
	LastName   *string      `dynamo:"l,omitempty,allowempty"`
	MiddleName *string      `dynamo:"mn,omitempty,allowempty"`
	IssueDate  *decode.Date `dynamo:"i,omitempty"`
}

// Company is the company that the registry holds liable.
type Company struct {
	Times
	OuterID *int64  `dynamo:"oi,omitempty"`
	BIN     *string `dynamo:"b,omitempty,allowempty"`
	Name    *string `dynamo:"n,omitempty,allowempty"`
}

// Kind is the kind of penalties. A unit of work that makes a penalty, or changes what it says,
// calls Settle, too.
func Kind() *record.Kind[*Penalty] { return declared.Get(declare) }

var declared record.Declared[*Penalty]

func declare() record.Kind[*Penalty] {
	return record.Kind[*Penalty]{
		Kind: kinds.Of(kinds.Penalty), Name: func(p *Penalty) string { return p.Protocol }, More: more,
		Shown: func(p *Penalty) any { return p.Shown() }, Columns: columns(), References: references,
		Arms: tells, Below: below, Concerns: concerns,
		Unique: func(p *Penalty) []record.Unique {
			if p.OuterID == nil {
				return nil
			}
			return []record.Unique{{Name: "outer_id", Value: strconv.FormatInt(*p.OuterID, 10), Field: "outer_id"}}
		},
	}
}

func references(p *Penalty) []record.Reference {
	if p.State == nil {
		return nil
	}
	return []record.Reference{{Field: "state", Kind: kinds.PenaltyState, ID: *p.State}}
}

// IsFrozen tells whether a penalty stays with whom it was matched to, whatever changes.
func (p *Penalty) IsFrozen() bool { return p.Noted || p.Charged != nil }

// plate is the number of the penalty's car; empty if it is not known.
func (p *Penalty) plate() string {
	if p.Car == nil || p.Car.Number == nil {
		return ""
	}
	return *p.Car.Number
}
