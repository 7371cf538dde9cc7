package conformance_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// blanks are the fields of a body that may be null and may be an empty text.
func blanks(t reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(t) {
		if f.Tag.Get("blank") == "true" && f.Tag.Get("nullable") == "true" {
			names = append(names, f.Tag.Get("json"))
		}
	}
	return names
}

// An empty text is another value than null, for those who read it as for the one who sent it.
func TestEmptyTextsAreKept(t *testing.T) {
	sends := func(op operation) bool {
		return changesOne(op) && takesBody(op) && inTenant(op) && len(blanks(op.body())) > 0
	}
	each(t, sends, func(t *testing.T, api *webtest.API, op operation) {
		r := op.request(t, api)
		answered := r.send(api, "", "").Status(op.Success())
		body := r.body.(map[string]any)
		for _, name := range blanks(op.body()) {
			if !strings.Contains(string(answered.Body()), `"`+name+`":`) {
				continue // it is only sent
			}
			body[name] = ""
			r.send(api, "", "").Status(op.Success()).Field(name, `""`)
			api.As(r.caller).Get(r.path).Status(200).Field(name, `""`)
			body[name] = nil
			r.send(api, "", "").Status(op.Success()).Field(name, "null")
			api.As(r.caller).Get(r.path).Status(200).Field(name, "null")
			delete(body, name)
		}
	})
}
