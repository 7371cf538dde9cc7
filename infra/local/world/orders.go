package world

import (
	"context"
	"strings"
	"time"
)

// orders: ann has two cars more, the items 5 and 6 of the group 1, and six orders of client 1. 1 is a request with the line 1 (item 5)
// and a service. 2 is reserved and partly paid, with the lines 2 (item 5) and 3 (item 6) of one set. 3 is in rent, and late: the line 4
// (item 6) is out, 5 (item 4) is back. 4 was paid and is cancelled, with the line 6 (item 5). 5 is a debtor's, with the line 7 (item 5),
// which came back late. Order 3 has the deposits 1 and 2, of which 2 is returned and partly kept, and the fee 1; the referrals are 1 of
// order 2, and 2 of order 3, which is paid. 6 is reserved, with the line 8 (item 5), which nobody has
// fetched. bob has an order, with a line and a service.
// Orders 3 and 5 were made and handed out when their rentals began, because a hand-out can't be told as late as today.
func (s *story) orders(ctx context.Context) error {
	for _, step := range []struct{ as, request, body string }{
		{"ann", "POST /v1/crm/inventories/", `{"name":"Corolla","group":1,"car":{"number":"555 KKK 02"}}`},
		{"ann", "POST /v1/crm/inventories/", `{"name":"RAV4","group":1,"sell_price":"12000000","car":{"number":"666 KKK 02"}}`},
		{"ann", "POST /v1/crm/requests/", `{"client":1,"rent_start":"2040-10-01T09:00:00Z","rent_end":"2040-10-04T09:00:00Z",
			"discount":1,"tax_percent":12,"inventories":[{"inventory":5,"tarif":3}],"services":[{"service":1,"discount":null}]}`},
		{"ann", "POST /v1/crm/requests/", `{"client":1,"status":1,"rental_point":1,"unique_id":"R-2",
			"rent_start":"2040-10-10T09:00:00Z","rent_end":"2040-10-12T09:00:00Z",
			"inventories":[{"inventory":5,"tarif":3,"set_group":"pair"},{"inventory":6,"tarif":3,"set_group":"pair"}]}`},
		{"ann", "POST /v1/crm/requests/2/pay/", `{"amount":"10000","date":"2025-09-01T10:00:00"}`},
		{"ann at 2025-02-10T10:00:00Z", "POST /v1/crm/requests/", `{"client":1,"status":1,"rent_start":"2025-02-10T09:00:00Z",
			"rent_end":"2025-02-12T09:00:00Z",
			"inventories":[{"inventory":6,"tarif":3},{"inventory":4,"tarif_price":1000,"tarif_duration":86400}]}`},
		{"ann at 2025-02-10T10:00:00Z", "POST /v1/crm/requests/3/action/", `{"status":2}`},
		{"ann", "POST /v1/crm/requests/3/action/", `{"status":4,"order_inventories":[5],"datetime":"2025-02-12T08:00:00Z"}`},
		{"ann", "POST /v1/crm/requests/", `{"client":1,"rent_start":"2040-10-20T09:00:00Z","rent_end":"2040-10-22T09:00:00Z",
			"inventories":[{"inventory":5,"tarif":3}]}`},
		{"ann", "POST /v1/crm/requests/4/pay/", `{"amount":"500","date":"2025-09-02T10:00:00"}`},
		{"ann", "POST /v1/crm/requests/4/action/", `{"status":3}`},
		{"ann at 2025-01-10T09:00:00Z", "POST /v1/crm/requests/", `{"client":1,"status":1,"rent_start":"2025-01-10T09:00:00Z",
			"rent_end":"2025-01-12T09:00:00Z","inventories":[{"inventory":5,"tarif":3}]}`},
		{"ann at 2025-01-10T09:00:00Z", "POST /v1/crm/requests/5/action/", `{"status":2}`},
		{"ann", "POST /v1/crm/requests/5/action/", `{"status":4,"datetime":"2025-01-12T14:30:00Z"}`},
		{"ann", "POST /v1/crm/requests/", `{"client":1,"status":1,"rent_start":"2025-03-01T09:00:00Z","rent_end":"2025-03-03T09:00:00Z",
			"inventories":[{"inventory":5,"tarif":3}]}`},
		{"ann", "POST /v1/crm/requests/3/deposits/", `{"amount":"50000","date":"2025-02-10T10:00:00Z"}`},
		{"ann", "POST /v1/crm/requests/3/deposits/", `{"amount":"1000","date":"2025-02-10T10:00:00Z"}`},
		{"ann", "POST /v1/crm/requests/3/deposits/2/return/", `{"withhold":"400","date":"2025-02-11T10:00:00Z"}`},
		{"ann", "POST /v1/crm/requests/3/penalties/", `{"amount":"3000","comment":"Washing"}`},
		{"ann", "POST /v1/crm/requests/referrals/", `{"request":2,"agent":1,"amount":"1500"}`},
		{"ann", "POST /v1/crm/requests/referrals/", `{"request":3,"agent":1,"amount":"2000"}`},
		{"ann", "POST /v1/crm/requests/referrals/2/pay/", `{}`},
		{"bob", "POST /v1/crm/requests/", `{"rent_start":"2040-10-01T09:00:00Z","rent_end":"2040-10-04T09:00:00Z",
			"inventories":[{"inventory":1,"tarif_price":1000}],"services":[{"service":1}]}`},
	} {
		method, path, _ := strings.Cut(step.request, " ")
		as, when, earlier := strings.Cut(step.as, " at ")
		caller := s.caller
		if earlier {
			then, err := time.Parse(time.RFC3339, when)
			if err != nil {
				return err
			}
			caller = s.w.at(then)
		}
		if err := caller.call(ctx, s.values[as+".access"], method, path, step.body, nil); err != nil {
			return err
		}
	}
	return nil
}
