package order

import (
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
)

// Around are the keys of what an answer shows of an order besides itself: its lines, their items,
// and its client.
func Around(t *table.Tenant, o *Order) (keys []table.Key) {
	for _, l := range o.Lines {
		keys = append(keys, t.Record(kinds.OrderInventory, l.ID), t.Record(kinds.Inventory, l.Item))
	}
	for _, id := range o.Services {
		keys = append(keys, t.Record(kinds.OrderService, id))
	}
	if o.Client != nil {
		keys = append(keys, t.Record(kinds.Client, *o.Client))
	}
	return distinct(keys)
}
