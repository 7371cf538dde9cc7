package web_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// The papers of a company have numbers, for its staff, and uuids, for whoever has the link. Both stand in the same place.

type paperByNumber struct {
	ID int64 `path:"id"`
}

type paperByUUID struct {
	UUID uuid.UUID `path:"uuid"`
}

type partByNumber struct {
	ID   int64 `path:"1"`
	Part int64 `path:"2"`
}

type partByUUID struct {
	UUID uuid.UUID `path:"1"`
	Part int64     `path:"2"`
}

func saying[In any](id, method, path string, access web.Access) web.Operation {
	return web.Op(web.Operation{ID: id, Method: method, Path: path, Access: access},
		func(_ context.Context, _ *web.Request, in *In) (string, error) { return fmt.Sprint(id, " ", *in), nil })
}

func papers(app.Env) app.Group {
	return app.Group{Group: web.Group{Name: "papers", Operations: []web.Operation{
		saying[paperByUUID]("shown", http.MethodGet, "/v1/papers/{uuid}/", web.Public),
		saying[paperByNumber]("get", http.MethodGet, "/v1/papers/{id}/", web.InTenant),
		saying[paperByNumber]("delete", http.MethodDelete, "/v1/papers/{id}/", web.InTenant),
		saying[paperByUUID]("sign", http.MethodPost, "/v1/papers/{uuid}/", web.Public),
		saying[partByNumber]("part", http.MethodGet, "/v1/papers/{id}/parts/{part_id}/", web.InTenant),
		saying[partByUUID]("shown part", http.MethodGet, "/v1/papers/{uuid}/parts/{n}/", web.Public),
		saying[paperByNumber]("copy", http.MethodPost, "/v1/papers/{id}/copy/", web.InTenant),
		saying[struct{}]("drafts", http.MethodGet, "/v1/papers/drafts/", web.InTenant),
	}}}
}

func TestNumberAndUUIDInOnePlace(t *testing.T) {
	const (
		link   = "/v1/papers/9b2f6c1e-4d3a-4c57-8a55-0f3f6b7f2d11/"
		number = "/v1/papers/17/"
		noAuth = `{"detail":"Authentication credentials were not provided."}`
		none   = `{"detail":"Not found."}`
		staff  = "GET, HEAD, DELETE, OPTIONS"
		public = "GET, HEAD, POST, OPTIONS"
		only   = "GET, HEAD, OPTIONS"
	)
	refused := func(method string) string { return `{"detail":"Method \"` + method + `\" not allowed."}` }
	api := webtest.New(t, papers)
	owner, nobody := api.As(webtest.Owner(7)), api.As(webtest.Nobody())
	for _, row := range []struct {
		name, method, path string
		caller             *webtest.Client
		status             int
		allow, body        string
	}{
		{"a number is the staff's", "GET", number, owner, 200, "", `"get {17}"`},
		{"and nobody else's", "GET", number, nobody, 401, "", noAuth},
		{"a uuid is anybody's", "GET", link, nobody, 200, "", `"shown {9b2f6c1e-4d3a-4c57-8a55-0f3f6b7f2d11}"`},
		{"the staff's too", "GET", link, owner, 200, "", `"shown {9b2f6c1e-4d3a-4c57-8a55-0f3f6b7f2d11}"`},
		{"with digits in capitals", "GET", link[:11] + strings.ToUpper(link[11:]), nobody, 200, "", `"shown {9b2f6c1e-4d3a-4c57-8a55-0f3f6b7f2d11}"`},
		{"a uuid in braces", "GET", "/v1/papers/{9b2f6c1e-4d3a-4c57-8a55-0f3f6b7f2d11}/", nobody, 404, "", none},
		{"a uuid without hyphens", "GET", "/v1/papers/9b2f6c1e4d3a4c578a550f3f6b7f2d11/", nobody, 404, "", none},
		{"36 characters that are no uuid", "GET", "/v1/papers/9b2f6c1e-4d3a-4c57-8a55-0f3f6b7f2d1x/", nobody, 404, "", none},
		{"36 digits are a number", "GET", "/v1/papers/" + strings.Repeat("1", 36) + "/", nobody, 401, "", noAuth},
		{"that no record has", "GET", "/v1/papers/" + strings.Repeat("1", 36) + "/", owner, 404, "", none},
		{"a number with a zero before it", "GET", "/v1/papers/017/", owner, 404, "", none},
		{"neither, whoever asks", "GET", "/v1/papers/abc/", owner, 404, "", none},
		{"neither", "GET", "/v1/papers/abc/", nobody, 404, "", none},
		{"neither, by another method", "PUT", "/v1/papers/abc/", nobody, 404, "", none},
		{"neither, by a method that nothing has", "TRACE", "/v1/papers/abc/", nobody, 404, "", none},
		{"the literal path beside them", "GET", "/v1/papers/drafts/", owner, 200, "", `"drafts {}"`},
		{"is no paper", "DELETE", "/v1/papers/drafts/", owner, 405, only, refused("DELETE")},

		{"a method that only numbers have", "DELETE", number, owner, 200, "", `"delete {17}"`},
		{"isn't the uuid's", "DELETE", link, owner, 405, public, refused("DELETE")},
		{"a method that only uuids have", "POST", link, nobody, 200, "", `"sign {9b2f6c1e-4d3a-4c57-8a55-0f3f6b7f2d11}"`},
		{"isn't the number's", "POST", number, owner, 405, staff, refused("POST")},
		{"a method that neither has", "PATCH", number, owner, 405, staff, refused("PATCH")},
		{"a method that neither has, of a uuid", "PATCH", link, owner, 405, public, refused("PATCH")},
		{"a method that the router doesn't know", "PROPFIND", number, owner, 405, staff, refused("PROPFIND")},
		{"or of a uuid", "PROPFIND", link, owner, 405, public, refused("PROPFIND")},
		{"OPTIONS of a number", "OPTIONS", number, nobody, 204, staff, ""},
		{"OPTIONS of a uuid", "OPTIONS", link, nobody, 204, public, ""},
		{"OPTIONS of neither", "OPTIONS", "/v1/papers/abc/", nobody, 404, "", none},
		{"HEAD of a number", "HEAD", number, nobody, 401, "", ""},
		{"HEAD of a uuid", "HEAD", link, nobody, 200, "", ""},

		{"a part of a number's", "GET", number + "parts/3/", owner, 200, "", `"part {17 3}"`},
		{"a part of a uuid's", "GET", link + "parts/3/", nobody, 200, "", `"shown part {9b2f6c1e-4d3a-4c57-8a55-0f3f6b7f2d11 3}"`},
		{"a part that is no number", "GET", link + "parts/x/", nobody, 404, "", none},
		{"a part of neither", "GET", "/v1/papers/abc/parts/3/", owner, 404, "", none},
		{"what only a number has", "POST", number + "copy/", owner, 200, "", `"copy {17}"`},
		{"a uuid hasn't", "POST", link + "copy/", owner, 404, "", none},
		{"and is asked who calls first, being alone there", "POST", link + "copy/", nobody, 401, "", noAuth},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := row.caller.In(t).Do(row.method, row.path, nil).Status(row.status)
			if row.allow == "" {
				a.NoHeader("Allow")
			} else {
				a.Header("Allow", row.allow)
			}
			if row.body == "" {
				a.Empty()
			} else {
				a.JSON(row.body)
			}
		})
	}
}

func TestSlashAfterNumberOrUUID(t *testing.T) {
	const link = "/v1/papers/9b2f6c1e-4d3a-4c57-8a55-0f3f6b7f2d11"
	c := webtest.New(t, papers).As(webtest.Nobody())
	c.Get("/v1/papers/17?a=b").Status(301).Header("Location", "/v1/papers/17/?a=b")
	c.Get(link).Status(301).Header("Location", link+"/")
	c.Post(link, nil).Status(308).Header("Location", link+"/")
	c.Get(link+"/parts/3").Status(301).Header("Location", link+"/parts/3/")
	c.Get("/v1/papers/abc").Status(404).NoHeader("Location")
	preflight := c.With("Access-Control-Request-Method", "POST")
	preflight.Options(link).Status(204).Header("Allow", "GET, HEAD, POST, OPTIONS")
	preflight.Options("/v1/papers/17").Status(204).Header("Allow", "GET, HEAD, DELETE, OPTIONS")
	preflight.Options("/v1/papers/abc").Status(404)
}

// Two operations that no value tells apart are a mistake, which stops the start.
func TestPathsThatNothingTellsApart(t *testing.T) {
	type named struct {
		Name string `path:"name"`
	}
	for name, row := range map[string]struct {
		wrong      bool
		operations []web.Operation
	}{
		"one path twice": {true, []web.Operation{
			saying[paperByNumber]("a", "GET", "/v1/papers/{id}/", web.Public), saying[partOnly]("b", "GET", "/v1/papers/{part}/", web.Public),
		}},
		"a text beside a number": {true, []web.Operation{
			saying[paperByNumber]("a", "GET", "/v1/papers/{id}/", web.Public), saying[named]("b", "GET", "/v1/papers/{name}/", web.Public),
		}},
		"a text beside a uuid, for another method": {true, []web.Operation{
			saying[paperByUUID]("a", "GET", "/v1/papers/{uuid}/", web.Public), saying[named]("b", "PUT", "/v1/papers/{name}/", web.Public),
		}},
		"a number that has two names": {false, []web.Operation{
			saying[paperByNumber]("a", "GET", "/v1/papers/{id}/", web.Public), saying[partOnly]("b", "PUT", "/v1/papers/{part}/", web.Public),
		}},
		"a number beside a uuid": {false, []web.Operation{
			saying[paperByNumber]("a", "GET", "/v1/papers/{id}/", web.Public), saying[paperByUUID]("b", "GET", "/v1/papers/{uuid}/", web.Public),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if stopped := recover() != nil; stopped != row.wrong {
					t.Errorf("stopped is %v", stopped)
				}
			}()
			web.NewServer(web.Group{Operations: row.operations}, web.Config{})
		})
	}
}

type partOnly struct {
	Part int64 `path:"part"`
}

func TestShape(t *testing.T) {
	for want, op := range map[string]web.Operation{
		"/v1/papers/{uuid}/parts/{number}/": saying[partByUUID]("a", "GET", "/v1/papers/{uuid}/parts/{n}/", web.Public),
		"/v1/papers/{text}/":                saying[struct{}]("a", "GET", "/v1/papers/{id}/", web.Public),
		"/v1/papers/":                       saying[struct{}]("a", "GET", "/v1/papers/", web.Public),
	} {
		if got := op.Shape(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
