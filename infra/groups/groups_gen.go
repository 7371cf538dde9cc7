// Code generated from functions/*/group.yaml by infra/groups/generate; DO NOT EDIT.

package groups

import (
	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/functions/events"
	"github.com/tenantry/tenantry/functions/fallback"
	"github.com/tenantry/tenantry/functions/finance"
	"github.com/tenantry/tenantry/functions/history"
	"github.com/tenantry/tenantry/functions/identity"
	"github.com/tenantry/tenantry/functions/inventory"
	"github.com/tenantry/tenantry/functions/metrics"
	"github.com/tenantry/tenantry/functions/orders"
	"github.com/tenantry/tenantry/functions/pack"
	"github.com/tenantry/tenantry/functions/penalties"
	"github.com/tenantry/tenantry/functions/points"
	"github.com/tenantry/tenantry/functions/render"
	"github.com/tenantry/tenantry/functions/sales"
	"github.com/tenantry/tenantry/functions/seal"
	"github.com/tenantry/tenantry/functions/services"
	"github.com/tenantry/tenantry/functions/settings"
	"github.com/tenantry/tenantry/functions/show"
	"github.com/tenantry/tenantry/functions/signing"
	"github.com/tenantry/tenantry/functions/sms"
	"github.com/tenantry/tenantry/functions/templates"
	"github.com/tenantry/tenantry/functions/tenants"
	"github.com/tenantry/tenantry/functions/webhooks"
	"github.com/tenantry/tenantry/shared/app"
)

// All are the endpoint groups by name.
func All() map[string]app.New {
	return map[string]app.New{
		"clients":   clients.New,
		"documents": documents.New,
		"events":    events.New,
		"fallback":  fallback.New,
		"finance":   finance.New,
		"history":   history.New,
		"identity":  identity.New,
		"inventory": inventory.New,
		"metrics":   metrics.New,
		"orders":    orders.New,
		"penalties": penalties.New,
		"points":    points.New,
		"sales":     sales.New,
		"services":  services.New,
		"settings":  settings.New,
		"signing":   signing.New,
		"sms":       sms.New,
		"templates": templates.New,
		"tenants":   tenants.New,
		"webhooks":  webhooks.New,
	}
}

// Invoked are the functions without operations by name, which others call.
func Invoked() map[string]app.NewFunction {
	return map[string]app.NewFunction{
		"pack":   pack.New,
		"render": render.New,
		"seal":   seal.New,
		"show":   show.New,
	}
}
