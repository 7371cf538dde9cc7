package clients

import (
	"context"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// filters returns the filters of the list that need more than a column.
func filters() []resource.Filter {
	return []resource.Filter{{
		Params: []web.Param{{Name: "name", Doc: "Words of the name; all of them must be in it."}},
		Add: func(_ context.Context, r *web.Request, q *search.Query, _ fault.FieldErrors) error {
			q.InName = append(q.InName, search.Words(r.Param("name"))...)
			return nil
		},
	}}
}
