// Package inventory is what a company rents out and sells: inventory items with their cars,
// their states, and the groups that they are in with the tariffs of these.
//
// What never goes in here: how records are stored, listed and checked (shared/record), what an
// item and a group are to other groups (the domains item and group), and orders.
package inventory

import (
	"maps"

	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web"
)

// New is the group of inventory.
func New(env app.Env) app.Group {
	images := uploads.Store{Files: env.Files, Now: env.Now, NewUUID: env.NewUUID}
	items := inventories(images)
	operations := items.Operations(env.Now) // the first one is the list, which says besides where items will be
	operations[0] = listItems(items, env.Now)
	operations = append(operations, blocks().Operations(env.Now)...)
	operations = append(operations, inventoryStates().Operations(env.Now)...)
	operations = append(operations, groups(images).Operations(env.Now)...)
	operations = append(operations, groupTariffs().Operations(env.Now)...)
	operations = append(operations, cars(env.Now), bulkUpdate(env.Now), schedules(env.Now), availability(env.Now))
	operations = append(operations, itemSheets().Operations(env)...)
	return app.Group{Group: web.Group{
		Name: "inventory", Resource: scope.Inventory, Doc: "Inventory of a company: items, their states, and the groups that they are in.",
		Operations: operations, Zone: company.ZoneOf,
	}, Work: Bulk(env)}
}

// Searched are the kinds of the group that are searched.
func Searched() []search.Kind {
	return []search.Kind{group.Kind().Searched(), item.Kind().Searched(), inventoryStates().Kind.Searched()}
}

// Bulk returns the handlers of the group's messages.
func Bulk(env app.Env) outbox.Work {
	work := item.Kind().Imports(importKind).Work(env.Table, env.Now)
	maps.Copy(work, item.Work(env.Table, env.Now))
	return work
}
