package signing_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const all = "/v2/documents/"

// From an upload to a sealed file: staff adds a signer and sends the link, the signer opens it and signs by a code.
func TestSignedByACode(t *testing.T) {
	w := newWorld(t)
	w.client("Айгүл Серікқызы", "+77011234567")
	made := w.upload("Lease")
	was := made.Text("files.0.extra.sha256")

	sign := w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201).JSON(`{"id":1,"uuid":"<uuid>","method":2,"method_allowed":[2,1],
		"signer":{"id":1,"name":"Айгүл Серікқызы","phone":"+77011234567","email":"a@example.com","type":"client","outer_id":1},
		"status":0,"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z",
		"stages":[{"id":1,"status_from":0,"status_to":0,"created_at":"2026-03-02T09:30:00Z",
			"meta":{"ip":"203.0.113.7","method":null,"user":62,"sha256":"<any>","evidence":null}}]}`)
	one := all + sign.Text("uuid") + "/"
	d := w.staff().Get(all + "1/").Status(200)
	if now := d.Text("files.0.extra.sha256"); now == was || d.Text("files.0.file") != made.Text("files.0.file") {
		t.Errorf("the upload is not written anew: %s", now)
	}

	w.staff().Post(all+"1/signs/1/sms/", `{}`).Status(200).Field("status", "1")
	w.staff().Post(all+"1/signs/1/sms/", `{"channel":"email"}`).Status(200).Field("status", "1").Field("stages.1.status_to", "1")
	w.Deliver()
	to := map[string]bool{}
	for _, m := range w.post.sent {
		to[string(m.Channel)+" "+m.To] = strings.Contains(m.Text, webtest.BaseURL+"/sign/"+sign.Text("uuid")+"/")
	}
	if len(w.post.sent) != 2 || !to["sms +77011234567"] || !to["email a@example.com"] {
		t.Errorf("the links: %+v", w.post.sent)
	}

	// Reading opens nothing.
	w.public().Get(one).Status(200).Writes(0).Field("sign.status", "1").Field("sign.phone", `"+7••••••4567"`).Field("signs",
		`[{"name":"Айгүл Серікқызы","method":2,"status":1}]`).Field("company", `{"name":"Astana Rent","bin":"140340010302","phone":null,"email":null,"timezone":"Asia/Almaty"}`).
		Field("sealed", "null").Field("sign.confirm", "null").NotContain("+77011234567", "a@example.com", `"meta"`)
	w.public().Post(one+"open/", `{}`).Status(200).Field("sign.status", "2")
	w.public().Post(one+"open/", `{}`).Status(200).Field("sign.status", "2").Writes(0)

	w.public().Post(one+"sign/confirm/", `{"confirm_id":"x","code":"123456"}`).Status(409).Field("code", `"status"`)
	asked := w.public().Post(one+"sign/", `{"language":"kk","sha256":"`+w.shown(one)+`"}`).Status(200).Field("expires_at", `"2026-03-02T09:40:00Z"`).
		Field("retry_at", `"2026-03-02T09:31:00Z"`)
	w.ask(one).Status(429).Header("Retry-After", "60")
	code := w.sms()
	if len(code) != 6 || w.post.last().To != "+77011234567" {
		t.Fatalf("sent %+v", w.post.last())
	}
	confirm := func(code string) string {
		return fmt.Sprintf(`{"confirm_id":%q,"code":%q,"language":"kk"}`, asked.Text("confirm_id"), code)
	}
	w.public().Post(one+"sign/confirm/", confirm(wrong(code))).Writes(2).Status(400).JSON(`{"code":["The code is wrong or no longer valid."]}`)
	w.public().Get(one).Status(200).Field("sign.status", "3").Field("sign.confirm.tries_left", "4")
	w.staff().Patch(all+"1/", `{"source":0,"content":"<p>a</p>"}`).Status(409).Field("code", `"locked"`)
	signed := w.public().Post(one+"sign/confirm/", confirm(code)).Status(200).Field("sign.status", "5").Field("signed", "true")
	if signed.Value("sealed") != nil {
		t.Error("sealed within the request")
	}
	w.public().Post(one+"sign/confirm/", confirm(code)).Status(409).Field("code", `"signed"`)

	w.Clock.Step(time.Second)
	w.Deliver()
	w.public().Get(one).Status(200).Field("sealed.content_type", `"application/pdf"`).Field("level", `"B-B"`).
		Field("sealed_at", `"2026-03-02T09:30:01Z"`)
	d = w.staff().Get(all+"1/").Status(200).Field("signed", "true").Field("signs.0.method", "1").Field("files.1.type", "1")
	sealed, original := d.Text("files.1.extra.sha256"), d.Text("files.0.extra.sha256")
	result := `"sealed_at":"2026-03-02T09:30:01Z","level":"B-B","erased":false,"signs":1,"methods":{"manual":0,"sms":1,"egov":0},
		"original":"` + original + `","sealed":"` + sealed + `","withdrawn":`
	w.public().Get(all+"verify/?sha256="+sealed).Status(200).
		JSON(`{"sha256":"`+sealed+`","found":true,"results":[{"kind":"sealed","whole":true,`+result+`null}]}`).NotContain("Айгүл", "Astana", "Lease")
	w.public().Post(all+"verify/", `{"sha256":"`+strings.ToUpper(original)+`"}`).Status(200).
		JSON(`{"sha256":"` + original + `","found":true,"results":[{"kind":"original","whole":false,` + result + `null}]}`)
	w.public().Get(all + "verify/?sha256=" + was).Status(200).JSON(`{"sha256":"` + was + `","found":false,"results":[]}`)

	w.staff().Get("/v1/crm/clients/1/").Status(200).Field("agreement_id", `"1"`).Field("signed", "true").Field("sign_date", `"2026-03-02"`)
	w.staff().Delete(all + "1/").Status(403).Writes(0)
	w.manager().Delete(all + "1/").Status(204)
	w.Deliver()
	w.staff().Get("/v1/crm/clients/1/").Status(200).Field("agreement_id", "null").Field("signed", "false").Field("sign_date", "null")
	w.public().Get(one).Status(200).Field("withdrawn", `"2026-03-02T09:30:01Z"`).Field("signed", "true").Field("level", `"B-B"`)
	w.public().Get(all + "verify/?sha256=" + sealed).Status(200).
		JSON(`{"sha256":"` + sealed + `","found":true,"results":[{"kind":"sealed","whole":true,` + result + `"2026-03-02T09:30:01Z"}]}`)
}

// Everything that the public may try with a uuid that is nobody's, and with a document's own.
func TestUnknownUUIDs(t *testing.T) {
	w := newWorld(t)
	w.client("A", "+77011234567")
	made := w.upload("Lease")
	w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201)
	w.staff().Delete(all + "1/signs/1/").Status(204)
	for _, id := range []string{made.Text("uuid"), "00000000-0000-4000-8000-000000000000"} {
		one := all + id + "/"
		w.public().Get(one).Status(404).JSON(`{"detail":"Not found."}`)
		w.public().Get(one + "documents/100001/").Status(404)
		for path, body := range map[string]string{
			"open/": `{}`, "sign/": `{"sha256":"` + strings.Repeat("ab", 32) + `"}`, "sign/confirm/": `{"confirm_id":"a","code":"1"}`, "eds/": `{"cms":"AAAA"}`, "reject/": `{"reason":"no"}`,
		} {
			w.public().Post(one+path, body).Status(404).Writes(0)
		}
	}
}

// A sign that was removed, a deleted document: its link leads nowhere.
func TestRemovedSign(t *testing.T) {
	w := newWorld(t)
	w.client("A", "+77011234567")
	w.upload("Lease")
	one := all + w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201).Text("uuid") + "/"
	w.public().Get(one).Status(200)
	w.staff().Post(all+"1/signs/", `{"client":1}`).Status(400).JSON(`{"client":["This client is a signer already."]}`)
	w.staff().Delete(all + "1/signs/1/").Status(204)
	w.public().Get(one).Status(404)
	w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201).Field("id", "2")
	w.staff().Delete(all + "1/").Status(204)
	w.public().Get(one).Status(404)
}

func TestRejectedAndReopened(t *testing.T) {
	w := newWorld(t)
	w.client("A", "+77011234567")
	w.upload("Lease")
	one := all + w.staff().Post(all+"1/signs/", `{"client":1,"method_allowed":[1]}`).Status(201).Text("uuid") + "/"
	w.public().Post(one+"reject/", `{"reason":" "}`).Status(400).Field("reason", `["This field may not be blank."]`)
	w.public().Post(one+"reject/", `{"reason":"Wrong car"}`).Status(200).Field("sign.status", "4")
	w.ask(one).Status(409).Field("code", `"status"`).Field("status", "4")
	w.staff().Post(all+"1/signs/1/reject/", `{"reason":"x"}`).Status(409)
	w.staff().Post(all+"1/signs/1/reopen/", `{}`).Status(200).Field("status", "0")
	w.public().Post(one+"open/", `{}`).Status(200).Field("sign.status", "2")
	w.public().Post(one+"eds/", `{"cms":"AAAA"}`).Status(409).Field("code", `"method"`).Field("method_allowed", "[1]")
	w.staff().Post(all+"1/signs/1/reject/", `{"reason":"By telephone"}`).Status(200).Field("status", "4")
}

// By removing the last open sign, a document becomes signed, and is sealed.
func TestSealedByRemovingAnOpenSign(t *testing.T) {
	w := newWorld(t)
	w.client("A", "+77011234567")
	w.staff().Post("/v1/crm/clients/", `{"name":"B","type":0,"phone":"+77017654321"}`).Status(201)
	w.upload("Lease")
	w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201)
	w.staff().Post(all+"1/signs/", `{"client":2}`).Status(201)
	scan := webtest.Multipart(map[string]any{
		"client": "1", "file": webtest.File{Name: "scan.png", ContentType: "image/png", Data: "png"},
	})
	w.staff().Post(all+"1/manual_sign/", scan).Status(201).Field("status", "5").Field("method", "0")
	w.staff().Get(all+"1/").Status(200).Field("signed", "false").Field("files.1.type", "3")
	w.staff().Delete(all+"1/signs/1/").Status(409).Field("code", `"status"`)
	w.staff().Delete(all + "1/signs/2/").Status(204)
	w.Deliver()
	w.staff().Get(all+"1/").Status(200).Field("signed", "true").Field("files.2.type", "1")
	w.staff().Post(all+"1/signs/", `{"client":2}`).Status(409).Field("code", `"signed"`)
	w.staff().Delete(all+"1/signs/1/").Status(409).Field("code", `"signed"`)
	w.staff().Post(all+"1/company/", `{}`).Status(409).Field("code", `"signed"`)
	w.staff().Post(all+"1/manual_sign/", webtest.Multipart(map[string]any{
		"client": "2", "file": webtest.File{Name: "scan.png", ContentType: "image/png", Data: "png"},
	})).Status(409).Field("code", `"signed"`)
	w.staff().Patch(all+"1/signs/1/", `{"method_allowed":[1]}`).Status(409)
	w.staff().Post(all+"1/signs/1/reject/", `{"reason":"x"}`).Status(409)
}

// Codes are tried five times, end after ten minutes, and another one makes the one before it void.
func TestCodesEnd(t *testing.T) {
	w := newWorld(t)
	w.client("A", "+77011234567")
	w.upload("Lease")
	one := all + w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201).Text("uuid") + "/"
	w.public().Post(one+"open/", `{}`).Status(200)
	try := func(confirm, code string) *webtest.Answer {
		return w.public().Post(one+"sign/confirm/", fmt.Sprintf(`{"confirm_id":%q,"code":%q}`, confirm, code))
	}
	const over = `{"code":["The code is no longer valid: ask for another one."]}`

	first := w.ask(one).Status(200).Text("confirm_id")
	firstCode := w.sms()
	for range 5 {
		try(first, wrong(firstCode)).Writes(2).Status(400)
	}
	try(first, firstCode).Status(400).JSON(over)

	w.Clock.Step(time.Minute)
	second := w.ask(one).Status(200).Text("confirm_id")
	secondCode := w.sms()
	try(first, secondCode).Status(400).JSON(`{"code":["The code is wrong or no longer valid."]}`)
	w.Clock.Step(10 * time.Minute)
	try(second, secondCode).Status(400).JSON(over)

	third := w.ask(one).Status(200).Text("confirm_id")
	code := w.sms()
	try(third, code).Status(200).Field("sign.status", "5")
	// Repeated codes took no room: draft, opened, asked, signed.
	d := w.staff().Get(all + "1/signs/").Status(200)
	if stages, _ := d.Value("0.stages").([]any); len(stages) != 4 {
		t.Errorf("%d stages", len(stages))
	}
}

// A code is bound to what was shown: a change of the file that slips in makes it void.
func TestACodeIsForWhatWasShown(t *testing.T) {
	w := newWorld(t)
	w.client("A", "+77011234567")
	w.upload("Lease")
	one := all + w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201).Text("uuid") + "/"
	w.public().Post(one+"open/", `{}`).Status(200)
	id := w.ask(one).Status(200).Text("confirm_id")
	code := w.sms()
	scope := record.Scope{Table: table.Of(w.Env.Table, companyID), Now: w.Clock.Now}
	if err := scope.Do(t.Context(), nil, func(u *record.Work) error {
		d, err := document.Kind().Edit(t.Context(), u, 1)
		if err == nil {
			d.Shown++
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	w.public().Post(one+"sign/confirm/", fmt.Sprintf(`{"confirm_id":%q,"code":%q}`, id, code)).Status(400)
	w.public().Get(one).Status(200).Field("sign.status", "3").Field("sign.confirm", "null")
}

// What is no PDF can't take a signer, nor can a document without a file.
func TestWhatCantBeSigned(t *testing.T) {
	w := newWorld(t)
	w.client("A", "+77011234567")
	w.staff().Post(all, webtest.Multipart(map[string]any{
		"source": "1", "file": webtest.File{Name: "a.txt", ContentType: "text/plain", Data: "text"},
	})).Status(201)
	w.staff().Post(all+"1/signs/", `{"client":1}`).Status(400).Writes(0).JSON(`{"detail":"This is no PDF.","code":"not_pdf"}`)
	w.staff().Post(all+"1/company/", `{}`).Status(400).Writes(0).Field("code", `"not_pdf"`)
	w.staff().Post(all, `{"name":"empty"}`).Status(201)
	w.staff().Post(all+"2/signs/", `{"client":1}`).Status(400).Writes(0).Field("code", `"no_file"`)
	w.staff().Post(all+"2/signs/", `{"client":9,"method_allowed":[7]}`).Status(400).
		JSON(`{"client":["Invalid pk \"9\" - object does not exist."],"method_allowed":["\"7\" is not a valid choice."]}`)
	w.staff().Post(all+"9/signs/", `{"client":1}`).Status(404)
	w.As(webtest.Employee(companyID+1)).Post(all+"1/signs/", `{"client":1}`).Status(404)
}

// Two sign at the same moment, and the company too: it is sealed once.
func TestTheCompanySigns(t *testing.T) {
	w := newWorld(t)
	w.upload("Lease")
	w.staff().Get(all + "1/company/").Status(404)
	sign := w.staff().Post(all+"1/company/", `{"method_allowed":[2]}`).Status(201).Field("status", "1").Field("method_allowed", "[2]").
		Field("signer", `{"id":1,"name":"Astana Rent","phone":null,"email":null,"type":"company","outer_id":null}`)
	w.staff().Get(all+"1/company/").Status(200).Field("uuid", `"`+sign.Text("uuid")+`"`)
	w.staff().Post(all+"1/company/", `{}`).Status(409).Field("code", `"signer"`)
	w.ask(all+sign.Text("uuid")+"/").Status(409).Field("code", `"method"`)
	w.staff().Post(all+"1/signs/1/sms/", `{"channel":"email"}`).Status(400).JSON(`{"channel":["The signer has no such address."]}`)
}

// The page shows what the operation answers; a GET of it changes nothing, and what leads nowhere is a page too.
func TestPages(t *testing.T) {
	w := newWorld(t)
	w.client("Айгүл Серікқызы", "+77011234567")
	w.upload("Lease")
	uuid := w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201).Text("uuid")
	w.staff().Post(all+"1/signs/1/sms/", `{}`).Status(200)
	a := w.public().With("Accept", "text/html").Get("/sign/"+uuid+"/").Status(200).Writes(0).Header("Content-Type", "text/html; charset=utf-8").
		Header("Cache-Control", "no-store").Header("Referrer-Policy", "no-referrer").NotContain("+77011234567", "a@example.com")
	if !strings.Contains(string(a.Body()), "Lease") || !strings.Contains(a.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%s\n%s", a.Get("Content-Security-Policy"), a.Body())
	}
	w.staff().Get(all+"1/").Status(200).Field("signs.0.status", "1")
	other := uuid[:35] + "0"
	if other == uuid {
		other = uuid[:35] + "1"
	}
	for _, path := range []string{"/sign/" + other + "/", "/sign/x/", "/sign/" + strings.ToUpper(uuid) + "x/"} {
		gone := w.public().Get(path).Status(404).Header("Content-Type", "text/html; charset=utf-8")
		if len(gone.Body()) < 200 {
			t.Errorf("%s: %s", path, gone.Body())
		}
	}
	w.public().Get("/sign/"+uuid).Status(301).Header("Location", "/sign/"+uuid+"/")
	w.public().Get("/verify/?lang=en").Status(200).Header("Content-Type", "text/html; charset=utf-8")
	w.public().Get("/sign/assets/nothing.js").Status(404)
}

// The timeline of an order shows its documents, and where their signatures are.
func TestTimelineOfAnOrder(t *testing.T) {
	w := newWorld(t)
	w.client("Айгүл", "+77011234567")
	w.staff().Post("/v1/crm/requests/", `{"client":1}`).Status(201)
	w.Clock.Step(time.Minute)
	w.upload("Lease")
	w.staff().Patch(all+"1/", `{"content_type":"OrderRequest","object_id":1}`).Status(200)
	one := all + w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201).Text("uuid") + "/"
	events := func(want string) {
		t.Helper()
		w.staff().Get("/v1/crm/requests/1/timeline/").Status(200).Field("results.0.events.1", want)
	}
	sign := func(text, at string) string {
		return `{"kind":"sign","type":null,"text":"` + text + `","object":null,"inventory":null,"amount":null,"happened_at":"` + at + `","fields":[]}`
	}
	events(sign("Айгүл was not asked to sign yet", "2026-03-02T09:31:00Z"))
	w.Clock.Step(time.Minute)
	w.public().Post(one+"open/", `{}`).Status(200)
	events(sign("Айгүл has opened the document", "2026-03-02T09:32:00Z"))
	w.public().Post(one+"reject/", `{"reason":"No"}`).Status(200)
	events(sign("Айгүл refused to sign", "2026-03-02T09:32:00Z"))

	// Once the log has put the events under the order, each of them is an entry.
	w.Deliver()
	w.staff().Get("/v1/crm/requests/1/timeline/").Status(200).Field("results.0.events.0", `{"kind":"sign","type":"document.sign.rejected",`+
		`"text":"Айгүл refused to sign","object":"document:1","inventory":null,"amount":null,"happened_at":"2026-03-02T09:32:00Z","fields":[]}`).
		Field("results.1.events.0.text", `"Айгүл has opened the document"`)
}

// Bodies of the public are small, but for files to verify and for signatures.
func TestLargeBodies(t *testing.T) {
	w := newWorld(t)
	large := strings.Repeat("x", 100<<10)
	w.public().Post(all+"verify/", webtest.Multipart(map[string]any{
		"file": webtest.File{Name: "a.pdf", ContentType: "application/pdf", Data: large},
	})).Status(200).Field("found", "false")
	w.public().Post(all+"verify/", `{"sha256":"x","file":"https://x"}`).Status(400)
	w.public().Post(all+"verify/", `{}`).Status(400).JSON(`{"file":["This field is required."]}`)
	w.public().Get(all + "verify/?sha256=ab").Status(400).JSON(`{"sha256":["This is no SHA-256 in hexadecimal."]}`)
	const nobody = all + "00000000-0000-4000-8000-000000000000/"
	w.public().Post(nobody+"eds/", `{"cms":"`+large+`"}`).Status(404)
	w.public().Post(nobody+"reject/", `{"reason":"`+large+`"}`).Status(413)
}

// While nobody signs, staff may change the file: it is written anew at once, and what can't be signed is refused.
func TestAnotherFileForSigners(t *testing.T) {
	w := newWorld(t)
	w.client("A", "+77011234567")
	w.upload("Lease")
	one := all + w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201).Text("uuid") + "/"
	was := w.public().Get(one).Status(200).Text("file.sha256")
	file := func(data string) webtest.Payload {
		return webtest.Multipart(map[string]any{"file": webtest.File{Name: "b.pdf", ContentType: "application/pdf", Data: data}})
	}
	w.staff().Patch(all+"1/", file("text")).Status(400).Field("code", `"not_pdf"`)
	w.staff().Patch(all+"1/", `{"source":0,"content":null}`).Status(400)
	w.public().Get(one).Status(200).Field("file.sha256", `"`+was+`"`)
	w.staff().Patch(all+"1/", file("%PDF-1.7 other")).Status(200)
	now := w.public().Get(one).Status(200).Text("file.sha256")
	if sum := sha256.Sum256([]byte("%PDF-1.7 other\n% normal")); now != hex.EncodeToString(sum[:]) {
		t.Errorf("it is not written anew: %s", now)
	}
	w.public().Post(one+"open/", `{}`).Status(200)
	w.ask(one).Status(200)
	w.staff().Patch(all+"1/", file("%PDF-1.7 third")).Status(409).Field("code", `"locked"`)
}
