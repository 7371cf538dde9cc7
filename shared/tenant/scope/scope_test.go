package scope_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/tenant/scope"
)

// The scopes are a promise to whoever has made a key: none goes, and none gets another name.
func TestScopes(t *testing.T) {
	const want = "clients:read clients:write custom_fields:read custom_fields:write documents:read documents:write events:read " +
		"finance:read finance:write history:read inventory:read inventory:write leads:read leads:write metrics:read orders:read " +
		"orders:write penalties:read penalties:write rental_points:read rental_points:write services:read services:write " +
		"settings:read settings:write signing:read signing:write sms:read sms:write templates:read templates:write"
	if got := string(scope.Of(scope.All()...)); got != want {
		t.Errorf("the scopes are %s", got)
	}
	var named []string
	for _, v := range scope.Scope("").Values() {
		named = append(named, v.Text)
	}
	if got := strings.Join(named, " "); got != want {
		t.Errorf("the values are %s", got)
	}
	for _, no := range []scope.Scope{"", "clients", "clients:", ":read", "history:write", "events:write", "metrics:write", "users:read", "Clients:read"} {
		if no.Known() {
			t.Errorf("%q is a scope", no)
		}
	}
}

func TestSet(t *testing.T) {
	set := scope.Of(scope.Write(scope.Orders), scope.Read(scope.Clients), scope.Write(scope.Orders))
	if set != "clients:read orders:write" {
		t.Errorf("%q", set)
	}
	for one, want := range map[scope.Scope]bool{
		"clients:read": true, "orders:write": true, "orders:read": false, "clients:write": false, "clients": false, "": false, " ": false,
		"clients:read orders:write": false,
	} {
		if set.Has(one) != want {
			t.Errorf("has %q: %v", one, !want)
		}
	}
	if scope.Of() != "" || scope.Set("").Has("") || len(scope.Set("").List()) != 0 {
		t.Error("an empty set has something")
	}
	if got := set.Without("clients:read sms:read"); !slices.Equal(got, []scope.Scope{"orders:write"}) {
		t.Errorf("what is more: %v", got)
	}
}
