package item

import (
	"strings"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/record/column"
)

// ByDisabled is the letter under which the search index says why an item is disabled. Active
// items have no such value there.
const ByDisabled = "d"

// columns are the values by which lists of items are filtered and ordered. They leave room in
// an entry of the index for 66 bytes of text.
func columns() []column.Column[Item] {
	return []column.Column[Item]{
		column.Reference("group", "g", func(it *Item) *int64 { return it.Group }).For(column.Equal | column.In).Doc("Id of an inventory group"),
		column.Reference("category", "c", func(it *Item) *int64 { return it.Category }).For(column.Equal).Doc("Id of a category"),
		column.Reference("rental_point", "p", func(it *Item) *int64 { return it.Point }).For(column.Equal).Doc("Id of a rental point"),
		column.Reference("state", "s", func(it *Item) *int64 { return it.State }).For(column.Equal).Doc("Id of an inventory state"),
		column.Choice("type", "y", func(it *Item) *int64 { return &it.Type }, TypeRent, TypeSale).For(column.Equal).Doc("0 rent, 1 sale"),
		column.Choice("disabled", ByDisabled, func(it *Item) *int64 { return it.Disabled }, DisabledDelete, DisabledArchive, DisabledWithdraw).
			For(column.Equal).Doc("0 deleted, 1 archived, 2 withdrawn"),
		column.Flag("car", "k", func(it *Item) bool { return it.Car != nil }).For(column.Equal).Doc("Whether it is a car, a scooter or a motorcycle."),
		column.Day("buy_date", "b", func(it *Item) *decode.Date { return it.BuyDate }).For(column.Order),
	}
}

// more is what a search finds an item by besides its name.
func more(it *Item) string {
	var words []string
	add := func(text *string) {
		if text != nil {
			words = append(words, *text)
		}
	}
	if add(it.UniqueID); it.Car != nil {
		add(it.Car.Number)
		add(it.Car.Brand)
		add(it.Car.Model)
	}
	return strings.Join(words, " ")
}
