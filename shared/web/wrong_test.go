package web_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

type basket struct {
	Body struct {
		Name  decode.Optional[string]      `json:"name" required:"true" maxLength:"5"`
		N     decode.Optional[int64]       `json:"n"`
		Lines decode.Optional[[]apple]     `json:"lines"`
		Ids   decode.Optional[[]int64]     `json:"ids"`
		Extra decode.Optional[decode.JSON] `json:"extra"`
	}
}

type apple struct {
	Kind decode.Optional[string] `json:"kind" required:"true"`
	N    decode.Optional[int64]  `json:"n"`
}

// baskets has one thorough operation and one that is not. rule is what both do with
// the body.
func baskets(rule func(r *web.Request, in *basket) error) app.New {
	return func(app.Env) app.Group {
		handle := func(_ context.Context, r *web.Request, in *basket) (web.None, error) { return web.None{}, rule(r, in) }
		return app.Group{Group: web.Group{Name: "baskets", Operations: []web.Operation{
			web.Op(web.Operation{ID: "thorough", Method: http.MethodPost, Path: "/v1/thorough/", Thorough: true, Idempotent: true}, handle),
			web.Op(web.Operation{ID: "plain", Method: http.MethodPost, Path: "/v1/plain/"}, handle),
		}}}
	}
}

// What the decoder refuses and what the rules refuse of the rest is one answer, in
// the shape of what was sent.
func TestEverythingWrongIsOneAnswer(t *testing.T) {
	bad := func(paths ...string) func(*web.Request, *basket) error {
		return func(*web.Request, *basket) error {
			errs := fault.FieldErrors{}
			for _, path := range paths {
				errs.AddAt(path, "bad")
			}
			return errs.Err()
		}
	}
	const wrong = `{"name":"too long","lines":[{"kind":"a"},{"n":"x"},{"kind":"c"}],"n":1}`
	const refused = `{"name":["Ensure this field has no more than 5 characters."],
		"lines":[{},{"kind":["This field is required."],"n":["A valid integer is required."]},{}]}`
	for _, tt := range []struct {
		name, body, want string
		rule             func(r *web.Request, in *basket) error
	}{
		{"the rules find nothing", wrong, refused, bad()},
		{
			"the rules find something beside", wrong, `{"name":["Ensure this field has no more than 5 characters."],"n":["bad"],
				"lines":[{"kind":["bad"]},{"kind":["This field is required."],"n":["A valid integer is required."]},{}]}`,
			bad("n", "name", "lines.0.kind", "lines.1.kind", "lines.1.n", "lines"),
		},
		{
			"the rules alone", `{"name":"a","lines":[{"kind":"a"},{"kind":"b"},{"kind":"c"}],"ids":[1,2,3]}`,
			`{"lines":[{"n":["bad"]},{},{}],"ids":{"1":["bad"]}}`, bad("lines.0.n", "ids.1"),
		},
		{"a value of a list of scalars", `{"name":"a","ids":[1,"x",3]}`, `{"ids":{"1":["A valid integer is required."],"2":["bad"]}}`, bad("ids.2", "ids")},
		{"an object in a list of scalars", `{"name":"a","ids":[{}]}`, `{"ids":{"0":["A valid integer is required."]}}`, bad()},
		{"objects in free JSON", `{"name":"a","extra":[{},{}]}`, `{"extra":{"0":["bad"]}}`, bad("extra.0")},
		{"what is right is there", wrong, refused, func(r *web.Request, in *basket) error {
			lines := in.Body.Lines
			if in.Body.Name.Set || in.Body.N.Value != 1 || !lines.Set || lines.Value[2].Kind.Value != "c" || lines.Value[1].N.Set ||
				!r.Wrong.Has("name") {
				return fault.Field("n", "the handler got something else")
			}
			return nil
		}},
		{
			"what the rules say to machines", `{"name":"too long","n":1}`,
			`{"name":["Ensure this field has no more than 5 characters."],"n":["This field must be unique."],"taken_by":{"n":7}}`,
			func(*web.Request, *basket) error {
				return fault.Field("n", say.NotUnique).With("taken_by", map[string]int64{"n": 7})
			},
		},
		{"another fault", wrong, refused, func(*web.Request, *basket) error { return fault.ErrNotFound }},
		{"a failure", wrong, refused, func(*web.Request, *basket) error { return errors.New("secret") }},
		{"the body as a whole", `[]`, `{"non_field_errors":["Invalid data. Expected a dictionary, but got list."]}`, bad("n")},
		{
			"a body of another company", `{"name":"too long","tenant":2}`,
			`{"name":["Ensure this field has no more than 5 characters."],"tenant":["Invalid pk \"2\" - object does not exist."]}`, bad("n"),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := webtest.New(t, baskets(tt.rule)).As(webtest.Employee(1))
			c.Post("/v1/thorough/", tt.body).Status(400).JSON(tt.want).Writes(0).NotContain("secret")
			// No answer is kept for a key, and none is looked for.
			c.With("Idempotency-Key", "k").Post("/v1/thorough/", tt.body).Status(400).JSON(tt.want).Writes(0)
		})
	}
}

// An operation that is not thorough never sees a body with anything wrong in it.
func TestOthersAreRefusedAtOnce(t *testing.T) {
	c := webtest.New(t, baskets(func(r *web.Request, _ *basket) error {
		if r.Wrong.Any() {
			t.Error("it was called")
		}
		return fault.Field("lines.x", "a name with a dot")
	})).As(webtest.Employee(1))
	c.Post("/v1/plain/", `{"n":1}`).Status(400).JSON(`{"name":["This field is required."]}`).Calls(0)
	c.Post("/v1/plain/", `{"name":"a"}`).Status(400).JSON(`{"lines.x":["a name with a dot"]}`)
}

// A body may be one object or a list of them, where the operation takes both.
func TestOneOrSeveral(t *testing.T) {
	type input struct {
		Body apple
		Rows []decode.Row[apple] `maxItems:"3"`
	}
	api := webtest.New(t, func(app.Env) app.Group {
		return app.Group{Group: web.Group{Name: "apples", Operations: []web.Operation{
			web.Op(web.Operation{ID: "apples", Method: http.MethodPost, Path: "/v1/apples/"},
				func(_ context.Context, _ *web.Request, in *input) ([]any, error) {
					all := []any{in.Body.Kind.Value}
					for _, row := range in.Rows {
						all = append(all, row.Value.Kind.Value, row.Errors)
					}
					return all, nil
				}),
		}}}
	})
	c := api.As(webtest.Employee(1))
	for _, tt := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"one", `{"kind":"a"}`, 200, `["a"]`},
		{"a bad one", `{"n":"x"}`, 400, `{"kind":["This field is required."],"n":["A valid integer is required."]}`},
		{"several", `[{"kind":"a"},{"kind":"b","tenant":1}]`, 200, `["","a",null,"b",null]`},
		{
			"bad ones among several", `[{"kind":"a","n":"x"},7,{"kind":" "}]`, 200,
			`["","a",{"n":["A valid integer is required."]},"",{"non_field_errors":["Invalid data. Expected a dictionary, but got int."]},` +
				`"",{"kind":["This field may not be blank."]}]`,
		},
		{"one of another company", `[{"kind":"a"},{"kind":"b","tenant":2}]`, 200, `["","a",null,"b",{"tenant":["Invalid pk \"2\" - object does not exist."]}]`},
		{"none", `[]`, 400, `{"non_field_errors":["This list may not be empty."]}`},
		{"too many", `[{},{},{},{}]`, 400, `{"non_field_errors":["Ensure this field has no more than 3 elements."]}`},
		{"neither", `"a"`, 400, `{"non_field_errors":["Invalid data. Expected a dictionary, but got str."]}`},
	} {
		t.Run(tt.name, func(t *testing.T) { c.In(t).Post("/v1/apples/", tt.body).Status(tt.status).JSON(tt.want) })
	}
}
