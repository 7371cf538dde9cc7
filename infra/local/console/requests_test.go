package console

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/tenantry/tenantry/shared/table/meter"
)

// within is the context that a gateway gives a function.
func within(ctx context.Context, function string) context.Context {
	return lambdacontext.NewContext(ctx, &lambdacontext.LambdaContext{InvokedFunctionArn: "arn:aws:lambda:local:0:function:" + function})
}

// answering is a handler that answers with a status, after what functions do for the request.
func answering(id string, status int, does func(ctx context.Context)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Apigw-Requestid", id)
		does(r.Context())
		w.WriteHeader(status)
		fmt.Fprint(w, "12345")
	})
}

// ask sends a request through what watches, and returns the last requests as programs get them.
func (r *Requests) ask(t *testing.T, of *http.Request, by http.Handler) []map[string]any {
	t.Helper()
	r.Watch(by).ServeHTTP(httptest.NewRecorder(), of)
	var list []map[string]any
	text := body(t, serve(handler(t, Config{Requests: r}), request("GET", "/_local/requests")))
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err, text)
	}
	return list
}

// A request is told with what its function logs of it and with each call of the table, and with nothing that was sent.
func TestRequests(t *testing.T) {
	r := new(Requests)
	of := request("POST", "/v2/documents/0b7f3a6e-1c7d-4c39-9a53-0f3a2f9d7c11/sign/confirm/?lang=kk&token=very")
	of.Header.Set("Authorization", "Bearer very")
	of.Body = http.NoBody
	list := r.ask(t, of, answering("one=", 201, func(ctx context.Context) {
		meter.Tell(within(ctx, "authorizer"), meter.Call{Name: "BatchGetItem", Usage: meter.Usage{ReadUnits: 1.5, Time: 1500 * time.Microsecond}})
		own, counted := meter.Start(within(ctx, "documents"))
		meter.Tell(own, meter.Call{Name: "TransactWriteItems", Usage: meter.Usage{Calls: 1, WriteUnits: 6}, Failed: true})
		fmt.Fprintf(r, `{"level":"info","request_id":"one=","function":"documents","Route":"documents-sign","method":"POST","status":201,`+
			`"tenant":3,"user":7,"Calls":%d,"ReadUnits":0,"WriteUnits":%v,"KmsCalls":1,"Bytes":5}`+"\n", counted.Usage().Calls, counted.Usage().WriteUnits)
		fmt.Fprintln(r, `{"level":"info","function":"worker","message_id":"one="}`)
		fmt.Fprintln(r, `no line`)
	}))
	if len(list) != 1 {
		t.Fatalf("%v", list)
	}
	one := list[0]
	if at, err := time.Parse(time.RFC3339, fmt.Sprint(one["at"])); err != nil || time.Since(at) > time.Minute || one["milliseconds"].(float64) < 0 {
		t.Errorf("at %v, for %v ms", one["at"], one["milliseconds"])
	}
	delete(one, "at")
	delete(one, "milliseconds")
	want := map[string]any{
		"method": "POST", "path": "/v2/documents/{uuid}/sign/confirm/", "query": "lang=kk&token=*", "status": 201.0, "bytes": 5.0,
		"request_id": "one=", "function": "documents", "operation": "documents-sign", "company": 3.0, "user": 7.0,
		"calls": 1.0, "read_units": 0.0, "write_units": 6.0, "kms_calls": 1.0,
		"table": []any{
			map[string]any{"function": "authorizer", "name": "BatchGetItem", "read_units": 1.5, "write_units": 0.0, "milliseconds": 1.5},
			map[string]any{
				"function": "documents", "name": "TransactWriteItems", "read_units": 0.0, "write_units": 6.0, "milliseconds": 0.0, "failed": true,
			},
		},
	}
	if got, wanted := fmt.Sprint(one), fmt.Sprint(want); got != wanted {
		t.Errorf("%s\nwant %s", got, wanted)
	}
}

// The last ones are kept, newest first, whatever the log says of others; a function that logs when nobody waits any more is heard too.
func TestRequestsKeepTheLast(t *testing.T) {
	r := new(Requests)
	var list []map[string]any
	for i := range mostRequests + 5 {
		id := fmt.Sprintf("%d=", i)
		list = r.ask(t, request("GET", fmt.Sprintf("/v1/crm/clients/%d/", i)), answering(id, 200, func(ctx context.Context) {
			for range i * 2 {
				meter.Tell(ctx, meter.Call{Name: "Query"})
			}
		}))
	}
	fmt.Fprintln(r, `{"request_id":"204=","function":"clients","Route":"clients-read","Calls":3}`)
	fmt.Fprintln(r, `{"request_id":"other=","function":"clients","Route":"clients-read"}`)
	if len(list) != mostRequests || list[0]["path"] != "/v1/crm/clients/204/" || list[mostRequests-1]["path"] != "/v1/crm/clients/5/" {
		t.Fatalf("%d requests, from %v to %v", len(list), list[0]["path"], list[len(list)-1]["path"])
	}
	if calls := list[0]["table"].([]any); len(calls) != mostCalls || list[0]["table_left"] != float64(2*204-mostCalls) {
		t.Errorf("%d calls, and %v more", len(calls), list[0]["table_left"])
	}
	got := r.List()
	if len(got) != mostRequests || got[0].Function != "clients" || got[0].Calls != 3 || got[0].RequestID != "204=" || got[1].Function != "" {
		t.Errorf("%+v", got[0])
	}
}

// What a function does after the answer, when nobody waits any more, is among the calls too.
func TestRequestsAfterTheAnswer(t *testing.T) {
	r := new(Requests)
	var later func()
	list := r.ask(t, request("GET", "/v1/crm/clients/"), answering("one=", 200, func(ctx context.Context) {
		later = func() { meter.Tell(ctx, meter.Call{Name: "PutItem"}) }
	}))
	if calls := list[0]["table"].([]any); len(calls) != 0 {
		t.Fatalf("before it called anything: %v", calls)
	}
	before := r.List()
	later()
	if got := r.List(); len(got) != 1 || len(got[0].Table) != 1 || got[0].Table[0].Name != "PutItem" || len(before[0].Table) != 0 {
		t.Errorf("%+v, and before %+v", got, before)
	}
}

// Of an address, what is all that its holder has to show is never kept.
func TestAddressesWithoutSecrets(t *testing.T) {
	const id = "0b7f3a6e-1c7d-4c39-9a53-0f3a2f9d7c11"
	for path, want := range map[string]string{
		"/":                              "/",
		"/v1/crm/clients/15/":            "/v1/crm/clients/15/",
		"/v1/openapi.json":               "/v1/openapi.json",
		"/v2/documents/" + id + "/open/": "/v2/documents/{uuid}/open/",
		"/sign/" + strings.ToUpper(id):   "/sign/{uuid}",
		"/sign/" + id[1:] + "/":          "/sign/*/",
		"/sign/" + id + "x/":             "/sign/*/",
		"/sign/eyJhbGciOiJFUzI1NiJ9/":    "/sign/*/",
		"/v1/Ключ/123456789012345678901": "/v1/*/*",
		"/v1/crm/Services/~/tarifs/5":    "/v1/crm/*/*/tarifs/5",
		strings.Repeat("/aaa", 250):      strings.Repeat("/aaa", 250),
		strings.Repeat("/aaa", 251):      strings.Repeat("/aaa", 249) + "/…",
		strings.Repeat("x", 1001):        "/…",
	} {
		if got := shownPath(path); got != want {
			t.Errorf("%s is shown as %s", path, got)
		}
	}
	for query, want := range map[string]string{
		"":                                    "",
		"search=%D0%90%D1%81+x&page=2":        "search=%D0%90%D1%81+x&page=2",
		"start_at=2026-03-02T10%3A00%3A00.0Z": "start_at=2026-03-02T10%3A00%3A00.0Z",
		"code=123456&&state=2":                "code=*&state=2",
		"access_token=a&API_KEY=b&password=c": "access_token=*&API_KEY=*&password=*",
		"search=eyJhbGciOiJFUzI1NiJ9.x":       "search=*",
		"search=" + id:                        "search=*",
		"search=%zz&a%3D=1&" + id:             "*&*&*",
		"search=%ff":                          "*",
		strings.Repeat("p=1&", 251):           strings.Repeat("p=1&", 249) + "p=1&…",
	} {
		if got := shownQuery(query); got != want {
			t.Errorf("%s is shown as %s", query, got)
		}
	}
}

// What the API lists by is shown, and each path of it is named as the API names it but for what isn't a number.
func TestAddressesOfTheAPI(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "docs", "openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	var api struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(text, &api); err != nil || len(api.Paths) < 100 {
		t.Fatal(len(api.Paths), err)
	}
	numbers := strings.NewReplacer("{uuid}", "0b7f3a6e-1c7d-4c39-9a53-0f3a2f9d7c11", "{folder}", "assets", "{name}", "name", "{code}", "code")
	var filters []string
	for path, operations := range api.Paths {
		given := numbers.Replace(path)
		for strings.Contains(given, "{") {
			before, rest, _ := strings.Cut(given, "{")
			_, after, _ := strings.Cut(rest, "}")
			given = before + "15" + after
		}
		want := strings.ReplaceAll(given, "0b7f3a6e-1c7d-4c39-9a53-0f3a2f9d7c11", "{uuid}")
		if got := shownPath(given); got != want {
			t.Errorf("%s is shown as %s", given, got)
		}
		for _, operation := range operations {
			var o struct {
				Parameters []struct{ In, Name string }
			}
			_ = json.Unmarshal(operation, &o) // what is no operation has no parameters
			for _, p := range o.Parameters {
				if p.In == "query" && !slices.Contains(filters, p.Name) {
					filters = append(filters, p.Name)
				}
			}
		}
	}
	if len(filters) < 100 {
		t.Fatalf("%d filters", len(filters))
	}
	for _, name := range filters {
		if got := shownQuery(name + "=15"); got != name+"=15" {
			t.Errorf("%s is shown as %s", name, got)
		}
	}
}
