package web_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

func TestUnknownParameters(t *testing.T) {
	api := webtest.New(t, things)
	c := api.As(webtest.Employee(1))
	const path = "/v1/things/?serach=x&page=1"
	c.Get(path).Status(200).NoHeader("Preference-Applied")
	for prefer, refused := range map[string]bool{
		"handling=strict":                           true,
		"Handling = Strict":                         true,
		`handling="strict"`:                         true,
		"respond-async, handling=strict":            true,
		"wait=5; x=y, handling=strict; y":           true,
		"handling=strict, handling=lenient":         true,
		"handling=lenient, handling=strict":         false,
		"handling":                                  false,
		"handling=stricter":                         false,
		"xhandling=strict":                          false,
		"return=minimal":                            false,
		strings.Repeat(",", 2000) + "handling=none": false,
	} {
		a := c.With("Prefer", prefer).Get(path)
		if !refused {
			a.Status(200).NoHeader("Preference-Applied")
			continue
		}
		a.Status(400).JSON(`{"serach":["Unknown parameter. Did you mean \"search\"?"]}`).Units(0, 0).
			Header("Preference-Applied", "handling=strict").Header("Vary", "Origin,Prefer,Accept,Accept-Language")
	}
	strict := c.With("Prefer", "handling=strict")
	strict.Get("/v1/things/?page=1&pageSize=5&search=").Status(200).Header("Preference-Applied", "handling=strict")
	strict.Get("/v1/things/?Search=a&page_size=5&q=1&q=2").Status(400).JSON(`{"Search":["Unknown parameter. Did you mean \"search\"?"],
		"page_size":["Unknown parameter. Did you mean \"pageSize\"?"],"q":["Unknown parameter. Did you mean \"page\"?"]}`)
	strict.Get("/v1/who/?q=1").Status(400).JSON(`{"q":["Unknown parameter."]}`)
	strict.Post("/v1/things/?q=1", `{"name":"a"}`).Status(400).JSON(`{"q":["Unknown parameter."]}`)
	api.As(webtest.Nobody()).With("Prefer", "handling=strict").Get("/v1/things/?q=1").Status(401) // who may not ask is told nothing of parameters
	api.As(webtest.Nobody()).With("Prefer", "handling=strict").Get("/v1/public/?q=1&any=2").Status(400).
		JSON(`{"q":["Unknown parameter. Did you mean \"any\"?"]}`)
}
