package openapi_test

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/infra/openapi"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/web"
)

type shownOut struct {
	Name string `json:"name"`
}

// A paper is read by its number, and by the uuid of a link.
func papers(app.Env) app.Group {
	type byNumber struct {
		ID int64 `path:"id"`
	}
	type byUUID struct {
		Link uuid.UUID `path:"link"`
		Lang string    `query:"lang" doc:"Its language."`
	}
	read := func(context.Context, *web.Request, *byNumber) (sampleOut, error) { return sampleOut{}, nil }
	shown := func(context.Context, *web.Request, *byUUID) (shownOut, error) { return shownOut{}, nil }
	sign := func(context.Context, *web.Request, *byUUID) (web.None, error) { return web.None{}, nil }
	return app.Group{Group: web.Group{Name: "papers", Doc: "Papers.", Operations: []web.Operation{
		web.Op(web.Operation{ID: "papers-get", Method: "GET", Path: "/papers/{id}/", Summary: "Read", Tagged: true}, read),
		web.Op(web.Operation{ID: "papers-shown", Method: "GET", Path: "/papers/{link}/", Summary: "Read by a link", Access: web.Public}, shown),
		web.Op(web.Operation{ID: "papers-sign", Method: "POST", Path: "/papers/{link}/", Summary: "Sign", Access: web.Public, Status: 204}, sign),
	}}}
}

func TestNumberAndUUIDAreOnePath(t *testing.T) {
	description, err := openapi.Describe(map[string]app.New{"papers": papers})
	if err != nil {
		t.Fatal(err)
	}
	d := parse(t, description)
	const get = "paths/~1papers~1{id}~1/get/"
	for at, want := range map[string]string{
		"paths/~1papers~1{link}~1":                             `null`,
		get + "operationId":                                    `"papers-get"`,
		get + "x-operation-ids":                                `["papers-get","papers-shown"]`,
		get + "summary":                                        `"Read (Read by a link)"`,
		get + "description":                                    `"Needs a token and a company, and there at least the role ` + "`read-only`" + `.\n\nRead by a link: Needs no token."`,
		get + "security":                                       `[{"bearer":[]},{}]`,
		get + "parameters/2/schema":                            `{"anyOf":[{"type":"integer","format":"int64","minimum":1,"exclusiveMaximum":1000000000000000000},{"type":"string","format":"uuid"}]}`,
		get + "parameters/2/name":                              `"id"`,
		get + "parameters/3/name":                              `"lang"`,
		get + "parameters/4":                                   `null`,
		get + "responses/401":                                  `{"$ref":"#/components/responses/Unauthorized"}`,
		get + "responses/404":                                  `{"$ref":"#/components/responses/NotFound"}`,
		get + "responses/200/headers/ETag":                     `{"$ref":"#/components/headers/ETag"}`,
		get + "responses/200/content/application~1json/schema": `{"anyOf":[{"$ref":"#/components/schemas/SampleOut"},{"$ref":"#/components/schemas/ShownOut"}]}`,
		"paths/~1papers~1{id}~1/post/operationId":              `"papers-sign"`,
		"paths/~1papers~1{id}~1/post/parameters/0/name":        `"id"`,
		"paths/~1papers~1{id}~1/post/parameters/0/schema":      `{"type":"string","format":"uuid"}`,
		"paths/~1papers~1{id}~1/post/security":                 `[]`,
	} {
		var wanted any
		if err := json.Unmarshal([]byte(want), &wanted); err != nil {
			t.Fatal(err)
		}
		if got := find(d, "#/"+at); !reflect.DeepEqual(got, wanted) {
			encoded, _ := json.Marshal(got)
			t.Errorf("%s\n got %s\nwant %s", at, encoded, want)
		}
	}
	for _, p := range check(d) {
		if p[0] != '#' { // what is used nowhere is of the real document
			t.Error(p)
		}
	}
}
