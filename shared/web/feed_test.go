package web_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// A feed token opens the operations that say so, and no others, whatever they need.
func TestAFeedCallsWhatIsForFeeds(t *testing.T) {
	api := webtest.New(t, things)
	feed := api.As(webtest.Feed(4, 1))
	feed.Post("/v1/fed/", nil).Status(200).Calls(0).
		Field("tenant", "1").Field("table", `"1"`).Field("user", "0").Field("feed", "4")
	for _, o := range []struct{ method, path, body string }{
		{"GET", "/v1/things/", ""},
		{"POST", "/v1/things/", `{"name":"a"}`},
		{"POST", "/v1/things/", "{"},
		{"DELETE", "/v1/things/7/", ""},
		{"GET", "/v1/me/", ""},
		{"GET", "/v1/who/", ""},
		{"GET", "/v1/staff/", ""},
		{"DELETE", "/v1/company/", ""},
	} {
		feed.Do(o.method, o.path, o.body).Status(403).JSON(forbidden).Calls(0)
		feed.With("X-Tenant-Id", "1").Do(o.method, o.path, o.body).Status(403).JSON(forbidden).Calls(0)
	}
	feed.Get("/v1/public/").Status(200).Field("feed", "0").Field("tenant", "0") // who calls is ignored there

	// Others call it as they do any operation.
	api.As(webtest.Employee(1)).Post("/v1/fed/", nil).Status(200).Field("user", "12").Field("feed", "0")
	api.As(webtest.ReadOnly(1)).Post("/v1/fed/", nil).Status(403).JSON(forbidden)
	api.As(webtest.Nobody()).Post("/v1/fed/", nil).Status(401).JSON(noAuth)
	api.As(webtest.BadToken()).Post("/v1/fed/", nil).Status(401).JSON(badToken)
}

// A feed's company is its token's. What else names one may only agree.
func TestCompanyOfAFeed(t *testing.T) {
	api := webtest.New(t, things)
	for _, host := range []string{"theirs.tenantry.test", "ours.tenantry.test"} {
		company(t, api, host)
	}
	const theirs, ours, nobodys = "theirs.tenantry.test", "ours.tenantry.test", "other.tenantry.test"
	for _, c := range []struct {
		name, header, host, origin string
		status                     int
	}{
		{"nothing", "", "", "", 200},
		{"its own id", "1", "", "", 200},
		{"another's id", "2", "", "", 403},
		{"nobody's id", "999999999999", "", "", 403},
		{"zero", "0", "", "", 403},
		{"no integer", "one", "", "", 400},
		{"its own host", "", ours, "", 200},
		{"its own origin", "", "", "https://" + ours, 200},
		{"another's host", "", theirs, "", 403},
		{"another's origin", "", "", "https://" + theirs, 403},
		{"its own host, another's origin", "", ours, "https://" + theirs, 403},
		{"nobody's host", "", nobodys, "", 200},
		{"its own id beats a host", "1", theirs, "https://" + theirs, 200},
		{"another's id beats a host", "2", ours, "", 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := api.As(webtest.Feed(4, 1)).In(t).With("X-Tenant-Id", c.header).With("host", c.host).With("Origin", c.origin).
				Post("/v1/fed/", nil).Status(c.status)
			switch c.status {
			case 200:
				a.Field("table", `"1"`)
			case 403:
				a.JSON(forbidden)
			}
		})
	}
}

// A host that was a feed's company's a moment ago does not admit it when another company has it.
func TestAHostThatMoved(t *testing.T) {
	api := webtest.New(t, things)
	company(t, api, "ours.tenantry.test")
	one, two := api.As(webtest.Feed(4, 1)).With("host", "ours.tenantry.test"), api.As(webtest.Feed(4, 2)).With("host", "ours.tenantry.test")
	one.Post("/v1/fed/", nil).Status(200).Calls(1)
	two.Post("/v1/fed/", nil).Status(403).Calls(0)
	move(t, api, "ours.tenantry.test", 2)
	one.Post("/v1/fed/", nil).Status(403).Calls(1)
	one.Post("/v1/fed/", nil).Status(403).Calls(0)
	two.Post("/v1/fed/", nil).Status(200).Calls(1)
}

func TestAFeedIsOfACompany(t *testing.T) {
	op := web.Op(web.Operation{ID: "a", Method: http.MethodPost, Path: "/a/", Access: web.SignedIn, Feed: true},
		func(context.Context, *web.Request, *struct{}) (web.None, error) { return web.None{}, nil })
	mustPanic(t, func() { web.NewServer(web.Group{Operations: []web.Operation{op}}, web.Config{}) })
}
