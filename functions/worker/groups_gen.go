// Code generated from functions/*/group.yaml by infra/groups/generate; DO NOT EDIT.

package worker

import (
	"github.com/tenantry/tenantry/functions/clients"
	documents "github.com/tenantry/tenantry/functions/documents/clerk"
	"github.com/tenantry/tenantry/functions/identity"
	"github.com/tenantry/tenantry/functions/inventory"
	"github.com/tenantry/tenantry/functions/metrics"
	"github.com/tenantry/tenantry/functions/penalties"
	"github.com/tenantry/tenantry/functions/sms"
	"github.com/tenantry/tenantry/functions/tenants"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox"
)

// works say what the messages of the endpoint groups mean, by the group's name.
func works() map[string]func(app.Env) outbox.Work {
	return map[string]func(app.Env) outbox.Work{
		"clients":   clients.Work,
		"documents": documents.Work,
		"identity":  identity.Work,
		"inventory": inventory.Work,
		"metrics":   metrics.Work,
		"penalties": penalties.Work,
		"sms":       sms.Work,
		"tenants":   tenants.Work,
	}
}
