package inventory

import (
	"slices"
	"strconv"

	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/functions/services/tariff"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web/resource"
)

type groupBody struct {
	Name      decode.Optional[string]       `json:"name" required:"true" maxLength:"512" example:"Sedans" doc:"Unique in the company, in any case of its letters"`
	UnitPrice decode.Optional[money.Amount] `json:"unit_price" nullable:"true" doc:"May be negative"`
	UnitCount decode.Optional[money.Amount] `json:"unit_count" nullable:"true" doc:"May be negative"`
	Image     decode.Optional[string]       `json:"image" nullable:"true" format:"uri" maxLength:"2048" doc:"Any http(s) address, or the file of an upload (POST /v2/documents/uploads/), which is then answered as an address of this API."`
	UniqueID  decode.Optional[string]       `json:"unique_id" nullable:"true" maxLength:"255"`
	Barcode   decode.Optional[string]       `json:"barcode" nullable:"true" maxLength:"255"`
	Price     decode.Optional[money.Amount] `json:"price" nullable:"true" doc:"May be negative"`
	UnitType  decode.Optional[string]       `json:"unit_type" nullable:"true" enum:"litre,kg,g,ml,piece,m3"`
	Published decode.Optional[bool]         `json:"published" default:"true"`
	Category  decode.Optional[int64]        `json:"category" nullable:"true" doc:"Id of a category"`
	Type      decode.Optional[group.Type]   `json:"type" default:"0" doc:"{values}"`
	Lifetime  decode.Optional[int64]        `json:"lifetime" nullable:"true" minimum:"0"`
	Combine   decode.Optional[bool]         `json:"combine" nullable:"true" doc:"Whether a rental of its items without a tariff costs the cheapest sum of tariffs; null: as the rental settings say."`
	Extra     decode.Optional[decode.JSON]  `json:"extra" nullable:"true" doc:"Any JSON of at most 16 KB; the custom fields of the key inventory_group are checked."`
	Filters   decode.Optional[[]string]     `json:"filters" maxItems:"50" maxLength:"255"`
	Points    decode.Optional[[]int64]      `json:"points" maxItems:"50" doc:"Ids of rental points, each once"`
}

// Group is an inventory group as callers see it.
type Group struct {
	group.Shown
	Deleted bool          `json:"deleted"`
	Tenant  int64         `json:"tenant"`
	Tarifs  []GroupTariff `json:"tarifs"`
}

// groups is the resource of inventory groups.
func groups(images uploads.Store) resource.Resource[*group.Group, groupBody, Group] {
	return resource.Resource[*group.Group, groupBody, Group]{
		Kind: group.Kind(), Apply: applyGroup, View: viewGroup,
		Images: []resource.Image[*group.Group, groupBody]{{
			Field: "image",
			Sent:  func(in *groupBody) decode.Optional[string] { return in.Image },
			At:    func(g *group.Group) **uploads.Image { return &g.Image },
		}},
		Uploads: images,
		Doc: "`search` finds every word in the name, the unique_id or the barcode. A group that items are in can't be deleted: " +
			"409 with the code held.",
	}
}

func viewGroup(g *group.Group, to resource.Viewer) Group {
	v := Group{Shown: g.Shown(), Tenant: int64(g.Tenant()), Tarifs: []GroupTariff{}}
	v.Image = to.ImageOf(kinds.Of(kinds.InventoryGroup), g.ID, "image", g.Image)
	for i := range g.Tariffs {
		v.Tarifs = append(v.Tarifs, viewTariff(g, &g.Tariffs[i], to))
	}
	return v
}

func applyGroup(g *group.Group, in *groupBody, errs fault.FieldErrors) {
	if g.ID == 0 { // it is new
		g.Published = true
	}
	in.Name.Into(&g.Name)
	in.UnitPrice.IntoNullable(&g.UnitPrice)
	in.UnitCount.IntoNullable(&g.UnitCount)
	in.UniqueID.IntoNullable(&g.UniqueID)
	in.Barcode.IntoNullable(&g.Barcode)
	in.Price.IntoNullable(&g.Price)
	in.UnitType.IntoNullable(&g.UnitType)
	in.Published.Into(&g.Published)
	in.Category.IntoNullable(&g.Category)
	in.Type.Into(&g.Type)
	in.Lifetime.IntoNullable(&g.Lifetime)
	in.Combine.IntoNullable(&g.Combine)
	record.ExtraInto(g, in.Extra, &g.Extra)
	in.Filters.Into(&g.Filters)
	if in.Points.Into(&g.Points); in.Points.Set {
		once(in.Points.Value, "points", errs)
	}
	if _, err := g.Sum(); err != nil && !errs.Has("unit_price") && !errs.Has("unit_count") {
		errs.Add("unit_sum", say.Of(err))
	}
}

// once refuses what is repeated in a list.
func once(ids []int64, field string, errs fault.FieldErrors) {
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			errs.AddAt(field+"."+strconv.Itoa(i), say.ValueRepeated)
		}
	}
}

// ---- The tariffs of a group.

type groupTariffBody struct {
	tariff.Body
	InventoryGroup decode.Optional[int64] `json:"inventory_group" required:"true" example:"1" doc:"The inventory group of the address"`
}

// GroupTariff is a tariff of an inventory group as callers see it.
type GroupTariff struct {
	tariff.Shown
	InventoryGroup int64 `json:"inventory_group"`
	Tenant         int64 `json:"tenant"`
}

// groupTariffs is the list of tariffs inside inventory groups.
func groupTariffs() resource.Embedded[*group.Group, tariff.Tariff, groupTariffBody, GroupTariff] {
	return resource.Embedded[*group.Group, tariff.Tariff, groupTariffBody, GroupTariff]{
		List: group.Tariffs(), Path: "tarifs", Param: "group_id", One: "tariff", Many: "inventory group tariffs",
		Doc: "All of them, the oldest first.",
		Apply: func(g *group.Group, t *tariff.Tariff, in *groupTariffBody, errs fault.FieldErrors) {
			if of := in.InventoryGroup; of.Set && of.Value != g.ID {
				errs.Add("inventory_group", say.DoesNotExist(of.Value))
			}
			t.Apply(&in.Body)
		},
		View: viewTariff,
	}
}

func viewTariff(g *group.Group, t *tariff.Tariff, _ resource.Viewer) GroupTariff {
	return GroupTariff{Shown: t.Shown(), InventoryGroup: g.ID, Tenant: int64(g.Tenant())}
}
