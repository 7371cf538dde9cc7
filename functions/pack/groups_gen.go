// Code generated from functions/*/group.yaml by infra/groups/generate; DO NOT EDIT.

package pack

import (
	"slices"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/functions/finance"
	"github.com/tenantry/tenantry/functions/inventory"
	"github.com/tenantry/tenantry/functions/orders"
	"github.com/tenantry/tenantry/functions/penalties"
	"github.com/tenantry/tenantry/functions/points"
	"github.com/tenantry/tenantry/functions/sales"
	"github.com/tenantry/tenantry/functions/services"
	"github.com/tenantry/tenantry/functions/sms"
	"github.com/tenantry/tenantry/functions/tenants"
	"github.com/tenantry/tenantry/shared/record/search"
)

// searched are the kinds of all groups that are searched.
func searched() []search.Kind {
	return slices.Concat(
		clients.Searched(),
		documents.Searched(),
		finance.Searched(),
		inventory.Searched(),
		orders.Searched(),
		penalties.Searched(),
		points.Searched(),
		sales.Searched(),
		services.Searched(),
		sms.Searched(),
		tenants.Searched(),
	)
}
