package history_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/functions/history"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const path = "/v1/crm/history/?object="

func TestHistoryOfADocument(t *testing.T) {
	api := webtest.New(t, documents.New, history.New)
	owner, employee := api.As(webtest.Owner(1)), api.As(webtest.Employee(1))
	made := owner.Post("/v2/documents/", `{"name":"Lease"}`).Status(201)
	api.Clock.Step(time.Minute)
	changed := employee.Patch("/v2/documents/1/", `{"name":"Lease of a car"}`).Status(200)
	employee.Patch("/v2/documents/1/", `{"name":"Lease of a car"}`).Status(200).Writes(0) // no change
	employee.With("If-Match", `"1"`).Patch("/v2/documents/1/", `{"name":"b"}`).Status(412)
	owner.Patch("/v2/documents/1/", `{"source":9}`).Status(400)
	api.Clock.Step(time.Minute)
	deleted := owner.Delete("/v2/documents/1/").Status(204)

	a := api.As(webtest.ReadOnly(1)).Get(path+"document:1").Status(200).Field("count", "3").Calls(1).Units(2, 0)
	a.Field("results.0", `{"id":3,"object":"document:1","action":"deleted","user":14,"feed":null,"key":null,"at":"2026-03-02T09:32:00Z",
		"request_id":"`+deleted.Get("X-Request-Id")+`","changes":"<any>"}`)
	a.Field("results.1", `{"id":2,"object":"document:1","action":"changed","user":12,"feed":null,"key":null,"at":"2026-03-02T09:31:00Z",
		"request_id":"`+changed.Get("X-Request-Id")+`","changes":[{"field":"name","from":"Lease","to":"Lease of a car"}]}`)
	a.Field("results.2", `{"id":1,"object":"document:1","action":"created","user":14,"feed":null,"key":null,"at":"2026-03-02T09:30:00Z",
		"request_id":"`+made.Get("X-Request-Id")+`","changes":[
			{"field":"created_by","from":null,"to":14},{"field":"files","from":null,"to":[]},{"field":"links","from":null,"to":[]},
			{"field":"name","from":null,"to":"Lease"},{"field":"signed","from":null,"to":false},{"field":"signs","from":null,"to":[]},
			{"field":"source","from":null,"to":0},{"field":"uuid","from":null,"to":"<uuid>"}]}`)

	// Another company's record and one that never was.
	owner.Get(path + "document:2").Status(200).JSON(`{"count":0,"next":null,"previous":null,"results":[]}`)
	api.As(webtest.Owner(2)).Get(path + "document:1").Status(200).JSON(`{"count":0,"next":null,"previous":null,"results":[]}`)
	owner.Get(path+"client:1").Status(200).Field("count", "0")
}

// TestSecretOfOldEntries: an entry of a document from before the uuids of signs were secret is answered without them.
func TestSecretOfOldEntries(t *testing.T) {
	api := webtest.New(t, history.New)
	c := table.Of(api.Env.Table, 1)
	log := audit.Of(c, audit.Actor{User: 14, Request: "r", At: webtest.Start})
	type sign struct {
		ID   int    `json:"id"`
		UUID string `json:"uuid"`
	}
	signs := func(list ...sign) audit.View { return audit.View{Fields: map[string][]sign{"signs": list}} }
	if err := c.Write(t.Context(), func(tx *table.Tx, _ int) error {
		return log.Add(tx, audit.Revision{
			Kind: kinds.Document, ID: 1, Number: 1, Action: audit.Changed, Before: signs(), After: signs(sign{1, "the signer's authority"}),
		})
	}); err != nil {
		t.Fatal(err)
	}
	for _, who := range []webtest.Caller{webtest.ReadOnly(1), webtest.Owner(1)} {
		api.As(who).Get(path+"document:1").Status(200).Field("results.0.changes", `[{"field":"signs","from":null,"to":[{"id":1,"uuid":null}]}]`)
	}
}

func TestPages(t *testing.T) {
	api := webtest.New(t, history.New)
	c := table.Of(api.Env.Table, 1)
	log := audit.Of(c, audit.Actor{User: 9, Request: "r", At: webtest.Start})
	for revision := range int64(23) {
		if err := c.Write(t.Context(), func(tx *table.Tx, _ int) error {
			n := func(n int64) audit.View { return audit.View{Fields: map[string]int64{"n": n}} }
			return log.Add(tx, audit.Revision{
				Kind: kinds.Client, ID: 15, Number: revision + 1, Action: audit.Changed, Before: n(revision), After: n(revision + 1),
			})
		}); err != nil {
			t.Fatal(err)
		}
	}
	owner := api.As(webtest.Owner(1))
	const base = webtest.BaseURL + "/v1/crm/history/?object=client%3A15"
	owner.Get(path+"client:15").Status(200).Field("count", "23").Field("results.0.id", "23").Field("results.9.id", "14").
		Field("previous", "null").Field("next", `"`+base+`&page=2"`)
	owner.Get(path+"client:15&page=3").Status(200).Field("results.0.id", "3").Field("results.2.id", "1").
		Field("next", "null").Field("previous", `"`+base+`&page=2"`).Calls(3)
	owner.Get(path+"client:15&page=last").Status(200).Field("results.0.id", "3").Field("previous", `"`+base+`&page=2"`)
	owner.Get(path+"client:15&page=last&pageSize=50").Status(200).Field("results.22.id", "1").Calls(1)
	owner.Get(path + "client:15&page=4").Status(404).JSON(`{"detail":"Invalid page."}`)
	owner.Get(path + "client:15&page=x").Status(404).Calls(0)
	owner.Get(path + "client:16&page=2").Status(404)
	owner.Get(path+"client:16&page=last").Status(200).Field("count", "0")
}

func TestObjects(t *testing.T) {
	api := webtest.New(t, history.New)
	owner := api.As(webtest.Owner(1))
	for _, none := range []string{"/v1/crm/history/", path, path + "client:1&object="} {
		owner.Get(none).Status(400).JSON(`{"object":["This field is required."]}`).Calls(0)
	}
	for _, bad := range []string{
		"client", "client:", ":1", "client:0", "client:-1", "client:01", "client:x", "client:1:2", "Client:1", "cli:1",
		"client:1000000000000000000", "T%231",
	} {
		owner.Get(path+bad).Status(400).Field("object.0", `"<string>"`).Calls(0)
	}
	owner.Get(path+"client:999999999999999999").Status(200).Field("count", "0").Calls(0)
	owner.Get(path + "car:1").Status(400).JSON(`{"object":["\"car:1\" is not a valid choice."]}`)
}

// What only managers may look at has a history for managers alone.
func TestRoleOfTheKind(t *testing.T) {
	api := webtest.New(t, history.New)
	for object, least := range map[string]int{"document": 0, "client": 0, "custom_field": 0, "user": 2} {
		for rank, who := range []webtest.Caller{webtest.ReadOnly(1), webtest.Employee(1), webtest.Manager(1), webtest.Owner(1)} {
			status := 200
			if rank < least {
				status = 403
			}
			a := api.As(who).Get(path + object + ":1").Status(status)
			if status == 403 {
				a.JSON(`{"detail":"You do not have permission to perform this action."}`).Calls(0)
			}
		}
	}
}

// TestHistoriesForPrograms: a key reads the histories of what it may read, and of nothing else; its changes name it, and no user.
func TestHistoriesForPrograms(t *testing.T) {
	api := webtest.New(t, documents.New, history.New)
	api.As(webtest.Key(5, 1, "documents:write", "documents:read")).Post("/v2/documents/", `{"name":"Lease"}`).Status(201).
		Field("created_by", "null")
	for _, scopes := range [][]scope.Scope{{"history:read"}, {"documents:read"}, {"history:read", "documents:write"}, {"history:read", "clients:read"}} {
		api.As(webtest.Key(5, 1, scopes...)).Get(path + "document:1").Status(403).Calls(0)
	}
	api.As(webtest.Key(6, 1, "history:read", "documents:read")).Get(path+"document:1").Status(200).Field("count", "1").
		Field("results.0.user", "null").Field("results.0.feed", "null").Field("results.0.key", "5")
	api.As(webtest.Key(5, 2, "history:read", "documents:read")).Get(path+"document:1").Status(200).Field("count", "0")
	all := api.As(webtest.Key(5, 1, scope.All()...))
	for _, never := range []string{"user:1", "company:1", "key:1", "feed_token:1"} {
		all.Get(path + never).Status(403).Calls(0)
	}
	all.Get(path + "account:1").Status(200)
}
