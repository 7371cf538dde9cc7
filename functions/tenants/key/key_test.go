package key_test

import (
	"fmt"
	"net/netip"
	"regexp"
	"testing"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/tenants/key"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record/recordtest"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant/scope"
)

func TestKey(t *testing.T) {
	recordtest.Run(t, recordtest.Subject[*key.Key]{
		Kind: key.Kind(),
		New: func(n int) *key.Key {
			end := moment.Micros(1_800_000_000_000_000 + int64(n))
			return &key.Key{
				Name: fmt.Sprint("ERP ", n), CreatedBy: 3, Hash: fmt.Sprint("h", n), Hint: "aB09", Scopes: "clients:read orders:write",
				Networks: []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("2001:db8::/32")}, Expires: &end,
			}
		},
		Change: func(k *key.Key, n int) { k.Name, k.Scopes = fmt.Sprint("Shop ", n), "clients:read" },
	})
}

// A text is recognised by what scanners look for, holds what the two uuids hold, and no two are alike.
func TestText(t *testing.T) {
	form, seen := regexp.MustCompile(`^tnt_key_[A-Za-z0-9]{36}$`), map[string]bool{}
	text := func(newUUID func() uuid.UUID) string {
		s, err := key.Text(newUUID)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for range 100 {
		s := text(uuid.New)
		if _, ok := crosstenant.KeyHash(s); !ok || !form.MatchString(s) || seen[s] || !crosstenant.IsKey(s) {
			t.Fatalf("%q", s)
		}
		seen[s] = true
	}
	uuids := []uuid.UUID{{1}, {2}, {1}, {3}, {3}, {2}}
	next := func() uuid.UUID { u := uuids[0]; uuids = uuids[1:]; return u }
	if a, b, c := text(next), text(next), text(next); a == b || a == c || b == c {
		t.Errorf("%s %s %s: a uuid is left out", a, b, c)
	}
}

func TestWidens(t *testing.T) {
	made := func(scopes scope.Set, expires moment.Micros, networks ...string) *key.Key {
		k := &key.Key{Scopes: scopes}
		if expires != 0 {
			k.Expires = &expires
		}
		for _, n := range networks {
			k.Networks = append(k.Networks, netip.MustParsePrefix(n))
		}
		return k
	}
	for name, c := range map[string]struct {
		before, after *key.Key
		want          bool
	}{
		"the same":                 {made("a b", 5, "10.0.0.0/8"), made("a b", 5, "10.0.0.0/8"), false},
		"a scope less":             {made("a b", 0), made("b", 0), false},
		"another scope":            {made("a b", 0), made("a c", 0), true},
		"an end":                   {made("a", 0), made("a", 5), false},
		"an earlier end":           {made("a", 5), made("a", 4), false},
		"a later end":              {made("a", 5), made("a", 6), true},
		"no end":                   {made("a", 5), made("a", 0), true},
		"a network":                {made("a", 0), made("a", 0, "10.0.0.0/8"), false},
		"none":                     {made("a", 0, "10.0.0.0/8"), made("a", 0), true},
		"a part of one":            {made("a", 0, "10.0.0.0/8", "192.0.2.1/32"), made("a", 0, "10.1.0.0/16"), false},
		"more than one":            {made("a", 0, "10.1.0.0/16"), made("a", 0, "10.0.0.0/8"), true},
		"another one beside":       {made("a", 0, "10.0.0.0/8"), made("a", 0, "10.0.0.0/8", "192.0.2.1/32"), true},
		"one of IPv6 for one of 4": {made("a", 0, "0.0.0.0/0"), made("a", 0, "::/0"), true},
	} {
		if got := c.after.Widens(c.before); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
