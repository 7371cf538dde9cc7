package item

import (
	"context"

	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
)

// The letters under which the search keeps the group of an item, why it is disabled, whether it is
// a car, and its rental point. Active items have no entry under byDisabled.
const (
	byGroup    = "g"
	byDisabled = "d"
	byCar      = "k"
	byPoint    = "p"
)

// MaxCars is how many cars Cars reads.
const MaxCars = record.MaxArray

// columns are the values by which lists of items are filtered and ordered.
func columns() []column.Column[*Item] {
	return []column.Column[*Item]{
		column.Reference("group", byGroup, func(it *Item) *int64 { return it.Group }).
			Doc("Id of an inventory group"),
		column.Reference("category", "c", func(it *Item) *int64 { return it.Category }).
			Doc("Id of a category"),
		column.Reference("rental_point", byPoint, func(it *Item) *int64 { return it.Point }).
			Doc("Id of a rental point"),
		column.Reference("state", "s", func(it *Item) *int64 { return it.State }).
			Doc("Id of an inventory state"),
		column.Choice("type", "y", func(it *Item) *group.Type { return &it.Type }),
		column.Choice("disabled", byDisabled, func(it *Item) *Disabled { return it.Disabled }),
		column.Flag("car", byCar, func(it *Item) bool { return it.Car != nil }).
			Doc("Whether it is a car, a scooter or a motorcycle."),
		column.Day("buy_date", "b", func(it *Item) *decode.Date { return it.BuyDate }).Doc("When it was bought"),
	}
}

// Active is true for the items that are in use.
func Active() segment.Condition { return segment.HasNone(byDisabled) }

// WillBe makes the conditions of a query on the rental points of items ask where these will be: at those of then, by the items, and where
// they are now if they are not in it.
func WillBe(q *search.Query, then map[int64]int64) {
	if len(then) == 0 {
		return
	}
	for i, is := range q.Where {
		if is.Field != byPoint {
			continue
		}
		all, fit := make([]int64, 0, len(then)), []int64(nil)
		for id, point := range then {
			if all = append(all, id); is.Takes(point) {
				fit = append(fit, id)
			}
		}
		elsewhere := segment.AnyOf(segment.In(segment.ID, all...), segment.Not(is))
		q.Where[i] = segment.AnyOf(segment.In(segment.ID, fit...), segment.Not(elsewhere))
	}
}

// Cars reads the active items that are cars, the newest first, up to MaxCars of them. The list
// may lag behind changes by about a second.
func Cars(ctx context.Context, s record.Scope) ([]*Item, error) {
	q := search.Query{Where: []segment.Condition{Active(), segment.In(byCar, 1)}}
	list, _, err := Kind().Page(ctx, s, q, record.Window{Size: MaxCars})
	return list, err
}

// more is what a search finds an item by besides its name.
func more(it *Item) string {
	if it.Car == nil {
		return record.Texts(it.UniqueID)
	}
	return record.Texts(it.UniqueID, it.Car.Number, inCyrillic(it.Plate()), it.Car.Brand, it.Car.Model)
}
