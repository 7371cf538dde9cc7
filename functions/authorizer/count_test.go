package authorizer_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/authorizer"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/table/tokenbucket"
	"github.com/tenantry/tenantry/shared/tenant"
)

// limited makes an instance that counts requests.
func (w *world) limited(company, caller tokenbucket.Rate) *world {
	another := *w
	another.Authorizer = authorizer.New(authorizer.Config{
		Table: w.conn, Keys: w.keys, Now: func() time.Time { return another.now }, Log: w.log, Company: company, Caller: caller,
	})
	return &another
}

// passes sends so many requests, and returns how many pass, and the answer to the last one.
func (w *world) passes(t *testing.T, n int, headers map[string]string) (passed int, last string) {
	t.Helper()
	for range n {
		if last = w.ask(t.Context(), t, headers); strings.Contains(last, `"verdict":"ok"`) {
			passed++
		} else if !strings.Contains(last, `"verdict":"throttled"`) {
			t.Fatal(last)
		}
	}
	return passed, last
}

var (
	fifty  = tokenbucket.Rate{PerSecond: 50, Burst: 200}
	twenty = tokenbucket.Rate{PerSecond: 20, Burst: 100}
	none   tokenbucket.Rate
)

// headers signs a user in anew, as an owner of companies, and returns the headers of a request.
func (w *world) headers(t *testing.T, user int64, companies ...tenant.ID) map[string]string {
	t.Helper()
	w.put(t, crosstenant.FamilyItem{
		Item: table.At(crosstenant.Family(user, family), crosstenant.FamilyVersion), Generation: 1, Expires: w.now.Add(24 * time.Hour).Unix(),
	})
	of := crosstenant.MembershipsItem{Item: table.At(crosstenant.Memberships(user), crosstenant.MembershipsVersion)}
	for _, id := range companies {
		of.List = append(of.List, tenant.Membership{Tenant: id, Role: tenant.Owner})
	}
	w.put(t, of)
	return map[string]string{"authorization": "Bearer " + w.tokenOf(t, user)}
}

// A caller sends a burst, then so many a second, in whatever companies; another caller of the same company is not held up by it.
func TestACallersRequests(t *testing.T) {
	w := newWorld(t).limited(none, twenty)
	ann, bob := w.headers(t, 21, 1, 2), w.headers(t, 22, 1)
	passed, last := 0, ""
	for n := range 150 {
		ann["x-tenant-id"] = []string{"1", "2", "9", ""}[n%4] // one that is not the caller's, and none
		one, answer := w.passes(t, 1, ann)
		passed, last = passed+one, answer
	}
	want := `{"burst":"100","limit":"caller-requests","user":"21","verdict":"throttled","wait":"1","window":"5"}`
	if passed != 100 || last != want {
		t.Errorf("%d pass, then %s, want %s", passed, last, want)
	}
	if passed, _ = w.passes(t, 90, bob); passed != 90 {
		t.Errorf("%d of another caller pass", passed)
	}
	w.now = w.now.Add(time.Second)
	if passed, _ = w.passes(t, 50, ann); passed != 20 {
		t.Errorf("%d pass after a second", passed)
	}
}

// All callers of a company, feeds too, take from one bucket; other companies, and callers without one, have theirs.
func TestACompanysRequests(t *testing.T) {
	w := newWorld(t)
	feed := map[string]string{"authorization": "Bearer " + w.feedText(t)}
	w = w.limited(fifty, none)
	ann, bob, other, alone := w.headers(t, 21, 3), w.headers(t, 22, 3), w.headers(t, 23, 2), w.headers(t, 24)
	passed := 0
	for _, headers := range []map[string]string{ann, bob, feed} {
		n, _ := w.passes(t, 66, headers)
		passed += n
	}
	if passed != 198 {
		t.Errorf("%d of 198 pass", passed)
	}
	passed, last := w.passes(t, 9, bob)
	want := `{"burst":"200","limit":"company-requests","tenant":"3","user":"22","verdict":"throttled","wait":"1","window":"4"}`
	if passed != 2 || last != want {
		t.Errorf("%d pass, then %s, want %s", passed, last, want)
	}
	passed, last = w.passes(t, 1, feed)
	want = `{"burst":"200","feed":"4","limit":"company-requests","tenant":"3","verdict":"throttled","wait":"1","window":"4"}`
	if passed != 0 || last != want {
		t.Errorf("of a feed: %s, want %s", last, want)
	}
	for _, headers := range []map[string]string{other, alone} {
		if passed, _ = w.passes(t, 150, headers); passed != 150 {
			t.Errorf("%d of another company, or of none, pass", passed)
		}
	}
	w.now = w.now.Add(time.Hour)
	if passed, _ = w.passes(t, 300, feed); passed != 200 {
		t.Errorf("%d pass an hour later", passed)
	}
}

func TestAFeedsRequests(t *testing.T) {
	w := newWorld(t)
	feed := map[string]string{"authorization": "Bearer " + w.feedText(t)}
	w = w.limited(fifty, twenty)
	passed, last := w.passes(t, 120, feed)
	want := `{"burst":"100","feed":"4","limit":"caller-requests","tenant":"3","verdict":"throttled","wait":"1","window":"5"}`
	if passed != 100 || last != want {
		t.Errorf("%d pass, then %s, want %s", passed, last, want)
	}
	if passed, _ = w.passes(t, 50, w.headers(t, 21, 3)); passed != 50 {
		t.Errorf("%d of the company's user pass", passed)
	}
}

// Counting takes no call of a quiet caller, and none of a flood: whoever has sent too much is refused before anything is read.
func TestCostOfCounting(t *testing.T) {
	w := newWorld(t).limited(fifty, twenty)
	ann := w.headers(t, 21, 1)
	ctx, m := meter.Start(t.Context())
	for range 300 { // a request each five seconds
		w.ask(ctx, t, ann)
		w.now = w.now.Add(5 * time.Second)
	}
	if u := m.Usage(); u.Calls != 300 || u.WriteUnits != 0 {
		t.Errorf("300 requests of a quiet caller: %+v", u)
	}
	ctx, m = meter.Start(t.Context())
	for range 1000 {
		w.ask(ctx, t, ann)
	}
	if u := m.Usage(); u.ReadUnits > 100*2 || u.WriteUnits > 30 {
		t.Errorf("1,000 requests at once: %+v", u)
	}
	ctx, m = meter.Start(t.Context())
	for range 100 {
		w.ask(ctx, t, ann)
	}
	if u := m.Usage(); u.Calls != 0 {
		t.Errorf("100 that are refused: %+v", u)
	}
}

// Whatever a token that doesn't hold is sent with, it costs its user nothing.
func TestInvalidTokensAreNotCounted(t *testing.T) {
	w := newWorld(t).limited(none, tokenbucket.Rate{PerSecond: 1, Burst: 5})
	ann := w.headers(t, 21, 1)
	w.put(t, crosstenant.FamilyItem{
		Item: table.At(crosstenant.Family(21, family), crosstenant.FamilyVersion), Generation: 1, Expires: w.now.Add(time.Hour).Unix(), Revoked: w.now.Unix(),
	})
	forged := map[string]string{"authorization": ann["authorization"][:len(ann["authorization"])-4] + "AAAA"}
	for range 20 {
		for _, headers := range []map[string]string{ann, forged, {"authorization": "Bearer x"}} {
			if got := w.ask(t.Context(), t, headers); got != invalid {
				t.Fatalf("%s, want %s", got, invalid)
			}
		}
	}
	if passed, _ := w.passes(t, 9, w.headers(t, 21, 1)); passed != 5 {
		t.Errorf("%d pass", passed)
	}
}

// Twenty instances, of which each knows little, let through a burst, what comes back, and each a part, a request and a hundredth.
func TestAFloodOnManyInstances(t *testing.T) {
	const instances, second, lasts = 20, 200, 6
	base := newWorld(t)
	w := base.limited(fifty, none)
	callers := []map[string]string{w.headers(t, 21, 3), w.headers(t, 22, 3), w.headers(t, 23, 3)}
	quiet := w.headers(t, 24, 5)
	all := make([]*world, instances)
	for i := range all {
		all[i] = base.limited(fifty, none)
	}
	random, passed := rand.New(rand.NewPCG(7, 9)), 0
	now := base.now
	for n := range second * lasts {
		now = now.Add(time.Second / second)
		i := all[random.IntN(instances)]
		i.now, base.now = now, now
		one, _ := i.passes(t, 1, callers[n%3])
		passed += one
		if n%100 == 0 {
			if one, last := i.passes(t, 1, quiet); one != 1 {
				t.Fatalf("another company: %s", last)
			}
		}
	}
	const back = 50 * lasts
	if most := 200 + back + instances*(10+1) + instances*back/100; passed > most || passed < 200+back*9/10 {
		t.Errorf("%d of %d pass, at most %d may", passed, second*lasts, most)
	}
	t.Logf("%d of %d pass", passed, second*lasts)
}

// A table that takes no writes holds nobody up: the request goes on, the log says why, and an instance counts by itself.
func TestRequestsThatCannotBeCounted(t *testing.T) {
	world, name := tabletest.NewFaulty(t, tabletest.Faults{})
	client := world.Client(1)
	w := newWorld(t)
	w.conn = table.Open(client, name)
	w.table = crosstenant.Open(w.conn)
	w = w.limited(fifty, twenty)
	ann := w.headers(t, 21, 1)
	broken := deafToWrites{client}
	w.conn = table.Open(broken, name)
	w = w.limited(fifty, twenty)
	if passed, _ := w.passes(t, 150, ann); passed != 100 {
		t.Errorf("%d pass", passed)
	}
	var line struct{ Level, Error string }
	first, _, _ := bytes.Cut(w.log.Bytes(), []byte("\n"))
	if err := json.Unmarshal(first, &line); err != nil || line.Level != "error" || !strings.Contains(line.Error, "requests are not counted") {
		t.Errorf("logged %s", w.log)
	}
	if n := bytes.Count(w.log.Bytes(), []byte("\n")); n != 2 { // the caller's, and the company's
		t.Errorf("%d lines", n)
	}
	w.now = w.now.Add(time.Second)
	if passed, _ := w.passes(t, 50, ann); passed != 20 {
		t.Errorf("%d pass a second later", passed)
	}
}
