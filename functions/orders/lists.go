package orders

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// inTime is the filter of orders by a time that they have something to do with.
func inTime() resource.Filter {
	return resource.Filter{
		Params: []web.Param{
			{
				Name: "start_at", Format: "date-time",
				Doc: "Orders whose planned time is not over before this: a time, or a day of the company",
			},
			{Name: "end_at", Format: "date-time", Doc: "Orders whose planned time begins before this: a time, or a day of the company"},
		},
		Add: func(_ context.Context, r *web.Request, q *search.Query, errs fault.FieldErrors) error {
			var open search.Query
			if err := resource.Compare(r, &open, column.OfMoment("rent_end", order.ByEnd), column.AtLeast, "start_at", errs); err != nil {
				return err
			}
			for _, ends := range open.Where { // without an end, as of sales alone, an order is over when it has begun
				begins := ends
				begins.Field = order.ByStart
				q.Add(segment.AnyOf(ends, segment.HasNone(order.ByEnd)), segment.AnyOf(begins, segment.Has(order.ByEnd)))
			}
			return resource.Compare(r, q, column.OfMoment("rent_start", order.ByStart), column.AtMost, "end_at", errs)
		},
	}
}

// ofItem is the filter of orders by the items of their lines.
func ofItem(now func() time.Time) resource.Filter {
	field := column.Reference[*order.Line]("inventory", order.ByItem, nil).Doc("Id of an inventory item that a line of the order has").Field
	return resource.Comparing(field, []column.Comparison{column.Equal, column.In},
		func(ctx context.Context, r *web.Request, q *search.Query, lines []segment.Condition) error {
			ids, err := order.Having(ctx, resource.Scope(r, now), search.Query{Where: lines})
			q.Add(segment.In(segment.ID, ids...))
			return err
		})
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
		of, err := client.Named(ctx, resource.Scope(r, now), order.ByClient, words)
		if err != nil || len(of.Set) == 0 {
			return err // without such clients, the search is for the unique_id alone
		}
		q.Add(segment.AnyOf(segment.Holding(q.Words...), of))
		q.Words = nil
		return nil
	}}
}
