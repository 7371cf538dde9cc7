package documents_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/infra/presstest"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const all = "/v2/documents/"

func newAPI(t testing.TB) *webtest.API {
	t.Helper()
	return webtest.Setup{Change: presstest.Pressing(t)}.New(t, documents.New)
}

// served reads a document's file by its address, through the API and the bucket.
func served(t testing.TB, c *webtest.Client, address string) (body string, header http.Header) {
	t.Helper()
	path, ok := strings.CutPrefix(address, webtest.BaseURL)
	if !ok {
		t.Fatalf("%s is not the API's", address)
	}
	a := c.Get(path).Status(302).Header("Cache-Control", "private, no-store").Empty()
	return filestest.Fetch(t, a.Get("Location"))
}

// bare is the answer about a document that has nothing but a name.
func bare(id, name, by string) string {
	return `{"id":` + id + `,"uuid":"<uuid>","name":"` + name + `","source":0,"created_by":` + by + `,"template":null,"signed":false,
		"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z","content_type":null,"object_id":null,
		"files":[],"signs":[],"links":[]}`
}

func TestCreateReadDelete(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Employee(1))
	want := bare("1", "Договор аренды", "12")
	c.Post(all, `{"name":" Договор аренды ","uuid":"x","id":9,"created_by":9,"signed":true,"files":[1],"unknown":1}`).Status(201).
		JSON(want).Header("Location", webtest.BaseURL+all+"1/").Header("ETag", `"1"`).
		Writes(4).Calls(2).Units(0, 8).NotContain("regenerate", "resign", `"content"`, `"file"`)
	c.Get(all+"1/").Status(200).JSON(want).Header("ETag", `"1"`).Writes(0).Calls(1).Units(1, 0)
	api.As(webtest.ReadOnly(1)).Get(all + "1/").Status(200).JSON(want)
	c.Get(all).Status(200).JSON(`{"count":1,"next":null,"previous":null,"results":[`+want+`]}`).Calls(2).Units(4, 0).Writes(0)
	c.Head(all + "1/").Status(200).Empty()
	c.Delete(all + "1/").Status(204).Empty().Writes(4).Calls(2)
	c.Delete(all + "1/").Status(404).JSON(`{"detail":"Not found."}`)
	c.Get(all + "1/").Status(404).JSON(`{"detail":"Not found."}`)
	c.Put(all+"1/", `{"name":"b"}`).Status(404).JSON(`{"detail":"Not found."}`)
	c.Patch(all+"1/", `{"name":"b"}`).Status(404)
	c.Get(all).Status(200).JSON(`{"count":0,"next":null,"previous":null,"results":[]}`)
	c.Get(all + "?search=договор").Status(200).JSON(`{"count":0,"next":null,"previous":null,"results":[]}`)
	c.Post(all, `{}`).Status(201).JSON(bare("2", "Document", "12"))
}

func TestBadBodies(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Employee(1))
	c.Post(all, `{"name":"a"}`).Status(201)
	for in, want := range map[string]string{
		`{"name":null}`:                              `{"name":["This field may not be null."]}`,
		`{"name":"  "}`:                              `{"name":["This field may not be blank."]}`,
		`{"name":true}`:                              `{"name":["Not a valid string."]}`,
		`{"source":2}`:                               `{"source":["\"2\" is not a valid choice."]}`,
		`{"source":"a"}`:                             `{"source":["\"a\" is not a valid choice."]}`,
		`{"source":null}`:                            `{"source":["This field may not be null."]}`,
		`{"template":"a"}`:                           `{"template":["A valid integer is required."]}`,
		`{"template":7}`:                             `{"template":["Invalid pk \"7\" - object does not exist."]}`,
		`{"regenerate":"perhaps"}`:                   `{"regenerate":["Must be a valid boolean."]}`,
		`{"regenerate":null}`:                        `{"regenerate":["This field may not be null."]}`,
		`{"source":1}`:                               `{"file":["This field is required."]}`,
		`{"source":1,"file":null}`:                   `{"file":["This field may not be null."]}`,
		`{"source":1,"file":"nothing"}`:              `{"file":["Enter a valid URL."]}`,
		`{"source":1,"file":"https://a.kz/"}`:        `{"file":["No uploaded file has this address."]}`,
		`{"content_type":"Document","object_id":99}`: `{"object_id":["Invalid pk \"99\" - object does not exist."]}`,
		`{"content_type":"Document","object_id":9223372036854775808}`:                   `{"object_id":["Ensure this value is less than or equal to 9223372036854775807."]}`,
		`{"content_type":"Document","object_id":99,"source":1,"file":"https://a.kz/b"}`: `{"object_id":["Invalid pk \"99\" - object does not exist."],"file":["No uploaded file has this address."]}`,
		`[]`: `{"non_field_errors":["Invalid data. Expected a dictionary, but got list."]}`,
	} {
		c.Post(all, in).Status(400).JSON(want)
		c.Patch(all+"1/", in).Status(400).JSON(want)
	}
	c.Post(all, map[string]any{"name": strings.Repeat("ұ", 513)}).Status(400).
		JSON(`{"name":["Ensure this field has no more than 512 characters."]}`)
	c.Post(all, map[string]any{"name": strings.Repeat("ұ", 512)}).Status(201)
	c.Post(all, `{"name":`).Status(400)
	c.Post(all, webtest.Form("name", "a")).Status(415)
	c.Get(all+"1/").Status(200).JSON(bare("1", "a", "12")).Header("ETag", `"1"`)
}

func TestUpdate(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Employee(1))
	made := c.Post(all, `{"name":"a"}`).Status(201)
	api.Clock.Step(1500)
	put := c.Put(all+"1/", `{"name":"b"}`).Status(200).Writes(2).Calls(2).Units(1, 6).Header("ETag", `"2"`).
		Field("name", `"b"`).Field("created_at", `"2026-03-02T09:30:00Z"`).Field("updated_at", `"2026-03-02T09:30:00.000001Z"`)
	if put.Text("uuid") != made.Text("uuid") {
		t.Error("the uuid has changed")
	}
	for _, in := range []string{`{}`, `{"name":"b"}`, `{"template":null,"content":null}`} {
		c.Put(all+"1/", in).Status(200).Writes(0).JSON(string(put.Body())).Header("ETag", `"2"`)
		c.Patch(all+"1/", in).Status(200).Writes(0).JSON(string(put.Body()))
	}
	c.Get(all+"?search=b").Status(200).Field("count", "1")
	c.Get(all+"?search=a").Status(200).Field("count", "0")
	c.With("If-Match", `"1"`).Patch(all+"1/", `{"name":"c"}`).Status(412).
		JSON(`{"detail":"The record has changed since it was read.","etag":"\"2\""}`)
	c.With("If-Match", `"1"`).Delete(all + "1/").Status(412)
	c.With("If-Match", `"1", "2"`).Patch(all+"1/", `{"name":"c"}`).Status(200).Header("ETag", `"3"`)
	c.With("If-Match", `*`).Delete(all + "1/").Status(204)
	api.As(webtest.ReadOnly(1)).Put(all+"1/", `{}`).Status(403).JSON(`{"detail":"You do not have permission to perform this action."}`)
	api.As(webtest.ReadOnly(1)).Delete(all + "1/").Status(403)
	api.As(webtest.ReadOnly(1)).Post(all, `{}`).Status(403)
	api.As(webtest.ReadOnly(1)).Post(all+"uploads/", `{}`).Status(403)
}

func TestContent(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Employee(3))
	made := c.Post(all, `{"name":"Шарт","content":"<h1 onclick='evil()'>Шарт</h1><script>evil()</script>"}`).Status(201).Writes(4).Calls(2)
	made.Field("files", `[{"id":100001,"file":"`+webtest.BaseURL+all+`1/documents/100001/","type":0,
		"extra":{"content_type":"application/pdf","size":"<int>","sha256":"<string>"}}]`).NotContain("evil", `"content":`)
	body, header := served(t, c, made.Text("files.0.file"))
	page := presstest.PageOf(t, body)
	if page.HTML != "<h1>Шарт</h1>" || page.Title != "Шарт" || page.Format != "A4" || !page.At.Equal(webtest.Start) ||
		header.Get("Content-Type") != "application/pdf" ||
		header.Get("Content-Disposition") != `attachment; filename="____.pdf"; filename*=UTF-8''%D0%A8%D0%B0%D1%80%D1%82.pdf` {
		t.Errorf("served %q %v", body, header)
	}
	// The file's address stays, whatever the content.
	again := c.Patch(all+"1/", `{"content":"<p>2</p>"}`).Status(200).Writes(2).Field("files.0.id", "100001")
	if body, _ := served(t, c, again.Text("files.0.file")); presstest.PageOf(t, body).HTML != "<p>2</p>" {
		t.Errorf("served %q", body)
	}
	// What makes the bytes that are there already changes nothing.
	remade := c.Patch(all+"1/", `{"regenerate":true}`).Status(200).Writes(0).Header("ETag", `"2"`).Field("files.0.id", "100001")
	if body, _ := served(t, c, remade.Text("files.0.file")); presstest.PageOf(t, body).HTML != "<p>2</p>" {
		t.Errorf("regenerated %q", body)
	}
	c.Patch(all+"1/", `{"content":null}`).Status(200).Field("files", `[]`)
	c.Get(all + "1/documents/100001/").Status(404).JSON(`{"detail":"Not found."}`)
	c.Patch(all+"1/", `{"regenerate":true}`).Status(400).JSON(`{"regenerate":["There is no content to generate the document from."]}`)
	c.Patch(all+"1/", `{"content":"<p>3</p>"}`).Status(200).Field("files.0.id", "100002")
	c.Patch(all+"1/", `{"resign":true}`).Status(400).JSON(`{"resign":["Nothing is signed: there is nothing to be signed again."]}`)
}

// All that is wrong is said at once: by the decoder, the rules, the link and the
// upload. No bytes are stored for it.
func TestEverythingWrongAtOnce(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Employee(3))
	c.Post(all, `{"name":[],"source":1,"file":"https://files.test/x","template":7,"content_type":"Client","object_id":99}`).Status(400).Writes(0).JSON(`{
		"name":["Not a valid string."],"file":["No uploaded file has this address."],"template":["An uploaded document is made of no template."],
		"object_id":["Invalid pk \"99\" - object does not exist."]}`)
	c.Post(
		all,
		webtest.Multipart(map[string]any{"source": "1", "template": "7", "object_id": "x", "file": webtest.File{Name: "a.txt", Data: "a"}}),
	).Status(400).Writes(0).
		JSON(`{"object_id":["A valid integer is required."],"template":["An uploaded document is made of no template."]}`)
	c.Post(all, `{"source":7,"content":"<p>1</p>","regenerate":true}`).Status(400).Writes(0).
		JSON(`{"source":["\"7\" is not a valid choice."]}`)
	c.Post(all, `{"name":"a"}`).Status(201).Field("id", "1")
	c.Patch(all+"1/", `{"name":null,"resign":true}`).Status(400).Writes(0).
		JSON(`{"name":["This field may not be null."],"resign":["Nothing is signed: there is nothing to be signed again."]}`)
}

// TestContentIsBounded: as it is sent, and as it is stored.
func TestContentIsBounded(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Employee(3))
	const most = 1_000_000
	long := `{"content":["Ensure this field has no more than 1000000 characters."]}`
	c.Post(all, map[string]any{"content": strings.Repeat("a", most+1)}).Status(400).JSON(long)
	c.Post(all, webtest.Multipart(map[string]any{"content": strings.Repeat("a", most+1)})).Status(400).JSON(long)
	large := `{"content":["The HTML is larger than 1 MB without its images."]}`
	c.Post(all, `{"content":"`+strings.Repeat("&", most)+`"}`).Status(400).JSON(large).Writes(0) // each is escaped
	c.Post(all, map[string]any{"content": strings.Repeat("ұ", most/2)}).Status(201).Field("id", "1")
	c.Patch(all+"1/", `{"content":"`+strings.Repeat("&", most)+`"}`).Status(400).JSON(large).Writes(0)
	c.Patch(all+"1/", `{"regenerate":true}`).Status(200).Header("ETag", `"1"`)
}

func TestFileAnswers(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.ReadOnly(3))
	made := api.As(webtest.Owner(3)).Post(all, `{"content":"a"}`).Status(201)
	path := strings.TrimPrefix(made.Text("files.0.file"), webtest.BaseURL)
	browser := "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
	for accept, json := range map[string]bool{
		"": false, "*/*": false, browser: false, "application/*": false,
		"application/json": true, "application/json, text/plain, */*": true, "Application/JSON; q=0.5": true,
	} {
		a := c.With("Accept", accept).Get(path).Header("Cache-Control", "private, no-store").Calls(1).Units(1, 0)
		if json {
			a.Status(200).JSON(`{"url":"<url>","expires_at":"<datetime>"}`).NoHeader("Location")
			if status, body, _ := filestest.Send(t, "GET", a.Text("url"), "", nil); status != 200 || presstest.PageOf(t, body).HTML != "a" {
				t.Errorf("%s: %d %q", accept, status, body)
			}
		} else {
			a.Status(302).Empty()
		}
	}
	c.With("Accept", "image/png").Get(path).Status(302)
	c.Get(all + "1/documents/100002/").Status(404)
	c.Get(all + "1/documents/x/").Status(404)
	c.Get(all + "2/documents/100001/").Status(404)
	c.Delete(path).Status(405).JSON(`{"detail":"Method \"DELETE\" not allowed."}`)
}

func TestLinks(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Employee(1))
	c.Post(all, `{"name":"Главный"}`).Status(201)
	link := `[{"content_type":"Document","content_type_label":"Document","object_id":1,"role":"main","role_label":"Primary",
		"label":"Главный","url":"` + webtest.BaseURL + all + `1/"}]`
	c.Post(all, `{"name":"b","content_type":"Document","object_id":"1"}`).Status(201).Writes(4).Calls(3).
		Field("content_type", `"Document"`).Field("object_id", "1").Field("links", link)
	c.Patch(all+"2/", `{"name":"c"}`).Status(200).Field("links", link)
	c.Patch(all+"2/", `{"content_type":null,"object_id":null}`).Status(200).Field("links", "[]").Field("object_id", "null")
	c.Patch(all+"2/", `{"content_type":"Document","object_id":1}`).Status(200).Field("links", link).Writes(2).Calls(3)
	c.Patch(all+"2/", `{"content_type":"Document","object_id":2}`).Status(400).
		JSON(`{"object_id":["A document can't be linked to itself."]}`)
	// The number that it is about to get is no record yet.
	c.Post(all, `{"content_type":"Document","object_id":3}`).Status(400).JSON(`{"object_id":["Invalid pk \"3\" - object does not exist."]}`)
	c.Delete(all + "1/").Status(204)
	c.Patch(all+"2/", `{"content_type":"Document","object_id":1}`).Status(200) // unchanged
	c.Post(all, `{"content_type":"Document","object_id":1}`).Status(400).JSON(`{"object_id":["Invalid pk \"1\" - object does not exist."]}`)
}
