package values

import (
	"errors"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/functions/documents/template"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// An order that was changed between the reading of itself and of its lines is read anew; a part that is gone by now is no part
// of what a document says.
func TestTornOrders(t *testing.T) {
	of := table.Of(table.Open(nil, ""), 1)
	held := order.Held{ID: 3, Item: 4, Start: 5, End: 6}
	for name, row := range map[string]struct {
		line    *order.Line
		service *order.ServiceLine
		err     error
	}{
		"as it is held":       {&order.Line{Order: 2, Item: 4, Start: 5, End: 6}, new(order.ServiceLine), nil},
		"moved meanwhile":     {&order.Line{Order: 2, Item: 4, Start: 5, End: 7}, new(order.ServiceLine), table.ErrRevision},
		"a line is gone":      {nil, new(order.ServiceLine), table.ErrRevision},
		"a service has ended": {&order.Line{Order: 2, Item: 4, Start: 5, End: 6}, nil, table.ErrRevision},
	} {
		t.Run(name, func(t *testing.T) {
			w := record.Scope{Table: of, Now: time.Now}.Reading()
			know := func(k table.Key, v any) {
				found := map[table.Key]table.Attributes{}
				if v != nil {
					item, err := dynamo.MarshalItem(v)
					if err != nil {
						t.Fatal(err)
					}
					found[k] = table.Attributes(item)
				}
				w.Know(found, k)
			}
			know(of.Company(), company.Company{Item: table.At(of.Company(), company.Version), ID: 1, TimeZone: "Asia/Almaty"})
			for _, key := range keys(template.OfOrder) {
				know(of.Definitions(key), nil)
			}
			o := &order.Order{Lines: []order.Held{held}, Services: []int64{8}}
			o.ID, o.Meta.Item = 2, table.At(of.Record(kinds.Order, 2), 1)
			know(of.Record(kinds.Order, 2), o)
			know(of.Record(kinds.Inventory, 4), nil)
			know(of.Archive(kinds.Inventory, 4), nil)
			know(of.Record(kinds.OrderInventory, 3), nil)
			know(of.Record(kinds.OrderService, 8), nil)
			if row.line != nil {
				row.line.ID, row.line.Item = 3, 4
				row.line.Meta.Item = table.At(of.Record(kinds.OrderInventory, 3), 1)
				know(of.Record(kinds.OrderInventory, 3), row.line)
			}
			if row.service != nil {
				row.service.ID, row.service.Meta.Item = 8, table.At(of.Record(kinds.OrderService, 8), 1)
				know(of.Record(kinds.OrderService, 8), row.service)
			}
			s, err := Load(t.Context(), w, template.OfOrder, 2)
			if !errors.Is(err, row.err) || err == nil && (len(s.lines) != 1 || s.lines[0].item != nil || len(s.services) != 1) {
				t.Errorf("%+v, %v", s, err)
			}
		})
	}
	w := record.Scope{Table: of, Now: time.Now}.Reading()
	for _, id := range []int64{0, -1, table.MaxID + 1} {
		if _, err := Load(t.Context(), w, template.OfClient, id); !errors.Is(err, fault.New(fault.Invalid, "")) {
			t.Errorf("%d: %v", id, err)
		}
	}
}
