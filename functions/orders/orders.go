// Package orders is the HTTP face of a company's orders: orders with their lines of items and of
// services, the steps that they take, what is paid for them, and what agents get for them.
//
// What never goes in here: the rules of orders (functions/orders/order), how prices come about
// (functions/orders/pricing), and whether an item is free (functions/inventory/calendar).
package orders

import (
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/web"
)

// New is the group of orders.
func New(env app.Env) app.Group {
	operations := orderOperations(env.Now)
	operations = append(operations, depositOperations(env.Now)...)
	operations = append(operations, feeOperations(env.Now)...)
	operations = append(operations, referralOperations(env.Now)...)
	operations = append(operations, lines(env.Now).Operations(env.Now)...)
	operations = append(operations, linesBelow().Operations(env.Now)...)
	operations = append(operations, bulkLines(env.Now)...)
	operations = append(operations, services(env.Now).Operations(env.Now)...)
	operations = append(operations, servicesBelow().Operations(env.Now)...)
	operations = append(operations, bulkServices(env.Now)...)
	return app.Group{Group: web.Group{
		Name: "orders", Doc: "Orders: what a client rents or buys, for which time, what it costs and what was paid.",
		Operations: operations, Zone: company.ZoneOf,
	}}
}
