package conformance_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/openapi"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// notForKeys lists the operations in a company that no key for programs opens: what has to do with people, credentials and the company,
// what a person does by hand, and what only an owner may do.
func notForKeys() []string {
	return []string{
		"documents-company-create", "documents-company-read", "documents-eds-sign", "documents-manual-sign", "documents-signs-reject",
		"documents-signs-reopen", "feed-tokens-create", "feed-tokens-delete", "feed-tokens-list", "feed-tokens-read", "keys-create",
		"keys-delete", "keys-list", "keys-patch", "keys-read", "keys-update", "metrics-rebuild", "sms-account-top-up", "users-create",
		"users-delete", "users-list", "users-patch", "users-read", "users-update", "webhooks-create", "webhooks-delete",
		"webhooks-deliveries-list", "webhooks-deliveries-read", "webhooks-deliveries-resend", "webhooks-list", "webhooks-patch",
		"webhooks-read", "webhooks-recover", "webhooks-rotate", "webhooks-secret", "webhooks-test", "webhooks-update",
	}
}

// scopes returns what a key needs for each operation in a company.
func scopes() map[string]scope.Scope {
	list, all := map[string]scope.Scope{}, groups.All()
	for name := range all {
		g := all[name](openapi.Env()).Group
		for _, op := range g.Operations {
			list[op.ID] = g.Scope(op)
		}
	}
	return list
}

// TestEachOperationHasAScope: an operation asks a key for exactly one scope, which an owner can give, or is never a key's; and each
// scope opens something. To read asks for another one than to change.
func TestEachOperationHasAScope(t *testing.T) {
	of, opens := scopes(), map[scope.Scope]int{}
	var never []string
	for _, op := range operations() {
		one := of[op.ID]
		switch {
		case !inTenant(op):
			if one != "" {
				t.Errorf("%s is no operation in a company, and asks for %s", op.ID, one)
			}
		case one == "":
			never = append(never, op.ID)
		case !one.Known():
			t.Errorf("%s asks for %s, which nobody can give", op.ID, one)
		case strings.HasSuffix(string(one), ":read") != (op.Method == "GET" || slices.Contains([]string{"orders-quote", "orders-what-if", "templates-preview"}, op.ID)):
			t.Errorf("%s %s asks for %s", op.Method, op.ID, one)
		default:
			opens[one]++
		}
		if op.LeastRole() == tenant.Owner && one != "" {
			t.Errorf("%s is for owners, and a key with %s opens it", op.ID, one)
		}
	}
	slices.Sort(never)
	if want := notForKeys(); !slices.Equal(never, want) {
		t.Errorf("never with a key: %v, not %v", never, want)
	}
	for _, one := range scope.All() {
		if opens[one] == 0 {
			t.Errorf("%s opens nothing", one)
		}
	}
	for id, want := range map[string]scope.Scope{
		"clients-list": "clients:read", "clients-import-legal": "clients:write", "agents-patch": "clients:write",
		"cars-list": "inventory:read", "inventory-group-tariffs-create": "inventory:write", "service-tariffs-read": "services:read",
		"orders-action": "orders:write", "deposits-return": "orders:write", "orders-timeline": "orders:read", "orders-quote": "orders:read", "orders-what-if": "orders:read",
		"leads-request": "orders:write", "funnels-board": "leads:read", "referrals-pay": "finance:write", "referrals-create": "orders:write",
		"accounts-statement": "finance:read", "refunds-create": "finance:write", "metrics-general": "metrics:read",
		"documents-file": "documents:read", "documents-upload": "documents:write", "documents-signs-list": "signing:read",
		"documents-signs-sms": "signing:write", "templates-preview": "templates:read", "penalties-create": "penalties:write",
		"custom-fields-create": "custom_fields:write", "rental-settings-update": "settings:write", "rental-points-list": "rental_points:read",
		"sms-messages-create": "sms:write", "sms-account-read": "sms:read", "history-list": "history:read",
		"events-list": "events:read", "events-types": "events:read",
	} {
		if of[id] != want {
			t.Errorf("%s asks for %q, not %q", id, of[id], want)
		}
	}
}

// TestKeysAreRefused: a key without the scope of an operation is refused before anything is read, whatever else it may do and whatever
// is sent; and so is every key where the company is another one.
func TestKeysAreRefused(t *testing.T) {
	of := scopes()
	together(t, signedIn, func(t *testing.T, api *webtest.API, op operation) {
		var others []scope.Scope
		for _, one := range scope.All() {
			if one != of[op.ID] {
				others = append(others, one)
			}
		}
		for _, body := range []any{op.sent(), "{"} {
			c := api.As(webtest.Key(5, 1, others...))
			c.Do(op.Method, op.path(), body).Status(403).JSON(forbidden).Calls(0)
			c.With("X-Tenant-Id", "1").Do(op.Method, op.path(), body).Status(403).JSON(forbidden).Calls(0)
			api.As(webtest.Key(5, 1, scope.All()...)).With("X-Tenant-Id", "2").Do(op.Method, op.path(), body).Status(403).JSON(forbidden).Calls(0)
		}
	})
}

// admitsKeys tells whether a key can call an operation.
func admitsKeys(op operation) bool { return inTenant(op) && scopes()[op.ID] != "" }

// TestKeysAreAdmitted: the scope of an operation is enough for it, whatever role it asks of people.
func TestKeysAreAdmitted(t *testing.T) {
	of := scopes()
	each(t, admitsKeys, func(t *testing.T, api *webtest.API, op operation) {
		a := api.As(webtest.Key(op.key(t, api), 1, of[op.ID])).Do(op.Method, op.path()+op.asked(), op.sent())
		if op.ID == "history-list" { // and the scope of the records
			a = api.As(webtest.Key(5, 1, scope.All()...)).Do(op.Method, op.path()+op.asked(), op.sent())
		}
		if a.Code() == 403 || a.Code() == 401 || a.Code() >= 500 {
			t.Errorf("status %d %s", a.Code(), a.Body())
		}
	})
}

// TestForeignRecordsOfKeys: a key of another company finds a record as little as one that does not exist.
func TestForeignRecordsOfKeys(t *testing.T) {
	of := scopes()
	fits := func(op operation) bool { return admitsKeys(op) && withIDs(op) }
	each(t, fits, func(t *testing.T, api *webtest.API, op operation) {
		op.companies(t, api)
		op.prepare(t, api, 1)
		var id string
		for n := range 3 {
			id = op.record(t, api, 2, n)
		}
		c := api.As(webtest.Key(5, 1, of[op.ID]))
		foreign := c.Do(op.Method, op.at(id)+op.asked(), op.sent()).Status(404).JSON(notFound)
		unknown := c.Do(op.Method, op.at("999999")+op.asked(), op.sent()).Status(404).JSON(notFound)
		if foreign.Cost().Calls != unknown.Cost().Calls {
			t.Errorf("%d calls for a foreign record, %d for one that does not exist", foreign.Cost().Calls, unknown.Cost().Calls)
		}
	})
}

// key is the number of a key in company 1. Settings look whether it is still there.
func (op operation) key(t *testing.T, api *webtest.API) int64 {
	t.Helper()
	if op.group == "settings" {
		return api.As(webtest.Owner(1)).Post("/v1/keys/", keyMade()).Status(201).Int("id")
	}
	return 5
}

// TestKeysSucceed: whatever changes something succeeds with a key as it does for people. What it makes has no user in created_by; and
// with an Idempotency-Key it happens once for the key, and anew for another caller with the same one.
func TestKeysSucceed(t *testing.T) {
	of := scopes()
	fits := func(op operation) bool { return admitsKeys(op) && op.Method != "GET" }
	each(t, fits, func(t *testing.T, api *webtest.API, op operation) {
		r := op.request(t, api)
		number := op.key(t, api)
		r.caller = webtest.Key(number, 1, of[op.ID])
		want := op.Success()
		if other, ok := map[string]int{"templates-preview": 302, "penalties-uncharge": 404}[op.ID]; ok {
			want = other // the address of the preview; and there is no charge
		}
		first := r.send(api, idempotencyKey, "same").Status(want).NoHeader("Idempotent-Replayed")
		var made struct {
			CreatedBy json.RawMessage `json:"created_by"`
		}
		if json.Unmarshal(first.Body(), &made) == nil && op.Method == "POST" && made.CreatedBy != nil && string(made.CreatedBy) != "null" &&
			listed(op) {
			t.Errorf("created_by is %s", made.CreatedBy)
		}
		if !op.Idempotent {
			return
		}
		again := r.send(api, idempotencyKey, "same").Status(op.Success()).Header("Idempotent-Replayed", "true").Writes(0)
		if string(again.Body()) != string(first.Body()) {
			t.Errorf("first %s, then %s", first.Body(), again.Body())
		}
		for _, other := range []webtest.Caller{webtest.Key(number+1, 1, of[op.ID]), webtest.Feed(number, 1), webtest.Owner(1)} {
			r.caller = other
			r.send(api, idempotencyKey, "same").NoHeader("Idempotent-Replayed")
		}
	})
}

// TestHistoriesOfKinds: the scope by which a key reads a kind's histories is that by which it reads its records.
func TestHistoriesOfKinds(t *testing.T) {
	reads := map[string]scope.Scope{}
	of := scopes()
	for _, op := range operations() {
		if op.Method == "GET" && inTenant(op) && (listed(op) || one(op)) {
			reads[strings.TrimSuffix(op.Path, "{id}/")] = of[op.ID]
		}
	}
	held := 0
	for _, k := range kinds.All() {
		want, known := reads[k.Path]
		if !known {
			continue
		}
		held++
		got := scope.Scope("")
		if k.Resource() != "" {
			got = scope.Read(k.Resource())
		}
		if got != want {
			t.Errorf("the history of a %s is read with %q, the record with %q", k.Name, got, want)
		}
	}
	if held < 20 {
		t.Errorf("%d kinds have operations that read them: %v", held, slices.Sorted(maps.Keys(reads)))
	}
}
