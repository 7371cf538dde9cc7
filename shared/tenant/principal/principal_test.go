package principal_test

import (
	"encoding/json"
	"maps"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/principal"
	"github.com/tenantry/tenantry/shared/tenant/scope"
)

func full() principal.Principal {
	return principal.Principal{
		Verdict: principal.OK, User: 7, Family: "f", Tenant: 3, Role: tenant.Manager, Basis: principal.ByHost,
	}
}

func fed() principal.Principal {
	return principal.Principal{Verdict: principal.OK, Feed: 4, Tenant: 3, Basis: principal.ByFeed}
}

func keyed() principal.Principal {
	return principal.Principal{
		Verdict: principal.OK, Key: 5, Scopes: scope.Of("orders:write", "clients:read"), Tenant: 3, Basis: principal.ByKey,
	}
}

// refused is a request of more than a company may send.
func refused() principal.Principal {
	return principal.Principal{
		Verdict: principal.Throttled, User: 7, Tenant: 3, Basis: principal.ByNone,
		Excess: principal.Excess{Of: principal.OfCompany, Burst: 200, Window: 4, Wait: 1},
	}
}

func TestRoundTrip(t *testing.T) {
	foreign := full()
	foreign.Tenant, foreign.Role, foreign.Basis = 0, "", principal.ByHeader
	alone := full()
	alone.Tenant, alone.Role, alone.Basis = 0, "", principal.ByNone
	several := alone
	several.Basis = principal.BySeveral
	crossed := full()
	crossed.Cross = true
	accountant := full()
	accountant.Role, accountant.Finance = tenant.ReadOnly, true
	early := refused() // before the company was known
	early.Tenant, early.Excess.Of = 0, principal.OfCaller
	refusedFeed := refused()
	refusedFeed.User, refusedFeed.Feed = 0, 4
	refusedKey := refused()
	refusedKey.User, refusedKey.Key = 0, 5
	suspended, closed, grown := full(), fed(), keyed()
	suspended.Standing = tenant.Standing{State: tenant.Suspended, Notice: "Төлеңіз."}
	closed.Standing = tenant.Standing{State: tenant.Closed, Notice: say.CompanyClosedUntil(time.Date(2026, 3, 31, 9, 30, 0, 0, time.UTC))}
	grown.Standing.Full = 5000
	for _, p := range []principal.Principal{
		suspended, closed, grown,
		full(), crossed, accountant, several, foreign, alone, fed(), keyed(), refused(), early, refusedFeed, refusedKey,
		{Verdict: principal.Missing, Basis: principal.ByNone},
		{Verdict: principal.Invalid, Basis: principal.ByNone},
		{Verdict: principal.Unavailable, Basis: principal.ByNone},
	} {
		encoded, err := json.Marshal(p.Context()) // the gateway passes it on as JSON
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(encoded, &m); err != nil {
			t.Fatal(err)
		}
		if got := principal.FromContext(m); got != p {
			t.Errorf("got %+v, want %+v", got, p)
		}
	}
}

// The right to read finance is one in a company: without a company, and for a feed, it is no identity.
func TestFinanceIsOfACompany(t *testing.T) {
	alone, feed, key := full(), fed(), keyed()
	alone.Tenant, alone.Role, alone.Basis = 0, "", principal.ByNone
	for _, p := range []principal.Principal{alone, feed, key} {
		m := p.Context()
		m["finance"] = "yes"
		if got := principal.FromContext(m); got.Verdict != principal.Missing {
			t.Errorf("%v: %+v", m, got)
		}
	}
}

// How a company stands is nothing without the company, and what can't be read is no identity.
func TestStandingsFailClosed(t *testing.T) {
	alone := full()
	alone.Tenant, alone.Role, alone.Basis = 0, "", principal.ByNone
	for name, values := range map[string][]any{
		"state": {"", nil, 1, true}, "notice": {"", nil, 1}, "full": {"", nil, 5, "0", "-1", "x"},
	} {
		for _, value := range values {
			for _, p := range []principal.Principal{full(), fed(), keyed()} {
				m := p.Context()
				m[name] = value
				if got := principal.FromContext(m); got.Verdict != principal.Missing {
					t.Errorf("%v: %+v", m, got)
				}
			}
		}
		m := alone.Context()
		m[name] = "5"
		if got := principal.FromContext(m); got.Verdict != principal.Missing {
			t.Errorf("%v: %+v", m, got)
		}
	}
}

func TestNothingLeaksWithoutOK(t *testing.T) {
	p := full()
	p.Verdict = principal.Invalid
	if m := p.Context(); len(m) != 1 {
		t.Errorf("context of an invalid token: %v", m)
	}
}

// Whatever is not exactly what Context writes counts as no identity at all.
func TestFailsClosed(t *testing.T) {
	missing := principal.Principal{Verdict: principal.Missing, Basis: principal.ByNone}
	for _, m := range []map[string]any{nil, {}, {"verdict": ""}, {"verdict": "OK"}, {"verdict": true}, {"verdict": "ok"}} {
		if got := principal.FromContext(m); got != missing {
			t.Errorf("%v: %+v", m, got)
		}
	}
	for _, c := range []struct {
		name  string
		value any
	}{
		{"feed", nil},
		{"feed", "0"},
		{"feed", "4"},
		{"basis", "feed"},
		{"key", nil},
		{"key", "5"},
		{"scopes", nil},
		{"scopes", "clients:read"},
		{"basis", "key"},
		{"user", nil},
		{"user", ""},
		{"user", "0"},
		{"user", "-7"},
		{"user", "+7"},
		{"user", "07"},
		{"user", " 7"},
		{"user", "7.0"},
		{"user", 7},
		{"user", "99999999999999999999"},
		{"tenant", ""},
		{"tenant", nil},
		{"tenant", "0"},
		{"tenant", "-3"},
		{"tenant", "+3"},
		{"tenant", "3x"},
		{"tenant", 3},
		{"role", ""},
		{"role", nil},
		{"role", "admin"},
		{"role", "Owner"},
		{"basis", ""},
		{"basis", nil},
		{"basis", "guess"},
		{"basis", "none"},
		{"basis", "several"},
		{"finance", nil},
		{"finance", true},
		{"finance", ""},
		{"finance", "no"},
		{"cross", nil},
		{"cross", true},
		{"cross", ""},
		{"notice", nil},
		{"notice", ""},
		{"notice", string(say.CompanyClosed)},
		{"said", nil},
		{"said", ""},
		{"said", "Pay."},
		{"said", `"Pay."`},
		{"said", 5},
	} {
		m := maps.Clone(full().Context())
		m[c.name] = c.value
		if got := principal.FromContext(m); got != missing {
			t.Errorf("%s = %#v: %+v", c.name, c.value, got)
		}
	}
}

// A feed is a number in a company, and nothing that makes a user beside it.
func TestFeedsFailClosed(t *testing.T) {
	missing := principal.Principal{Verdict: principal.Missing, Basis: principal.ByNone}
	gone := new(int)
	for _, c := range []struct {
		name  string
		value any
	}{
		{"feed", nil},
		{"feed", ""},
		{"feed", "0"},
		{"feed", "-4"},
		{"feed", "04"},
		{"feed", 4},
		{"feed", gone},
		{"tenant", nil},
		{"tenant", ""},
		{"tenant", "0"},
		{"tenant", "03"},
		{"tenant", 3},
		{"tenant", gone},
		{"basis", nil},
		{"basis", ""},
		{"basis", "header"},
		{"basis", "only"},
		{"basis", "none"},
		{"basis", gone},
		{"user", "7"},
		{"user", nil},
		{"family", "f"},
		{"role", "owner"},
		{"role", ""},
		{"cross", "yes"},
		{"key", "5"},
		{"scopes", "clients:read"},
	} {
		m := maps.Clone(fed().Context())
		if m[c.name] = c.value; c.value == gone {
			delete(m, c.name)
		}
		if got := principal.FromContext(m); got != missing {
			t.Errorf("%s = %#v: %+v", c.name, c.value, got)
		}
	}
}

// A key is a number in a company with scopes in their one form, and nothing that makes a user or a feed beside it.
func TestKeysFailClosed(t *testing.T) {
	missing := principal.Principal{Verdict: principal.Missing, Basis: principal.ByNone}
	gone := new(int)
	for name, values := range map[string][]any{
		"key":    {nil, "", "0", "-5", "05", 5, gone},
		"tenant": {nil, "", "0", "03", 3, gone},
		"basis":  {nil, "", "header", "only", "feed", "none", gone},
		"scopes": {
			nil, "", " ", "orders:write clients:read", "clients:read  orders:write", " clients:read", "clients:read clients:read",
			[]string{"clients:read"},
			gone,
		},
		"user": {"7", nil}, "feed": {"4", nil}, "family": {"f"}, "role": {"owner", ""}, "cross": {"yes"}, "finance": {"yes"},
	} {
		for _, value := range values {
			m := keyed().Context()
			if m[name] = value; value == gone {
				delete(m, name)
			}
			if got := principal.FromContext(m); got != missing {
				t.Errorf("%s = %#v: %+v", name, value, got)
			}
		}
	}
}

// No two callers have one name: limits by caller would count them together.
func TestCaller(t *testing.T) {
	for want, p := range map[string]principal.Principal{
		"7": full(), "feed 3 4": fed(), "key 3 5": keyed(), "key 4 5": {Key: 5, Tenant: 4}, "0": {},
	} {
		if got := p.Caller(); got != want {
			t.Errorf("%+v is called %q, not %q", p, got, want)
		}
	}
}

// What was refused says of which limit and for how long, or it is no identity.
func TestRefusalsFailClosed(t *testing.T) {
	missing := principal.Principal{Verdict: principal.Missing, Basis: principal.ByNone}
	for name, values := range map[string][]any{
		"limit": {nil, "", "user", "company", 1},
		"burst": {nil, "", "0", "-1", "01", 200}, "window": {nil, "0", "4.0"}, "wait": {nil, "0", "+1"},
		"user": {"0", "x", 7}, "tenant": {"0", 3}, "feed": {"04"}, "key": {"05"},
	} {
		for _, value := range values {
			m := refused().Context()
			if m[name] = value; value == nil {
				delete(m, name)
			}
			if got := principal.FromContext(m); got != missing {
				t.Errorf("%s = %#v: %+v", name, value, got)
			}
		}
	}
	if m := refused().Context(); len(m) != 7 || m["role"] != nil {
		t.Errorf("%v", m)
	}
	policy, limit := refused().Excess.Header()
	if policy != `"company-requests";q=200;w=4` || limit != `"company-requests";r=0;t=1` {
		t.Errorf("%s, %s", policy, limit)
	}
}
