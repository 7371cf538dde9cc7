// Package service is the services of a company as other groups may use them: what is stored
// about a service, what callers see, its tariffs, and how it gets its slug.
//
// What never goes in here: HTTP, and what a service costs in an order.
package service

import (
	"github.com/tenantry/tenantry/functions/services/tariff"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/column"
)

// Type is which way a service goes.
type Type int64

// Types of services.
const (
	TypeDelivery Type = 0
	TypeNone     Type = 1
	TypeBack     Type = 2
	TypeBothWays Type = 3
	TypeWorkshop Type = 4
)

// Values are the types of services with their names.
func (Type) Values() []enum.Value {
	return enum.Numbers(map[Type]string{
		TypeDelivery: "delivery", TypeNone: "none", TypeBack: "back", TypeBothWays: "both ways", TypeWorkshop: "workshop",
	})
}

// Disabled is why a service is no longer offered.
type Disabled int64

// Why a service is no longer offered.
const (
	DisabledDelete   Disabled = 0
	DisabledArchive  Disabled = 1
	DisabledWithdraw Disabled = 2
)

// Values are the reasons with their names.
func (Disabled) Values() []enum.Value {
	return enum.Numbers(map[Disabled]string{DisabledDelete: "delete", DisabledArchive: "archive", DisabledWithdraw: "withdraw"})
}

// Service is a service as it is stored.
type Service struct {
	record.Meta
	Name      string          `dynamo:"n"`
	Slug      string          `dynamo:"s"`                       // see GiveSlug
	UniqueID  *string         `dynamo:"ui,omitempty,allowempty"` // may be empty
	Type      Type            `dynamo:"ty"`
	Disabled  *Disabled       `dynamo:"di,omitempty"`
	Category  *int64          `dynamo:"ca,omitempty"`
	Discount  *int64          `dynamo:"dc,omitempty"`
	Price     money.Amount    `dynamo:"p"`
	Bonus     *money.Amount   `dynamo:"bo"`
	Image     *uploads.Image  `dynamo:"i,omitempty"`
	Extra     decode.JSON     `dynamo:"e"`
	Published bool            `dynamo:"pu,omitempty"`
	Tariffs   []tariff.Tariff `dynamo:"ta,omitempty"`
}

// Shown is what callers and the history see of a service, without its tariffs.
type Shown struct {
	ID        int64         `json:"id"`
	CreatedAt string        `json:"created_at" format:"date-time"`
	UpdatedAt string        `json:"updated_at" format:"date-time"`
	DeletedAt *string       `json:"deleted_at" nullable:"true" format:"date-time" doc:"Null, but in metrics: a deleted service is 404"`
	Deleted   bool          `json:"deleted"`
	Name      string        `json:"name"`
	Slug      string        `json:"slug" doc:"Made of the name at the creation, in small Latin letters, digits and hyphens; unique among the company's services. It stays when the name changes."`
	UniqueID  *string       `json:"unique_id" nullable:"true" doc:"The company's own number for it"`
	Type      Type          `json:"type" doc:"{values}"`
	Disabled  *Disabled     `json:"disabled" nullable:"true" open:"true" doc:"{values}"`
	Category  *int64        `json:"category" nullable:"true"`
	Discount  *int64        `json:"discount" nullable:"true"`
	Price     money.Amount  `json:"price"`
	Bonus     *money.Amount `json:"bonus" nullable:"true"`
	Image     *string       `json:"image" nullable:"true" format:"uri"`
	Extra     decode.JSON   `json:"extra"`
	Published bool          `json:"published"`
}

// Kind is the kind of services.
func Kind() *record.Kind[*Service] { return declared.Get(declare) }

var declared record.Declared[*Service]

func declare() record.Kind[*Service] {
	return record.Kind[*Service]{
		Kind: kinds.Of(kinds.Service), Name: func(s *Service) string { return s.Name },
		More:  func(s *Service) string { return record.Texts(s.UniqueID) },
		Shown: func(s *Service) any { return s.Shown() }, Lists: tariff.Lists(tariffs),
		Columns: columns(), Unique: uniques, References: references,
		Extras: record.Free("service", func(s *Service) decode.JSON { return s.Extra }),
	}
}

// Tariffs is the list of tariffs inside services.
func Tariffs() record.Embedded[*Service, tariff.Tariff] { return tariff.In(Kind(), tariffs) }

func tariffs(s *Service) *[]tariff.Tariff { return &s.Tariffs }

// Shown returns what callers see of a service.
func (s *Service) Shown() Shown {
	return Shown{
		ID: s.ID, CreatedAt: s.CreatedAt(), UpdatedAt: s.UpdatedAt(), Name: s.Name, Slug: s.Slug, UniqueID: s.UniqueID, Type: s.Type,
		Disabled: s.Disabled, Category: s.Category, Discount: s.Discount, Price: s.Price, Bonus: s.Bonus, Image: s.Image.Told(),
		Extra: s.Extra, Published: s.Published,
	}
}

// columns are the values by which lists of services are filtered and ordered.
func columns() []column.Column[*Service] {
	return []column.Column[*Service]{
		column.Choice("type", "y", func(s *Service) *Type { return &s.Type }),
		column.Reference("category", "c", func(s *Service) *int64 { return s.Category }).
			Doc("Id of a category."),
		column.Flag("published", "p", func(s *Service) bool { return s.Published }).
			Doc("Whether the service is offered."),
		column.Choice("disabled", "d", func(s *Service) *Disabled { return s.Disabled }),
		column.Amount("price", "a", func(s *Service) *money.Amount { return &s.Price }).
			Doc("What the service costs."),
		column.Text("unique_id", "k", func(s *Service) *string { return s.UniqueID }).
			Doc("The company's own number for the service, in any case."),
	}
}

// uniques returns the values that no two live services of a company may share.
func uniques(s *Service) []record.Unique {
	return []record.Unique{{Name: slugName, Value: s.Slug, Field: slugName}}
}

func references(s *Service) (list []record.Reference) {
	if s.Category != nil {
		list = append(list, record.Reference{Field: "category", Kind: kinds.Category, ID: *s.Category})
	}
	if s.Discount != nil {
		list = append(list, record.Reference{Field: "discount", Kind: kinds.Discount, ID: *s.Discount})
	}
	return list
}
