// Code generated from functions/*/group.yaml by infra/groups/generate; DO NOT EDIT.

package show

import (
	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/functions/finance"
	"github.com/tenantry/tenantry/functions/inventory"
	"github.com/tenantry/tenantry/functions/orders"
	"github.com/tenantry/tenantry/functions/penalties"
	"github.com/tenantry/tenantry/functions/points"
	"github.com/tenantry/tenantry/functions/sales"
	"github.com/tenantry/tenantry/functions/services"
	"github.com/tenantry/tenantry/functions/settings"
	"github.com/tenantry/tenantry/functions/sms"
	"github.com/tenantry/tenantry/functions/templates"
	"github.com/tenantry/tenantry/functions/tenants"
	"github.com/tenantry/tenantry/functions/webhooks"
	"github.com/tenantry/tenantry/shared/kinds"
)

// faces are the groups that have the paths of records.
func faces() []face {
	return []face{
		{clients.New, []kinds.Code{"cli", "att", "agt", "dis", "cat"}},
		{documents.New, []kinds.Code{"doc"}},
		{finance.New, []kinds.Code{"acc", "trn", "exc"}},
		{inventory.New, []kinds.Code{"grp", "inv", "ist"}},
		{orders.New, []kinds.Code{"ord", "oin", "osv", "rfr", "swp"}},
		{penalties.New, []kinds.Code{"pen", "pst"}},
		{points.New, []kinds.Code{"pt"}},
		{sales.New, []kinds.Code{"fun", "led"}},
		{services.New, []kinds.Code{"svc"}},
		{settings.New, []kinds.Code{"prl", "fld", "ftk", "key"}},
		{sms.New, []kinds.Code{"sms", "smo"}},
		{templates.New, []kinds.Code{"tpl"}},
		{tenants.New, []kinds.Code{"stf"}},
		{webhooks.New, []kinds.Code{"whk"}},
	}
}
