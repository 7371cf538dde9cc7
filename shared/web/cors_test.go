package web_test

import (
	"testing"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

func TestCORS(t *testing.T) {
	api := webtest.Setup{
		Change: func(e *app.Env) { e.Config.Origins = []string{"https://app.example.com", "http://localhost:5173"} },
	}.New(t, things)
	company(t, api, "acme.tenantry.test")
	company(t, api, "crm.acme.example")
	const exposed = "ETag, Location, Retry-After, X-Request-Id, Idempotent-Replayed, RateLimit, RateLimit-Policy, Preference-Applied"
	c := api.As(webtest.Nobody())
	for origin, known := range map[string]bool{
		"https://acme.tenantry.test":              true,
		"http://acme.tenantry.test":               false, // the gateway speaks https
		"https://acme.tenantry.test:3000":         true,
		"https://ACME.tenantry.test":              true,
		"https://crm.acme.example":                true,
		"https://app.example.com":                 true,
		"https://App.example.com:443":             true,
		"http://app.example.com":                  false,
		"https://app.example.com:8443":            false,
		"https://app.example.com.":                false,
		"http://localhost:5173":                   true,
		"http://localhost:3000":                   false,
		"http://localhost":                        false,
		"https://other.tenantry.test":             false,
		"https://acme.tenantry.test.evil.example": false,
		"https://evil.example/acme.tenantry.test": false,
		"https://acme.tenantry.test@evil.example": false,
		"https://evil.example?acme.tenantry.test": false,
		"https://acme.tenantry.test/":             false,
		"https://acme.tenantry.test?":             false,
		"https://acme.tenantry.test#":             false,
		"https://tenantry.test":                   false,
		"https://api.tenantry.test":               false,
		"https://127.0.0.1":                       false,
		"https://[::1]":                           false,
		"https://localhost":                       false,
		"ftp://acme.tenantry.test":                false,
		"acme.tenantry.test":                      false,
		"https://":                                false,
		"null":                                    false,
		"%":                                       false,
		"":                                        false,
	} {
		t.Run(origin, func(t *testing.T) {
			c := c.In(t).With("Origin", origin)
			answers := map[string]*webtest.Answer{
				"success":  c.Get("/v1/public/").Status(200),
				"error":    c.Get("/v1/who/").Status(401),
				"unknown":  c.Get("/v1/nothing/").Status(404),
				"redirect": c.Get("/v1/things").Status(301),
				"500":      c.Get("/v1/fail/panic/").Status(500),
				"options":  c.Options("/v1/things/").Status(204),
				"preflight": c.With("Access-Control-Request-Method", "POST").With("Access-Control-Request-Headers", "x-tenant-id").
					Options("/v1/things/").Status(204).Empty(),
				"preflight without the slash": c.With("Access-Control-Request-Method", "POST").Options("/v1/things").Status(204).Empty(),
			}
			for name, a := range answers {
				a.NoHeader("Access-Control-Allow-Credentials")
				vary := "Origin"
				if a.Get("Content-Language") != "" { // it says something
					vary += ",Accept,Accept-Language"
				}
				a.Header("Vary", vary)
				if !known {
					a.NoHeader(
						"Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Access-Control-Allow-Methods",
						"Access-Control-Allow-Headers", "Access-Control-Max-Age",
					)
					continue
				}
				a.Header("Access-Control-Allow-Origin", origin).Header("Access-Control-Expose-Headers", exposed)
				if name == "preflight" || name == "preflight without the slash" {
					a.Header("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS").
						Header("Access-Control-Allow-Headers", "Authorization, Content-Type, X-Tenant-Id, Idempotency-Key, If-Match, If-None-Match, Prefer").
						Header("Access-Control-Max-Age", "7200")
				} else {
					a.NoHeader("Access-Control-Allow-Methods", "Access-Control-Max-Age")
				}
			}
		})
	}
}

// On one machine, where nothing has a certificate, companies' pages are http.
func TestCORSWithoutHTTPS(t *testing.T) {
	api := webtest.Setup{Change: func(e *app.Env) { e.Config.Scheme = "http" }}.New(t, things)
	company(t, api, "acme.tenantry.test")
	for _, origin := range []string{"http://acme.tenantry.test:5173", "https://acme.tenantry.test"} {
		api.As(webtest.Nobody()).With("Origin", origin).Get("/v1/public/").Status(200).Header("Access-Control-Allow-Origin", origin)
	}
}

// On the local platform every page of this machine may call, at whatever port; pages of others may not.
func TestCORSOfThisMachine(t *testing.T) {
	api := webtest.Setup{Change: func(e *app.Env) { e.Config.AnyLoopback, e.Config.Scheme = true, "http" }}.New(t, things)
	company(t, api, "acme.tenantry.test")
	for origin, known := range map[string]bool{
		"http://localhost": true, "http://localhost:3000": true, "http://localhost:61234": true, "http://LOCALHOST:5173": true, "https://localhost:5173": true,
		"http://127.0.0.1:5173": true, "http://[::1]:5173": true, "http://acme.tenantry.test:61234": true,
		"http://other.tenantry.test:5173": false, "http://192.168.1.5:3000": false, "http://localhost.evil.example": false, "http://evil.example": false, "http://0.0.0.0:3000": false, "null": false,
	} {
		a := api.As(webtest.Nobody()).With("Origin", origin).Get("/v1/things/")
		if got := a.Get("Access-Control-Allow-Origin") == origin; got != known {
			t.Errorf("%q: known %v, want %v", origin, got, known)
		}
	}
}
