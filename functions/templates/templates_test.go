package templates_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/functions/finance"
	"github.com/tenantry/tenantry/functions/history"
	"github.com/tenantry/tenantry/functions/inventory"
	"github.com/tenantry/tenantry/functions/orders"
	"github.com/tenantry/tenantry/functions/points"
	"github.com/tenantry/tenantry/functions/render/job"
	"github.com/tenantry/tenantry/functions/settings"
	"github.com/tenantry/tenantry/functions/templates"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/infra/presstest"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	path = "/v2/documents/templates/"
	all  = "/v2/documents/"
	png  = "\x89PNG\r\n\x1a\n of a car"
)

// newOffice has company 1 with a client, two cars and an order of both for two days, and company 2 with nothing.
func newOffice(t *testing.T) (*webtest.API, *webtest.Client) {
	t.Helper()
	api := webtest.Setup{Change: presstest.Pressing(t)}.New(t, documents.New, templates.New, orders.New, inventory.New, clients.New, finance.New, settings.New,
		points.New, history.New).Join(webtest.ReadOnly(1), webtest.Employee(1), webtest.Manager(1), webtest.Owner(1), webtest.Employee(2))
	for id := range int64(2) {
		of := table.Of(api.Env.Table, tenant.ID(id+1))
		bin := "140340010302"
		c := company.Company{
			Item: table.At(of.Company(), company.Version), ID: id + 1, Name: "ТОО «Прокат»", BIN: &bin, Currency: "KZT",
			TimeZone: "Asia/Almaty", Revision: 1,
		}
		if err := of.Put(c).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	c := api.As(webtest.Employee(1))
	c.Post("/v1/crm/clients/", `{"name":"Әсел <b>","individual":{"iin":"921130401234"}}`).Status(201)
	c.Post("/v1/crm/groups/", `{"name":"Sedans"}`).Status(201)
	c.Post("/v1/crm/groups/1/tarifs/", `{"inventory_group":1,"name":"Day","price":3000,"duriation":86400}`).Status(201)
	photo := filestest.Upload(t, c, "car.png", "image/png", png)
	c.Post("/v1/crm/inventories/", map[string]any{"name": "Camry 1", "group": 1, "image": photo}).Status(201)
	c.Post("/v1/crm/inventories/", `{"name":"Camry 2","group":1}`).Status(201)
	c.Post("/v1/crm/requests/", `{"client":1,"rent_start":"2026-03-02T20:00:00Z","rent_end":"2026-03-04T20:00:00Z",`+
		`"inventories":[{"inventory":1},{"inventory":2}]}`).Status(201)
	return api, c
}

// about is a template about an order or a client.
func about(kind, content string, more ...string) map[string]any {
	body := map[string]any{"name": "Contract", "content_type": kind, "content": content}
	for i := 0; i < len(more); i += 2 {
		body[more[i]] = more[i+1]
	}
	return body
}

// printed is the page of a document's original.
func printed(t *testing.T, c *webtest.Client, made *webtest.Answer) job.Page {
	t.Helper()
	link := c.Get(strings.TrimPrefix(made.Text("files.0.file"), webtest.BaseURL)).Status(302)
	body, header := filestest.Fetch(t, link.Get("Location"))
	if header.Get("Content-Type") != "application/pdf" {
		t.Errorf("a %s", header.Get("Content-Type"))
	}
	return presstest.PageOf(t, body)
}

func TestTemplates(t *testing.T) {
	api, c := newOffice(t)
	c.Post("/v1/crm/rental_points/", `{"name":"Airport","address":"1"}`).Status(201)
	const rest = `"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z","name":"Contract","content_type":"orderrequest",`
	const plain = `"status":"active","order":0,"format":"A4","margins":{"top":20,"right":15,"bottom":20,"left":20},"points":[],"extra":{},"tenant":1}`
	whole := `{"id":1,` + rest + `"content":"<p>{{order.number}}</p>","header":"","footer":"",` + plain
	c.Get(path).Status(200).JSON(`[]`)
	c.Post(path, about("OrderRequest", "<p>{{order.number}}</p>")).Status(201).JSON(whole).Header("ETag", `"1"`).
		Header("Location", webtest.BaseURL+path+"1/").Writes(4).Calls(3)
	c.Get(path + "1/").Status(200).JSON(whole)
	api.As(webtest.ReadOnly(1)).Get(path + "1/").Status(200)
	c.Get(path).Status(200).JSON(`[{"id":1,` + rest + `"content":null,"header":null,"footer":null,` + plain + `]`)

	c.Post(path, map[string]any{
		"name": "B", "content_type": "client", "content": "x", "header": "{{company.name}}", "footer": "{page} / {pages}", "status": "disabled",
		"order": -1, "format": "Letter", "margins": map[string]any{"left": 30}, "points": []int{1}, "extra": map[string]any{"a": 1},
	}).Status(201).Field("header", `"{{company.name}}"`).Field("footer", `"{page} / {pages}"`).Field("status", `"disabled"`).
		Field("margins", `{"top":20,"right":15,"bottom":20,"left":30}`).Field("points", "[1]").Field("extra", `{"a":1}`).Field("format", `"Letter"`)
	c.Get(path).Status(200).Field("0.id", "2").Field("1.id", "1") // by order

	c.Patch(path+"1/", `{"header":"<b>{{client.name}}</b>","margins":{"top":5}}`).Status(200).Header("ETag", `"2"`).
		Field("content", `"<p>{{order.number}}</p>"`).Field("header", `"<b>{{client.name}}</b>"`).Field("margins.top", "5").Field("margins.left", "20")
	c.Patch(path+"1/", `{"header":"<b>{{client.name}}</b>"}`).Status(200).Writes(0).Header("ETag", `"2"`)
	c.With("If-Match", `"1"`).Patch(path+"1/", `{"name":"C"}`).Status(412)
	c.Put(path+"1/", `{"name":"C"}`).Status(400).JSON(`{"content_type":["This field is required."],"content":["This field is required."]}`)
	c.Get("/v1/crm/history/?object=template:1").Status(200).Field("count", "2").NotContain("order.number")
	c.Delete(path + "2/").Status(204)
	c.Get(path + "2/").Status(404)
}

func TestTemplatesThatCanNotBe(t *testing.T) {
	api, c := newOffice(t)
	c.Post(path, about("client", "a")).Status(201)
	for _, row := range []struct {
		name string
		sent any
		want string
	}{
		{"nothing", `{}`, `{"name":["This field is required."],"content_type":["This field is required."],"content":["This field is required."]}`},
		{"another kind", about("lead", "a"), `{"content_type":["\"lead\" is not a valid choice."]}`},
		{"blank content", about("client", " "), `{"content":["This field may not be blank."]}`},
		{
			"too long", about("client", strings.Repeat("a", 1_000_001), "header", strings.Repeat("a", 10_001)),
			`{"content":["Ensure this field has no more than 1000000 characters."],"header":["Ensure this field has no more than 10000 characters."]}`,
		},
		{
			"unknown names, with their places", about("client", "<p>{{client.name}}\n {{client.nam}}</p>{{order.total}}", "footer", "{{x}}"),
			`{"content":["Line 2, column 2: {{client.nam}} is unknown.","Line 2, column 20: {{order.total}} is unknown."],"footer":["Line 1, column 1: {{x}} is unknown."]}`,
		},
		{"a list as a value", about("orderrequest", "{{order.lines}}"), `{"content":["Line 1, column 1: {{order.lines}} is a list: it stands in {{#each}}."]}`},
		{"no end", about("client", "a\n{{#if client.name}}"), `{"content":["Line 2, column 1: {{#if client.name}} isn't ended by {{/if}}."]}`},
		{"a custom field that is not defined", about("client", "{{client.extra.passport}}"), `{"content":["Line 1, column 1: {{client.extra.passport}} is unknown."]}`},
		{
			"narrow margins", `{"name":"a","content_type":"client","content":"a","margins":{"top":4,"left":51}}`,
			`{"margins":{"top":["Ensure this value is greater than or equal to 5."],"left":["Ensure this value is less than or equal to 50."]}}`,
		},
		{"no such points", `{"name":"a","content_type":"client","content":"a","points":[7]}`, `{"points":{"0":["Invalid pk \"7\" - object does not exist."]}}`},
		{
			"another format and status", `{"name":"a","content_type":"client","content":"a","format":"B5","status":"gone"}`,
			`{"format":["\"B5\" is not a valid choice."],"status":["\"gone\" is not a valid choice."]}`,
		},
	} {
		t.Run(row.name, func(t *testing.T) { c.Post(path, row.sent).Status(400).JSON(row.want).Writes(0) })
	}
	// What was right for a client may be wrong for an order, and the other way round.
	c.Post(path, about("orderrequest", "{{order.number}}")).Status(201).Field("id", "2")
	c.Patch(path+"2/", `{"content_type":"client"}`).Status(400).JSON(`{"content":["Line 1, column 1: {{order.number}} is unknown."]}`)
	api.As(webtest.ReadOnly(1)).Post(path, about("client", "a")).Status(403)
	theirs := api.As(webtest.Employee(2))
	theirs.Get(path + "1/").Status(404)
	theirs.Patch(path+"1/", `{"name":"b"}`).Status(404)
	theirs.Post(path+"1/preview/", `{}`).Status(404)
	theirs.Post(all, `{"template":1}`).Status(400).JSON(`{"template":["Invalid pk \"1\" - object does not exist."]}`)
}

func TestPreviews(t *testing.T) {
	api, c := newOffice(t)
	c.Post(path, about("orderrequest", "<p>{{order.number}} {{client.name}}</p>", "status", "disabled")).Status(201)
	preview := func(sent string) job.Page {
		t.Helper()
		a := c.With("Accept", "application/json").Post(path+"1/preview/", sent).Status(200).JSON(`{"url":"<url>","expires_at":"<datetime>"}`).Writes(0)
		body, header := filestest.Fetch(t, a.Text("url"))
		if header.Get("Content-Type") != "application/pdf" || !strings.Contains(header.Get("Content-Disposition"), "Contract.pdf") {
			t.Errorf("served with %v", header)
		}
		return presstest.PageOf(t, body)
	}
	if got := preview(`{"object_id":1,"content_type":"OrderRequest"}`).HTML; got != "<p>1 Әсел &lt;b&gt;</p>" {
		t.Errorf("of the order: %s", got)
	}
	// An order keeps what its client, its items and its rental points were called when they are deleted.
	const names = "{{client.name}} {{#each order.lines}}{{inventory.name}}{{/each}} " +
		"{{order.point.name}}, {{order.point.address}} {{order.point_return.name}}"
	c.Post("/v1/crm/rental_points/", `{"name":"Airport","address":"1 Runway Road"}`).Status(201)
	c.Post("/v1/crm/rental_points/", `{"name":"Centre","address":"2"}`).Status(201)
	c.Patch("/v1/crm/requests/1/", `{"rental_point":1,"rental_point_return":2}`).Status(200)
	c.Patch(path+"1/", map[string]any{"content": names}).Status(200)
	before := preview(`{"object_id":1}`).HTML
	for _, name := range []string{"Әсел", "Camry 1", "Airport, 1 Runway Road Centre"} {
		if !strings.Contains(before, name) {
			t.Errorf("%q is not in %s", name, before)
		}
	}
	c.Post("/v1/crm/requests/1/action/", `{"status":3}`).Status(200)
	for _, gone := range []string{"clients/1/", "inventories/1/", "rental_points/1/", "rental_points/2/"} {
		c.Delete("/v1/crm/" + gone).Status(204)
	}
	if got := preview(`{"object_id":1}`).HTML; got != before {
		t.Errorf("of the order when all that it names is deleted: %s, before: %s", got, before)
	}
	c.Patch(path+"1/", map[string]any{"content": "<p>{{order.number}} {{client.name}}</p>"}).Status(200)
	if got := preview(`{}`).HTML; got != "<p>17 Қасымова Әсел Ерланқызы</p>" {
		t.Errorf("made up: %s", got)
	}
	c.Post(path+"1/preview/", `{}`).Status(302).Header("Cache-Control", "private, no-store").Empty()
	c.Post(path+"1/preview/", `{"content_type":"client"}`).Status(400).JSON(`{"content_type":["The template is about orderrequest."]}`)
	c.Post(path+"1/preview/", `{"object_id":9}`).Status(400).JSON(`{"object_id":["Invalid pk \"9\" - object does not exist."]}`)
	c.Post(path+"9/preview/", `{}`).Status(404)
	api.As(webtest.ReadOnly(1)).Post(path+"1/preview/", `{}`).Status(403)
	for _, k := range []struct { // a key sees nothing of a record here that it may not read elsewhere
		scopes []scope.Scope
		sent   string
		want   int
	}{
		{[]scope.Scope{"templates:read"}, `{}`, 302},
		{[]scope.Scope{"templates:read"}, `{"object_id":1}`, 403},
		{[]scope.Scope{"templates:read", "clients:read"}, `{"object_id":1}`, 403},
		{[]scope.Scope{"templates:read", "orders:read"}, `{"object_id":1}`, 403},
		{[]scope.Scope{"templates:read", "orders:read"}, `{"object_id":9}`, 403},
		{[]scope.Scope{"templates:read", "orders:read", "clients:read"}, `{"object_id":1}`, 302},
	} {
		api.As(webtest.Key(5, 1, k.scopes...)).Post(path+"1/preview/", k.sent).Status(k.want)
	}
	c.Get(all).Status(200).Field("count", "0")
	c.Patch(path+"1/", `{"content":"no page"}`).Status(200)
	c.Post(path+"1/preview/", `{}`).Status(400).JSON(`{"content":["The document would have more than 200 pages."]}`)
	c.Patch(path+"1/", `{"content":"no press"}`).Status(200)
	c.Post(path+"1/preview/", `{}`).Status(503)
}

func TestVariablesOfTemplates(t *testing.T) {
	api, c := newOffice(t)
	api.As(webtest.Manager(1)).Post("/v1/crm/settings/custom_fields_list/", `{"key":"client","name":"passport","label":"Паспорт","type":"string"}`).Status(201)
	var list []templates.Variable
	if err := json.Unmarshal(api.As(webtest.ReadOnly(1)).Get(path+"variables/?content_type=OrderRequest").Status(200).Calls(1).Body(), &list); err != nil {
		t.Fatal(err)
	}
	of := map[string]templates.Variable{}
	var text bytes.Buffer
	for _, v := range list {
		of[v.Name] = v
		if !strings.Contains(v.Name, "[]") {
			text.WriteString("{{" + v.Name + "}}")
		}
	}
	if of["company.name"].Example != "ТОО «Прокат»" || of["order.lines[].inventory.name"].Example != "Toyota Camry" ||
		of["client.extra.passport"].Doc != "Custom field of clients: Паспорт" {
		t.Errorf("%d variables: %+v", len(list), of["client.extra.passport"])
	}
	c.Post(path, about("orderrequest", text.String())).Status(201) // all that is listed can be used
	c.Get(path + "variables/?content_type=client").Status(200).NotContain("order.")
	c.Get(path + "variables/").Status(400).JSON(`{"content_type":["This field is required."]}`)
	c.Get(path + "variables/?content_type=lead").Status(400).JSON(`{"content_type":["\"lead\" is not a valid choice."]}`)
}
