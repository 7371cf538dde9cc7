package templates_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/render/job"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

func TestADocumentOfATemplate(t *testing.T) {
	api, c := newOffice(t)
	const rows = "<table>{{#each order.lines}}<tr><td>{{number}}</td><td>{{inventory.name}}</td><td>{{start}}</td><td>{{total}}</td></tr>{{/each}}</table>"
	c.Post(path, about("orderrequest", "<h1 onclick='x'>№ {{document.number}} {{document.name}}</h1><p>{{client.name}}</p>"+rows+
		"<script>evil()</script>{{order.total}} ({{order.total_words.ru}})", "header", "<p>{{company.bin}}</p>", "footer", "<p>{page} / {pages}</p>")).Status(201)
	c.Patch(path+"1/", `{"format":"A5","margins":{"top":10}}`).Status(200)
	made := c.Post(all, `{"name":"Аренда","template":1,"content_type":"OrderRequest","object_id":1}`).Status(201).Writes(4).
		Field("template", "1").Field("object_id", "1").Field("files.0.id", "100001").Field("files.0.extra.content_type", `"application/pdf"`)
	want := job.Page{
		HTML: "<h1>№ 1 Аренда</h1><p>Әсел &lt;b&gt;</p><table><tr><td>1</td><td>Camry 1</td><td>03.03.2026 01:00</td><td>6\u00a0000,00</td></tr>" +
			"<tr><td>2</td><td>Camry 2</td><td>03.03.2026 01:00</td><td>6\u00a0000,00</td></tr></table>12\u00a0000,00 (двенадцать тысяч тенге 00 тиын)",
		Header: "<p>140340010302</p>", Footer: "<p>{page} / {pages}</p>", Format: "A5",
		Margins: job.Margins{Top: 10, Right: 15, Bottom: 20, Left: 20}, Title: "Аренда", Language: "ru", At: webtest.Start,
	}
	if got := printed(t, c, made); got != want {
		t.Errorf("printed %+v\nwant %+v", got, want)
	}
	c.Get(all+"?template=1").Status(200).Field("count", "1").Field("results.0.id", "1")
	c.Get(all+"?template=2").Status(200).Field("count", "0")
	// What is the same is not made again.
	c.Put(all+"1/", `{"template":1,"content":null}`).Status(200).Writes(0)
	c.Patch(all+"1/", `{"regenerate":true}`).Status(200).Writes(0).Header("ETag", `"1"`)
	// A change of the template, and of the order, is there once it is asked for.
	c.Patch(path+"1/", `{"content":"<p>{{client.name}}</p>","footer":""}`).Status(200)
	c.Patch("/v1/crm/clients/1/", `{"name":"Әсел"}`).Status(200)
	if got := printed(t, c, c.Get(all+"1/").Status(200)); got != want {
		t.Errorf("by itself it became %+v", got)
	}
	again := c.Patch(all+"1/", `{"regenerate":true}`).Status(200).Header("ETag", `"2"`).Field("files.0.id", "100001")
	want.HTML, want.Footer = "<p>Әсел</p>", ""
	if got := printed(t, c, again); got != want {
		t.Errorf("made again %+v", got)
	}
	// When the template is gone, what it left is made again.
	c.Delete(path + "1/").Status(204)
	c.Patch(all+"1/", `{"name":"Аренда 2"}`).Status(200)
	want.Title = "Аренда 2"
	if got := printed(t, c, c.Patch(all+"1/", `{"regenerate":true}`).Status(200).Field("template", "1")); got != want {
		t.Errorf("without the template %+v", got)
	}
	// Content takes its place.
	own := c.Patch(all+"1/", `{"content":"<p>own</p>"}`).Status(200).Field("template", "null")
	want = job.Page{HTML: "<p>own</p>", Format: "A4", Margins: job.Margins{Top: 20, Right: 15, Bottom: 20, Left: 20}, Title: "Аренда 2", Language: "ru", At: webtest.Start}
	if got := printed(t, c, own); got != want {
		t.Errorf("of content %+v", got)
	}
	if log := api.Log(); strings.Contains(log, "Camry") {
		t.Error("the log tells what documents say")
	}
}

func TestWhatADocumentOfATemplateNeeds(t *testing.T) {
	api, c := newOffice(t)
	api.As(webtest.Manager(1)).Post("/v1/crm/settings/custom_fields_list/", `{"key":"client","name":"passport","label":"P","type":"string"}`).Status(201)
	c.Post(path, about("client", "{{client.extra.passport}}")).Status(201)
	c.Post(path, about("orderrequest", "{{order.number}}", "status", "disabled")).Status(201)
	c.Post(path, about("client", "no page")).Status(201)
	c.Post(path, about("client", "no press")).Status(201)
	const needs = `{"object_id":["The template is about a record of the class Client: content_type and object_id have to name one."]}`
	for _, row := range []struct{ name, sent, want string }{
		{"no record", `{"template":1}`, needs},
		{"a record of another class", `{"template":1,"content_type":"OrderRequest","object_id":1}`, needs},
		{"a client that is not there", `{"template":1,"content_type":"Client","object_id":9}`, `{"object_id":["Invalid pk \"9\" - object does not exist."]}`},
		{"a disabled template", `{"template":2,"content_type":"OrderRequest","object_id":1}`, `{"template":["The template is disabled."]}`},
		{"no such template", `{"template":9,"content_type":"Client","object_id":1}`, `{"template":["Invalid pk \"9\" - object does not exist."]}`},
	} {
		t.Run(row.name, func(t *testing.T) { c.Post(all, row.sent).Status(400).JSON(row.want).Writes(0) })
	}
	// What is found when it is printed has used up a number.
	for id, want := range map[int]string{3: `400 {"template":["The document would have more than 200 pages."]}`, 4: `503 {"detail":"Service temporarily unavailable."}`} {
		a := c.Post(all, fmt.Sprintf(`{"template":%d,"content_type":"Client","object_id":1}`, id))
		if got := fmt.Sprintf("%d %s", a.Code(), a.Body()); got != want {
			t.Errorf("template %d: %s", id, got)
		}
	}
	c.Post(all, `{"content":"no page"}`).Status(400).JSON(`{"content":["The document would have more than 200 pages."]}`)
	c.Post(all, `{"content":"no press"}`).Status(503).Header("Retry-After", "1").NotContain("paper")
	c.Post(all, `{"template":1,"content_type":"Client","object_id":1}`).Status(201).Field("template", "1")
	// A key that may not read clients gets no document that says what they are.
	api.As(webtest.Key(5, 1, "documents:write", "documents:read")).Post(all, `{"template":1,"content_type":"Client","object_id":1}`).Status(403)
	made := api.As(webtest.Key(5, 1, "documents:write", "clients:read")).Post(all, `{"template":1,"content_type":"Client","object_id":1}`).Status(201)
	c.Delete(fmt.Sprint(all, made.Int("id"), "/")).Status(204)

	// A field that has gone is named, and nothing is lost.
	api.As(webtest.Manager(1)).Delete("/v1/crm/settings/custom_fields/1/").Status(204)
	gone := `{"template":["Its content: Line 1, column 1: {{client.extra.passport}} is unknown."]}`
	c.Post(all, `{"template":1,"content_type":"Client","object_id":1}`).Status(400).JSON(gone).Writes(0)
	list := c.Get(all).Status(200).Field("count", "1")
	id := list.Text("results.0.uuid")
	one := fmt.Sprint(all, list.Int("results.0.id"), "/")
	c.Patch(one, `{"regenerate":true}`).Status(400).JSON(gone).Writes(0)
	c.Get(one).Status(200).Field("uuid", `"`+id+`"`).Header("ETag", `"1"`)
	// A client that has gone can't be written about any more, and a link to another class neither.
	c.Patch(path+"1/", `{"content":"a"}`).Status(200)
	c.Patch(one, `{"content_type":null,"object_id":null,"regenerate":true}`).Status(400).JSON(needs)
	c.Patch(one, `{"content_type":"Inventory","object_id":1}`).Status(200)
	c.Patch(one, `{"regenerate":true}`).Status(400).JSON(needs)
	c.Patch(one, `{"regenerate":true,"content_type":"Client","object_id":1}`).Status(200).Header("ETag", `"3"`)
}

// Only what is in the company's own records is shown: by its address here, or as a data URI.
func TestImagesOfDocuments(t *testing.T) {
	api, c := newOffice(t)
	own := webtest.BaseURL + "/v1/crm/inventories/"
	inside := "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(png))
	const dot = `data:image/png;base64,iVBORw0KGgo=`
	for name, row := range map[string]struct{ src, want string }{
		"its own":           {own + "1/image/", inside},
		"a data URI":        {dot, dot},
		"an item without":   {own + "2/image/", ""},
		"no such item":      {own + "9/image/", ""},
		"a number too long": {own + "99999999999999999999/image/", ""},
		"a host of others":  {"https://evil.test/v1/crm/inventories/1/image/", ""},
		"a list":            {webtest.BaseURL + "/v1/crm/inventories/", ""},
		"a file":            {"file:///etc/passwd", ""},
		"a path":            {"/v1/crm/inventories/1/image/", ""},
		"no logo":           {webtest.BaseURL + "/v1/tenant/1/logo/", ""},
		"others' logo":      {webtest.BaseURL + "/v1/tenant/2/logo/", ""},
	} {
		t.Run(name, func(t *testing.T) {
			made := c.Post(all, map[string]any{"content": `<p>a<img src="` + row.src + `"><img src="` + row.src + `" alt="b">c</p>`}).Status(201)
			html := printed(t, c, made).HTML
			if got := strings.Count(html, "<img"); (row.want == "") != (got == 0) || row.want != "" && strings.Count(html, `src="`+row.want+`"`) != 2 {
				t.Errorf("printed %.300s", html)
			}
			if !strings.HasPrefix(html, "<p>a") || !strings.HasSuffix(html, "c</p>") {
				t.Errorf("the text is lost: %.300s", html)
			}
		})
	}
	theirs := api.As(webtest.Employee(2)).Post(all, map[string]any{"content": `a<img src="` + own + `1/image/">`}).Status(201)
	if html := printed(t, api.As(webtest.Employee(2)), theirs).HTML; html != "a" {
		t.Errorf("another company shows %s", html)
	}
	c.Post(path, about("orderrequest", `{{#each order.lines}}<img src="{{inventory.image}}">{{number}}{{/each}}`)).Status(201)
	made := c.Post(all, `{"template":1,"content_type":"OrderRequest","object_id":1}`).Status(201)
	if html := printed(t, c, made).HTML; html != `<img src="`+inside+`">12` {
		t.Errorf("of a template %s", html)
	}
	// The document keeps what it shows when the image is gone.
	c.Delete(path + "1/").Status(204)
	c.Patch("/v1/crm/inventories/1/", `{"image":null}`).Status(200)
	c.Patch(fmt.Sprint(all, made.Int("id"), "/"), `{"regenerate":true}`).Status(200).Header("ETag", `"1"`)
	document := c.Post(all, webtest.Multipart(map[string]any{"source": "1", "file": webtest.File{Name: "a.png", ContentType: "image/png", Data: png}})).Status(201)
	shown := c.Post(all, map[string]any{"content": `<img src="` + document.Text("files.0.file") + `">`}).Status(201)
	if html := printed(t, c, shown).HTML; html != `<img src="`+inside+`">` {
		t.Errorf("of a document %s", html)
	}
}

// A document that somebody has a link to keeps a file to be signed.
func TestSignersKeepThePDF(t *testing.T) {
	_, c := newOffice(t)
	c.Post(all, `{"content":"<p>a</p>"}`).Status(201)
	c.Post(all+"1/signs/", `{"client":1}`).Status(201)
	c.Patch(all+"1/", `{"content":null}`).Status(400).Field("code", `"no_file"`).Writes(0)
	c.Patch(all+"1/", `{"content":"<p>b</p>"}`).Status(200)
	c.Delete(all + "1/signs/1/").Status(204)
	c.Patch(all+"1/", `{"content":null}`).Status(200).Field("files", "[]")
}

// An image of the company that stands in a document again and again is as large as that many.
func TestImagesThatRepeat(t *testing.T) {
	_, c := newOffice(t)
	const large = 30_000
	photo := filestest.Upload(t, c, "large.png", "image/png", "\x89PNG\r\n\x1a\n"+strings.Repeat("x", large))
	c.Patch("/v1/crm/inventories/2/", map[string]any{"image": photo}).Status(200)
	img := `<img src="` + webtest.BaseURL + `/v1/crm/inventories/2/image/">`
	c.Post(all, map[string]any{"content": strings.Repeat(img, 3)}).Status(201)
	c.Post(all, map[string]any{"content": strings.Repeat(img, 500)}).Status(400).
		JSON(`{"content":["The images have more than 5000000 bytes."]}`)
}
