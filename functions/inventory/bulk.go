package inventory

import (
	"context"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

type bulkBody struct {
	ID          decode.Optional[int64]   `json:"id" required:"true" example:"1" doc:"Id of the inventory group that the items get into"`
	Inventories decode.Optional[[]int64] `json:"inventories" required:"true" notEmpty:"true" maxItems:"1000" example:"[1]" doc:"Ids of inventory items; one that is repeated counts once."`
}

// BulkUpdate is which items were moved into which group.
type BulkUpdate struct {
	ID          int64   `json:"id" doc:"Id of the inventory group"`
	Inventories []int64 `json:"inventories" doc:"Each item once, in the order in which they were sent"`
}

type bulkInput struct{ Body bulkBody }

// bulkUpdate is the operation that moves items into a group.
func bulkUpdate(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: "inventory-items-bulk-update", Method: http.MethodPost, Path: kinds.Of(kinds.Inventory).Path + "bulk_update/",
		Status: http.StatusCreated, Idempotent: true, Thorough: true, Summary: "Move inventory items into an inventory group",
		Doc: "All of them or none. While more than about 45 are moved, others may see some moved before the rest; once some are, " +
			"all will be, even if the request ends with an error. Items that are deleted meanwhile are left out, and of two moves " +
			"of an item the later one holds.",
	}, func(ctx context.Context, r *web.Request, in *bulkInput) (*web.Reply[BulkUpdate], error) {
		moved := BulkUpdate{ID: in.Body.ID.Value, Inventories: item.Distinct(in.Body.Inventories.Value)}
		o := web.OutcomeOf(r, func() (*web.Reply[BulkUpdate], error) {
			return &web.Reply[BulkUpdate]{Status: http.StatusCreated, Body: &moved}, nil
		})
		return o.After(item.MoveAll(ctx, resource.Scope(r, now), o, moved.ID, in.Body.Inventories.Value))
	})
}
