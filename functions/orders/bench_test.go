package orders_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// What a request takes of us, without the engine.
func BenchmarkOrders(b *testing.B) {
	for _, tt := range []struct {
		name, method, path, body string
		status                   int
	}{
		{"a new order", "POST", requests, `{"client":1}`, 201},
		{"a new line", "POST", lines, `{"request":1,"inventory":5,"start_at":"2026-03-05T10:00:00+05:00","end_at":"2026-03-08T10:00:00+05:00"}`, 201},
		{"a list of 20", "GET", requests + "?pageSize=20", "", 200},
	} {
		b.Run(tt.name, func(b *testing.B) {
			canned := new(webtest.Canned)
			api, c := newAPI(b, webtest.Setup{Table: canned.Wrap})
			for range 25 {
				c.Post(requests, `{"client":1}`).Status(201)
			}
			for i := range 4 {
				c.Post(lines, fmt.Sprintf(
					`{"request":%d,"inventory":%d,"start_at":"2026-03-05T10:00:00+05:00","end_at":"2026-03-08T10:00:00+05:00"}`, i+1, i+1)).Status(201)
			}
			canned.Bench(b, api, "orders", c, tt.method, tt.path, tt.body, tt.status)
		})
	}
}
