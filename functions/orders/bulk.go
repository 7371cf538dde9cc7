package orders

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// lineChange is an item line that is changed with others.
type lineChange struct {
	ID        decode.Optional[int64] `json:"id" required:"true" example:"1" doc:"Id of a line of the order"`
	Inventory decode.Optional[int64] `json:"inventory" doc:"Id of an inventory item"`
	lineFields
}

// serviceChange is a service line that is changed with others.
type serviceChange struct {
	ID      decode.Optional[int64] `json:"id" required:"true" example:"1" doc:"Id of a line of the order"`
	Service decode.Optional[int64] `json:"service" doc:"Id of a service"`
	serviceFields
}

type (
	newLines struct {
		Inventories decode.Optional[[]newLine] `json:"inventories" required:"true" notEmpty:"true" maxItems:"30"`
	}
	lineChangesBody struct {
		Inventories decode.Optional[[]lineChange] `json:"inventories" required:"true" notEmpty:"true" maxItems:"30"`
	}
	lineIDsBody struct {
		Inventories decode.Optional[[]int64] `json:"inventories" required:"true" notEmpty:"true" maxItems:"30" example:"[1]" doc:"Ids of lines of the order"`
	}
	newServices struct {
		Services decode.Optional[[]newService] `json:"services" required:"true" notEmpty:"true" maxItems:"10"`
	}
	serviceChangesBody struct {
		Services decode.Optional[[]serviceChange] `json:"services" required:"true" notEmpty:"true" maxItems:"10"`
	}
	serviceIDsBody struct {
		Services decode.Optional[[]int64] `json:"services" required:"true" notEmpty:"true" maxItems:"10" example:"[1]" doc:"Ids of lines of the order"`
	}
)

// bulk declares an operation on several lines of one order: all of them or none. It is answered
// with the whole order.
func bulk[In any](now func() time.Time, op web.Operation, list string, status int,
	do func(ctx context.Context, w *record.Work, o *order.Order, in *In) error,
) web.Operation {
	res := orders(now)
	op.ID = "order-" + op.ID
	op.Method, op.Path, op.Status, op.Idempotent, op.Thorough = http.MethodPost, res.Path()+"{request_id}/"+list, status, true, true
	op.Faults = resource.Changing()
	type input struct {
		ID      int64  `path:"request_id"`
		IfMatch string `header:"If-Match"`
		Body    In
	}
	return web.Op(op, func(ctx context.Context, r *web.Request, in *input) (*web.Reply[Order], error) {
		var of resource.Result[*order.Order]
		o := res.Outcome(ctx, r, &of, status)
		return o.After(resource.Scope(r, now).Do(ctx, o, func(w *record.Work) error {
			rec, err := res.Edit(ctx, w, r, in.ID)
			if err != nil {
				return err
			}
			of = resource.Result[*order.Order]{Work: w, Record: rec}
			return do(ctx, w, rec, &in.Body)
		}))
	})
}

const together = " All or nothing, and answered with the whole order. If-Match is about the order."

func bulkLines(now func() time.Time) []web.Operation {
	return []web.Operation{
		bulk(now, web.Operation{
			ID: "lines-bulk-create", MakesRecords: true, Summary: "Add item lines to an order", Doc: "At most 30." + together,
		}, "inventories/bulk_create/", http.StatusCreated, addLines),
		bulk(now, web.Operation{
			ID: "lines-bulk-update", Summary: "Change item lines of an order",
			Doc: "At most 30, each with its id and the fields that change; lines may exchange their items or times. " + sets + together,
		}, "inventories/bulk_update/", http.StatusOK, changeLines),
		bulk(now, web.Operation{
			ID: "lines-bulk-delete", Summary: "Remove item lines from an order",
			Doc: "At most 30 that were not handed out. " + sets + together,
		}, "inventories/bulk_delete/", http.StatusOK, removeLines),
	}
}

const sets = "Lines of one set_group are named together, or not at all."

func bulkServices(now func() time.Time) []web.Operation {
	return []web.Operation{
		bulk(now, web.Operation{
			ID: "services-bulk-create", MakesRecords: true, Summary: "Add service lines to an order", Doc: "At most 10." + together,
		}, "services/bulk_create/", http.StatusCreated, addServices),
		bulk(now, web.Operation{
			ID: "services-bulk-update", Summary: "Change service lines of an order",
			Doc: "At most 10, each with its id and the fields that change." + together,
		}, "services/bulk_update/", http.StatusOK, changeServices),
		bulk(now, web.Operation{
			ID: "services-bulk-delete", Summary: "Remove service lines from an order", Doc: "At most 10." + together,
		}, "services/bulk_delete/", http.StatusOK, removeServices),
	}
}

// addLines adds item lines to an order.
func addLines(ctx context.Context, w *record.Work, o *order.Order, in *newLines) error {
	var c order.Changes
	for i := range in.Inventories.Value {
		l, path := &order.Line{}, fmt.Sprintf("inventories.%d", i)
		if isNone(w, path) {
			continue
		}
		order.Lines().Create(w, path, l)
		l.Order = o.ID
		in.Inventories.Value[i].apply(l)
		c.Lines = append(c.Lines, in.Inventories.Value[i].draft(w, l, path))
	}
	return order.Arrange(ctx, w, o, c)
}

// changeLines changes item lines of an order.
func changeLines(ctx context.Context, w *record.Work, o *order.Order, in *lineChangesBody) error {
	ids := make([]int64, len(in.Inventories.Value))
	for i := range in.Inventories.Value {
		ids[i] = in.Inventories.Value[i].ID.Value
	}
	list, err := order.LinesOf(ctx, w, o, ids, "inventories", ".id")
	if err != nil {
		return err
	}
	var c order.Changes
	for i, l := range list {
		change := &in.Inventories.Value[i]
		change.Inventory.Into(&l.Item)
		change.lineFields.apply(l)
		c.Lines = append(c.Lines, change.draft(w, l, fmt.Sprintf("inventories.%d", i)))
	}
	return order.Arrange(ctx, w, o, c)
}

// removeLines removes item lines from an order.
func removeLines(ctx context.Context, w *record.Work, o *order.Order, in *lineIDsBody) error {
	list, err := order.LinesOf(ctx, w, o, in.Inventories.Value, "inventories", "")
	if err != nil {
		return err
	}
	return order.Remove(ctx, w, o, list, nil)
}

// addServices adds service lines to an order.
func addServices(ctx context.Context, w *record.Work, o *order.Order, in *newServices) error {
	var c order.Changes
	for i := range in.Services.Value {
		l, path := &order.ServiceLine{}, fmt.Sprintf("services.%d", i)
		if isNone(w, path) {
			continue
		}
		order.ServiceLines().Create(w, path, l)
		l.Order = o.ID
		in.Services.Value[i].apply(l)
		c.Services = append(c.Services, in.Services.Value[i].draft(w, l, path))
	}
	return order.Arrange(ctx, w, o, c)
}

// changeServices changes service lines of an order.
func changeServices(ctx context.Context, w *record.Work, o *order.Order, in *serviceChangesBody) error {
	ids := make([]int64, len(in.Services.Value))
	for i := range in.Services.Value {
		ids[i] = in.Services.Value[i].ID.Value
	}
	list, err := order.ServicesOf(ctx, w, o, ids, "services", ".id")
	if err != nil {
		return err
	}
	var c order.Changes
	for i, l := range list {
		change := &in.Services.Value[i]
		change.Service.Into(&l.Service)
		change.serviceFields.apply(l)
		c.Services = append(c.Services, change.draft(w, l, fmt.Sprintf("services.%d", i)))
	}
	return order.Arrange(ctx, w, o, c)
}

// removeServices removes service lines from an order.
func removeServices(ctx context.Context, w *record.Work, o *order.Order, in *serviceIDsBody) error {
	list, err := order.ServicesOf(ctx, w, o, in.Services.Value, "services", "")
	if err != nil {
		return err
	}
	return order.Remove(ctx, w, o, nil, list)
}
