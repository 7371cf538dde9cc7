package item

import "github.com/tenantry/tenantry/shared/decode"

// NestedInventory is what other records show of an item.
type NestedInventory struct {
	ID           int64       `json:"id"`
	Name         string      `json:"name"`
	UniqueID     *string     `json:"unique_id" nullable:"true"`
	Image        *string     `json:"image" nullable:"true" format:"uri"`
	Car          *ShownCar   `json:"car"`
	Group        *int64      `json:"group" nullable:"true"`
	Category     *int64      `json:"category" nullable:"true"`
	SubleaseUser *int64      `json:"sublease_user" nullable:"true"`
	State        *int64      `json:"state" nullable:"true"`
	Disabled     *Disabled   `json:"disabled" nullable:"true" open:"true" doc:"Null: active; {values}"`
	Point        *int64      `json:"rental_point" nullable:"true"`
	Extra        decode.JSON `json:"extra"`
}

// Nested returns what other records show of an item. An image that is an upload has no address
// yet, because that depends on the caller.
func (it *Item) Nested() NestedInventory {
	return NestedInventory{
		ID: it.ID, Name: it.Name, UniqueID: it.UniqueID, Image: it.Image.Told(), Car: it.ShownCar(), Group: it.Group, Category: it.Category,
		SubleaseUser: it.SubleaseUser, State: it.State, Disabled: it.Disabled, Point: it.Point, Extra: it.Extra,
	}
}
