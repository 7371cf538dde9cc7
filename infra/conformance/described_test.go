package conformance_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/docs"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// What the API description says of one operation, as far as the tests hold answers to it.
type described struct {
	ID          string   `json:"operationId"`
	Joined      []string `json:"x-operation-ids"` // where it describes several operations
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
	Ref   string `json:"$ref"`
	OneOf []struct {
		Ref string `json:"$ref"`
	}
}

// last is the name of what a reference leads to, or the first of several.
func (r reference) last() string {
	if len(r.OneOf) > 0 {
		r.Ref = r.OneOf[0].Ref
	}
	return r.Ref[strings.LastIndex(r.Ref, "/")+1:]
}

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

// of is what the description says of an operation. Its path may be described under other names of its parameters.
func (d description) of(op operation) described {
	for path, methods := range d.Paths {
		if nameless(path) == nameless(op.Path) {
			return methods[strings.ToLower(op.Method)]
		}
	}
	return described{}
}

// nameless is a path without the names of its parameters.
func nameless(path string) string { return parameter.ReplaceAllString(path, "{}") }

// unknown are answers to examples that hold a secret, which no description can know: the secret is wrong and all else is right.
func unknown() map[string]string {
	const (
		code  = `{"otp":["The code is invalid or has expired."]}`
		state = `{"state":["State is invalid or expired."]}`
	)
	return map[string]string{
		"auth-refresh":            "401 " + badToken,
		"auth-logout":             "401 " + badToken,
		"auth-cross-login":        `400 {"token":["Token is invalid or expired."]}`,
		"auth-google-callback":    "400 " + state,
		"auth-google-login":       "400 " + state,
		"auth-reset-verify":       "400 " + code,
		"auth-reset-confirm":      "400 " + code,
		"tenant-register-confirm": "400 " + code,
		"documents-eds-sign":      `409 {"detail":"Signing by eGov is not set up here.","code":"nca_off"}`,
		"documents-manual-sign":   `400 {"file":["No uploaded file has this address."]}`,
		"signing-open":            "404 " + notFound, // the uuid of a sign is a secret
		"signing-code":            "404 " + notFound,
		"signing-confirm":         "404 " + notFound,
		"signing-eds":             "404 " + notFound,
		"signing-reject":          "404 " + notFound,
		"sms-callback":            `403 {"detail":"You do not have permission to perform this action."}`,
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
		works := func(a *webtest.Answer) {
			t.Helper()
			want, secret := unknown()[op.ID]
			if !secret {
				a.Status(op.Success())
				return
			}
			status, body, _ := strings.Cut(want, " ")
			if fmt.Sprint(a.Code()) != status {
				t.Errorf("status %d, want %s", a.Code(), status)
			}
			a.JSON(body)
		}
		if op.Access != web.Public {
			if op.group == "identity" {
				person(t, api, op.caller().User)
			}
			r := op.request(t, api)
			r.body = example
			works(r.send(api, "Accept", "application/json")) // else a file is a redirect to it
			return
		}
		everybody := meet(t)
		everybody.join("ann@example.com")      // whom the examples name
		everybody.Clock.Step(61 * time.Second) // no code so soon after the last
		works(everybody.As(webtest.Nobody()).Do(op.Method, op.path(), example))
	})
}

// resolved returns the description of the answer with a status. It returns nil if that answer is not described.
func (d description) resolved(op operation, status int) *answer {
	a, ok := d.of(op).Responses[strconv.Itoa(status)]
	if a.Ref != "" {
		a, ok = d.Components.Responses[a.last()]
	}
	if !ok {
		return nil
	}
	return &a
}

// Whatever an operation answers, the description has its status and the headers that callers go by. What it answers to the staff
// of a company is kept by nobody.
func TestAnswersAreDescribed(t *testing.T) {
	d := readDescription(t)
	each(t, every, func(t *testing.T, api *webtest.API, op operation) {
		holds := func(a *webtest.Answer) {
			t.Helper()
			if kept := a.Get("Cache-Control"); op.Access != web.Public && kept != ofStaff {
				t.Errorf("%d: Cache-Control is %q", a.Code(), kept)
			}
			said := d.resolved(op, a.Code())
			if said == nil {
				t.Errorf("%d is not described: %s", a.Code(), a.Body())
				return
			}
			for _, name := range []string{"X-Request-Id", "ETag", "Location", "Idempotent-Replayed", "Retry-After", "RateLimit", "RateLimit-Policy", "WWW-Authenticate", "Content-Disposition"} {
				_, described := said.Headers[name]
				sent := a.Get(name) != ""
				if sent && !described {
					t.Errorf("%d: the header %s is not described", a.Code(), name)
				}
				if described && !sent && name != "Idempotent-Replayed" && !strings.HasPrefix(name, "RateLimit") && d.of(op).Joined == nil {
					t.Errorf("%d: the header %s is described and not sent", a.Code(), name)
				}
			}
		}
		holds(api.As(webtest.Nobody()).Do(op.Method, op.path(), op.sent()))
		holds(api.As(webtest.Unknown()).Do(op.Method, op.path(), op.sent()))
		holds(api.As(op.caller()).With("Accept", "text/html").Do(op.Method, op.path(), op.sent()))
		if inTenant(op) {
			holds(api.As(webtest.SignedIn(5)).Do(op.Method, op.path(), op.sent()))
		}
		if takesBody(op) {
			for _, body := range []any{"{", `[]`, webtest.Payload{Type: "text/plain", Data: []byte("x")}} {
				holds(api.As(op.caller()).Do(op.Method, op.path(), body))
			}
		}
		if op.Access == web.Public {
			return
		}
		if op.group == "identity" {
			person(t, api, op.caller().User)
		}
		r := op.request(t, api)
		if one(op) {
			holds(r.send(api, "If-Match", `"999"`))
			holds(r.send(api, "If-None-Match", "*"))
		}
		if op.Idempotent {
			holds(r.send(api, idempotencyKey, "not a key").Status(400))
			holds(r.send(api, idempotencyKey, "key"))
			holds(r.send(api, idempotencyKey, "key"))
			r.path += "?other=request"
			holds(r.send(api, idempotencyKey, "key"))
			return
		}
		holds(r.send(api, "", ""))
	})
}
