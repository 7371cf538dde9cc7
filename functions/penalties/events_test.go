package penalties_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// Whose a penalty is, or is not any more, is said when it is found out: as it is made, by whoever changes it, and by the worker when orders change.
func TestEventsOfPenalties(t *testing.T) {
	api, c := newFleet(t)
	rent(c, 1, 1, 3, 5).Status(201)
	settle(api)
	sees(c, 1, car1, "04", "12:00").Status(201).Happened("penalty.created", "penalty.matched")
	sees(c, 2, `{"number":"999ZZZ01"}`, "04", "12:00").Status(201).Happened("penalty.created")
	api.Left(1, func() {
		c.Patch(list+"1/", `{"violation_date":"2026-03-09","paid":true}`).Status(200).Happened("penalty.updated", "penalty.unmatched")
		c.Patch(list+"1/", `{"violation_date":"2026-03-04"}`).Status(200).Happened("penalty.updated", "penalty.matched")
		c.Patch(list+"1/", `{"paid":false}`).Status(200).Happened("penalty.updated")
	},
		`penalty.updated penalty:1 [order:1 inventory:1 client:1] {"fields":["paid","violated_at","violation_date"]}`,
		`penalty.unmatched penalty:1 [order:1 client:1 inventory:1] {"inventory":1,"order":1,"line":1,"client":1}`,
		`penalty.updated penalty:1 [order:1 client:1 inventory:1] {"fields":["violated_at","violation_date"]}`,
		`penalty.matched penalty:1 [order:1 client:1 inventory:1] {"inventory":1,"order":1,"line":1,"client":1}`,
		`penalty.updated penalty:1 [order:1 client:1 inventory:1] {"fields":["paid"]}`,
	)
	const charge = list + "1/charge/"
	fee := func() int64 { return c.Get(requests + "1/penalties/").Status(200).Int("0.id") }
	c.Post(charge, `{"amount":"50.5"}`).Status(200)
	first := fee()
	c.Post(charge, `{}`).Status(409).Happened()
	c.Delete(charge).Status(204)
	var got []string
	for _, e := range api.Events(1, 0) {
		if e.Name == "penalty.charged" || e.Name == "penalty.uncharged" {
			got = append(got, string(e.Name)+string(e.Data))
		}
	}
	if first != 1 || len(got) != 2 || got[0] != `penalty.charged{"order":1,"fee":1,"amount":"50.50"}` || got[1] != `penalty.uncharged{"order":1,"fee":1}` {
		t.Errorf("%q, the fee %d", got, first)
	}

	// The worker says whose it is when the order changes, and nothing where it stays.
	api.Clock.Step(48 * time.Hour) // the rental has begun
	var later []string
	after := api.Events(1, 0)
	c.Patch(requests+"1/", `{"client":2}`).Status(200)
	settle(api)
	c.Post(requests+"1/action/", `{"status":3}`).Status(200)
	settle(api)
	settle(api)
	for _, e := range api.Events(1, after[len(after)-1].Number) {
		if e.Name.Record() == "penalty" {
			later = append(later, string(e.Name)+string(e.Data))
		}
	}
	if want := []string{
		`penalty.matched{"inventory":1,"order":1,"line":1,"client":2}`, `penalty.unmatched{"inventory":1,"order":1,"line":1,"client":2}`,
	}; !slices.Equal(later, want) {
		t.Errorf("%q, want %q", later, want)
	}
}

// The rows of a registry are matched after its request, by the worker.
func TestEventsOfAFeed(t *testing.T) {
	api, c := newFleet(t)
	rent(c, 1, 1, 3, 5).Status(201)
	settle(api)
	row := `{"outer_id":1,"protocol_number":"A","violation_date":"2026-03-04","violation_time":"12:00","car":` + car1 + `}`
	api.As(webtest.Feed(4, 1)).Post(list, `[`+row+`,{"outer_id":2,"protocol_number":"B"}]`).Status(200).
		Happened("penalty.created", "penalty.created")
	api.Left(1, func() { settle(api) }, `penalty.matched penalty:1 [order:1 client:1 inventory:1] {"inventory":1,"order":1,"line":1,"client":1}`)
}
