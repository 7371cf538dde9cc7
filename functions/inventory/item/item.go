// Package item is the inventory of a company as other groups may use it: the items that are
// rented out or sold, with the car that an item may be, the times for which it is blocked, and
// the rule that puts an item into an inventory group.
//
// What never goes in here: HTTP, the import and export of sheets, and whether an item is free
// (functions/inventory/calendar).
package item

import (
	"strings"

	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

// Disabled is why an item is not in use. An item without such a reason is active.
type Disabled int64

// Why an item is disabled.
const (
	DisabledDelete   Disabled = 0
	DisabledArchive  Disabled = 1
	DisabledWithdraw Disabled = 2
)

// Values are the reasons with their names.
func (Disabled) Values() []enum.Value {
	return enum.Numbers(map[Disabled]string{DisabledDelete: "deleted", DisabledArchive: "archived", DisabledWithdraw: "withdrawn"})
}

// CarType is what sort of vehicle an item is.
type CarType string

// Types of cars.
const (
	TypeCar        CarType = "CAR"
	TypeScooter    CarType = "SCOOTER"
	TypeMotorcycle CarType = "MOTORCYCLE"
)

// Values are the types of cars.
func (CarType) Values() []enum.Value { return enum.Named(TypeCar, TypeScooter, TypeMotorcycle) }

// Item is an inventory item as it is stored.
type Item struct {
	record.Meta
	Name         string         `dynamo:"n"`
	UniqueID     *string        `dynamo:"ui,omitempty"`
	Type         group.Type     `dynamo:"ty"`
	Group        *int64         `dynamo:"gr,omitempty"` // Move and MoveAll change it
	Moved        int64          `dynamo:"mv,omitempty"` // the number of the last move; see MoveAll
	Category     *int64         `dynamo:"ca,omitempty"`
	Point        *int64         `dynamo:"rp,omitempty"` // Place goes with its change
	Placed       int64          `dynamo:"pm,omitempty"` // the number of the last move to a rental point; see Arrive
	State        *int64         `dynamo:"st,omitempty"`
	SubleaseUser *int64         `dynamo:"su,omitempty"` // the number of a user
	Disabled     *Disabled      `dynamo:"di,omitempty"`
	Image        *uploads.Image `dynamo:"ig,omitempty"`
	BuyPrice     *money.Amount  `dynamo:"bp"`
	BuyDate      *decode.Date   `dynamo:"bd,omitempty"`
	SellPrice    *money.Amount  `dynamo:"sp"`
	Comment      *string        `dynamo:"co,omitempty,allowempty"`
	Car          *Car           `dynamo:"car,omitempty"`
	Extra        decode.JSON    `dynamo:"e"`
	Blocks       []Block        `dynamo:"bl,omitempty"`
}

// Car has the fields of an item that is a vehicle.
type Car struct {
	Type         CarType     `json:"type" dynamo:"t"`
	Brand        *string     `json:"brand" dynamo:"b,omitempty" nullable:"true"`
	Model        *string     `json:"model" dynamo:"m,omitempty" nullable:"true"`
	Number       *string     `json:"number" dynamo:"n,omitempty" nullable:"true" doc:"Without spaces, in Latin capitals"` // see Plate
	TechPassport *string     `json:"tech_passport" dynamo:"p,omitempty" nullable:"true"`
	Serial       *string     `json:"serial" dynamo:"s,omitempty" nullable:"true"`
	VIN          *string     `json:"vin" dynamo:"v,omitempty" nullable:"true"`
	Extra        decode.JSON `json:"extra" dynamo:"e"`
}

// Shown is what callers and the history see of an item, without what comes from other records.
type Shown struct {
	ID           int64         `json:"id"`
	CreatedAt    string        `json:"created_at" format:"date-time"`
	UpdatedAt    string        `json:"updated_at" format:"date-time"`
	Name         string        `json:"name"`
	UniqueID     *string       `json:"unique_id" nullable:"true"`
	Type         group.Type    `json:"type" doc:"{values}"`
	Group        *int64        `json:"group" nullable:"true"`
	Category     *int64        `json:"category" nullable:"true"`
	Point        *int64        `json:"rental_point" nullable:"true"`
	State        *int64        `json:"state" nullable:"true"`
	SubleaseUser *int64        `json:"sublease_user" nullable:"true" doc:"Number of a user"`
	Disabled     *Disabled     `json:"disabled" nullable:"true" open:"true" doc:"Null: active; {values}"`
	Image        *string       `json:"image" nullable:"true" format:"uri"`
	BuyPrice     *money.Amount `json:"buy_price" nullable:"true"`
	BuyDate      *decode.Date  `json:"buy_date" nullable:"true"`
	SellPrice    *money.Amount `json:"sell_price" nullable:"true"`
	Comment      *string       `json:"comment" nullable:"true"`
	Car          *ShownCar     `json:"car"`
	Extra        decode.JSON   `json:"extra"`
}

// ShownCar is what callers see of a car.
type ShownCar struct {
	ID int64 `json:"id" doc:"That of the item"`
	Car
}

// Kind is the kind of inventory items.
func Kind() *record.Kind[*Item] { return declared.Get(declare) }

var declared record.Declared[*Item]

func declare() record.Kind[*Item] {
	return record.Kind[*Item]{
		Kind: kinds.Of(kinds.Inventory), Name: func(it *Item) string { return it.Name }, More: more,
		Shown:   func(it *Item) any { return it.Shown() },
		Lists:   shownBlocks,
		Columns: columns(), SearchVersion: 1, Unique: uniques, NamesOwner: true, References: references, Extras: extras,
		Below: below, Arms: tells, ArmsImport: tellsImport, Concerns: concerns,
	}
}

// Shown returns what callers see of an item.
func (it *Item) Shown() Shown {
	return Shown{
		ID: it.ID, CreatedAt: it.CreatedAt(), UpdatedAt: it.UpdatedAt(), Name: it.Name, UniqueID: it.UniqueID, Type: it.Type,
		Group: it.Group, Category: it.Category, Point: it.Point, State: it.State, SubleaseUser: it.SubleaseUser, Disabled: it.Disabled,
		Image: it.Image.Told(), BuyPrice: it.BuyPrice, BuyDate: it.BuyDate, SellPrice: it.SellPrice, Comment: it.Comment,
		Car: it.ShownCar(), Extra: it.Extra,
	}
}

// ShownCar returns what callers see of the item's car. It returns nil if the item is not a car.
func (it *Item) ShownCar() *ShownCar {
	if it.Car == nil {
		return nil
	}
	return &ShownCar{ID: it.ID, Car: *it.Car}
}

// IsActive tells whether an item is in use: it is neither archived nor withdrawn.
func (it *Item) IsActive() bool { return it.Disabled == nil }

// uniques returns the values that no two active items of a company may share. An item that is
// archived or withdrawn gives them back.
func uniques(it *Item) (list []record.Unique) {
	if !it.IsActive() {
		return nil
	}
	if it.UniqueID != nil {
		list = append(list, record.Unique{Name: "unique_id", Value: *it.UniqueID, Field: "unique_id"})
	}
	if it.Car != nil && it.Car.Number != nil {
		list = append(list, record.Unique{Name: "number", Value: *it.Car.Number, Field: "car.number"})
	}
	return list
}

// references returns the records that an item refers to. It holds its group, which can't be
// deleted while items are in it.
func references(it *Item) (list []record.Reference) {
	for _, r := range []struct {
		field string
		kind  kinds.Code
		id    *int64
	}{
		{"group", kinds.InventoryGroup, it.Group},
		{"category", kinds.Category, it.Category},
		{"rental_point", kinds.RentalPoint, it.Point},
		{"state", kinds.InventoryState, it.State},
	} {
		if r.id != nil {
			list = append(list, record.Reference{Field: r.field, Kind: r.kind, ID: *r.id, Hold: r.kind == kinds.InventoryGroup})
		}
	}
	return list
}

// extras returns the free parts of an item and of its car. Each type of car has custom fields of its
// own.
func extras(it *Item) []record.Extra {
	list := []record.Extra{{Field: "extra", Key: "inventory", JSON: it.Extra}}
	if it.Car != nil {
		list = append(list, extraOf(it.Car.Type, it.Car.Extra))
	}
	return list
}

func extraOf(car CarType, extra decode.JSON) record.Extra {
	return record.Extra{Field: "car.extra", Key: "inventory_" + strings.ToLower(string(car)), JSON: extra}
}

// Extras returns all free parts that items can have.
func Extras() []record.Extra {
	return append(extras(new(Item)), extraOf(TypeCar, nil), extraOf(TypeScooter, nil), extraOf(TypeMotorcycle, nil))
}
