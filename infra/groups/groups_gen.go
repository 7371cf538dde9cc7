// Code generated from template.yaml by infra/groups/generate; DO NOT EDIT.

package groups

import (
	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/functions/fallback"
	"github.com/tenantry/tenantry/functions/identity"
	"github.com/tenantry/tenantry/functions/tenants"
	"github.com/tenantry/tenantry/shared/function"
)

// All are the endpoint groups by name.
func All() map[string]function.New {
	return map[string]function.New{
		"documents": documents.New,
		"fallback":  fallback.New,
		"identity":  identity.New,
		"tenants":   tenants.New,
	}
}
