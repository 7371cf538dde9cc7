package web_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// tagged has a record whose revision is its id.
func tagged(app.Env) app.Group {
	get := func(_ context.Context, _ *web.Request, in *byID) (*web.Reply[thing], error) {
		reply := &web.Reply[thing]{Body: &thing{in.ID, strings.Repeat("t", 2000)}, Header: map[string]string{"ETag": web.ETag(in.ID)}}
		if in.ID == 99 {
			reply.Status = http.StatusAccepted
		}
		return reply, nil
	}
	change := func(_ context.Context, r *web.Request, in *byID) (web.None, error) {
		return web.None{}, r.Match(web.ETag(in.ID))
	}
	return app.Group{Group: web.Group{Name: "tagged", Operations: []web.Operation{
		web.Op(web.Operation{ID: "get", Method: http.MethodGet, Path: "/v1/tagged/{id}/"}, get),
		web.Op(web.Operation{ID: "mixed", Method: http.MethodGet, Path: "/v1/mixed/{id}/", Mixed: true}, get),
		web.Op(web.Operation{ID: "post", Method: http.MethodPost, Path: "/v1/tagged/{id}/"}, get),
		web.Op(web.Operation{ID: "delete", Method: http.MethodDelete, Path: "/v1/tagged/{id}/", Status: 204}, change),
	}}}
}

func TestIfNoneMatch(t *testing.T) {
	c := webtest.New(t, tagged).As(webtest.Owner(1)).With("Accept-Encoding", "gzip")
	for _, tt := range []struct {
		header string
		hit    bool
	}{
		{`"7"`, true},
		{`W/"7"`, true},
		{`"6", "7"`, true},
		{` "7" `, true},
		{`*`, true},
		{`"a,b", W/"7"`, true},
		{`"6"`, false},
		{`7`, false},
		{`"77"`, false},
		{`"`, false},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			a := c.With("If-None-Match", tt.header).Do(method, "/v1/tagged/7/", nil).Header("ETag", `"7"`).
				Header("Vary", "Origin,Accept-Encoding")
			if tt.hit {
				a.Status(304).Empty().NoHeader("Content-Type", "Content-Encoding", "Content-Length")
			} else {
				a.Status(200).Header("Content-Type", "application/json")
			}
		}
	}
	c = c.With("If-None-Match", "*")
	c.Post("/v1/tagged/7/", nil).Status(200) // it changes something
	c.Get("/v1/mixed/7/").Status(200).Header("ETag", `"7"`)
	c.Get("/v1/tagged/99/").Status(202)    // no success that a cache keeps
	c.Get("/v1/tagged/x/").Status(404)     // an error has no tag
	c.Options("/v1/tagged/7/").Status(204) //
	c.Delete("/v1/tagged/7/").Status(204)  // it obeys If-Match alone
	c.With("If-None-Match", "").Get("/v1/tagged/7/").Status(200)
}

func TestIfMatch(t *testing.T) {
	c := webtest.New(t, tagged).As(webtest.Owner(1))
	for _, header := range []string{"", `"7"`, `"6","7"`, `*`} {
		c.With("If-Match", header).Delete("/v1/tagged/7/").Status(204)
	}
	for _, header := range []string{`"6"`, `W/"7"`, `7`, `"6", "8"`, `,`} {
		c.With("If-Match", header).Delete("/v1/tagged/7/").Status(412).
			JSON(`{"detail":"The record has changed since it was read.","etag":"\"7\""}`)
	}
	c.With("If-Match", `"6"`).Get("/v1/tagged/7/").Status(200)
}
