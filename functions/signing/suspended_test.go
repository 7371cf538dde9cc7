package signing_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/shared/fault"
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
			w.public().Post(one+path, body).Status(403).Writes(0).JSON(`{"detail":"Pay.","code":"suspended"}`)
		}
	}
	w.stands(tenant.Standing{State: tenant.OnlyRead, Notice: "Pay."})
	refused()
	w.public().Get(one).Status(200)
	w.public().Get(file).Status(302)
	w.public().Get("/sign/" + id + "/").Status(200)

	w.stands(tenant.Standing{State: tenant.Suspended, Notice: "Pay."})
	refused()
	w.public().Get(one).Status(403).JSON(`{"detail":"Pay.","code":"suspended"}`)
	w.public().Get(file).Status(403)
	for language, says := range map[string]string{"ru": "Сейчас подписать нельзя", "kk": "Қазір қол қою мүмкін емес", "en": "Signing is not possible now"} {
		page := string(w.public().Get("/sign/" + id + "/?lang=" + language).Status(403).Body())
		if !strings.Contains(page, says) || strings.Contains(page, "Lease") || strings.Contains(page, "Pay.") {
			t.Errorf("the page in %s: %s", language, page)
		}
	}
	w.public().Get(all + "verify/?sha256=" + strings.Repeat("a", 64)).Status(200)

	w.stands(tenant.Standing{})
	w.public().Post(one+"sign/confirm/", sends["sign/confirm/"]).Status(200).Field("signed", "true")
}

// Whatever a document's reader asks of a company, it asks of its standing too.
func TestCompanyOf(t *testing.T) {
	w := newWorld(t)
	of := table.Of(w.Env.Table, companyID)
	w.stands(tenant.Standing{State: tenant.OnlyRead})
	if _, err := document.CompanyOf(t.Context(), of, true); err != nil {
		t.Error(err)
	}
	if _, err := document.CompanyOf(t.Context(), of, false); err == nil {
		t.Error("a company that can only be read is changed")
	} else if f, is := fault.As(err); !is || f.Code != fault.Forbidden {
		t.Error(err)
	}
}
