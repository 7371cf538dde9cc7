package resource

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/web"
)

// customs are the custom fields by which a list is filtered and ordered.
type customs struct{ filters, orders []column.Field }

// customs reads the custom fields of the list if a request names any. Only such a request costs this read.
func (f finder) customs(ctx context.Context, r *web.Request) (c customs, err error) {
	if f.key == "" || !strings.Contains(r.Param("ordering"), column.CustomPrefix) && !isAsked(r, column.CustomPrefix) {
		return c, nil
	}
	set, err := customfield.Read(ctx, r.Table, f.key)
	for i := range set.List {
		field, ok := column.Custom(&set.List[i])
		if ok && set.List[i].Filter {
			c.filters = append(c.filters, field)
		}
		if ok && set.List[i].Table {
			c.orders = append(c.orders, field)
		}
	}
	return c, err
}

// order adds what a list can be ordered by.
func (c customs) order(fields map[string]segment.By) {
	for _, field := range c.orders {
		fields[field.Name] = field.By(false)
	}
}

// filter adds what the parameters of a request ask for.
func (c customs) filter(r *web.Request, q *search.Query, errs fault.FieldErrors) error {
	for _, param := range slices.Sorted(maps.Keys(r.Query)) {
		field, by, ok := column.Asked(c.filters, param)
		if !ok {
			continue
		}
		if err := Compare(r, q, field, by, param, errs); err != nil {
			return err
		}
	}
	return nil
}
