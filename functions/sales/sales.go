// Package sales is the HTTP face of a company's sales: funnels with their stages, the leads in
// them, and the board that shows how many leads are where.
//
// What never goes in here: which stage a lead may be in and what it adds to its sum
// (functions/sales/lead), and how records are stored and listed (shared/record).
package sales

import (
	"github.com/tenantry/tenantry/functions/sales/lead"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web"
)

// New is the group of sales.
func New(env app.Env) app.Group {
	operations := funnels().Operations(env.Now)
	operations = append(operations, board(env))
	operations = append(operations, stageOperations(env)...)
	operations = append(operations, leads(env.Now).Operations(env.Now)...)
	operations = append(operations, makeOrder(env.Now))
	return app.Group{Group: web.Group{
		Name: "sales", Resource: scope.Leads, Doc: "Funnels with their stages, and the leads that move through them.",
		Zone: company.ZoneOf, Operations: operations,
	}}
}

// Searched are the kinds of the group that are searched.
func Searched() []search.Kind {
	return []search.Kind{lead.Funnels().Searched(), lead.Kind().Searched()}
}
