package inventory

import (
	"fmt"

	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web/resource"
	"github.com/tenantry/tenantry/shared/web/resource/sheets"
)

// importKind is the kind of the messages that end imports.
const importKind outbox.Kind = "inventory.import"

// An import's rows may name up to maxGroups inventory groups, and up to maxNewGroups of these may be new.
const (
	maxGroups    = 40
	maxNewGroups = 15
)

// itemRow is a row of an import as callers send it.
type itemRow struct {
	itemFields
	Group decode.Optional[string] `json:"group" nullable:"true" maxLength:"512" example:"Sedans" doc:"The name of an inventory group; one that is new is created with the import."`
}

// InventoryRow is a row of an import, in the usual spelling of its values.
type InventoryRow struct {
	Name      string        `json:"name"`
	UniqueID  *string       `json:"unique_id" nullable:"true"`
	Type      group.Type    `json:"type"`
	Group     *string       `json:"group" nullable:"true"`
	BuyPrice  *money.Amount `json:"buy_price" nullable:"true"`
	BuyDate   *decode.Date  `json:"buy_date" nullable:"true"`
	SellPrice *money.Amount `json:"sell_price" nullable:"true"`
	Comment   *string       `json:"comment" nullable:"true"`
	Car       *item.Car     `json:"car"`
	Extra     decode.JSON   `json:"extra"`
}

// InventoryDryRun is the answer of an import of items that only shows what it would do.
type InventoryDryRun struct {
	Data     []InventoryRow   `json:"data" doc:"As the import would answer them."`
	Created  int              `json:"created" doc:"How many items the import would make."`
	Groups   []string         `json:"groups" doc:"The inventory groups that it would make."`
	Ignored  []string         `json:"ignored" doc:"Headers of a sheet, or names in the rows, that mean nothing to this import, and would be left out."`
	Similar  []sheets.Similar `json:"similar" doc:"Those of them that are nearly the name of a field."`
	Warnings []sheets.Warning `json:"warnings" doc:"What is likely a mistake in the rows, although they are imported: at most 100."`
}

// itemSheets are the sheets of items.
func itemSheets() sheets.Sheets[*item.Item, itemBody, Inventory] {
	items := inventories(uploads.Store{})
	items.Made = nil // a row has no user or image to settle, and the import itself puts the item into its group
	return sheets.Sheets[*item.Item, itemBody, Inventory]{
		Resource: items, Message: importKind, Columns: ofExport(), Extras: item.Extras(),
		Currency: company.CurrencyOf,
		Imports: []sheets.Importer[*item.Item]{sheets.Import[*item.Item, itemRow, InventoryRow]{
			Doc: "No two rows, and no other active item, have the same unique_id or car.number; " +
				"one that another import has at this moment is 409 with the code import_running. " +
				fmt.Sprintf("The rows name at most %d groups, of which %d may be new.", maxGroups, maxNewGroups),
			Columns: ofItems(),
			Apply:   func(it *item.Item, in *itemRow, _ fault.FieldErrors) { in.apply(it) },
			Names:   func(in *itemRow) string { return in.Group.Or("") },
			Named: &sheets.Named[*item.Item]{
				Many: say.ManyInventoryGroups, Most: maxNewGroups, All: maxGroups, Value: group.Named,
				Make: func(w *record.Work, name string) func() int64 {
					g := &group.Group{}
					applyGroup(g, &groupBody{Name: decode.Some(name)}, fault.FieldErrors{})
					group.Kind().Create(w, "groups", g)
					return func() int64 { return g.ID }
				},
				Apply: func(it *item.Item, id int64) { it.Group = &id },
			},
			Show: showRow, Odd: oddities,
			DryRun: func(d sheets.DryRun[InventoryRow], groups []string) any {
				return InventoryDryRun{
					Data: d.Data, Created: d.Created, Groups: groups, Ignored: d.Ignored, Similar: d.Similar, Warnings: d.Warnings,
				}
			},
		}},
	}
}

// oddities returns what is likely a mistake in an item that is imported.
func oddities(it *item.Item) (list []sheets.Odd) {
	if it.Car == nil {
		return nil
	}
	if vin := it.Car.VIN; vin != nil && !item.UsualVIN(*vin) {
		list = append(list, sheets.Odd{Field: "car.vin", Message: say.UnusualVIN})
	}
	if it.Car.Number != nil && it.Car.Type == item.TypeCar && !item.UsualPlate(it.Plate()) {
		list = append(list, sheets.Odd{Field: "car.number", Message: say.UnusualPlate})
	}
	return list
}

func showRow(it *item.Item, in *itemRow, _ resource.Viewer) InventoryRow {
	row := InventoryRow{
		Name: it.Name, UniqueID: it.UniqueID, Type: it.Type, BuyPrice: it.BuyPrice, BuyDate: it.BuyDate, SellPrice: it.SellPrice,
		Comment: it.Comment, Car: it.Car, Extra: it.Extra,
	}
	in.Group.IntoNullable(&row.Group)
	return row
}

// column is a column of the sheets of items.
type column = sheets.Column[*item.Item]

// ofItems returns the columns of an import.
func ofItems() []column {
	return append([]column{
		{
			Field: "name", Title: say.ColumnItemName, Example: sheets.Sample("Toyota Camry 70"),
			Also:  []string{"Наименование", "Item", "Инвентарь", "Имущество", "Атауы"},
			Value: func(it *item.Item) string { return it.Name },
		},
		{
			Field: "unique_id", Title: say.ColumnUniqueID, Example: sheets.Sample("C-070"),
			Also:  []string{"Inventory number", "Инв. номер", "Инв. №", "Артикул", "Код", "SKU"},
			Value: func(it *item.Item) string { return sheets.Optional(it.UniqueID) },
		},
		{
			Field: "group", Title: say.ColumnGroup, Example: say.ExampleItemGroup, Also: []string{"Inventory group", "Группа инвентаря"},
			Names: kinds.InventoryGroup, Value: func(it *item.Item) string { return sheets.Optional(it.Group) },
		},
		{
			Field: "type", Title: say.ColumnType, Example: say.ChoiceRent, Choices: []sheets.Choice{
				{Value: fmt.Sprint(group.TypeRent), Title: say.ChoiceRent, Also: []string{"Rental", "Прокат", "Жалға"}},
				{Value: fmt.Sprint(group.TypeSale), Title: say.ChoiceSale, Also: []string{"Сату"}},
			},
			Value: func(it *item.Item) string { return fmt.Sprint(it.Type) },
		},
		{
			Field: "buy_price", Title: say.ColumnBuyPrice, Holds: sheets.Amount, Example: sheets.Sample("9000000.00"),
			Also: []string{"Закупочная цена", "Стоимость"}, Value: func(it *item.Item) string { return sheets.Optional(it.BuyPrice) },
		},
		{
			Field: "buy_date", Title: say.ColumnBuyDate, Holds: sheets.Date, Example: sheets.Sample("2024-02-29"),
			Also: []string{"Куплено", "Bought"}, Value: func(it *item.Item) string { return sheets.Optional(it.BuyDate) },
		},
		{
			Field: "sell_price", Title: say.ColumnSellPrice, Holds: sheets.Amount, Example: sheets.Sample("8500000.00"),
			Value: func(it *item.Item) string { return sheets.Optional(it.SellPrice) },
		},
		{
			Field: "comment", Title: say.ColumnComment, Example: say.ExampleItemComment, Also: []string{"Примечание", "Пікір"},
			Value: func(it *item.Item) string { return sheets.Optional(it.Comment) },
		},
	}, ofCars()...)
}

// ofCars returns the columns that only vehicles have.
func ofCars() []column {
	return []column{
		{
			Field: "car.type", Title: say.ColumnVehicle, Example: say.ChoiceCar,
			Also: []string{"Vehicle type", "Тип транспорта", "Тип ТС"},
			Choices: []sheets.Choice{
				{Value: string(item.TypeCar), Title: say.ChoiceCar, Also: []string{"Авто", "Машина", "Легковой", "Легковая", "Автокөлік"}},
				{Value: string(item.TypeScooter), Title: say.ChoiceScooter, Also: []string{"Мопед", "Самокат"}},
				{Value: string(item.TypeMotorcycle), Title: say.ChoiceMotorcycle},
			},
			Value: func(it *item.Item) string {
				if it.Car == nil {
					return ""
				}
				return string(it.Car.Type)
			},
		},
		{
			Field: "car.brand", Title: say.ColumnBrand, Example: sheets.Sample("Toyota"), Also: []string{"Make"},
			Value: ofCar(func(c *item.Car) *string { return c.Brand }),
		},
		{
			Field: "car.model", Title: say.ColumnModel, Example: sheets.Sample("Camry 70"),
			Value: ofCar(func(c *item.Car) *string { return c.Model }),
		},
		{
			Field: "car.number", Title: say.ColumnPlateNumber, Example: sheets.Sample("123 ABC 02"),
			Also:  []string{"Number", "Номер", "Гос. номер", "ГРНЗ", "License plate", "Plate"},
			Value: ofCar(func(c *item.Car) *string { return c.Number }),
		},
		{
			Field: "car.tech_passport", Title: say.ColumnTechPassport, Example: sheets.Sample("AB00123456"), Also: []string{"СРТС"},
			Value: ofCar(func(c *item.Car) *string { return c.TechPassport }),
		},
		{
			Field: "car.serial", Title: say.ColumnSerial, Example: sheets.Sample("S-1"), Also: []string{"Serial"},
			Value: ofCar(func(c *item.Car) *string { return c.Serial }),
		},
		{
			Field: "car.vin", Title: say.ColumnVIN, Example: sheets.Sample("JTNB11HK903000001"), Also: []string{"ВИН"},
			Value: ofCar(func(c *item.Car) *string { return c.VIN }),
		},
	}
}

func ofCar(value func(c *item.Car) *string) func(it *item.Item) string {
	return func(it *item.Item) string {
		if it.Car == nil {
			return ""
		}
		return sheets.Optional(value(it.Car))
	}
}

// ofExport returns the columns of an export: those of an import, and some for people.
func ofExport() []column {
	return append(
		ofItems(),
		column{
			Field: "disabled", Title: say.ColumnDisabled, ExportOnly: true,
			Choices: []sheets.Choice{
				{Value: fmt.Sprint(item.DisabledDelete), Title: say.ChoiceDeleted},
				{Value: fmt.Sprint(item.DisabledArchive), Title: say.ChoiceArchived},
				{Value: fmt.Sprint(item.DisabledWithdraw), Title: say.ChoiceWithdrawn},
			},
			Value: func(it *item.Item) string { return sheets.Optional(it.Disabled) },
		},
		named("category", say.ColumnCategory, kinds.Category, func(it *item.Item) *int64 { return it.Category }),
		named("rental_point", say.ColumnRentalPoint, kinds.RentalPoint, func(it *item.Item) *int64 { return it.Point }),
		named("state", say.ColumnState, kinds.InventoryState, func(it *item.Item) *int64 { return it.State }),
		sheets.ID[*item.Item](), sheets.Created[*item.Item](),
	)
}

// named returns a column for people with the name of a record that items refer to.
func named(field string, title say.Message, kind kinds.Code, of func(it *item.Item) *int64) column {
	return column{
		Field: field, Title: title, Names: kind, ExportOnly: true,
		Value: func(it *item.Item) string { return sheets.Optional(of(it)) },
	}
}
