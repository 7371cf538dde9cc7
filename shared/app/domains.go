package app

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/web"
)

// domains reads which host names are companies'. Only a host that is proven
// has an item, so that it is there says all.
type domains struct{ table *table.Conn }

// Domains tells which host names are companies', from the table.
func Domains(c *table.Conn) web.Domains { return domains{c} }

// IsCompany tells whether a host, in lower case, is a company's. The read is
// consistent: whose company a request means is decided by it.
func (d domains) IsCompany(ctx context.Context, host string) (bool, error) {
	err := crosstenant.Open(d.table).Get(ctx, crosstenant.Domain(host), &table.Item{})
	if errors.Is(err, table.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
