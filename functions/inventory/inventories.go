package inventory

import (
	"context"

	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// itemFields are what callers send both for an item and in a row of an import.
type itemFields struct {
	Name      decode.Optional[string]       `json:"name" required:"true" maxLength:"512" example:"Toyota Camry 70"`
	UniqueID  decode.Optional[string]       `json:"unique_id" nullable:"true" maxLength:"255" doc:"Unique among active items"`
	Type      decode.Optional[group.Type]   `json:"type" default:"0" doc:"{values}"`
	BuyPrice  decode.Optional[money.Amount] `json:"buy_price" nullable:"true" minimum:"0"`
	BuyDate   decode.Optional[decode.Date]  `json:"buy_date" nullable:"true"`
	SellPrice decode.Optional[money.Amount] `json:"sell_price" nullable:"true" minimum:"0"`
	Comment   decode.Optional[string]       `json:"comment" nullable:"true" blank:"true" maxLength:"10000"`
	Car       decode.Optional[carBody]      `json:"car" nullable:"true" doc:"Of an item that is a vehicle. What is left out of it keeps its value; null: the item is none."`
	Extra     decode.Optional[decode.JSON]  `json:"extra" nullable:"true" doc:"Any JSON of at most 16 KB; the custom fields of the key inventory are checked."`
}

type itemBody struct {
	itemFields
	Group        decode.Optional[int64]         `json:"group" nullable:"true" doc:"Id of an inventory group"`
	Category     decode.Optional[int64]         `json:"category" nullable:"true" doc:"Id of a category"`
	Point        decode.Optional[int64]         `json:"rental_point" nullable:"true" doc:"Id of a rental point"`
	State        decode.Optional[int64]         `json:"state" nullable:"true" doc:"Id of an inventory state"`
	SubleaseUser decode.Optional[int64]         `json:"sublease_user" nullable:"true" doc:"Number of a user who is a member of the company"`
	Disabled     decode.Optional[item.Disabled] `json:"disabled" nullable:"true" doc:"Null: active; {values}. An item that is not active gives back its unique_id and its car's number, and takes them again when it returns; where other items have them by then, taken_by in the 400 says which."`
	Image        decode.Optional[string]        `json:"image" nullable:"true" format:"uri" maxLength:"2048" doc:"Any http(s) address, or the file of an upload (POST /v2/documents/uploads/), which is then answered as an address of this API."`
}

type carBody struct {
	Type         decode.Optional[item.CarType] `json:"type" default:"CAR"`
	Brand        decode.Optional[string]       `json:"brand" nullable:"true" maxLength:"255"`
	Model        decode.Optional[string]       `json:"model" nullable:"true" maxLength:"255"`
	Number       decode.Optional[string]       `json:"number" nullable:"true" maxLength:"20" doc:"Kept without spaces in capitals; unique among active items"`
	TechPassport decode.Optional[string]       `json:"tech_passport" nullable:"true" maxLength:"255"`
	Serial       decode.Optional[string]       `json:"serial" nullable:"true" maxLength:"255"`
	VIN          decode.Optional[string]       `json:"vin" nullable:"true" maxLength:"255"`
	Extra        decode.Optional[decode.JSON]  `json:"extra" nullable:"true" doc:"Any JSON of at most 16 KB; the custom fields of the key inventory_car, inventory_scooter or inventory_motorcycle are checked, by the type."`
}

// Inventory is an inventory item as callers see it.
type Inventory struct {
	item.Shown
	Deleted bool  `json:"deleted"`
	Tenant  int64 `json:"tenant"`
}

// inventories is the resource of inventory items.
func inventories(images uploads.Store) resource.Resource[*item.Item, itemBody, Inventory] {
	return resource.Resource[*item.Item, itemBody, Inventory]{
		Kind: item.Kind(), Apply: applyItem, View: viewItem, Made: settle, Changed: settle, Gone: item.Ended,
		Images: []resource.Image[*item.Item, itemBody]{{
			Field: "image",
			Sent:  func(in *itemBody) decode.Optional[string] { return in.Image },
			At:    func(it *item.Item) **uploads.Image { return &it.Image },
		}},
		Uploads: images, Filters: itemFilters(),
		Doc: "`search` finds every word in the name, the unique_id, or the number, brand or model of the car.",
	}
}

func viewItem(it *item.Item, to resource.Viewer) Inventory {
	v := Inventory{Shown: it.Shown(), Tenant: int64(it.Tenant())}
	v.Image = to.ImageOf(kinds.Of(kinds.Inventory), it.ID, "image", it.Image)
	return v
}

func applyItem(it *item.Item, in *itemBody, _ fault.FieldErrors) {
	in.apply(it)
	in.Category.IntoNullable(&it.Category)
	in.Point.IntoNullable(&it.Point)
	in.State.IntoNullable(&it.State)
	in.SubleaseUser.IntoNullable(&it.SubleaseUser)
	in.Disabled.IntoNullable(&it.Disabled)
}

func (in *itemFields) apply(it *item.Item) {
	in.Name.Into(&it.Name)
	in.UniqueID.IntoNullable(&it.UniqueID)
	in.Type.Into(&it.Type)
	in.BuyPrice.IntoNullable(&it.BuyPrice)
	in.BuyDate.IntoNullable(&it.BuyDate)
	in.SellPrice.IntoNullable(&it.SellPrice)
	in.Comment.IntoNullable(&it.Comment)
	record.ExtraInto(it, in.Extra, &it.Extra)
	switch {
	case in.Car.Null:
		it.Car = nil
	case in.Car.Set:
		it.Car = in.Car.Value.apply(it)
	}
}

// apply returns the item's car after a change.
func (in *carBody) apply(it *item.Item) *item.Car {
	c := item.Car{Type: item.TypeCar}
	if it.Car != nil {
		c = *it.Car
	}
	in.Type.Into(&c.Type)
	in.Brand.IntoNullable(&c.Brand)
	in.Model.IntoNullable(&c.Model)
	if in.Number.IntoNullable(&c.Number); c.Number != nil {
		plate := item.Plate(*c.Number)
		c.Number = &plate
	}
	in.TechPassport.IntoNullable(&c.TechPassport)
	in.Serial.IntoNullable(&c.Serial)
	in.VIN.IntoNullable(&c.VIN)
	record.ExtraAt(it, "car.extra", in.Extra, &c.Extra)
	return &c
}

// settle is what making and changing an item takes besides its fields: it is put into its
// group, a move to another rental point is numbered, its calendar is closed or opened, and who
// subleases it must be a member of the company.
func settle(ctx context.Context, w *record.Work, it *item.Item, in *itemBody) error {
	item.Used(w, it)
	group := it.Group
	in.Group.IntoNullable(&group)
	item.Move(w, it, group)
	item.Place(w, it)
	was := item.Kind().Before(w, it.ID)
	if it.SubleaseUser == nil || was != nil && was.SubleaseUser != nil && *was.SubleaseUser == *it.SubleaseUser {
		return nil
	}
	member, err := staff.IsMember(ctx, w, *it.SubleaseUser)
	if err == nil && !member {
		w.Errors("").Add("sublease_user", say.DoesNotExist(*it.SubleaseUser))
	}
	return err
}
