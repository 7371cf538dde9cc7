// Package clients is the clients of a company, individuals and legal entities,
// their imports and exports, and the lists that describe them: how they were
// attracted, agents, discounts and categories.
//
// What never goes in here: how records are stored, listed and checked (shared/record), how
// they are imported and exported (shared/web/resource/sheets), and the checks for Kazakhstan
// (shared/decode/kz).
package clients

import (
	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web"
)

// New is the group of clients.
func New(env app.Env) app.Group {
	res := clients(env.Now)
	res.Uploads = uploads.Store{Files: env.Files, Now: env.Now, NewUUID: env.NewUUID}
	operations := res.Operations(env.Now)
	operations = append(operations, attractionMethods().Operations(env.Now)...)
	operations = append(operations, agents().Operations(env.Now)...)
	operations = append(operations, discounts().Operations(env.Now)...)
	operations = append(operations, categories().Operations(env.Now)...)
	operations = append(operations, clientSheets(env.Now).Operations(env)...)
	return app.Group{
		Group: web.Group{
			Name: "clients", Resource: scope.Clients,
			Doc: "Clients of a company, and what describes them.", Zone: company.ZoneOf, Operations: operations,
		},
		Work: Bulk(env),
	}
}

// Searched are the kinds of the group that are searched.
func Searched() []search.Kind {
	return []search.Kind{client.Kind().Searched(), attractionMethods().Kind.Searched(), categories().Kind.Searched()}
}

// Bulk returns the handlers of the group's messages.
func Bulk(env app.Env) outbox.Work {
	return client.Kind().Imports(importKind).Work(env.Table, env.Now)
}
