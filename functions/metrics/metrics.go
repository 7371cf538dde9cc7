// Package metrics is what the orders of a company brought in, as managers see it: in rows, and by
// day.
//
// What never goes in here: what a row is and how it follows from an order (metrics/row).
package metrics

import (
	"github.com/tenantry/tenantry/functions/metrics/row"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web"
)

// role is the lowest role that may see metrics; members with the right to read finance see them, too.
const role = tenant.Manager

const path = "/v1/crm/metrics/"

// New is the group of metrics.
func New(env app.Env) app.Group {
	return app.Group{Group: web.Group{
		Name: "metrics", Resource: scope.Metrics, Doc: "What the orders of a company brought in, in rows and by day.", Zone: company.ZoneOf,
		Operations: web.ReadsFinance([]web.Operation{detail(env.Now), general(env.Now), rebuild(env.Now), rebuilding(env.Now)}),
	}, Work: outbox.Join(Work(env), Bulk(env))}
}

// Work returns the handlers of the group's messages.
func Work(env app.Env) outbox.Work { return row.Work(env.Table, env.Now) }

// Bulk returns the handler of the message that makes all rows anew.
func Bulk(env app.Env) outbox.Work { return row.Rebuilds(env.Table, env.Now) }
