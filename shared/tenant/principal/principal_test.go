package principal_test

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/principal"
)

func full() principal.Principal {
	return principal.Principal{
		Verdict: principal.OK, User: 7, Family: "f", Tenant: 3, Role: tenant.Manager, Basis: principal.ByHost,
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
	for _, p := range []principal.Principal{
		full(), crossed, several, foreign, alone,
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
		{"cross", nil},
		{"cross", true},
		{"cross", ""},
	} {
		m := maps.Clone(full().Context())
		m[c.name] = c.value
		if got := principal.FromContext(m); got != missing {
			t.Errorf("%s = %#v: %+v", c.name, c.value, got)
		}
	}
}
