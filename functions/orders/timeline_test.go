package orders_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	documents "github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/penalties/penalty"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const document = "/v2/documents/"

// forget makes what is stored of an order's history what it was before verbs said what they did.
func forget(t *testing.T, api *webtest.API, order int64) {
	t.Helper()
	of := table.Of(api.Env.Table, 1)
	entries, _, err := audit.Page(t.Context(), of, kinds.Of(kinds.Order), order, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := of.Update(of.Audit(kinds.Order, order, e.ID)).Remove("ev").Remove("ez").Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTimeline follows an order with a document, and reads what happened to it: as verbs said it, and as it is read out of a history
// that was written before they did.
func TestTimeline(t *testing.T) {
	t.Run("said", func(t *testing.T) { followed(t, false) })
	t.Run("before", func(t *testing.T) { followed(t, true) })
}

func followed(t *testing.T, before bool) {
	api, c := newAPI(t, webtest.Setup{})
	api.As(webtest.Manager(1)).Put(rentalSettings, `{"early":"reprice"}`).Status(200)
	c.Post(requests, `{"client":1,"rent_start":"2026-03-02T10:00:00Z","rent_end":"2026-03-04T10:00:00Z","status":1,`+
		`"inventories":[{"inventory":1}],"services":[{"service":1}]}`).Status(201)
	step := func() { api.Clock.Step(time.Hour) }
	step()
	c.Post(document, `{"name":"Rental contract","content_type":"OrderRequest","object_id":1}`).Status(201)
	c.Post(document, `{"name":"Of another","content_type":"Client","object_id":1}`).Status(201)
	step()
	c.Post(requests+"1/action/", `{"status":2}`).Status(200)
	step()
	c.Patch(lines+"1/", `{"end_at":"2026-03-03T10:00:00Z","extra":{"seat":1}}`).Status(200)
	api.Clock.Step(50 * time.Hour)
	c.Post(requests+"1/action/", `{"status":4}`).Status(200)
	step()
	c.Post(requests+"1/pay/", `{"amount":10000}`).Status(200)
	c.Patch(requests+"1/", `{"extra":{"note":"vip"}}`).Status(200)
	path := requests + "1/timeline/"
	event := func(kind, name, text, rest string) string {
		if name != "null" {
			name = `"` + name + `"`
		}
		if before {
			name = "null"
		}
		return `{"kind":"` + kind + `","type":` + name + `,"text":"` + text + `",` + rest + `}`
	}
	if before {
		forget(t, api, 1)
	}
	const none = `"object":null,"inventory":null,"amount":null,"happened_at":null,"fields":[]`
	a := api.Join(webtest.ReadOnly(1)).As(webtest.ReadOnly(1)).Get(path).Status(200).Calls(5).Units(4, 0)
	moments := []string{
		`{"revision":6,"at":"2026-03-04T15:30:00Z","user":12,"feed":null,"key":null,"events":[` + event("changed", "order.updated", "Changed: extra.note",
			`"object":null,"inventory":null,"amount":null,"happened_at":null,"fields":["extra.note"]`) + `]}`,
		`{"revision":5,"at":"2026-03-04T15:30:00Z","user":12,"feed":null,"key":null,"events":[` +
			event("paid", "order.paid", "A payment", `"object":null,"inventory":null,"amount":"10000.00","happened_at":null,"fields":[]`) + `,` +
			event("settled", "order.settled", "Nothing is owed any more", none) + `]}`,
		`{"revision":4,"at":"2026-03-04T14:30:00Z","user":12,"feed":null,"key":null,"events":[` +
			event("taken_back", "order.line.returned", "The item was taken back late",
				`"object":"order_inventory:1","inventory":1,"amount":"3375.00","happened_at":"2026-03-04T14:30:00Z","fields":[]`) + `,` +
			event("completed", "order.completed", "The order was completed", none) + `,` + event("debtor", "order.indebted", "Something is owed", none) + `]}`,
		`{"revision":3,"at":"2026-03-02T12:30:00Z","user":12,"feed":null,"key":null,"events":[` +
			event("line_changed", "order.line.updated", "The line was changed: end_at, extra.seat, price", `"object":"order_inventory:1","inventory":null,"amount":null,`+
				`"happened_at":null,"fields":["end_at","extra.seat","price"]`) + `]}`,
		`{"revision":2,"at":"2026-03-02T11:30:00Z","user":12,"feed":null,"key":null,"events":[` +
			event("handed_out", "order.line.handed_out", "The item was handed out",
				`"object":"order_inventory:1","inventory":1,"amount":null,"happened_at":"2026-03-02T11:30:00Z","fields":[]`) + `]}`,
		`{"revision":null,"at":"2026-03-02T10:30:00Z","user":null,"feed":null,"key":null,"events":[` +
			event("document", "null", "Document Rental contract",
				`"object":"document:1","inventory":null,"amount":null,"happened_at":null,"fields":[]`) + `]}`,
		`{"revision":1,"at":"2026-03-02T09:30:00Z","user":12,"feed":null,"key":null,"events":[` +
			event("created", "order.created", "The order was made", `"object":null,"inventory":null,"amount":"7500.00","happened_at":null,"fields":[]`) + `,` +
			event("line_added", "null", "The line was added: from 2026-03-02T10:00:00Z to 2026-03-04T10:00:00Z",
				`"object":"order_inventory:1","inventory":1,"amount":"6000.00","happened_at":null,"fields":[]`) + `,` +
			event("service_added", "null", "The service was added: Delivery",
				`"object":"order_service:1","inventory":null,"amount":"1500.00","happened_at":null,"fields":[]`) + `,` +
			event("reserved", "null", "The order was reserved", none) + `]}`,
	}
	a.JSON(`{"count":7,"next":null,"previous":null,"results":[` + strings.Join(moments, ",") + `]}`)

	// Any page of any size is the same part of the whole, for no more calls.
	for size := 1; size <= 8; size++ {
		for page := 1; (page-1)*size < len(moments); page++ {
			from, to := (page-1)*size, min(page*size, len(moments))
			a := c.Get(fmt.Sprintf("%s?pageSize=%d&page=%d", path, size, page)).Status(200).Field("count", "7").Calls(5)
			a.Field("results", "["+strings.Join(moments[from:to], ",")+"]")
		}
	}
	c.Get(path+"?pageSize=3&page=last").Status(200).Field("results", "["+moments[6]+"]")
	c.Get(path + "?page=2").Status(404)
	c.Delete(document + "1/").Status(204)
	c.Get(path).Status(200).Field("count", "6")

	api.As(webtest.Employee(2)).Get(path).Status(404)
	c.Get(requests + "2/timeline/").Status(404)
	c.Get(requests + "999999999999999999/timeline/").Status(404)
	api.As(webtest.Nobody()).Get(path).Status(401)
}

// TestKindsOfEvents are events of changes that are told by other words: as verbs say it, and as it is read out of a history that
// was written before they did.
func TestKindsOfEvents(t *testing.T) {
	t.Run("said", func(t *testing.T) { told(t, false) })
	t.Run("before", func(t *testing.T) { told(t, true) })
}

func told(t *testing.T, before bool) {
	api, c := newAPI(t, webtest.Setup{})
	kinds := func(order int) string {
		if before {
			forget(t, api, int64(order))
		}
		var all []string
		for _, e := range list(c.Get(fmt.Sprintf("%s%d/timeline/?pageSize=1", requests, order)).Status(200).Value("results.0.events")) {
			all = append(all, e.(map[string]any)["kind"].(string))
		}
		return strings.Join(all, " ")
	}
	const rental = `{"inventory":1,"start_at":"2026-03-02T10:00:00Z","end_at":"2026-03-04T10:00:00Z"}`
	c.Post("/v1/crm/agents/", `{"name":"Serik"}`).Status(201)
	c.Post(requests, `{"client":1}`).Status(201)
	manager := api.As(webtest.Manager(1))
	for _, tt := range []struct{ method, path, body, want string }{
		{"POST", "1/inventories/bulk_create/", `{"inventories":[` + rental + `]}`, "line_added"},
		{"PATCH", "1/", `{"client":null}`, "changed"},
		{"POST", "1/services/bulk_create/", `{"services":[{"service":1}]}`, "service_added"},
		{"PATCH", "services/1/", `{"count":2}`, "service_changed"},
		{"DELETE", "services/1/", "", "service_removed"},
		{"DELETE", "inventories/1/", "", "line_removed"},
		{"POST", "1/action/", `{"status":1}`, "reserved"},
		{"POST", "1/action/", `{"status":2}`, "handed_out"},
		{"POST", "1/pay/", `{"amount":5}`, "paid"},
		{"POST", "1/penalties/", `{"amount":70}`, "fee"},
		{"PATCH", "1/penalties/1/", `{"amount":80}`, "fee_changed"},
		{"DELETE", "1/penalties/1/", "", "fee_removed"},
		{"POST", "1/deposits/", `{"amount":500}`, "deposit"},
		{"POST", "1/deposits/1/return/", `{"amount":100}`, "deposit_returned"},
		{"POST", "1/deposits/1/return/", `{"amount":0,"withhold":400}`, "deposit_withheld paid"},
		{"POST", "referrals/", `{"request":1,"amount":50,"agent":1}`, "referral"},
		{"PUT", "referrals/1/", `{"amount":60}`, "referral_changed"},
		{"POST", "referrals/1/pay/", `{}`, "referral_paid"},
		{"POST", "referrals/1/take_back/", `{}`, "referral_taken_back"},
		{"POST", "1/action/", `{"status":4}`, "completed"},
		{"POST", "", `{}`, ""},
		{"POST", "2/action/", `{"status":3}`, "cancelled"},
	} {
		a := manager.Do(tt.method, requests+tt.path, tt.body)
		if a.Code() > 299 {
			t.Fatalf("%s %s: status %d: %s", tt.method, tt.path, a.Code(), a.Body())
		}
		order := 1
		if strings.HasPrefix(tt.path, "2/") {
			order = 2
		}
		if got := kinds(order); tt.want != "" && got != tt.want {
			t.Errorf("%s %s %s: %s, want %s", tt.method, tt.path, tt.body, got, tt.want)
		}
	}
	manager.Post("/v1/finances/refunds/", `{"transaction":1,"amount":2}`).Status(201)
	if got := kinds(1); got != "refunded" {
		t.Errorf("a refund: %s", got)
	}
	c.Post(requests, `{}`).Status(201)
	c.Post(requests+"referrals/", `{"request":3,"amount":50,"agent":1}`).Status(201)
	manager.Post(requests+"referrals/2/pay/", `{}`).Status(200)
	c.Get(requests+"3/timeline/").Status(200).Field("results.0.events", `[{"kind":"referral_paid","type":"order.referral.paid","text":"The referral was paid",`+
		`"object":"referral:2","inventory":null,"amount":"50.00","happened_at":null,"fields":[]}]`)
}

// happening is an event of a document or a penalty, as their domains say them.
type happening struct {
	event.On
	name   event.Name
	Signer string `json:"signer,omitempty"`
}

func (h happening) Name() event.Name { return h.name }

// say says an event of document 1, or of a new penalty, that concerns order 1.
func say(t *testing.T, api *webtest.API, name event.Name, signer string) {
	t.Helper()
	api.Clock.Step(time.Minute)
	s := record.Scope{Table: table.Of(api.Env.Table, 1), Now: api.Env.Now, Actor: audit.Actor{User: 12, Request: string(name) + signer, At: api.Clock.Now()}}
	if err := s.Do(t.Context(), nil, func(w *record.Work) error {
		of := event.Ref{Kind: kinds.Order, ID: 1}
		if name.Kind().Code == kinds.Penalty {
			p := new(penalty.Penalty)
			penalty.Kind().Create(w, "", p)
			w.Finally(func(context.Context) error {
				w.Happened(happening{On: event.Of(p.ID, of), name: name})
				return nil
			})
			return nil
		}
		d, err := documents.Kind().Edit(t.Context(), w, 1)
		if err == nil {
			d.Name += "!"
			w.Happened(happening{event.Of(1, of), name, signer})
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// TestTimelineOfOthers has what happened to documents and penalties that concerns an order among its revisions, and nothing else that
// does: not the transactions, which managers alone may read.
func TestTimelineOfOthers(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"client":1}`).Status(201)
	c.Post(document, `{"name":"Lease","content_type":"Client","object_id":1}`).Status(201)
	say(t, api, "document.sign.requested", "Assel")
	c.Patch(requests+"1/", `{"extra":{"note":"vip"}}`).Status(200)
	say(t, api, "penalty.charged", "")
	c.Post(requests+"1/pay/", `{"amount":5}`).Status(200)
	say(t, api, "document.sealed", "")
	say(t, api, "document.melted", "") // nobody knows what that is
	api.Deliver()
	const path = requests + "1/timeline/"
	beside := func(at, rest string) string {
		return `{"revision":null,"at":"` + at + `","user":12,"feed":null,"key":null,"events":[{` + rest + `,"inventory":null,"amount":null,"fields":[]}]}`
	}
	sealed := beside("2026-03-02T09:33:00Z",
		`"kind":"document","type":"document.sealed","text":"Document Lease!!! was sealed","object":"document:1","happened_at":null`)
	c.Get(path).Status(200).Calls(5).Field("count", "6").Field("results.0", sealed).Field("results.1.events.0.type", `"order.paid"`).
		Field("results.2", beside("2026-03-02T09:32:00Z",
			`"kind":"penalty","type":"penalty.charged","text":"A traffic penalty was charged to the order","object":"penalty:1","happened_at":null`)).
		Field("results.3.events.0.type", `"order.updated"`).
		Field("results.4", beside("2026-03-02T09:31:00Z",
			`"kind":"sign","type":"document.sign.requested","text":"Assel was asked to sign","object":"document:1","happened_at":"2026-03-02T09:31:00Z"`)).
		Field("results.5.events.0.type", `"order.created"`)
	c.Get(path+"?pageSize=1&page=1").Status(200).Field("results", "["+sealed+"]")
	for _, size := range []int{1, 2, 4} {
		var types []string
		for page := 1; (page-1)*size < 6; page++ {
			for _, m := range list(c.Get(fmt.Sprintf("%s?pageSize=%d&page=%d", path, size, page)).Status(200).Calls(5).Value("results")) {
				types = append(types, m.(map[string]any)["events"].([]any)[0].(map[string]any)["type"].(string))
			}
		}
		const want = "document.sealed order.paid penalty.charged order.updated document.sign.requested order.created"
		if got := strings.Join(types, " "); got != want {
			t.Errorf("pages of %d: %s, want %s", size, got, want)
		}
	}

	// A document of which no document.created was told is an entry of its own, as before there were events.
	c.Post(document, `{"name":"Another","content_type":"OrderRequest","object_id":1}`).Status(201)
	c.Get(path).Status(200).Field("count", "7").Field("results.0.events.0.text", `"Document Another"`).Field("results.0.events.0.type", "null")
	c.Delete(document + "1/").Status(204)
	c.Get(path).Status(200).Field("results.1.events.0.text", `"A document that was deleted was sealed"`)
}

// TestTimelineKnowsOthers fails when an event of documents or penalties was added that no timeline tells.
func TestTimelineKnowsOthers(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"client":1}`).Status(201)
	c.Post(document, `{"name":"Lease","content_type":"Client","object_id":1}`).Status(201)
	var want []string
	for _, s := range slices.Concat(documents.Events(), penalty.Events()) {
		say(t, api, s.Event.Name(), "")
		want = append(want, string(s.Event.Name()))
	}
	api.Deliver()
	var got []string
	for _, m := range list(c.Get(requests + "1/timeline/?pageSize=100").Status(200).Value("results")) {
		if m := m.(map[string]any); m["revision"] == nil {
			got = append(got, m["events"].([]any)[0].(map[string]any)["type"].(string))
		}
	}
	if slices.Reverse(got); !slices.Equal(got, want) {
		t.Errorf("the timeline tells %q, of %q", got, want)
	}
}

// TestALongTimeline pages through a long history with documents among it.
func TestALongTimeline(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"client":1}`).Status(201)
	for n := range 60 {
		api.Clock.Step(time.Second)
		c.Patch(requests+"1/", fmt.Sprintf(`{"extra":{"n":%d}}`, n)).Status(200)
		if n%7 == 3 || n > 55 {
			c.Post(document, `{"content_type":"OrderRequest","object_id":1}`).Status(201)
		}
	}
	read := func(size int) (all []string) {
		for page := 1; ; page++ {
			a := c.Get(fmt.Sprintf("%s1/timeline/?pageSize=%d&page=%d", requests, size, page)).Status(200).Calls(5)
			for _, m := range list(a.Value("results")) {
				m := m.(map[string]any)
				all = append(all, fmt.Sprint(m["at"], m["revision"], m["events"].([]any)[0].(map[string]any)["object"]))
			}
			if a.Value("next") == nil {
				return all
			}
		}
	}
	whole := read(1000)
	if len(whole) != 61+12 {
		t.Fatalf("%d entries", len(whole))
	}
	for _, size := range []int{1, 3, 10, 64} {
		if got := read(size); !slices.Equal(got, whole) {
			t.Errorf("pages of %d: %v\nwant %v", size, got, whole)
		}
	}
}
