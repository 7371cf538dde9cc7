package conformance_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/docs"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// What the API description says of one operation, as far as the tests hold answers to it.
type described struct {
	RequestBody struct {
		Content map[string]struct{ Schema reference }
	}
	Responses map[string]answer
}

type answer struct {
	reference
	Headers map[string]any
}

type reference struct {
	Ref string `json:"$ref"`
}

// last is the name of what a reference leads to.
func (r reference) last() string { return r.Ref[strings.LastIndex(r.Ref, "/")+1:] }

type description struct {
	Paths      map[string]map[string]described
	Components struct {
		Schemas   map[string]struct{ Examples []json.RawMessage }
		Responses map[string]answer
	}
}

func readDescription(t *testing.T) description {
	t.Helper()
	var d description
	if err := json.Unmarshal(docs.OpenAPI(), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d description) of(op operation) described { return d.Paths[op.Path][strings.ToLower(op.Method)] }

// unknown are answers to examples that hold a secret, which no description can know: the secret is wrong and all else is right.
func unknown() map[string]string {
	const code = `{"otp":["The code is invalid or has expired."]}`
	return map[string]string{
		"auth-refresh":            "401 " + badToken,
		"auth-logout":             "401 " + badToken,
		"auth-cross-login":        `400 {"token":["Token is invalid or expired."]}`,
		"auth-reset-verify":       "400 " + code,
		"auth-reset-confirm":      "400 " + code,
		"tenant-register-confirm": "400 " + code,
	}
}

// The example of each request, exactly as the description shows it, works.
func TestExamples(t *testing.T) {
	d := readDescription(t)
	each(t, takesBody, func(t *testing.T, api *webtest.API, op operation) {
		examples := d.Components.Schemas[d.of(op).RequestBody.Content["application/json"].Schema.last()].Examples
		if len(examples) != 1 {
			t.Fatalf("%d examples", len(examples))
		}
		example := string(examples[0])
		if op.Access != web.Public {
			if op.group == "identity" {
				person(t, api, op.caller().User)
			}
			r := op.request(t, api)
			r.body = example
			r.send(api, "", "").Status(op.Success())
			return
		}
		everybody := meet(t)
		everybody.join("ann@example.com")      // whom the examples name
		everybody.Clock.Step(61 * time.Second) // no code so soon after the last
		a := everybody.As(webtest.Nobody()).Do(op.Method, op.path(), example)
		if want, secret := unknown()[op.ID]; secret {
			status, body, _ := strings.Cut(want, " ")
			if fmt.Sprint(a.Code()) != status {
				t.Errorf("status %d, want %s", a.Code(), status)
			}
			a.JSON(body)
			return
		}
		a.Status(op.Success())
	})
}
