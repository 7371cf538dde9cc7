package web_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// keyed is a group of clients, some of whose operations are about something else.
func keyed(app.Env) app.Group {
	op := func(id, method string, change func(*web.Operation)) web.Operation {
		o := web.Operation{ID: id, Method: method, Path: "/v1/keyed/" + id + "/"}
		change(&o)
		return web.Op(o, func(_ context.Context, r *web.Request, _ *struct{}) (map[string]any, error) {
			company := int64(0)
			if r.Table != nil {
				company = int64(r.Table.ID())
			}
			return map[string]any{"key": r.Principal.Key, "user": r.Principal.User, "role": r.Principal.Role, "company": company}, nil
		})
	}
	return app.Group{Group: web.Group{Name: "keyed", Resource: scope.Clients, Operations: []web.Operation{
		op("read", http.MethodGet, func(*web.Operation) {}),
		op("write", http.MethodPost, func(*web.Operation) {}),
		op("quote", http.MethodPost, func(o *web.Operation) { o.OnlyReads = true }),
		op("money", http.MethodGet, func(o *web.Operation) { o.Resource, o.Role = scope.Finance, tenant.Manager }),
		op("hand", http.MethodPost, func(o *web.Operation) { o.NoKey = true }),
		op("owner", http.MethodPost, func(o *web.Operation) { o.Role = tenant.Owner }),
		op("me", http.MethodGet, func(o *web.Operation) { o.Access = web.SignedIn }),
		op("public", http.MethodGet, func(o *web.Operation) { o.Access = web.Public }),
	}}}
}

// A scope opens the operations that ask for it, whatever role they ask of members, and no others.
func TestScopesOpenOperations(t *testing.T) {
	api := webtest.New(t, keyed)
	send := func(id string, scopes ...scope.Scope) *webtest.Answer {
		method := http.MethodGet
		if id == "write" || id == "quote" || id == "hand" || id == "owner" {
			method = http.MethodPost
		}
		return api.As(webtest.Key(5, 1, scopes...)).Do(method, "/v1/keyed/"+id+"/", nil)
	}
	for id, opens := range map[string]scope.Scope{
		"read": "clients:read", "write": "clients:write", "quote": "clients:read", "money": "finance:read",
	} {
		role := map[string]string{"write": "employee"}[id]
		if role == "" {
			role = "read-only"
		}
		send(id, opens).Status(200).Calls(0).Field("key", "5").Field("user", "0").Field("company", "1").Field("role", `"`+role+`"`)
		var others []scope.Scope
		for _, s := range scope.All() {
			if s != opens {
				others = append(others, s)
			}
		}
		send(id, others...).Status(403).JSON(forbidden).Calls(0)
	}
	send("read", "clients:read", "clients:write").Status(200).Field("role", `"employee"`)
	for _, id := range []string{"hand", "owner", "me"} {
		send(id, scope.All()...).Status(403).JSON(forbidden).Calls(0)
	}
	send("public").Status(200).Field("key", "0") // who calls is ignored there
	api.As(webtest.Key(5, 1, "clients:read")).Head("/v1/keyed/read/").Status(200)

	// People need none.
	api.As(webtest.Employee(1)).Post("/v1/keyed/hand/", nil).Status(200).Field("user", "12").Field("key", "0")
	api.As(webtest.Feed(5, 1)).Get("/v1/keyed/read/").Status(403).JSON(forbidden)
}

// A key's company is its own. What else names one may only agree.
func TestCompanyOfAKey(t *testing.T) {
	api := webtest.New(t, keyed)
	const theirs, ours = "theirs.tenantry.test", "ours.tenantry.test"
	company(t, api, theirs)
	company(t, api, ours)
	for _, c := range []struct {
		name, header, host, origin string
		status                     int
	}{
		{"nothing", "", "", "", 200},
		{"its own id", "1", "", "", 200},
		{"another's id", "2", "", "", 403},
		{"nobody's id", "999999999999", "", "", 403},
		{"no integer", "one", "", "", 400},
		{"its own host", "", ours, "", 200},
		{"another's host", "", theirs, "", 403},
		{"another's origin", "", "", "https://" + theirs, 403},
		{"its own id beats a host", "1", theirs, "", 200},
		{"another's id beats a host", "2", ours, "", 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := api.As(webtest.Key(5, 1, "clients:read")).In(t).With("X-Tenant-Id", c.header).With("host", c.host).
				With("Origin", c.origin).Get("/v1/keyed/read/").Status(c.status)
			switch c.status {
			case 200:
				a.Field("company", "1")
			case 403:
				a.JSON(forbidden)
			}
		})
	}
}

// The log says which key has called, in which company.
func TestAKeyIsLogged(t *testing.T) {
	api := webtest.New(t, keyed)
	api.As(webtest.Key(5, 1, "clients:read")).Get("/v1/keyed/read/").Status(200)
	if log := api.Log(); !strings.Contains(log, `"key":5`) || !strings.Contains(log, `"tenant":1`) || strings.Contains(log, `"user"`) {
		t.Errorf("logged %s", log)
	}
}
