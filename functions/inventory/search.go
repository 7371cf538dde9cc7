package inventory

import (
	"context"
	"strings"

	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// itemFilters returns the filters of the list of items that need more than a column.
func itemFilters() []resource.Filter {
	same := func(text string) string { return text }
	return []resource.Filter{
		active(), ofOwner("unique_id", "The unique_id of an active item", same),
		ofOwner("number", "The number of an active item's car", item.Plate),
	}
}

// active filters by whether items are disabled.
func active() resource.Filter {
	const name = "active"
	return resource.Filter{
		Params: []web.Param{{Name: name, Doc: "Whether it is in use: disabled is null.", Type: web.Boolean}},
		Add: func(_ context.Context, r *web.Request, q *search.Query, errs fault.FieldErrors) error {
			text := strings.TrimSpace(r.Param(name))
			if text == "" {
				return nil
			}
			want, ok := decode.ParseBoolean(text)
			if !ok {
				errs.Add(name, say.InvalidBoolean)
				return nil
			}
			c := item.Active()
			if !want {
				c = segment.Not(c)
			}
			q.Add(c)
			return nil
		},
	}
}

// ofOwner filters by a value that no two active items share. It asks who has reserved the value,
// so it costs the same for any number of items, and the search needs no column for it.
func ofOwner(name, says string, normal func(text string) string) resource.Filter {
	return resource.Filter{
		Params: []web.Param{{Name: name, Doc: says + ", the whole of it. Of items that are not active, a search finds it."}},
		Add: func(ctx context.Context, r *web.Request, q *search.Query, _ fault.FieldErrors) error {
			text := normal(strings.TrimSpace(r.Param(name)))
			if text == "" {
				return nil
			}
			found, err := r.Table.GetMany(ctx, unique.Value{Kind: kinds.Inventory, Name: name, Value: text}.Key(r.Table))
			if err != nil {
				return err
			}
			var ids []int64
			for _, reservation := range found {
				ids = append(ids, unique.Owner(table.Attributes(reservation)))
			}
			q.Add(segment.In(segment.ID, ids...))
			return nil
		},
	}
}
