package conformance_test

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// blanks are the fields of a body that may be null, and may be an empty text or the amount 0.
func blanks(t reflect.Type) map[string]string {
	values := map[string]string{}
	for _, f := range decode.Describe(t) {
		switch {
		case f.Nullable && f.Blank:
			values[f.Name] = ""
		case f.Nullable && f.Type == reflect.TypeFor[money.Amount]() && (f.Minimum == nil || *f.Minimum <= 0):
			values[f.Name] = "0.00"
		}
	}
	return values
}

// noZero tells whether an amount of 0 is no value of a field: a price rule of 0 % would do nothing.
func noZero(op operation, field string) bool {
	return strings.HasPrefix(op.ID, "price-rules-") && field == "percent"
}

// An empty text, or an amount of 0, is another value than null, for those who read it as for the one who sent it.
func TestEmptyValuesAreKept(t *testing.T) {
	sends := func(op operation) bool {
		return changesOne(op) && takesBody(op) && inTenant(op) && len(blanks(op.body())) > 0
	}
	each(t, sends, func(t *testing.T, api *webtest.API, op operation) {
		r := op.request(t, api)
		answered := r.send(api, "", "").Status(op.Success())
		body := r.body.(map[string]any)
		// A body may take one of two values alone (a discount's percent or amount), so each is sent beside nulls.
		kept := maps.Clone(body)
		for name, value := range blanks(op.body()) {
			maps.Copy(body, kept)
			for other := range blanks(op.body()) {
				body[other] = nil
			}
			if !strings.Contains(string(answered.Body()), `"`+name+`":`) {
				continue // it is only sent
			}
			body[name] = value
			if noZero(op, name) {
				r.send(api, "", "").Status(400).Field(name, `["Ensure this value is not 0."]`)
				continue
			}
			r.send(api, "", "").Status(op.Success()).Field(name, `"`+value+`"`)
			api.As(r.caller).Get(r.path).Status(200).Field(name, `"`+value+`"`)
			if value == "" {
				body[name] = nil
				r.send(api, "", "").Status(op.Success()).Field(name, "null")
				api.As(r.caller).Get(r.path).Status(200).Field(name, "null")
			}
		}
	})
}
