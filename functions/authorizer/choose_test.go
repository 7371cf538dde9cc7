package authorizer

import (
	"testing"

	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/principal"
)

func TestChoose(t *testing.T) {
	one := tenant.Membership{Tenant: 1, Role: tenant.Owner, Host: "one.tenantry.test"}
	two := tenant.Membership{Tenant: 2, Role: tenant.ReadOnly, Host: "rent.example"}
	bare := tenant.Membership{Tenant: 3, Role: tenant.Employee} // without a host
	none := tenant.Membership{}
	both := []tenant.Membership{one, two}
	for name, c := range map[string]struct {
		companies []tenant.Membership
		asked     asked
		want      tenant.Membership
		basis     principal.Basis
	}{
		"header":                         {both, asked{header: "2"}, two, principal.ByHeader},
		"header beats host and origin":   {both, asked{header: "2", host: one.Host, origin: one.Host}, two, principal.ByHeader},
		"header of a foreign company":    {both, asked{header: "9"}, none, principal.ByHeader},
		"a foreign header beats a host":  {both, asked{header: "9", host: one.Host}, none, principal.ByHeader},
		"a foreign header, one company":  {both[:1], asked{header: "9"}, none, principal.ByHeader},
		"header that is no number":       {both, asked{header: "x"}, none, principal.ByHeader},
		"header beyond 64 bits":          {both, asked{header: "99999999999999999999"}, none, principal.ByHeader},
		"header 0, no company":           {nil, asked{header: "0"}, none, principal.ByHeader},
		"host":                           {both, asked{host: two.Host}, two, principal.ByHost},
		"host beats origin":              {both, asked{host: two.Host, origin: one.Host}, two, principal.ByHost},
		"origin":                         {both, asked{host: "api.tenantry.test", origin: one.Host}, one, principal.ByOrigin},
		"unknown hosts, two companies":   {both, asked{host: "api.tenantry.test", origin: "other.example"}, none, principal.BySeveral},
		"unknown hosts, one company":     {both[1:], asked{host: "api.tenantry.test", origin: "other.example"}, two, principal.ByOnly},
		"nothing, one company":           {both[:1], asked{}, one, principal.ByOnly},
		"nothing, two companies":         {both, asked{}, none, principal.BySeveral},
		"nothing, no company":            {nil, asked{}, none, principal.ByNone},
		"no host never matches no host":  {[]tenant.Membership{bare, one}, asked{}, none, principal.BySeveral},
		"a company without a host, only": {[]tenant.Membership{bare}, asked{host: "x.example"}, bare, principal.ByOnly},
	} {
		if got, basis := choose(c.companies, c.asked); got != c.want || basis != c.basis {
			t.Errorf("%s: %+v by %s, want %+v by %s", name, got, basis, c.want, c.basis)
		}
	}
}

func TestBearer(t *testing.T) {
	for in, want := range map[string]struct {
		token string
		sent  bool
	}{
		"Bearer abc": {"abc", true}, "bearer abc": {"abc", true}, " Bearer  abc ": {"abc", true},
		"Bearer": {"", true}, "Bearer ": {"", true}, "Bearer a b": {"a b", true},
		"": {"", false}, "Basic abc": {"", false}, "Token abc": {"", false}, "Bearerabc": {"", false}, "abc": {"", false},
	} {
		if token, sent := bearer(in); token != want.token || sent != want.sent {
			t.Errorf("%q: %q %v, want %q %v", in, token, sent, want.token, want.sent)
		}
	}
}
