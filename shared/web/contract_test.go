package web_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	noAuth    = `{"detail":"Authentication credentials were not provided."}`
	badToken  = `{"detail":"Given token not valid for any token type","code":"token_not_valid","messages":[{"token_class":"AccessToken","token_type":"access","message":"Token is invalid or expired"}]}`
	forbidden = `{"detail":"You do not have permission to perform this action."}`
	notFound  = `{"detail":"Not found."}`
	away      = `{"detail":"Service temporarily unavailable."}`
	realm     = `Bearer realm="api"`

	companyRequired = `{"detail":"You belong to several companies. Name the one that is meant by its id in the header X-Tenant-Id: ` +
		`GET /v1/tenant/ lists them.","code":"company_required"}`
)

func TestErrors(t *testing.T) {
	api := webtest.New(t, things)
	c := api.As(webtest.Nobody())
	for _, e := range []struct {
		how    string
		status int
		want   string
		header map[string]string
	}{
		{"fields", 400, `{"domain":["This field must be unique."]}`, nil},
		{
			"members", 400, `{"detail":"No.","code":"machine","name":["a"],"errors":{"name":["a"],"code":["b"],"detail":["c"]}}`, nil,
		},
		{"namesakes", 400, `{"code":["b"],"errors":["c"]}`, nil},
		{"set", 400, `{"non_field_errors":["The fields key, name must make a unique set."]}`, nil},
		{"malformed", 400, `{"detail":"JSON parse error - x"}`, nil},
		{"records", 400, `{"detail":"Too many.","code":"export_too_long"}`, nil},
		{"noauth", 401, `{"detail":"No active account found with the given credentials"}`, map[string]string{"WWW-Authenticate": realm}},
		{"badtoken", 401, badToken, map[string]string{"WWW-Authenticate": realm}},
		{"othertoken", 401, `{"detail":"Token is invalid or expired","code":"token_not_valid"}`, map[string]string{"WWW-Authenticate": realm}},
		{"forbidden", 403, forbidden, nil},
		{"notfound", 404, notFound, nil},
		{"page", 404, `{"detail":"Invalid page."}`, nil},
		{"conflict", 409, `{"detail":"Busy.","conflicts":[7]}`, nil},
		{"precondition", 412, `{"detail":"Changed."}`, nil},
		{"throttled", 429, `{"detail":"Request was throttled. Expected available in 60 seconds."}`, map[string]string{"Retry-After": "60"}},
		{"unavailable", 503, away, map[string]string{"Retry-After": "1"}},
		{"late", 503, away, map[string]string{"Retry-After": "1"}},
		{"time", 200, ``, nil},
	} {
		t.Run(e.how, func(t *testing.T) {
			a := c.In(t).Get("/v1/fail/"+e.how+"/").Status(e.status).NotContain("secret", "T#")
			if e.want != "" {
				a.JSON(e.want)
			}
			for name, value := range e.header {
				a.Header(name, value)
			}
		})
	}
}

// What is no fault is answered with its request's id and nothing else, and the
// log has the rest.
func TestUnexpected(t *testing.T) {
	api := webtest.New(t, things)
	c := api.As(webtest.Nobody())
	for how, logged := range map[string]string{
		"secret": "T#1#secret", "panic": "group_test.go", "nil": "nil pointer", "key": "outside of the handle's reach",
		// The service that failed is a metric, and so are the calls of KMS.
		"kms": `{"Namespace":"Tenantry","Dimensions":[["Stage","Service"]],"Metrics":[{"Name":"ServiceFailures"}]},` +
			`{"Namespace":"Tenantry","Dimensions":[["Stage"]],"Metrics":[{"Name":"KmsCalls"}]}`,
	} {
		a := c.Get("/v1/fail/"+how+"/").Status(500).NotContain("secret", "T#", "nil pointer", ".go").
			JSON(`{"detail":"A server error occurred.","request_id":"<uuid>"}`)
		if a.Text("request_id") != a.Get("X-Request-Id") || !strings.Contains(api.Log(), logged) {
			t.Errorf("%s: request id %s, log %s", how, a.Get("X-Request-Id"), api.Log())
		}
	}
	if n := strings.Count(api.Log(), `"KmsCalls":`); n != 1 || !strings.Contains(api.Log(), `"KmsCalls":2,`) {
		t.Errorf("%d lines tell of calls of KMS: %s", n, api.Log())
	}
	c.Get("/v1/text/unspeakable/1/").Status(500).JSON(`{"detail":"A server error occurred.","request_id":"<uuid>"}`)
}

func TestBodies(t *testing.T) {
	api := webtest.New(t, things)
	c := api.As(webtest.Employee(1))
	big := `{"name":"a","x":"` + strings.Repeat("x", 4<<20) + `"}`
	for _, b := range []struct {
		name, method, path string
		body               any
		status             int
		want               string
	}{
		{"created", "POST", "/v1/things/", `{"name":" a ","id":9,"unknown":{}}`, 201, `{"id":1,"name":"a"}`},
		{"no body", "POST", "/v1/things/", nil, 400, `{"name":["This field is required."]}`},
		{"put", "PUT", "/v1/things/7/", `{"n":"x"}`, 400, `{"name":["This field is required."],"n":["A valid integer is required."]}`},
		{"patch", "PATCH", "/v1/things/7/", `{}`, 200, `{"id":7,"name":""}`},
		{"patch too long", "PATCH", "/v1/things/7/", `{"name":"abcdef"}`, 400, `{"name":["Ensure this field has no more than 5 characters."]}`},
		{"list", "POST", "/v1/things/", `[]`, 400, `{"non_field_errors":["Invalid data. Expected a dictionary, but got list."]}`},
		{"malformed", "POST", "/v1/things/", `{"name"`, 400, `{"detail":"<string>"}`},
		{"not UTF-8", "POST", "/v1/things/", webtest.Payload{Type: "application/json", Data: []byte("{\"name\":\"\xff\"}")}, 400, `{"detail":"JSON parse error - the body is not valid UTF-8"}`},
		{"media type", "POST", "/v1/things/", webtest.Payload{Type: "text/plain", Data: []byte("x")}, 415, `{"detail":"Unsupported media type \"text/plain\" in request."}`},
		{"form where only JSON is taken", "POST", "/v1/things/", webtest.Form("name", "a"), 415, `{"detail":"Unsupported media type \"application/x-www-form-urlencoded\" in request."}`},
		{"form", "POST", "/v1/login/", webtest.Form("token", "a b"), 200, `{"token":"a b"}`},
		{"multipart", "POST", "/v1/login/", webtest.Multipart(map[string]any{"token": "a b"}), 200, `{"token":"a b"}`},
		{"JSON", "POST", "/v1/login/", `{"token":"a b"}`, 200, `{"token":"a b"}`},
		{"4 MB", "POST", "/v1/things/", big[:4<<20-2] + `"}`, 201, `{"id":1,"name":"a"}`},
		{"over 4 MB", "POST", "/v1/things/", big[:4<<20-1] + `"}`, 413, `{"detail":"Request body exceeds 4 MB."}`},
		{"over 4 MB in base64", "POST", "/v1/login/", webtest.Form("token", strings.Repeat("x", 4<<20)), 413, `{"detail":"Request body exceeds 4 MB."}`},
		{"not JSON's id", "PUT", "/v1/things/0/", `{"name":"a"}`, 404, notFound},
	} {
		t.Run(b.name, func(t *testing.T) { c.In(t).Do(b.method, b.path, b.body).Status(b.status).JSON(b.want) })
	}
	c.Delete("/v1/things/7/").Status(204).Empty().NoHeader("Content-Type")
}

// Who needs no token can make a function read little.
func TestPublicBodies(t *testing.T) {
	api := webtest.New(t, things)
	c := api.As(webtest.Owner(1))
	const around = len(`{"token":""}`)
	const most = 64<<10 - around
	body := func(n int) string { return `{"token":"` + strings.Repeat("x", n) + `"}` }
	c.Post("/v1/login/", body(most)).Status(200)
	c.Post("/v1/login/", body(most+1)).Status(413).JSON(`{"detail":"Request body exceeds 64 KB."}`)
	c.Post("/v1/login/", webtest.Form("token", strings.Repeat("x", 64<<10))).Status(413).JSON(`{"detail":"Request body exceeds 64 KB."}`)
	c.Post("/v1/things/", `{"name":"a","x":"`+strings.Repeat("x", 64<<10)+`"}`).Status(201)
}

// Every answer tells browsers the same, whatever it is. What the staff of a company is told is kept by nobody, and what holds a
// secret neither.
func TestHeadersOfEveryAnswer(t *testing.T) {
	api := webtest.New(t, things)
	c := api.As(webtest.Owner(1))
	const staff, secret, free = "private, no-store", "no-store", ""
	for _, r := range []struct {
		name, method, path string
		body               any
		status             int
		cache              string
	}{
		{"read", "GET", "/v1/things/7/", nil, 200, staff},
		{"a list", "GET", "/v1/things/", nil, 200, staff},
		{"without a body", "DELETE", "/v1/things/7/", nil, 204, staff},
		{"refused", "POST", "/v1/things/", `{}`, 400, staff},
		{"a record that is not there", "GET", "/v1/things/999/", nil, 404, staff},
		{"not found", "GET", "/v1/nothing/", nil, 404, free},
		{"another method", "PUT", "/v1/things/", nil, 405, free},
		{"a redirect", "GET", "/v1/things", nil, 301, free},
		{"options", "OPTIONS", "/v1/things/", nil, 204, free},
		{"too large", "POST", "/v1/things/", strings.Repeat(" ", 4<<20+1), 413, free},
		{"a fault of ours", "GET", "/v1/fail/panic/", nil, 500, free},
		{"a secret", "POST", "/v1/login/", `{"token":"a"}`, 200, secret},
		{"a secret that is refused", "POST", "/v1/login/", `{}`, 400, secret},
	} {
		t.Run(r.name, func(t *testing.T) {
			a := c.In(t).Do(r.method, r.path, r.body).Status(r.status).
				Header("X-Content-Type-Options", "nosniff").Header("Strict-Transport-Security", "max-age=31536000")
			if r.cache == "" {
				a.NoHeader("Cache-Control")
			} else {
				a.Header("Cache-Control", r.cache)
			}
		})
	}
	api.As(webtest.Nobody()).Get("/v1/things/7/").Status(401).Header("Cache-Control", staff)
}

func TestPathParameters(t *testing.T) {
	api := webtest.New(t, things)
	c := api.As(webtest.Owner(1))
	c.Get("/v1/things/35/").Status(200).JSON(`{"id":35,"name":"t"}`)
	for _, id := range []string{
		"36", "0", "-1", "+1", "1.0", "x", "%20", "1%2F2", "1%3Fa", "1%23a", "%25", "%00", "0x1", "٣", "999999999998", "1000000000000",
		"999999999999999999", "1000000000000000000", "9223372036854775808", "99999999999999999999", "a%2F..%2F1",
	} {
		c.Get("/v1/things/" + id + "/").Status(404).JSON(notFound)
	}
	c.Get("/v1/things/999999999999/").Status(200) // table.MaxID
	// The id of a part is longer than its record's.
	for _, id := range []string{"1", "100001", "99999999999999999", "999999999999999999"} {
		c.Get("/v1/things/999999999999/parts/"+id+"/").Status(200).Field("id", id)
	}
	for _, path := range []string{"1/parts/1000000000000000000", "1/parts/9223372036854775808", "1/parts/0", "1/parts/x", "1/parts/+1"} {
		c.Get("/v1/things/" + path + "/").Status(404).JSON(notFound)
	}
	c.Get("/v1/files/11111111-1111-4111-8111-111111111111/").Status(302).Empty().
		Header("Location", "https://files.test/11111111-1111-4111-8111-111111111111")
	for _, ref := range []string{
		"1", "11111111111141118111111111111111", "%7B11111111-1111-4111-8111-111111111111%7D",
		"urn:uuid:11111111-1111-4111-8111-111111111111",
	} {
		c.Get("/v1/files/" + ref + "/").Status(404).JSON(notFound)
	}
	for _, path := range []string{
		"/", "/v1/nothing/", "/v1/things/1/2/", "/v1//things/", "/v1/things//", "/V1/things/", "/v1/things/1/extra",
	} {
		c.Get(path).Status(404).JSON(notFound)
	}
}

func TestTrailingSlash(t *testing.T) {
	api := webtest.New(t, things)
	c := api.As(webtest.Nobody())
	for _, r := range []struct {
		method, path, location string
		status                 int
	}{
		{"GET", "/v1/things", "/v1/things/", 301},
		{"HEAD", "/v1/things", "/v1/things/", 301},
		{"POST", "/v1/things", "/v1/things/", 308},
		{"PUT", "/v1/things/7", "/v1/things/7/", 308},
		{"PATCH", "/v1/things/7", "/v1/things/7/", 308},
		{"DELETE", "/v1/things/7", "/v1/things/7/", 308},
		{"OPTIONS", "/v1/things", "/v1/things/", 308},
		{"GET", "/v1/things?page=2&search=50%25&a=%D0%B0", "/v1/things/?page=2&search=50%25&a=%D0%B0", 301},
		{"GET", "/v1/things/a%20b%3Fc%23d%25", "/v1/things/a%20b%3Fc%23d%25/", 301},
		{"GET", "/v1/things/%2F%2Fevil.test", "", 404},
		{"GET", "//evil.test", "", 404},
		{"GET", "/.well-known/keys/", "", 404},
		{"GET", "/v1/nothing", "", 404},
	} {
		a := c.Do(r.method, r.path, nil).Status(r.status)
		if r.status != 404 {
			a.Header("Location", r.location).Empty()
		}
	}
}

func TestMethods(t *testing.T) {
	api := webtest.New(t, things)
	c := api.As(webtest.Owner(1))
	nobody := api.As(webtest.Nobody())

	get := c.Get("/v1/things/7/").Status(200)
	head := c.Head("/v1/things/7/").Status(200).Empty().Header("Content-Type", "application/json")
	if head.Get("Content-Length") != "19" || len(get.Body()) != 19 {
		t.Errorf("HEAD: Content-Length %s, GET has %d bytes", head.Get("Content-Length"), len(get.Body()))
	}
	c.Head("/v1/things/99/").Status(404).Empty()
	nobody.Head("/v1/things/7/").Status(401).Empty()

	for path, allow := range map[string]string{
		"/v1/things/":   "GET, HEAD, POST, OPTIONS",
		"/v1/things/7/": "GET, HEAD, PUT, PATCH, DELETE, OPTIONS",
		"/v1/login/":    "POST, OPTIONS",
		"/v1/company/":  "DELETE, OPTIONS",
	} {
		nobody.Options(path).Status(204).Empty().Header("Allow", allow)
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PURGE"} {
			if strings.Contains(allow, method) {
				continue
			}
			a := c.Do(method, path, nil).Status(405).Header("Allow", allow)
			if method != "HEAD" {
				a.JSON(`{"detail":"Method \"` + method + `\" not allowed."}`)
			}
		}
	}
	for _, method := range []string{"OPTIONS", "PURGE", "DELETE"} {
		c.Do(method, "/v1/nothing/", nil).Status(404).JSON(notFound)
	}
}

func TestAccept(t *testing.T) {
	api := webtest.New(t, things)
	c := api.As(webtest.Owner(1))
	for accept, status := range map[string]int{
		"":                                 200,
		"*/*":                              200,
		"application/json":                 200,
		"APPLICATION/JSON":                 200,
		"application/*":                    200,
		"application/json; indent=4;q=0.5": 200,
		"text/html,application/xhtml+xml,*/*;q=0.8":              200,
		"text/html, application/json;q=0.1":                      200,
		"text/html":                                              406,
		"application/vnd.api+json":                               406,
		"application/json;q=0":                                   406,
		"application/json;q=0.000, */*":                          406,
		"*/*;q=0":                                                406,
		"application/*;q=0, */*":                                 406,
		"application/json, application/*;q=0":                    200,
		strings.Repeat("text/html;q=0.9,", 500) + "image/*; q=1": 406,
	} {
		a := c.With("Accept", accept).Get("/v1/things/7/").Status(status)
		if status == 406 {
			a.JSON(`{"detail":"Could not satisfy the request Accept header."}`)
		}
	}
	c.With("Accept", "image/png").Get("/v1/files/11111111-1111-4111-8111-111111111111/").Status(302)
	c.With("Accept", "text/html").Options("/v1/things/").Status(204)
	api.As(webtest.Nobody()).With("Accept", "text/html").Get("/v1/things/7/").Status(406)
}

func TestGzip(t *testing.T) {
	api := webtest.New(t, things)
	c := api.As(webtest.Nobody())
	for _, g := range []struct {
		accept, path string
		zipped       bool
	}{
		{"gzip", "/v1/text/json/2000/", true},
		{"deflate, gzip;q=0.5", "/v1/text/json/2000/", true},
		{"br, *", "/v1/text/json/2000/", true},
		{"gzip", "/v1/text/json/1016/", false}, // 1,024 bytes
		{"gzip", "/v1/text/json/1017/", true},
		{"gzip;q=0, *", "/v1/text/json/2000/", false},
		{"br", "/v1/text/json/2000/", false},
		{"x-gzipped", "/v1/text/json/2000/", false},
		{"", "/v1/text/json/2000/", false},
		{"gzip", "/v1/text/binary/2000/", false},
	} {
		a := c.With("Accept-Encoding", g.accept).Get(g.path).Status(200)
		if zipped := a.Get("Content-Encoding") == "gzip"; zipped != g.zipped || zipped && a.Sent() > 200 {
			t.Errorf("%s %s: Content-Encoding %q, %d bytes", g.accept, g.path, a.Get("Content-Encoding"), a.Sent())
		}
	}
	c.Get("/v1/text/json/2000/").Header("Vary", "Origin,Accept-Encoding")
	c.With("Accept-Encoding", "gzip").Head("/v1/text/json/2000/").Status(200).Empty().Header("Content-Encoding", "gzip")
}

func TestLargeAnswers(t *testing.T) {
	api := webtest.New(t, things)
	c := api.As(webtest.Nobody())
	tooLarge := `{"pageSize":["The answer would be larger than 5 MB. Ask for fewer records at once."]}`
	c.Get("/v1/text/json/5242000/").Status(200)
	c.Get("/v1/text/json/5242880/").Status(400).JSON(tooLarge)
	c.With("Accept-Encoding", "gzip").Get("/v1/text/json/5242880/").Status(400).JSON(tooLarge)
	// Within the answer of a Lambda, a quote in a text takes four bytes.
	c.Get("/v1/text/quotes/1500000/").Status(200)
	c.Get("/v1/text/quotes/2000000/").Status(400).JSON(tooLarge)
	c.With("Accept-Encoding", "gzip").Get("/v1/text/quotes/2000000/").Status(200)
	// What is no text travels in base64, which adds a third.
	for _, path := range []string{"binary", "noise"} {
		c := c.With("Accept-Encoding", "gzip")
		c.Get("/v1/text/" + path + "/4600000/").Status(200)
		c.Get("/v1/text/" + path + "/4700000/").Status(400).JSON(tooLarge)
	}
}

func TestSilentHandler(t *testing.T) {
	webtest.New(t, things).As(webtest.Nobody()).Get("/v1/text/silent/1/").Status(200).Empty()
}
