package signing_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// stands writes how the company stands, as functions/tenants/standing does.
func (w *world) stands(s tenant.Standing) {
	w.t.Helper()
	of := table.Of(w.Env.Table, companyID)
	if err := of.Update(of.Company()).Set("st", s.State).Set("stt", s.Notice).Run(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// paused is what a signer is told of a company that is suspended: nothing of what its host has told its people.
const paused = `{"detail":"The company can't take signatures at the moment.","code":"suspended"}`

// A company that can only be read has nothing signed, and of one that is suspended nobody reads a document. What was sealed is verified.
func TestSuspended(t *testing.T) {
	w := newWorld(t)
	w.client("A", "+77011234567")
	w.upload("Lease")
	id := w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201).Text("uuid")
	one := all + id + "/"
	w.public().Post(one+"open/", `{}`).Status(200)
	shown := `{"sha256":"` + w.shown(one) + `"}`
	confirm := w.public().Post(one+"sign/", shown).Status(200).Text("confirm_id")
	code := w.sms()
	file := w.public().Get(one).Status(200).Text("file.file")[len(webtest.BaseURL):]
	sends := map[string]string{
		"open/": `{}`, "sign/": shown, "sign/confirm/": `{"confirm_id":"` + confirm + `","code":"` + code + `"}`, "eds/": `{"cms":"AAAA"}`,
		"reject/": `{"reason":"no"}`,
	}
	refused := func() {
		t.Helper()
		for path, body := range sends {
			w.public().Post(one+path, body).Status(403).Writes(0).JSON(paused)
		}
	}
	w.stands(tenant.Standing{State: tenant.OnlyRead, Notice: "Pay."})
	refused()
	w.public().Get(one).Status(200).Field("paused", `"suspended"`)
	w.public().Get(file).Status(302)
	if page := string(w.public().Get("/sign/" + id + "/?lang=en").Status(200).Body()); !strings.Contains(page, `data-step="paused"`) {
		t.Error(page)
	}

	w.stands(tenant.Standing{State: tenant.Suspended, Notice: "Pay."})
	refused()
	w.public().Get(one).Status(403).JSON(paused)
	w.public().Get(file).Status(403)
	for language, says := range map[string]string{"ru": "Сейчас подписать нельзя", "kk": "Қазір қол қою мүмкін емес", "en": "Signing is not possible now"} {
		page := string(w.public().Get("/sign/" + id + "/?lang=" + language).Status(403).Body())
		if !strings.Contains(page, says) || strings.Contains(page, "Lease") || strings.Contains(page, "Pay.") {
			t.Errorf("the page in %s: %s", language, page)
		}
	}
	w.public().Get(all + "verify/?sha256=" + strings.Repeat("a", 64)).Status(200)

	w.stands(tenant.Standing{})
	w.public().Get(one).Status(200).Field("paused", "null")
	w.public().Post(one+"sign/confirm/", sends["sign/confirm/"]).Status(200).Field("signed", "true")
}

// Who has signed keeps the document that is sealed, however its company stands, until that is erased.
func TestSealedOfASuspendedCompany(t *testing.T) {
	w := newWorld(t)
	w.twoClients()
	first, second := w.ready(1), w.ready(2)
	for _, code := range first.codes {
		w.sign(code)
	}
	w.sign(second.codes[0])
	w.Deliver()
	w.isSealed(first.document)
	uuid := func(code string) string { return strings.Fields(code)[0] }
	sealed, unsealed := uuid(first.codes[0]), uuid(second.codes[0])
	for _, s := range []tenant.State{tenant.OnlyRead, tenant.Suspended, tenant.Closed} {
		w.stands(tenant.Standing{State: s, Notice: "Pay."})
		d := w.public().Get(all+sealed+"/").Status(200).Field("paused", "null")
		w.public().Get(d.Text("sealed.file")[len(webtest.BaseURL):]).Status(302)
		if page := string(w.public().Get("/sign/" + sealed + "/?lang=en").Status(200).Body()); !strings.Contains(page, `data-step="sealed"`) {
			t.Errorf("%s: %s", s, page)
		}
		if s != tenant.OnlyRead {
			w.public().Get(all + unsealed + "/").Status(403).NotContain("Pay.")
		}
	}
	w.stands(tenant.Standing{State: tenant.Erasing})
	w.public().Get(all+sealed+"/").Status(403).Field("code", `"company_closed"`)
}
