package order_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/functions/services/service"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/recordtest"
)

func to[T any](v T) *T { return &v }

// seed makes a service and a client.
func seed(t testing.TB, s record.Scope) {
	t.Helper()
	err := s.Do(t.Context(), nil, func(w *record.Work) error {
		service.Kind().Create(w, "", &service.Service{Name: "Delivery", Slug: "delivery", Extra: decode.JSON("{}")})
		client.Kind().Create(w, "", &client.Client{Name: "Assel", Extra: decode.JSON("{}")})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOrders(t *testing.T) {
	recordtest.Run(t, recordtest.Subject[order.Order]{
		Kind: order.Kind(), Seed: seed,
		New: func(n int) *order.Order {
			return &order.Order{
				UniqueID: to(fmt.Sprint("N", n)), Client: to(int64(1)), RentStart: to(int64(1_700_000_000_000_000)), RentEnd: to(int64(1_800_000_000_000_000)),
				Additional: money.Whole(int64(n)), Price: money.Most(), Extra: decode.JSON("{}"), Status: order.Debtor,
				Lines: []order.Held{{ID: 1, Item: 2, Start: 3, End: 4, State: order.Out, Set: "A"}}, Services: []int64{1},
			}
		},
		Change: func(o *order.Order, n int) { o.Additional = money.Whole(int64(1000 + n)) },
	})
}

// The history of a line is a part of its order's. This test gives lines histories of their own.
func TestServiceLines(t *testing.T) {
	kind := order.ServiceLines()
	kind.Parent = nil
	recordtest.Run(t, recordtest.Subject[order.ServiceLine]{
		Kind: kind, Seed: seed,
		New: func(n int) *order.ServiceLine {
			return &order.ServiceLine{Service: 1, Order: 1, Client: to(int64(1)), Count: int64(n), Extra: decode.JSON("{}")}
		},
		Change: func(l *order.ServiceLine, n int) { l.Count = int64(1000 + n) },
	})
}
