package orders

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// inTime is the filter of orders by a time that they have something to do with.
func inTime() resource.Filter {
	bounds := map[string]string{"start_at": "rent_end__gte", "end_at": "rent_start__lte"} // what each asks of an order
	return resource.Filter{
		Params: []web.Param{
			{
				Name: "start_at", Format: "date-time",
				Doc: "Orders whose planned time is not over before this: a time, or a day of the company",
			},
			{Name: "end_at", Format: "date-time", Doc: "Orders whose planned time begins before this: a time, or a day of the company"},
		},
		Add: func(_ context.Context, r *web.Request, q *search.Query, errs fault.FieldErrors) error {
			for _, c := range order.Kind().Columns {
				for _, p := range c.Parameters() {
					for name, bound := range bounds {
						value := strings.TrimSpace(r.Param(name))
						if p.Name != bound || value == "" {
							continue
						}
						if err := p.Add(q, value, r.Zone()); err != nil {
							var wrong column.Wrong
							if !errors.As(err, &wrong) {
								return err
							}
							errs.Add(name, wrong.Error())
						}
					}
				}
			}
			return nil
		},
	}
}

const linesSearch = "`search` finds lines by the name of their client, as it is now."

// ofClients makes a search of lines find those of clients in whose names all words are.
func ofClients(now func() time.Time) []resource.Filter {
	return []resource.Filter{{Add: func(ctx context.Context, r *web.Request, q *search.Query, _ fault.FieldErrors) error {
		return client.Narrow(ctx, resource.Scope(r, now), q, r.Param("search"), order.ByClient)
	}}}
}

// byClient makes a search also find the orders of clients in whose names all words are.
func byClient(now func() time.Time) resource.Filter {
	return resource.Filter{Add: func(ctx context.Context, r *web.Request, q *search.Query, _ fault.FieldErrors) error {
		words := search.Words(r.Param("search"))
		if len(words) == 0 {
			return nil
		}
		s := resource.Scope(r, now)
		clients, err := client.Named(ctx, s, words)
		if err != nil || len(clients) == 0 {
			return err // without such clients, the search is for the unique_id alone
		}
		ids, err := order.Kind().Index(s).IDs(ctx, search.Query{Words: q.Words})
		if err != nil {
			return err
		}
		numbered := make(map[int64]bool, len(ids))
		for _, id := range ids {
			numbered[id] = true
		}
		q.Words = nil
		q.Where(func(e search.Entry) bool {
			return numbered[e.ID] || e.Has(order.ByClient) && clients[e.Number(order.ByClient)]
		})
		return nil
	}}
}
