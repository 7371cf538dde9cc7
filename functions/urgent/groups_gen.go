// Code generated from functions/*/group.yaml by infra/groups/generate; DO NOT EDIT.

package urgent

import (
	documents "github.com/tenantry/tenantry/functions/documents/clerk"
	"github.com/tenantry/tenantry/functions/identity"
	"github.com/tenantry/tenantry/functions/tenants"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox"
)

// groups say what those messages of the endpoint groups mean that the function carries out.
func groups(env app.Env) []outbox.Work {
	return []outbox.Work{
		documents.Urgent(env),
		identity.Urgent(env),
		tenants.Urgent(env),
	}
}
