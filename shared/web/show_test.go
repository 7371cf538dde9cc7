package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/allowance"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// mirrors are operations of each access, which answer who asks, and where.
func mirrors(app.Env) app.Group {
	mirror := func(_ context.Context, r *web.Request, _ *struct{}) (string, error) {
		p := r.Principal
		return fmt.Sprintln(p.Verdict, p.User+p.Feed+p.Key, p.Tenant, p.Role, r.Table.ID(), r.BaseURL), nil
	}
	g := web.Group{Name: "mirrors"}
	for path, access := range map[string]web.Access{"/v1/own/": web.InTenant, "/v1/mine/": web.SignedIn, "/v1/all/": web.Public} {
		g.Operations = append(g.Operations, web.Op(web.Operation{ID: path, Method: http.MethodGet, Path: path, Access: access}, mirror))
	}
	g.Operations = append(g.Operations, web.Op(web.Operation{ID: "post", Method: http.MethodPost, Path: "/v1/post/"}, mirror))
	return app.Group{Group: g}
}

func TestShow(t *testing.T) {
	api := webtest.New(t)
	server := api.Env.Server(mirrors(api.Env))
	for path, status := range map[string]int{"/v1/own/": 200, "/v1/mine/": 404, "/v1/all/": 404, "/v1/post/": 405, "/v1/other/": 404} {
		answer, err := server.Show(t.Context(), 7, "acme.tenantry.test", path)
		if err != nil || answer.StatusCode != status {
			t.Errorf("%s: %d %s, %v", path, answer.StatusCode, answer.Body, err)
		}
		var got string
		if status == 200 && (json.Unmarshal([]byte(answer.Body), &got) != nil || got != "ok 0 7 owner 7 https://acme.tenantry.test\n") {
			t.Errorf("%s answers %s", path, answer.Body)
		}
	}
}

// What is shown is charged to nobody, and is shown when nothing is left.
func TestShowIsFree(t *testing.T) {
	drawer := func(app.Env) app.Group {
		read := func(ctx context.Context, r *web.Request, _ *struct{}) (string, error) {
			if err := allowance.Draw(ctx); err != nil {
				return "", err
			}
			if err := r.Table.Get(ctx, r.Table.Company(), &table.Item{}); !errors.Is(err, table.ErrNotFound) {
				return "", err
			}
			return "read", nil
		}
		op := web.Op(web.Operation{ID: "drawer-read", Method: http.MethodGet, Path: "/v1/drawer/", Draws: true}, read)
		return app.Group{Group: web.Group{Name: "drawer", Operations: []web.Operation{op}}}
	}
	api := webtest.Setup{Change: allow(allowance.Limits{User: 1, Company: 1})}.New(t, drawer)
	server, owner := api.Env.Server(drawer(api.Env)), api.As(webtest.Owner(1))
	for _, left := range []int{200, 429} {
		written := api.Written()
		for range 3 {
			if answer, err := server.Show(t.Context(), 1, webtest.Host, "/v1/drawer/"); err != nil || answer.StatusCode != 200 {
				t.Fatalf("%d %s, %v", answer.StatusCode, answer.Body, err)
			}
		}
		if n := api.Written() - written; n != 0 {
			t.Errorf("it wrote %d items", n)
		}
		owner.Get("/v1/drawer/").Status(left)
	}
}
