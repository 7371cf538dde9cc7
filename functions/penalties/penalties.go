// Package penalties is the HTTP face of the traffic penalties of a company's cars: what a registry
// sends of them, what the staff notes about them, and their states.
//
// What never goes in here: what a penalty is, when it happened and whom it belongs to
// (functions/penalties/penalty), and how records are stored and listed (shared/record).
package penalties

import (
	"github.com/tenantry/tenantry/functions/penalties/penalty"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web"
)

// New is the group of traffic penalties.
func New(env app.Env) app.Group {
	penalties := penalties()
	operations := []web.Operation{
		penalties.List(env.Now), feed(env), count(env.Now), penalties.Read(env.Now),
		penalties.Update(env.Now), penalties.Patch(env.Now), penalties.Delete(env.Now),
	}
	operations = append(operations, match(env.Now))
	operations = append(operations, charges(env.Now)...)
	operations = append(operations, states().Operations(env.Now)...)
	return app.Group{Group: web.Group{
		Name: "penalties", Resource: scope.Penalties, Doc: "Traffic penalties of a company's cars, and the states in which it puts them.",
		Zone: company.ZoneOf, Operations: operations,
	}, Work: Work(env)}
}

// Searched are the kinds of the group that are searched.
func Searched() []search.Kind {
	return []search.Kind{penalty.Kind().Searched(), states().Kind.Searched()}
}

// Work returns the handlers of the group's messages.
func Work(env app.Env) outbox.Work { return penalty.Work(env.Table, env.Now) }
