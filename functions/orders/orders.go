// Package orders is the HTTP face of a company's orders: orders with their lines of items and of
// services, the steps that they take, what is paid for them, and what agents get for them.
//
// What never goes in here: the rules of orders (functions/orders/order), how prices come about
// (functions/orders/pricing), and whether an item is free (functions/inventory/calendar).
package orders

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web"
)

// New is the group of orders.
func New(env app.Env) app.Group {
	operations := orderOperations(env.Now)
	operations = append(operations, depositOperations(env.Now)...)
	operations = append(operations, feeOperations(env.Now)...)
	operations = append(operations, referralOperations(env.Now)...)
	operations = append(operations, explained(lines(env.Now).Operations(env.Now), aboutLines())...)
	operations = append(operations, linePrice(env.Now), reopen(env.Now))
	operations = append(operations, exchangeOperations(env.Now)...)
	operations = append(operations, explained(linesBelow().Operations(env.Now), aboutLines())...)
	operations = append(operations, bulkLines(env.Now)...)
	operations = append(operations, explained(services(env.Now).Operations(env.Now), aboutServices())...)
	operations = append(operations, explained(servicesBelow().Operations(env.Now), aboutServices())...)
	operations = append(operations, bulkServices(env.Now)...)
	return app.Group{Group: web.Group{
		Name: "orders", Resource: scope.Orders,
		Doc:        "Orders: what a client rents or buys, for which time, what it costs and what was paid.",
		Operations: operations, Zone: company.ZoneOf,
	}, Work: Work(env)}
}

// Work returns the handlers of the group's messages.
func Work(env app.Env) outbox.Work { return order.Work(env.Table, env.Now) }

// Searched are the kinds of the group that are searched.
func Searched() []search.Kind {
	return []search.Kind{
		order.Kind().Searched(), order.Lines().Searched(), order.ServiceLines().Searched(),
		order.Referrals().Searched(), order.Exchanges().Searched(),
	}
}

// explained adds to the descriptions of operations what callers have to know of those with a method.
func explained(operations []web.Operation, more map[string]string) []web.Operation {
	for i := range operations {
		op := &operations[i]
		op.Doc = strings.TrimSpace(op.Doc + " " + more[op.Method])
	}
	return operations
}

// closed is what holds for all lines.
const closed = "A completed or cancelled order takes no new lines and no changes of its lines: 409 with the code status."

func aboutLines() map[string]string {
	change := "A rental is extended by another `end_at`. The line keeps its terms - its tariff, or all that were offered, and the price " +
		"rules of then - and is priced by them for the whole of its new time, unless `tarif`, `tarif_price`, `tarif_duration` or " +
		"`combined` change, or `reprice` is sent. A line whose item was handed out keeps its start, its item " +
		"and its type (409 with the code out); one whose item is back keeps its end and its tariff too (returned). " + closed +
		" A line may change here without the others of its `set_group`; bulk calls take all of them or none."
	return map[string]string{
		http.MethodPost: closed, http.MethodPut: change, http.MethodPatch: change,
		http.MethodDelete: "Only a line whose item was not handed out can be deleted: 409 with the code out. Lines of a " +
			"completed order stay: 409 with the code status. A line may go here without the others of its `set_group`; bulk " +
			"calls take all of them or none.",
	}
}

func aboutServices() map[string]string {
	price := "Its price is charged for each of `count`; where the rental settings have `services_by_time` and its tariff has a " +
		"duration, for the time besides: its own, or the order's, which it follows. An order has at most " +
		strconv.Itoa(order.MostTimed) + " such lines. What was made before that setting is charged once. "
	return map[string]string{
		http.MethodPost: price + closed, http.MethodPut: price + closed, http.MethodPatch: price + closed,
		http.MethodDelete: "Lines of a completed order stay: 409 with the code status.",
	}
}
