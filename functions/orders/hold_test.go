package orders_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// held is the JSON of a request that has item 1 for some seconds.
func held(seconds int) string {
	return fmt.Sprintf(`{"client":1,"hold":%d,"inventories":[`+
		`{"inventory":1,"start_at":"2026-03-03T10:00:00Z","end_at":"2026-03-05T10:00:00Z"}]}`, seconds)
}

// A request that is held for a time is cancelled after it, its items are free, and the timeline says why.
func TestHoldEnds(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, held(3600)).Status(201).
		Field("expires_at", `"2026-03-02T10:30:00Z"`).Field("status", "0")
	api.Deliver()
	c.Get(requests+"1/").Field("status", "0")
	c.Post(requests, rental(1, "03T10:00", "05T10:00")).Status(409).Field("code", `"overlap"`)
	api.Clock.Step(time.Hour)
	// Until the worker comes, the items are held, and nothing makes the order go on.
	act(c, 1, 1).Status(409).Field("code", `"expired"`).Writes(0)
	c.Post(requests+"1/pay/", `{"amount":100}`).Status(409).Field("code", `"expired"`)
	c.Post(requests+"1/deposits/", `{"amount":100}`).Status(409).Field("code", `"expired"`)
	c.Post(requests, rental(1, "03T10:00", "05T10:00")).Status(409).Field("code", `"overlap"`)
	api.Clock.Step(time.Second)
	if n := api.Deliver(); n == 0 {
		t.Fatal("no message was due")
	}
	c.Get(requests+"1/").Field("status", "3").Field("expires_at", "null")
	c.Get(requests+"1/timeline/").Field("results.0.events.0.kind", `"cancelled"`).
		Field("results.0.events.0.text", `"The order was cancelled: its hold had ended"`).Field("results.0.user", "null")
	c.Post(requests, rental(1, "03T10:00", "05T10:00")).Status(201)
	whole(t, api)
}

// A worker whose clock is behind gets the message before the hold has ended, and puts it off. So does one that was told of a longer hold.
func TestHoldWaitsForItsEnd(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, held(60)).Status(201)
	m, err := outbox.New(table.Of(api.Env.Table, 1).Message, order.Lapsing, map[string]int64{"order": 1}, api.Clock.Now(), api.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	lapse := order.Work(api.Env.Table, api.Env.Now)[order.Lapsing]
	end := api.Clock.Now().Add(time.Minute)
	for _, at := range []time.Duration{0, time.Minute - time.Second, time.Second - time.Microsecond} {
		api.Clock.Step(at)
		var later outbox.Later
		if err := lapse(t.Context(), m); !errors.As(err, &later) || later.Until.Sub(end).Abs() > 2*time.Millisecond {
			t.Errorf("it is %v, until %s, want %s", err, later.Until, end)
		}
		c.Get(requests+"1/").Field("status", "0")
	}
	api.Clock.Step(time.Second)
	if err := lapse(t.Context(), m); err != nil {
		t.Error(err)
	}
	c.Get(requests+"1/").Field("status", "3")
	if err := lapse(t.Context(), m); err != nil {
		t.Errorf("again: %v", err)
	}
	whole(t, api)
}

// Whoever is faster than the worker cancels a request whose hold has ended for nothing, too.
func TestHoldThatEndedCostsNothing(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	api.As(webtest.Manager(1)).Put(rentalSettings, `{"cancellation":[{"before":864000,"percent":50}]}`).Status(200)
	c.Post(requests, held(60)).Status(201)
	c.Post(requests, `{"inventories":[`+from(2, 1, 0)+`]}`).Status(201)
	api.Clock.Step(time.Minute)
	act(c, 1, 3).Status(200).Field("penalties", "[]").Field("debt", `"0.00"`)
	act(c, 2, 3).Status(200).Field("debt", `"1500.00"`)
	whole(t, api)
}

// What ends a hold for good: the order is reserved, money is left for it, or somebody lifts it.
func TestHoldIsLifted(t *testing.T) {
	for name, lift := range map[string]func(c *webtest.Client){
		"reserved":  func(c *webtest.Client) { act(c, 1, 1).Status(200) },
		"paid":      func(c *webtest.Client) { c.Post(requests+"1/pay/", `{"amount":1}`).Status(200) },
		"a deposit": func(c *webtest.Client) { c.Post(requests+"1/deposits/", `{"amount":1}`).Status(201) },
		"null":      func(c *webtest.Client) { c.Patch(requests+"1/", `{"hold":null}`).Status(200) },
		"0":         func(c *webtest.Client) { c.Patch(requests+"1/", `{"hold":0}`).Status(200) },
	} {
		t.Run(name, func(t *testing.T) {
			api, c := newAPI(t, webtest.Setup{})
			c.Post(requests, held(60)).Status(201)
			lift(c)
			before := c.Get(requests+"1/").Field("expires_at", "null").Int("status")
			api.Clock.Step(time.Hour)
			api.Deliver()
			if after := c.Get(requests + "1/").Int("status"); after != before {
				t.Errorf("the status is %d", after)
			}
			whole(t, api)
		})
	}
}

// A hold can be made longer, also when it has ended and the worker did not come yet; the message of before comes too soon then.
func TestHoldIsRenewed(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, held(60)).Status(201)
	api.Clock.Step(2 * time.Minute)
	c.Patch(requests+"1/", `{"hold":3600}`).Status(200).Field("expires_at", `"2026-03-02T10:32:00Z"`).Happened("order.updated")
	c.Get(requests+"1/timeline/").Field("results.0.events.0.text", `"Changed: expires_at"`)
	api.Deliver()
	c.Get(requests+"1/").Field("status", "0")
	c.Patch(requests+"1/", `{"extra":{"a":1}}`).Status(200).Field("expires_at", `"2026-03-02T10:32:00Z"`)
	api.Clock.Step(time.Hour + time.Second)
	api.Deliver()
	c.Get(requests+"1/").Field("status", "3")
	whole(t, api)
}

// The setting is for new requests that say nothing; what is no request is not held, and no hold is longer than 31 days.
func TestHoldOfTheSettings(t *testing.T) {
	api, c := newDesk(t, webtest.Setup{})
	api.As(webtest.Manager(1)).Put(rentalSettings, `{"hold":600}`).Status(200).Field("hold", "600")
	c.Post(requests, `{"client":1}`).Status(201).Field("expires_at", `"2026-03-02T09:40:00Z"`)
	c.Post(requests, `{"client":1,"hold":null}`).Status(201).Field("expires_at", "null")
	c.Post(requests, `{"client":1,"hold":0}`).Status(201).Field("expires_at", "null")
	c.Post(requests, `{"client":1,"status":1}`).Status(201).Field("expires_at", "null")
	c.Post(requests, `{"client":1,"status":1,"hold":60}`).Status(400).JSON(`{"hold":["Only a request (status 0) is held for a time."]}`)
	c.Post(requests, `{"client":1,"hold":2678401}`).Status(400).JSON(`{"hold":["Ensure this value is less than or equal to 2678400."]}`)
	c.Post(requests, `{"client":1,"hold":-1}`).Status(400).JSON(`{"hold":["Ensure this value is greater than or equal to 0."]}`)
	c.Patch(requests+"4/", `{"hold":60}`).Status(409).Field("code", `"status"`)
	c.Patch(requests+"4/", `{"hold":0}`).Status(200)
	c.Post(quotes, `{"client":1}`).Status(200)
	whole(t, api)
}
