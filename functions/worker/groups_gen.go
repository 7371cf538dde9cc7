// Code generated from functions/*/group.yaml by infra/groups/generate; DO NOT EDIT.

package worker

import (
	documents "github.com/tenantry/tenantry/functions/documents/clerk"
	"github.com/tenantry/tenantry/functions/identity"
	"github.com/tenantry/tenantry/functions/metrics"
	"github.com/tenantry/tenantry/functions/orders"
	"github.com/tenantry/tenantry/functions/penalties"
	"github.com/tenantry/tenantry/functions/tenants"
	webhooks "github.com/tenantry/tenantry/functions/webhooks/clerk"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox"
)

// groups say what those messages of the endpoint groups mean that the function carries out.
func groups(env app.Env) []outbox.Work {
	return []outbox.Work{
		documents.Urgent(env),
		documents.Work(env),
		identity.Urgent(env),
		metrics.Work(env),
		orders.Work(env),
		penalties.Work(env),
		tenants.Urgent(env),
		tenants.Work(env),
		webhooks.Work(env),
	}
}
