// Code generated from template.yaml by infra/groups/generate; DO NOT EDIT.

package outbox

import (
	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/identity"
	"github.com/tenantry/tenantry/functions/tenants"
	"github.com/tenantry/tenantry/shared/function"
)

// groups are the endpoint groups, whose messages the worker carries out.
func groups() []function.New {
	return []function.New{
		clients.New,
		identity.New,
		tenants.New,
	}
}
