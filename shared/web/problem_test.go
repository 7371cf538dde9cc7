package web_test

import (
	"testing"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const problem = "application/problem+json"

// Whoever asks for problems gets errors as RFC 9457 describes them, with a pointer to each field.
func TestProblems(t *testing.T) {
	const base = webtest.BaseURL + "/v1/errors/"
	for _, tt := range []struct {
		name, body, want string
		rule             func() error
	}{
		{
			"fields", `{"name":"too long","lines":[{"kind":"a"},{"n":"x"}],"ids":[1,"x"]}`, `{"type":"` + base + `invalid/","title":"Some values are wrong",
			"status":400,"code":"invalid","detail":"Some fields are wrong.","errors":[
			{"pointer":"/ids/1","code":"invalid_integer","detail":"A valid integer is required."},
			{"pointer":"/lines/1/kind","code":"required","detail":"This field is required."},
			{"pointer":"/lines/1/n","code":"invalid_integer","detail":"A valid integer is required."},
			{"pointer":"/name","code":"too_long","detail":"Ensure this field has no more than 5 characters.","params":{"max":5}}]}`, nil,
		},
		{
			"the body as a whole", `[]`, `{"type":"` + base + `invalid/","title":"Some values are wrong","status":400,"code":"invalid",
			"detail":"Some fields are wrong.","errors":[{"pointer":"","code":"wrong_type",
			"detail":"Invalid data. Expected a dictionary, but got list.","params":{"want":"dictionary","got":"list"}}]}`, nil,
		},
		{
			"names that a pointer escapes", `{"name":"a"}`, `{"type":"` + base + `invalid/","title":"Some values are wrong","status":400,"code":"invalid",
			"detail":"Some fields are wrong.","errors":[{"pointer":"/a~1b~0c","code":"blank","detail":"This field may not be blank."}]}`,
			func() error { return fault.Field("a/b~c", say.Blank) },
		},
		{
			"members", `{"name":"a"}`, `{"type":"` + base + `past/","title":"Not possible as things are","status":409,"code":"past",
			"detail":"Name the lines, at most 50 in a call: there are 120.","params":{"most":50,"count":120},"conflicts":[1]}`,
			func() error {
				return fault.New(fault.Conflict, say.LinesToName(50, 120)).With("code", "past").With("conflicts", []int{1})
			},
		},
		{
			"members whose names are taken", `{"name":"a"}`, `{"type":"` + base + `status/","title":"Not possible as things are","status":409,"code":"status",
			"detail":"No item of the order is out.","members":{"status":2,"errors":[{"row":3}]},"allowed":[4]}`,
			func() error {
				return fault.New(fault.Conflict, say.OrderNoneOut).Coded().With("status", 2).With("allowed", []int{4}).
					With("errors", []any{map[string]int{"row": 3}})
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := webtest.New(t, baskets(func(*web.Request, *basket) error { return tt.rule() })).As(webtest.Employee(1)).With("Accept", problem)
			c.Post("/v1/plain/", tt.body).Header("Content-Type", problem).JSON(tt.want)
		})
	}
	c := webtest.New(t, things).As(webtest.Employee(1)).With("Accept", problem).With("Accept-Language", "ru")
	c.Get("/v1/things/99/").Status(404).Header("Content-Type", problem).Field("code", `"not_found"`).
		Field("detail", `"Не найдено. Возможно, запись удалена."`).Header("Content-Language", "ru")
}

// Problems are told to whoever likes them at least as well as JSON, and names them first or gives them more weight.
func TestPreferringProblems(t *testing.T) {
	c := webtest.New(t, things).As(webtest.Employee(1))
	for accept, want := range map[string]string{
		problem:                                    problem,
		problem + ", application/json":             problem,
		"application/json, " + problem:             "application/json",
		"application/json;q=0.5, " + problem:       problem,
		problem + ";q=0.4, application/json;q=0.5": "application/json",
		problem + ";q=0, application/json":         "application/json",
		"*/*":                                      "application/json",
		"application/*":                            "application/json",
	} {
		c.With("Accept", accept).Get("/v1/things/99/").Status(404).Header("Content-Type", want)
		c.With("Accept", accept).Get("/v1/things/1/").Status(200).Header("Content-Type", "application/json") // what is no error stays
	}
	c.With("Accept", "text/csv").Get("/v1/things/1/").Status(406)
}
