package inventory

import (
	"context"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// Car is the car of an active item as callers see it, with what they need to know of the item.
type Car struct {
	item.ShownCar
	Name         string  `json:"name" doc:"Of the item, as what follows"`
	UniqueID     *string `json:"unique_id" nullable:"true"`
	Image        *string `json:"image" nullable:"true" format:"uri"`
	Group        *int64  `json:"group" nullable:"true"`
	Category     *int64  `json:"category" nullable:"true"`
	Point        *int64  `json:"rental_point" nullable:"true"`
	State        *int64  `json:"state" nullable:"true"`
	SubleaseUser *int64  `json:"sublease_user" nullable:"true"`
}

// cars lists the cars of all active items.
func cars(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: "cars-list", Method: http.MethodGet, Path: "/v1/cars/", Summary: "List cars", Draws: true,
		Doc: "The cars, scooters and motorcycles of active items, the newest 1,000 first. " +
			"`/v1/crm/inventories/?car=true` has all of them, in pages. The list may lag a second behind changes.",
	}, func(ctx context.Context, r *web.Request, _ *struct{}) ([]Car, error) {
		items, err := item.Cars(ctx, resource.Scope(r, now))
		if err != nil {
			return nil, err
		}
		list := make([]Car, len(items))
		to := resource.Viewer{Base: r.BaseURL, Role: r.Principal.Role}
		for i, it := range items {
			list[i] = Car{
				ShownCar: *it.ShownCar(), Name: it.Name, UniqueID: it.UniqueID,
				Image: to.ImageOf(kinds.Of(kinds.Inventory), it.ID, "image", it.Image),
				Group: it.Group, Category: it.Category, Point: it.Point, State: it.State, SubleaseUser: it.SubleaseUser,
			}
		}
		return list, nil
	})
}
