package app

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
)

// domains reads to which companies host names belong. Only a proven host has an item.
type domains struct{ table *table.Conn }

// Domains tells to which companies host names belong, according to the table.
func Domains(c *table.Conn) web.Domains { return domains{c} }

// CompanyOf returns the company of a host, in lower case; 0 if it has none. The read is
// consistent, because it decides which company a request means.
func (d domains) CompanyOf(ctx context.Context, host string) (tenant.ID, error) {
	var item crosstenant.DomainItem
	err := crosstenant.Open(d.table).Get(ctx, crosstenant.Domain(host), &item)
	if errors.Is(err, table.ErrNotFound) {
		return 0, nil
	}
	return item.Tenant, err
}
