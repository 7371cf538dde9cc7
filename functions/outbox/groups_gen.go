// Code generated from template.yaml by infra/groups/generate; DO NOT EDIT.

package outbox

import (
	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/identity"
	"github.com/tenantry/tenantry/functions/tenants"
	"github.com/tenantry/tenantry/shared/function"
	"github.com/tenantry/tenantry/shared/outbox"
)

// works say what the messages of the endpoint groups mean, by the group's name.
func works() map[string]func(function.Env) outbox.Work {
	return map[string]func(function.Env) outbox.Work{
		"clients":  clients.Work,
		"identity": identity.Work,
		"tenants":  tenants.Work,
	}
}
