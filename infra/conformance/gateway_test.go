package conformance_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// What a browser asks before it calls an operation is answered without a token, for pages of the platform and for no others.
func TestPreflights(t *testing.T) {
	const page, allowed = "https://app.example.com", "Access-Control-Allow-"
	api := webtest.Setup{Change: func(e *app.Env) { e.Config.Origins = []string{page} }}.New(t, slices.Collect(maps.Values(groups.All()))...)
	asks := api.As(webtest.Nobody())
	for _, op := range tried(t, every) {
		t.Run(op.ID, func(t *testing.T) {
			asks := asks.In(t).With("Access-Control-Request-Method", op.Method)
			known := asks.With("Origin", page).Options(op.path()).Status(204).Empty().Calls(0).Header(allowed+"Origin", page)
			if !slices.Contains(strings.Split(known.Get(allowed+"Methods"), ", "), op.Method) {
				t.Errorf("a page may not send %s", op.Method)
			}
			for _, name := range []string{"Authorization", "Content-Type", "X-Tenant-Id", "Idempotency-Key", "If-Match", "If-None-Match"} {
				if !slices.Contains(strings.Split(known.Get(allowed+"Headers"), ", "), name) {
					t.Errorf("a page may not send %s", name)
				}
			}
			asks.With("Origin", "https://evil.example").Options(op.path()).Status(204).Empty().
				NoHeader(allowed+"Origin", allowed+"Methods", allowed+"Headers")
		})
	}
}

// A path below a group's prefix at which nothing is answers as the platform answers everywhere, whoever asks and by which method.
func TestUnknownPaths(t *testing.T) {
	api := again(t)
	for _, r := range template(t).Routes {
		prefix, below := strings.CutSuffix(r.Path, "/{proxy+}")
		if !below {
			continue
		}
		t.Run(prefix, func(t *testing.T) {
			for _, caller := range []webtest.Caller{webtest.Nobody(), webtest.BadToken(), webtest.Owner(1)} {
				for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
					for _, path := range []string{"/1/no/such/thing/", "/1/no/such/thing"} {
						a := api.As(caller).In(t).Do(method, parameter.ReplaceAllString(prefix, "1")+path, nil).Status(404).Calls(0)
						if method != "HEAD" {
							a.JSON(notFound)
						}
					}
				}
			}
		})
	}
}
