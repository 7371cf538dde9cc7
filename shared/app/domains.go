package app

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/web"
)

// domains reads which host names belong to companies. Only a proven host has an item, so the
// existence of the item is the answer.
type domains struct{ table *table.Conn }

// Domains tells which host names belong to companies, according to the table.
func Domains(c *table.Conn) web.Domains { return domains{c} }

// IsCompany tells whether a host, in lower case, belongs to a company. The read is consistent,
// because it decides which company a request means.
func (d domains) IsCompany(ctx context.Context, host string) (bool, error) {
	err := crosstenant.Open(d.table).Get(ctx, crosstenant.Domain(host), &table.Item{})
	if errors.Is(err, table.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
