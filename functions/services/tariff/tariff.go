// Package tariff is the tariffs of a company: what it costs to use something for a time. They
// lie inside the services and the inventory groups that they price, and have their numbers from
// one sequence, so that no two tariffs of a company have the same.
//
// What never goes in here: HTTP, and how prices of an order follow from a tariff.
package tariff

import (
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
)

// Tariff is a tariff as it is stored.
type Tariff struct {
	record.Element
	Name      *string         `dynamo:"n,omitempty,allowempty"` // may be empty
	Price     money.Amount    `dynamo:"p"`
	Duration  *moment.Seconds `dynamo:"du,omitempty"` // nil if the price is for any time
	OneTime   bool            `dynamo:"o,omitempty"`
	Published bool            `dynamo:"pu,omitempty"`
}

// Body is what callers send for a tariff, apart from the record that it prices.
type Body struct {
	Name      decode.Optional[string]         `json:"name" nullable:"true" blank:"true" maxLength:"255" example:"Day"`
	Price     decode.Optional[money.Amount]   `json:"price" default:"0.00" example:"5000.00" doc:"May be negative"`
	OneTime   decode.Optional[bool]           `json:"one_time_payment" default:"false" doc:"It is paid once, however long the time is."`
	Published decode.Optional[bool]           `json:"published" default:"true" doc:"Whether it is offered"`
	Duration  decode.Optional[moment.Seconds] `json:"duriation" nullable:"true" minimum:"0" maximum:"3153600000" example:"86400" doc:"Seconds that the price is for; 0 means null: any time."`
}

// Shown is what callers and the history see of a tariff, apart from the record that it prices.
type Shown struct {
	ID        int64           `json:"id"`
	CreatedAt string          `json:"created_at" format:"date-time"`
	UpdatedAt string          `json:"updated_at" format:"date-time"`
	Name      *string         `json:"name" nullable:"true"`
	Price     money.Amount    `json:"price"`
	OneTime   bool            `json:"one_time_payment"`
	Published bool            `json:"published"`
	Duration  *moment.Seconds `json:"duriation" nullable:"true" doc:"Seconds that the price is for; null: any time."`
}

// Apply applies what a caller sent to a tariff.
func (t *Tariff) Apply(in *Body) {
	if t.Revision == 0 { // it is new
		t.Published = true
	}
	in.Name.IntoNullable(&t.Name)
	in.Price.Into(&t.Price)
	in.OneTime.Into(&t.OneTime)
	in.Published.Into(&t.Published)
	in.Duration.IntoNullable(&t.Duration)
	if t.Duration != nil && *t.Duration == 0 {
		t.Duration = nil
	}
}

// Shown returns what callers see of a tariff.
func (t *Tariff) Shown() Shown {
	return Shown{
		ID: t.ID, CreatedAt: t.CreatedAt(), UpdatedAt: t.UpdatedAt(), Name: t.Name, Price: t.Price,
		OneTime: t.OneTime, Published: t.Published, Duration: t.Duration,
	}
}

// In is the list of tariffs inside the records of a kind.
func In[T record.Stored](kind *record.Kind[T], of func(rec T) *[]Tariff) record.Embedded[T, Tariff] {
	return record.Embedded[T, Tariff]{In: kind, Numbers: kinds.Of(kinds.Tariff), Of: of}
}

// Lists makes the function Kind.Lists for records with tariffs: their history names the tariff
// that changed.
func Lists[T record.Stored](of func(rec T) *[]Tariff) func(rec T) audit.Lists {
	return func(rec T) audit.Lists {
		return record.Embedded[T, Tariff]{Of: of}.Lists("tarifs", rec, func(t *Tariff) any { return t.Shown() })
	}
}
