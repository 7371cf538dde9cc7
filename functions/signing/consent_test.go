package signing_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/documents/document"
	sealjob "github.com/tenantry/tenantry/functions/seal/job"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// scope is that of the company's documents.
func (w *world) scope() record.Scope {
	return record.Scope{Table: table.Of(w.Env.Table, companyID), Now: w.Clock.Now}
}

// edit changes a document in a way that no operation does.
func (w *world) edit(id int64, change func(d *document.Document)) {
	w.t.Helper()
	if err := w.scope().Do(w.t.Context(), nil, func(u *record.Work) error {
		d, err := document.Kind().Edit(w.t.Context(), u, id)
		if err == nil {
			change(d)
		}
		return err
	}); err != nil {
		w.t.Fatal(err)
	}
}

// record is what the sealed file of a document says of its signers.
func (w *world) record(id int64) (r sealjob.Record) {
	w.t.Helper()
	w.Clock.Step(time.Second)
	w.Deliver()
	d, err := document.Kind().Get(w.t.Context(), w.scope(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	f, original := d.FileOf(document.SealedFile), d.FileOf(document.Original)
	if f == nil {
		w.t.Fatalf("document %d is not sealed", id)
	}
	data, err := w.Env.Files.Get(w.t.Context(), companyID, f.ID, f.Version, 1<<20)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := json.NewDecoder(bytes.NewReader(data[original.Size:])).Decode(&r); err != nil {
		w.t.Fatal(err)
	}
	return r
}

// The sealed file says in which language the signer has read the consent, though the confirmation names none; another
// language is refused, and no try is lost by it.
func TestLanguageOfTheConsent(t *testing.T) {
	w := newWorld(t)
	w.client("Айгүл Серікқызы", "+77011234567")
	for i, language := range document.Languages() {
		d := w.upload("Lease " + language)
		sign := w.staff().Post(fmt.Sprint(all, d.Int("id"), "/signs/"), `{"client":1}`).Status(201)
		one := all + sign.Text("uuid") + "/"
		w.public().Post(one+"open/", `{}`).Status(200)
		asked := w.public().Post(one+"sign/", fmt.Sprintf(`{"language":%q,"sha256":%q}`, language, w.shown(one))).Status(200)
		code := w.sms()
		other := document.Languages()[(i+1)%3]
		w.public().Post(one+"sign/confirm/", fmt.Sprintf(`{"confirm_id":%q,"code":%q,"language":%q}`, asked.Text("confirm_id"), code, other)).
			Status(400).Writes(0).JSON(`{"language":["The code was asked for in another language: ` + language + `."]}`)
		w.public().Get(one).Status(200).Field("sign.confirm.tries_left", "5")
		w.public().Post(one+"sign/confirm/", fmt.Sprintf(`{"confirm_id":%q,"code":%q}`, asked.Text("confirm_id"), code)).Status(200)

		want := document.ConsentIn(language, document.SMS)
		sum := hex.EncodeToString(want.SHA256)
		r := w.record(d.Int("id"))
		if len(r.Consent) != 1 || r.Consent[0] != (sealjob.Consent{ID: want.ID, SHA256: sum, Language: language, Text: want.Text}) {
			t.Errorf("the consent in %s is %+v", language, r.Consent)
		}
		if s := r.Signs[0]; s.Language != language || s.Consent != sum {
			t.Errorf("who signed in %s has agreed in %s to %s", language, s.Language, s.Consent)
		}
	}
}

// A code that was asked for before consents were kept with codes still signs.
func TestACodeOfBefore(t *testing.T) {
	w := newWorld(t)
	w.client("A", "+77011234567")
	w.upload("Lease")
	id := w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201).Text("uuid")
	one := all + id + "/"
	w.public().Post(one+"open/", `{}`).Status(200)
	confirm := w.public().Post(one+"sign/", `{"language":"kk","sha256":"`+w.shown(one)+`"}`).Status(200).Text("confirm_id")
	w.edit(1, func(d *document.Document) {
		code := d.Signs[0].Code
		code.Language, code.Consent, code.ConsentSum, code.Name = "", "", nil, nil
	})
	d, err := document.Kind().Get(t.Context(), w.scope(), 1)
	if err != nil {
		t.Fatal(err)
	}
	desk := document.NewDesk(w.Env.Table, w.Env.Files, w.Env.Keys, uuid.New)
	code, err := desk.CodeText(t.Context(), d, &d.Signs[0])
	if err != nil {
		t.Fatal(err)
	}
	w.public().Post(one+"sign/confirm/", fmt.Sprintf(`{"confirm_id":%q,"code":%q,"language":"kk"}`, confirm, code)).Status(200)
	if r := w.record(1); r.Signs[0].Language != "kk" {
		t.Errorf("who signed in kk has agreed in %s", r.Signs[0].Language)
	}
}

// A code is for what the signer has read: the bytes that his page shows, under the name that it shows.
func TestACodeIsForWhatWasRead(t *testing.T) {
	w := newWorld(t)
	w.client("A", "+77011234567")
	w.upload("Lease")
	one := all + w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201).Text("uuid") + "/"
	w.public().Post(one+"open/", `{}`).Status(200)
	read := w.shown(one)
	ask := func(body string) *webtest.Answer { return w.public().Post(one+"sign/", body) }
	ask(`{}`).Status(400).Writes(0).JSON(`{"sha256":["This field is required."]}`)
	ask(`{"sha256":"ab"}`).Status(400).Writes(0).JSON(`{"sha256":["This is no SHA-256 in hexadecimal."]}`)

	w.staff().Patch(all+"1/", webtest.Multipart(map[string]any{
		"file": webtest.File{Name: "b.pdf", ContentType: "application/pdf", Data: "%PDF-1.7 dearer"},
	})).Status(200)
	ask(`{"sha256":"` + read + `"}`).Status(409).Writes(0).
		JSON(`{"detail":"The document has changed: read it again.","code":"changed"}`)
	w.staff().Get(all+"1/").Status(200).Field("signs.0.status", "2")
	w.Deliver()
	if len(w.post.sent) != 0 {
		t.Errorf("a code was sent for a document that nobody has read: %+v", w.post.sent)
	}

	// Who says under which name the document was read, and what was agreed to, is held to both.
	consent := w.public().Get(one + "?language=kk").Status(200).Text("consent.sms.id")
	for other, body := range map[string]string{
		"name":     `"name":"Sale"`,
		"consent":  `"language":"kk","consent":"sms-kk-0"`,
		"language": `"language":"ru","consent":"` + consent + `"`,
	} {
		if code := ask(`{"sha256":"` + w.shown(one) + `",` + body + `}`).Writes(0).Status(409).Text("code"); code != "changed" {
			t.Errorf("another %s: %s", other, code)
		}
	}

	id := ask(`{"sha256":"` + strings.ToUpper(w.shown(one)) + `","name":"` + w.public().Get(one).Text("name") +
		`","language":"kk","consent":"` + consent + `"}`).Status(200).Text("confirm_id")
	code := w.sms()
	w.staff().Patch(all+"1/", `{"name":"Sale"}`).Status(200)
	w.public().Get(one).Status(200).Field("name", `"Sale"`).Field("sign.confirm", "null")
	w.public().Post(one+"sign/confirm/", fmt.Sprintf(`{"confirm_id":%q,"code":%q}`, id, code)).Status(400).
		JSON(`{"code":["The code is no longer valid: ask for another one."]}`)
	w.staff().Patch(all+"1/", `{"name":"lease.pdf"}`).Status(200)
	w.staff().Get(all+"1/").Status(200).Field("signs.0.status", "3")
}
