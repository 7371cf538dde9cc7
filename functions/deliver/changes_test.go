package deliver_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/webhooks/signature"
	"github.com/tenantry/tenantry/shared/remote/public"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// What an owner changes while a delivery is on its way holds for what happens from then on, and nothing of it is undone when the delivery
// ends: with "during" the owner does something while the first delivery hangs, and "then" are the ids that come after it.
func TestChangesDuringARun(t *testing.T) {
	owner := webtest.Owner(1)
	for name, row := range map[string]struct {
		status int  // of the first delivery
		asked  bool // the first delivery is one that was asked for
		during func(o *office, path string)
		want   []string
		field  string
		value  string
	}{
		"more types": {204, false, func(o *office, path string) {
			o.As(owner).Patch(path, `{"types":["rental_point.*"]}`).Status(200)
			o.Clock.Step(time.Second)
			o.As(webtest.Employee(1)).Patch(all+"1/", `{"name":"B"}`).Status(200)
		}, []string{"evt_1_6"}, "enabled", `true`},
		"more types, after it was disabled for a moment": {204, false, func(o *office, path string) {
			o.As(owner).Patch(path, `{"enabled":false}`).Status(200)
			o.API.Deliver()
			o.As(owner).Patch(path, `{"enabled":true,"types":["rental_point.*"]}`).Status(200)
			o.Clock.Step(time.Second)
			o.As(webtest.Employee(1)).Patch(all+"1/", `{"name":"B"}`).Status(200)
		}, []string{"evt_1_7"}, "enabled", `true`},
		"more types, while it is tested": {204, true, func(o *office, path string) {
			o.As(owner).Patch(path, `{"types":["rental_point.*"]}`).Status(200)
			o.Clock.Step(time.Second)
			o.As(webtest.Employee(1)).Patch(all+"1/", `{"name":"B"}`).Status(200)
		}, []string{"evt_1_4", "evt_1_6"}, "enabled", `true`},
		"recover": {204, false, func(o *office, path string) {
			o.As(owner).Post(path+"recover/", `{"since":"2026-03-02T10:30:00Z"}`).Status(200)
		}, []string{"evt_1_4"}, "enabled", `true`},
		"another url than the one that is gone": {410, false, func(o *office, path string) {
			o.As(owner).Patch(path, `{"url":"https://new.example.com/"}`).Status(200)
		}, []string{"evt_1_4"}, "enabled", `true`},
		"another url than the one that fails": {500, false, func(o *office, path string) {
			o.As(owner).Patch(path, `{"url":"https://new.example.com/"}`).Status(200)
		}, []string{"evt_1_4"}, "delivery.failures", `0`},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t)
			path := o.hook(`{"url":"` + erp + `","types":["rental_point.created"]}`)
			o.points("A")
			o.deliver()
			o.arrived("evt_1_3")
			o.Clock.Step(time.Hour)
			o.points("B")
			o.API.Deliver()
			first := "evt_1_4"
			if row.asked {
				first = o.As(owner).Post(path+"test/", nil).Status(202).Text("webhook_id")
			}
			o.receiver.answer = func(_ post, n int) (public.Answer, error) {
				if n > 1 {
					return public.Answer{Status: 204}, nil
				}
				row.during(o, path)
				o.API.Deliver()
				return public.Answer{Status: row.status}, nil
			}
			o.due()
			for range 3 {
				o.deliver()
				o.Clock.Step(time.Minute)
			}
			posts := o.receiver.take()
			if len(posts) == 0 || posts[0].header.Get(signature.ID) != first {
				t.Fatalf("arrived: %v", ids(posts))
			}
			later := map[string]bool{}
			for _, id := range ids(posts[1:]) {
				later[id] = true
			}
			for _, id := range row.want {
				if !later[id] {
					t.Errorf("%s is missing among %v", id, ids(posts[1:]))
				}
			}
			o.As(owner).Get(path).Status(200).Field(row.field, row.value)
		})
	}
}
