package documents_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/presstest"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

func TestUploads(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Employee(4))
	u := c.Post(all+"uploads/", `{"name":"a.pdf","content_type":"application/pdf","size":"26214400"}`).Status(201).
		Header("Cache-Control", "private, no-store").Writes(3).Calls(3).Units(0, 3)
	u.JSON(`{"file":"<url>","url":"<url>","method":"PUT","headers":{"Content-Type":"application/pdf"},"fields":{},"expires_at":"<datetime>"}`)
	for in, want := range map[string]string{
		`{}`: `{"name":["This field is required."],"content_type":["This field is required."],"size":["This field is required."]}`,
		`{"name":"","content_type":"","size":""}`:                    `{"name":["This field may not be blank."],"content_type":["This field may not be blank."],"size":["A valid integer is required."]}`,
		`{"name":"a","content_type":"a/b","size":26214401}`:          `{"size":["Ensure this value is less than or equal to 26214400."]}`,
		`{"name":"a","content_type":"a/b","size":0}`:                 `{"size":["Ensure this value is greater than or equal to 1."]}`,
		`{"name":"a","content_type":"pdf","size":1}`:                 `{"content_type":["This is not a media type."]}`,
		`{"name":"a","content_type":"a/b\r\nX-Evil: 1","size":1}`:    `{"content_type":["This is not a media type."]}`,
		`{"name":"a","content_type":"*/*","size":1}`:                 `{"content_type":["This is not a media type."]}`,
		`{"name":"a","content_type":"image/*; q=1","size":1}`:        `{"content_type":["This is not a media type."]}`,
		`{"name":"a","content_type":"/pdf","size":1}`:                `{"content_type":["This is not a media type."]}`,
		`{"name":"a","content_type":"text/html; x=\"\n\"","size":1}`: `{"content_type":["This is not a media type."]}`,
	} {
		c.Post(all+"uploads/", in).Status(400).JSON(want)
	}
	c.Post(all+"uploads/", map[string]any{"name": strings.Repeat("a", 256), "content_type": "a/b", "size": 1}).Status(400)
}

func TestUploadedDocument(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Employee(4))
	uri := filestest.Upload(t, c, `C:\docs\Договор "1".pdf`, "application/pdf", "%PDF-1")
	made := c.Post(all, map[string]any{"source": 1, "file": uri}).Status(201).Writes(4).Calls(3).Units(1, 8)
	made.JSON(`{"id":1,"uuid":"<uuid>","name":"Договор \"1\".pdf","source":1,"created_by":42,"template":null,"signed":false,
		"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z","content_type":null,"object_id":null,
		"files":[{"id":100001,"file":"https://api.tenantry.test/v2/documents/1/documents/100001/","type":0,
		"extra":{"content_type":"application/pdf","size":6,"sha256":"21af8e71c8703196df7fe1ff901869a88fe64c07bbaa83d838efb45a52b4f303"}}],
		"signs":[],"links":[]}`)
	body, header := served(t, c, made.Text("files.0.file"))
	if body != "%PDF-1" || header.Get("Content-Type") != "application/pdf" ||
		!strings.HasPrefix(header.Get("Content-Disposition"), `attachment; filename="_______ _1_.pdf"; filename*=UTF-8''`) {
		t.Errorf("served %q %v", body, header)
	}
	// The upload is still there for a caller who lost the answer and asks again.
	c.Post(all, map[string]any{"source": 1, "file": uri, "name": "again"}).Status(201).Field("name", `"again"`)
	// Another file of the document, at the same address.
	second := filestest.Upload(t, c, "b.txt", "text/plain", "second")
	c.Put(all+"1/", map[string]any{"file": second}).Status(200).Writes(2).Field("files.0.id", "100001").Field("name", `"Договор \"1\".pdf"`)
	if body, header := served(t, c, made.Text("files.0.file")); body != "second" ||
		!strings.Contains(header.Get("Content-Disposition"), "b.txt") {
		t.Errorf("served %q %v", body, header)
	}
	c.Patch(all+"1/", `{"source":0}`).Status(400).JSON(`{"content":["This field is required."]}`)
	c.Patch(all+"1/", `{"source":0,"content":"<p>a</p>"}`).Status(200).Field("source", "0").Field("files.0.id", "100001")
	if body, header := served(t, c, made.Text("files.0.file")); presstest.PageOf(t, body).HTML != "<p>a</p>" ||
		!strings.Contains(header.Get("Content-Disposition"), ".pdf") {
		t.Errorf("served %q %v", body, header)
	}
}

// TestReplayedUpload: whoever still has an upload's URL can't change what a
// document serves.
func TestReplayedUpload(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Employee(4))
	u := c.Post(all+"uploads/", `{"name":"a.txt","content_type":"text/plain","size":5}`).Status(201)
	send := func(bytes string) {
		t.Helper()
		if status, answer, _ := filestest.Send(
			t, "PUT", u.Text("url"), bytes, map[string]string{"Content-Type": "text/plain"},
		); status != 200 {
			t.Fatalf("upload: %d %s", status, answer)
		}
	}
	c.Post(all, map[string]any{"source": 1, "file": u.Text("file")}).Status(400).JSON(`{"file":["No uploaded file has this address."]}`)
	send("first")
	made := c.Post(all, map[string]any{"source": 1, "file": u.Text("file")}).Status(201)
	send("other")
	if body, _ := served(t, c, made.Text("files.0.file")); body != "first" {
		t.Errorf("served %q", body)
	}
	taken := c.Post(all, map[string]any{"source": 1, "file": u.Text("file")}).Status(201)
	for file, want := range map[string]string{made.Text("files.0.file"): "first", taken.Text("files.0.file"): "other"} {
		if body, _ := served(t, c, file); body != want {
			t.Errorf("served %q, want %q", body, want)
		}
	}
}

func TestUploadEndsAfterADay(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Employee(4))
	uri := filestest.Upload(t, c, "a.txt", "text/plain", "a")
	api.Clock.Step(24*time.Hour - time.Second)
	c.Post(all, map[string]any{"source": 1, "file": uri}).Status(201)
	api.Clock.Step(time.Second)
	c.Post(all, map[string]any{"source": 1, "file": uri}).Status(400).JSON(`{"file":["No uploaded file has this address."]}`)
}

func TestUploadOfOthers(t *testing.T) {
	api := newAPI(t)
	mine, theirs := api.As(webtest.Owner(4)), api.As(webtest.Owner(5))
	uri := filestest.Upload(t, theirs, "secret.txt", "text/plain", "secret")
	made := theirs.Post(all, map[string]any{"source": 1, "file": uri}).Status(201)
	served(t, theirs, made.Text("files.0.file"))
	own := filestest.Upload(t, mine, "own.txt", "text/plain", "own")
	id := func(uri string) string { return uri[strings.LastIndex(uri, "/")+1:] }
	base := strings.TrimSuffix(own, "uploads/4/"+id(own))
	for name, uri := range map[string]string{
		"an upload of another company":      uri,
		"its id under our name":             base + "uploads/4/" + id(uri),
		"a file of another company":         base + "t/5/" + id(uri),
		"our own upload, by a detour":       base + "uploads/5/../4/" + id(own),
		"our own upload, signed":            own + "?X-Amz-Signature=a",
		"our own upload, of another host":   "https://example.com/uploads/4/" + id(own),
		"our own upload, in capitals":       base + "uploads/4/" + strings.ToUpper(id(own)),
		"an address of the API":             made.Text("files.0.file"),
		"no upload":                         base + "uploads/4/00000000-0000-4000-8000-000000000000",
		"our own upload, with another path": own + "/",
	} {
		a := mine.Post(all, map[string]any{"source": 1, "file": uri}).Status(400).NotContain("secret", "/5/")
		a.JSON(`{"file":["No uploaded file has this address."]}`)
		if t.Failed() {
			t.Fatal(name)
		}
	}
	mine.Post(all, map[string]any{"source": 1, "file": own}).Status(201)
}

func TestMultipart(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Employee(4))
	made := c.Post(all, webtest.Multipart(map[string]any{
		"name": "Скан", "source": "1", "file": webtest.File{Name: "скан.png", ContentType: "image/png", Data: "\x89PNG\xff\x00"},
	})).Status(201).Writes(4).Calls(2).Field("name", `"Скан"`).Field("source", "1").Field("files.0.extra.size", "6")
	if body, header := served(t, c, made.Text("files.0.file")); body != "\x89PNG\xff\x00" || header.Get("Content-Type") != "image/png" {
		t.Errorf("served %q %v", body, header)
	}
	page := webtest.File{Name: "../../x.html", ContentType: "nonsense", Data: "<script>evil()</script>"}
	patched := c.Patch(all+"1/", webtest.Multipart(map[string]any{"file": page})).Status(200).
		Field("files.0.extra.content_type", `"application/octet-stream"`)
	const named = `attachment; filename="x.html"; filename*=UTF-8''x.html`
	if _, header := served(t, c, patched.Text("files.0.file")); header.Get("Content-Disposition") != named {
		t.Errorf("served with %v", header)
	}
	c.Post(all, webtest.Multipart(map[string]any{"source": "1", "file": webtest.File{Name: "empty", ContentType: "a/b"}})).
		Status(400).JSON(`{"file":["The submitted file is empty."]}`)
	c.Post(all, webtest.Multipart(map[string]any{"source": "1", "name": "a"})).Status(400).JSON(`{"file":["This field is required."]}`)
	c.Post(all, webtest.Multipart(map[string]any{"name": "a", "content": "<b>a</b>", "content_type": "", "object_id": ""})).
		Status(201).Field("links", "[]").Field("files.0.extra.content_type", `"application/pdf"`)
	// What is no content type, or no header of the bucket, is one of bytes.
	for sent, want := range map[string]string{
		"a/" + strings.Repeat("b", 7000): "application/octet-stream", "a/b; x=" + strings.Repeat("y", 7000): "application/octet-stream",
		"a/b; x=\"" + strings.Repeat("ж", 60) + "\"": "application/octet-stream", // which escaped is longer
		"*/*": "application/octet-stream", "image/*": "application/octet-stream", "a/": "application/octet-stream", "a/b/c": "application/octet-stream",
		"a/" + strings.Repeat("b", 253): "a/" + strings.Repeat("b", 253), "Text/Plain;charset=UTF-8": "text/plain; charset=UTF-8",
		"image/svg+xml": "image/svg+xml",
	} {
		file := webtest.File{Name: "x", ContentType: sent, Data: "x"}
		c.Post(all, webtest.Multipart(map[string]any{"source": "1", "file": file})).Status(201).
			Field("files.0.extra.content_type", `"`+want+`"`)
	}
	// The file may be the upload's uri as well.
	uri := filestest.Upload(t, c, "a.txt", "text/plain", "a")
	c.Post(all, webtest.Multipart(map[string]any{"source": "1", "file": uri})).Status(201).Field("name", `"a.txt"`)
	// Without a name the document has the file's.
	c.Post(all, webtest.Multipart(map[string]any{"source": "1", "file": webtest.File{Name: "x.bin", Data: "x"}})).
		Status(201).Field("name", `"x.bin"`).Field("files.0.extra.content_type", `"application/octet-stream"`)
}

// TestFileWithoutName: it is saved under the document's name.
func TestFileWithoutName(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Employee(4))
	for _, f := range []struct{ document, contentType, want string }{
		{"", "application/pdf", "Document.pdf"},
		{"Scan", "image/jpeg", "Scan.jpg"},
		{"scan.JPEG", "image/jpeg", "scan.JPEG"},
		{"scan.v1", "image/png", "scan.v1.png"},
		{"page", "text/html; charset=utf-8", "page.html"},
		{"a", "application/octet-stream", "a"},
		{"a.bin", "x/y", "a.bin"},
	} {
		fields := map[string]any{"source": "1", "file": webtest.File{Name: " ", ContentType: f.contentType, Data: "x"}}
		if f.document != "" {
			fields["name"] = f.document
		}
		made := c.Post(all, webtest.Multipart(fields)).Status(201)
		_, header := served(t, c, made.Text("files.0.file"))
		if got := header.Get("Content-Disposition"); !strings.HasPrefix(got, `attachment; filename="`+f.want+`";`) {
			t.Errorf("%s of %q is saved by %s", f.contentType, f.document, got)
		}
	}
}

// TestNumbersBeyondOurs: a number that no record can have is no record, however
// long it is.
func TestNumbersBeyondOurs(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Employee(1))
	c.Post(all, `{"name":"a","content":"a"}`).Status(201)
	missing := `{"detail":"Not found."}`
	for _, id := range []string{
		"999999999999", "1000000000000", "1000000000001", "99999999999999999", "100000000000000001", "9223372036854775807", "9223372036854775808",
	} {
		path := all + id + "/"
		c.Get(path).Status(404).JSON(missing)
		c.Put(path, `{"name":"x"}`).Status(404).JSON(missing)
		c.Patch(path, `{"name":"x"}`).Status(404).JSON(missing)
		c.Delete(path).Status(404).JSON(missing)
		c.Get(path + "documents/100001/").Status(404).JSON(missing)
		c.Get(all + "1/documents/" + id + "/").Status(404).JSON(missing)
		if id != "9223372036854775808" { // which is no integer of ours at all
			want := `{"object_id":["Invalid pk \"` + id + `\" - object does not exist."]}`
			c.Post(all, `{"content_type":"Document","object_id":`+id+`}`).Status(400).JSON(want)
			c.Patch(all+"1/", `{"content_type":"Document","object_id":`+id+`}`).Status(400).JSON(want)
		}
	}
	c.Get(all).Status(200).Field("count", "1")
}
