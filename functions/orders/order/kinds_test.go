package order_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/functions/clients/discount"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/functions/services/service"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/recordtest"
)

func to[T any](v T) *T { return &v }

// seed makes a service, a client, an inventory item, a discount and an agent.
func seed(t testing.TB, s record.Scope) {
	t.Helper()
	err := s.Do(t.Context(), nil, func(w *record.Work) error {
		service.Kind().Create(w, "", &service.Service{Name: "Delivery", Slug: "delivery", Extra: decode.JSON("{}")})
		client.Kind().Create(w, "", &client.Client{Name: "Assel", Extra: decode.JSON("{}")})
		item.Kind().Create(w, "", &item.Item{Name: "Camry", Extra: decode.JSON("{}")})
		discount.Kind().Create(w, "", &discount.Discount{Name: "Regulars", Percent: to(money.Whole(5))})
		(&record.Kind[*agent]{Kind: kinds.Of(kinds.Agent), Shown: func(*agent) any { return nil }}).Create(w, "", new(agent))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// agent is an agent without anything.
type agent struct{ record.Meta }

func TestOrders(t *testing.T) {
	recordtest.Run(t, recordtest.Subject[*order.Order]{
		Kind: order.Kind(), Seed: seed,
		New: func(n int) *order.Order {
			return &order.Order{
				UniqueID: to(fmt.Sprint("N", n)), Client: to(int64(1)), RentStart: to(moment.Micros(1_700_000_000_000_000)), RentEnd: to(moment.Micros(1_800_000_000_000_000)),
				Additional: money.Whole(int64(n)), Price: money.Most(), Extra: decode.JSON("{}"), Status: order.Debtor,
				Lines: []order.Held{{ID: 1, Item: 2, Start: 3, End: 4, State: order.Out, Set: "A"}}, Services: []int64{1},
			}
		},
		Change: func(o *order.Order, n int) { o.Additional = money.Whole(int64(1000 + n)) },
	})
}

// An order's history tells the changes of its lines and referrals. These tests give each of them a history of its own.
func TestLines(t *testing.T) {
	kind := order.Lines()
	kind.Parent, kind.Kind.NoHistory = nil, false
	recordtest.Run(t, recordtest.Subject[*order.Line]{
		Kind: kind, Seed: seed,
		New: func(n int) *order.Line {
			start := moment.Micros(1_800_000_000_000_000 + n)
			return &order.Line{
				Order: 1, Item: 1, Client: to(int64(1)), Group: to(int64(7)), Start: start, End: start + 1, FactStart: to(start), FactEnd: to(start + 2),
				Buffer: 600, LateFee: money.Most(), Set: to(int64(0)), SetGroup: to("A"), CreatedBy: to(int64(3)), Extra: decode.JSON("{}"),
				Terms: order.Terms{
					Tariff: to(int64(1)), Name: to(""), Cost: money.Most(), Duration: 86400, Once: true, Price: money.Most(),
					Discount: &order.Reduction{ID: 1, Percent: to(money.Whole(0))}, PriceDiscount: money.Whole(int64(n)),
				},
			}
		},
		Change: func(l *order.Line, n int) { l.Start = moment.Micros(1_700_000_000_000_000 + n) },
	})
}

func TestReferrals(t *testing.T) {
	kind := order.Referrals()
	kind.Parent, kind.Kind.NoHistory = nil, false
	recordtest.Run(t, recordtest.Subject[*order.Referral]{
		Kind: kind, Seed: seed,
		New: func(n int) *order.Referral {
			return &order.Referral{Order: 1, Agent: to(int64(1)), Amount: money.Whole(int64(n)), Status: order.ReferralPending, Posting: to(int64(n))}
		},
		Change: func(r *order.Referral, n int) { r.Amount, r.Status = money.Whole(int64(1000+n)), order.ReferralPaid },
	})
}

func TestServiceLines(t *testing.T) {
	kind := order.ServiceLines()
	kind.Parent, kind.Kind.NoHistory = nil, false
	recordtest.Run(t, recordtest.Subject[*order.ServiceLine]{
		Kind: kind, Seed: seed,
		New: func(n int) *order.ServiceLine {
			return &order.ServiceLine{Service: 1, Order: 1, Client: to(int64(1)), Count: int64(n), Extra: decode.JSON("{}")}
		},
		Change: func(l *order.ServiceLine, n int) { l.Count = int64(1000 + n) },
	})
}
