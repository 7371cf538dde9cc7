// Package companies is the operator's command that lists the companies of a stage.
//
// What never goes in here: anything that writes.
package companies

import (
	"context"
	"errors"
	"iter"

	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// All are the numbers of all companies that the stage has given out, those included that are no longer there.
func All(ctx context.Context, e *stage.Env) (iter.Seq[tenant.ID], error) {
	var last struct {
		table.Item
		N int64 `dynamo:"n"`
	}
	err := crosstenant.Open(e.Conn).Get(ctx, crosstenant.Tenants(), &last)
	if err != nil && !errors.Is(err, table.ErrNotFound) {
		return nil, err
	}
	return func(yield func(tenant.ID) bool) {
		for id := tenant.ID(1); id <= tenant.ID(last.N); id++ {
			if !yield(id) {
				return
			}
		}
	}, nil
}

// Run lists the companies.
func Run(ctx context.Context, e *stage.Env, args []string) error {
	if err := stage.Parse(e.Flags("companies"), args); err != nil {
		return err
	}
	all, err := All(ctx, e)
	if err != nil {
		return err
	}
	for id := range all {
		c, err := e.Company(ctx, id)
		if err != nil {
			return err
		}
		e.Say("%d %s", id, c.Name)
	}
	return nil
}
