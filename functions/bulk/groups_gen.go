// Code generated from functions/*/group.yaml by infra/groups/generate; DO NOT EDIT.

package bulk

import (
	"github.com/tenantry/tenantry/functions/clients"
	documents "github.com/tenantry/tenantry/functions/documents/clerk"
	"github.com/tenantry/tenantry/functions/inventory"
	"github.com/tenantry/tenantry/functions/metrics"
	"github.com/tenantry/tenantry/functions/sms"
	"github.com/tenantry/tenantry/functions/tenants"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox"
)

// groups say what those messages of the endpoint groups mean that the function carries out.
func groups(env app.Env) []outbox.Work {
	return []outbox.Work{
		clients.Bulk(env),
		documents.Bulk(env),
		inventory.Bulk(env),
		metrics.Bulk(env),
		sms.Bulk(env),
		tenants.Bulk(env),
	}
}
