// Package group is the inventory groups of a company as other groups of endpoints may use them:
// what is stored about an inventory group and its tariffs, what callers see, and how a group is
// found by its name.
//
// What never goes in here: HTTP, and the items of a group, which hold it (the domain item).
package group

import (
	"strconv"

	"github.com/tenantry/tenantry/functions/services/tariff"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/unique"
)

// Type is what a company does with the items of a group, and with a single item.
type Type int64

// Types of groups and items.
const (
	TypeRent Type = 0
	TypeSale Type = 1
)

// Values are the types with their names.
func (Type) Values() []enum.Value {
	return enum.Numbers(map[Type]string{TypeRent: "rent", TypeSale: "sale"})
}

// Group is an inventory group as it is stored.
type Group struct {
	record.Meta
	Name      string          `dynamo:"n"`
	UnitPrice *money.Amount   `dynamo:"up"`
	UnitCount *money.Amount   `dynamo:"uc"`
	Image     *uploads.Image  `dynamo:"ig,omitempty"`
	UniqueID  *string         `dynamo:"ui,omitempty"`
	Barcode   *string         `dynamo:"bc,omitempty"`
	Price     *money.Amount   `dynamo:"pr"`
	UnitType  *string         `dynamo:"ut,omitempty"`
	Published bool            `dynamo:"pu,omitempty"`
	Category  *int64          `dynamo:"ca,omitempty"`
	Type      Type            `dynamo:"ty"`
	Lifetime  *int64          `dynamo:"lt,omitempty"`
	Combine   *bool           `dynamo:"co,omitempty"` // nil: as the company's rental settings say
	Filters   []string        `dynamo:"fi,omitempty"`
	Points    []int64         `dynamo:"rp,omitempty"`
	Tariffs   []tariff.Tariff `dynamo:"ta,omitempty"`
	Extra     decode.JSON     `dynamo:"e"`
}

// Shown is what callers and the history see of a group, without its tariffs.
type Shown struct {
	ID        int64         `json:"id"`
	CreatedAt string        `json:"created_at" format:"date-time"`
	UpdatedAt string        `json:"updated_at" format:"date-time"`
	Name      string        `json:"name"`
	UnitPrice *money.Amount `json:"unit_price" nullable:"true"`
	UnitCount *money.Amount `json:"unit_count" nullable:"true"`
	UnitSum   *money.Amount `json:"unit_sum" nullable:"true" doc:"unit_price by unit_count; null where one of them is."`
	Image     *string       `json:"image" nullable:"true" format:"uri"`
	UniqueID  *string       `json:"unique_id" nullable:"true"`
	Barcode   *string       `json:"barcode" nullable:"true"`
	Price     *money.Amount `json:"price" nullable:"true"`
	UnitType  *string       `json:"unit_type" nullable:"true"`
	Published bool          `json:"published"`
	Category  *int64        `json:"category" nullable:"true"`
	Type      Type          `json:"type" doc:"{values}"`
	Lifetime  *int64        `json:"lifetime" nullable:"true"`
	Combine   *bool         `json:"combine" nullable:"true" doc:"Whether a rental of its items without a tariff costs the cheapest sum of tariffs; null: as the rental settings say."`
	Extra     decode.JSON   `json:"extra"`
	Filters   []string      `json:"filters"`
	Points    []int64       `json:"points"`
}

// Kind is the kind of inventory groups.
func Kind() *record.Kind[*Group] { return declared.Get(declare) }

var declared record.Declared[*Group]

func declare() record.Kind[*Group] {
	return record.Kind[*Group]{
		Kind: kinds.Of(kinds.InventoryGroup), Name: func(g *Group) string { return g.Name }, More: more,
		Shown: func(g *Group) any { return g.Shown() }, Lists: tariff.Lists(tariffs),
		Columns: []column.Column[*Group]{
			column.Reference("category", "c", func(g *Group) *int64 { return g.Category }).
				Doc("Id of a category"),
			column.Choice("type", "y", func(g *Group) *Type { return &g.Type }),
			column.Flag("published", "p", func(g *Group) bool { return g.Published }).
				Doc("Whether it is offered."),
		},
		Unique: func(g *Group) []record.Unique {
			return []record.Unique{{Name: "name", Value: search.Fold(g.Name), Field: "name"}}
		},
		References: references,
		Extras:     record.Free("inventory_group", func(g *Group) decode.JSON { return g.Extra }),
	}
}

// Tariffs is the list of tariffs inside groups.
func Tariffs() record.Embedded[*Group, tariff.Tariff] { return tariff.In(Kind(), tariffs) }

func tariffs(g *Group) *[]tariff.Tariff { return &g.Tariffs }

// Named is the unique value for the name of a group; imports find a group by it. Two names are
// the same without differences of case, and with single spaces.
func Named(name string) unique.Value {
	return unique.Value{Kind: kinds.InventoryGroup, Name: "name", Value: search.Fold(name)}
}

// Sum returns what a group's unit_count units cost, nil where it is not known. It fails if that
// has more than 14 digits before the point.
func (g *Group) Sum() (*money.Amount, error) {
	if g.UnitPrice == nil || g.UnitCount == nil {
		return nil, nil
	}
	sum, err := g.UnitPrice.By(*g.UnitCount)
	if err != nil {
		return nil, err
	}
	return &sum, nil
}

// Shown returns what callers see of a group.
func (g *Group) Shown() Shown {
	sum, _ := g.Sum() // one that fails is not stored
	return Shown{
		ID: g.ID, CreatedAt: g.CreatedAt(), UpdatedAt: g.UpdatedAt(), Name: g.Name, UnitPrice: g.UnitPrice, UnitCount: g.UnitCount,
		UnitSum: sum, Image: g.Image.Told(), UniqueID: g.UniqueID, Barcode: g.Barcode, Price: g.Price, UnitType: g.UnitType,
		Published: g.Published, Category: g.Category, Type: g.Type, Lifetime: g.Lifetime, Combine: g.Combine, Extra: g.Extra,
		Filters: append([]string{}, g.Filters...), Points: append([]int64{}, g.Points...),
	}
}

// more is what a search finds a group by besides its name.
func more(g *Group) string { return record.Texts(g.UniqueID, g.Barcode) }

// references returns the records that a group refers to; each of the points has its own error.
func references(g *Group) (list []record.Reference) {
	if g.Category != nil {
		list = append(list, record.Reference{Field: "category", Kind: kinds.Category, ID: *g.Category})
	}
	for i, id := range g.Points {
		list = append(list, record.Reference{Field: "points." + strconv.Itoa(i), Kind: kinds.RentalPoint, ID: id})
	}
	return list
}
