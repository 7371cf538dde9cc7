package tenants

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// zone is a DNS of TXT records.
type zone struct {
	mu      sync.Mutex
	records map[string][]string
	broken  bool
}

func (z *zone) set(name string, records ...string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.records == nil {
		z.records = map[string][]string{}
	}
	z.records[name] = records
}

func (z *zone) lookup(ctx context.Context, name string) ([]string, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if _, timed := ctx.Deadline(); !timed {
		return nil, errors.New("a lookup without an end")
	}
	if z.broken {
		return nil, &net.DNSError{Err: "server misbehaving", Name: name, IsTemporary: true}
	}
	if records, ok := z.records[name]; ok {
		return records, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

func withZone(t *testing.T) (*webtest.API, *zone) {
	t.Helper()
	z := new(zone)
	api := webtest.Setup{Change: func(env *app.Env) { env.LookupTXT = z.lookup }}.New(t, New)
	seed(t, api.Env.Table)
	return api, z
}

// claimMessage is the message that looks for the proof of a company's claim.
func claimMessage(t *testing.T, api *webtest.API, id tenant.ID) outbox.Message {
	t.Helper()
	all := crosstenant.Open(api.Env.Table)
	var found outbox.Message
	if err := outbox.EachDue(t.Context(), all, api.Clock.Now(), func(k table.Key) error {
		var m outbox.Message
		if err := all.Get(t.Context(), k, &m); err != nil {
			return err
		}
		if of, _ := m.Tenant(); of == id {
			found = m
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if found.Kind != provenKind {
		t.Fatalf("company %d has left %+v", id, found)
	}
	return found
}

func prove(t *testing.T, api *webtest.API, m outbox.Message) error {
	t.Helper()
	return api.Group("tenants").Work[provenKind](t.Context(), m)
}

func exists(t *testing.T, api *webtest.API, domain string) string {
	t.Helper()
	return string(api.As(webtest.Nobody()).Post("/v1/tenant/domains/", map[string]string{"domain": domain}).Status(200).Body())
}

func TestAHostCountsOnceItIsProven(t *testing.T) {
	api, z := withZone(t)
	user, s := api.As(webtest.SignedIn(5)), open(api.Env.Table)
	user.Post("/v1/tenant/", body("Rent.Acme.kz")).Status(201).Writes(12)
	if got := memberships(t, s, 5); len(got) != 1 || got[0].Host != "" {
		t.Fatalf("an unproven host counts: %v", got)
	}
	if got := exists(t, api, "rent.acme.kz"); got != `{"exists":false}` {
		t.Fatalf("an unproven host is taken: %s", got)
	}
	m := claimMessage(t, api, 1)
	for _, records := range [][]string{nil, {"v=spf1 -all"}, {"tenantry-company=11"}, {"tenantry-company=1x"}} {
		if records != nil {
			z.set("_tenantry.rent.acme.kz.", records...)
		}
		var later outbox.Later
		if err := prove(t, api, m); !errors.As(err, &later) {
			t.Fatalf("with %q: %v", records, err)
		}
	}
	z.set("_tenantry.rent.acme.kz.", "v=spf1 -all", " tenantry-company=1 ")
	for range 2 { // delivered again after a crash
		if err := prove(t, api, m); err != nil {
			t.Fatal(err)
		}
		if got := memberships(t, s, 5); got[0].Host != "rent.acme.kz" {
			t.Fatalf("memberships %v", got)
		}
	}
	if got := exists(t, api, "rent.acme.kz"); got != `{"exists":true}` {
		t.Fatalf("a proven host is not taken: %s", got)
	}
	if c, err := s.company(t.Context(), 1); err != nil || c.Host != "rent.acme.kz" || c.Claim != "" {
		t.Fatalf("%+v, %v", c, err)
	}
	api.As(webtest.SignedIn(6)).Post("/v1/tenant/", body("rent.acme.kz")).Writes(3).Status(400).
		JSON(`{"domain":["This field must be unique."]}`)
}

func TestTheFirstToProveHasTheHost(t *testing.T) {
	api, z := withZone(t)
	for user := range int64(2) {
		api.As(webtest.SignedIn(user+1)).Post("/v1/tenant/", body("acme.kz")).Status(201)
	}
	first, second := claimMessage(t, api, 1), claimMessage(t, api, 2)
	z.set("_tenantry.acme.kz.", "tenantry-company=1", "tenantry-company=2")
	if err := prove(t, api, second); err != nil {
		t.Fatal(err)
	}
	if err := prove(t, api, first); !errors.Is(err, outbox.ErrDrop) {
		t.Fatalf("%v", err)
	}
	s := open(api.Env.Table)
	if got := memberships(t, s, 1); got[0].Host != "" {
		t.Fatalf("the loser has the host: %v", got)
	}
	if got := memberships(t, s, 2); got[0].Host != "acme.kz" {
		t.Fatalf("the winner lacks the host: %v", got)
	}
}

func TestPausesGrowForAWeek(t *testing.T) {
	api, z := withZone(t)
	z.broken = true
	api.As(webtest.SignedIn(5)).Post("/v1/tenant/", body("acme.kz")).Status(201)
	m := claimMessage(t, api, 1)
	var last time.Duration
	lookups := 0
	for api.Clock.Now().Sub(m.At) < proofTime {
		var later outbox.Later
		if err := prove(t, api, m); !errors.As(err, &later) {
			t.Fatal(err)
		}
		pause := later.Until.Sub(api.Clock.Now())
		if pause < last || pause < time.Minute || pause > 6*time.Hour {
			t.Fatalf("pause %s after one of %s", pause, last)
		}
		last = pause
		lookups++
		api.Clock.Step(pause)
	}
	if err := prove(t, api, m); !errors.Is(err, outbox.ErrDrop) || !strings.Contains(err.Error(), "server misbehaving") {
		t.Fatal(err)
	}
	if lookups < 30 || lookups > 80 {
		t.Fatalf("%d lookups in a week", lookups)
	}
}

func TestAProvenHostReachesAllMembers(t *testing.T) {
	api, z := withZone(t)
	api.As(webtest.SignedIn(1)).Post("/v1/tenant/", body("acme.kz")).Status(201)
	s := open(api.Env.Table)
	const members = 150 // more than one transaction holds
	for user := int64(2); user <= members; user++ {
		join := func(item any) {
			if err := s.all.Put(item).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		join(staff.Member{Item: table.At(table.Of(s.conn, 1).Member(user), staff.MemberVersion), User: user, Role: tenant.Employee})
		join(crosstenant.MembershipsItem{Item: table.At(crosstenant.Memberships(user), 1), List: []tenant.Membership{
			{Tenant: 900 + tenant.ID(user), Role: tenant.Owner, Host: "own"}, {Tenant: 1, Role: tenant.Employee},
		}})
	}
	z.set("_tenantry.acme.kz.", "tenantry-company=1")
	if err := prove(t, api, claimMessage(t, api, 1)); err != nil {
		t.Fatal(err)
	}
	for user := int64(1); user <= members; user++ {
		for _, m := range memberships(t, s, user) {
			if (m.Tenant == 1) != (m.Host == "acme.kz") || m.Role == "" {
				t.Fatalf("user %d: %+v", user, m)
			}
		}
	}
}

func TestMessagesThatNeverCanBeCarriedOut(t *testing.T) {
	api, _ := withZone(t)
	api.As(webtest.SignedIn(5)).Post("/v1/tenant/", body("acme.kz")).Status(201)
	m := claimMessage(t, api, 1)
	for name, change := range map[string]func(*outbox.Message){
		"no JSON":          func(m *outbox.Message) { m.Body = "{" },
		"of no company":    func(m *outbox.Message) { m.PK = "G#outbox" },
		"a company gone":   func(m *outbox.Message) { m.PK = table.Of(api.Env.Table, 9).Message("x").PK },
		"a claim replaced": func(m *outbox.Message) { m.Body = `{"host":"other.kz"}` },
	} {
		broken := m
		change(&broken)
		if err := prove(t, api, broken); !errors.Is(err, outbox.ErrDrop) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
