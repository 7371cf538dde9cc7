package signing_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// A name that the record of who has signed can't show is refused before there is anything to sign, with its first such letter.
func TestNamesThatCannotBeDrawn(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"王小明", "Oʻzbekiston Gʻafur", "Ann"} {
		w.staff().Post("/v1/crm/clients/", `{"name":"`+name+`","type":0,"phone":"+77011234567"}`).Status(201)
	}
	refused := func(a *webtest.Answer, field, letter string) {
		t.Helper()
		if got := a.Writes(0).Status(400).Text(field + ".0"); !strings.Contains(got, letter) {
			t.Errorf("%s: %s", field, got)
		}
	}
	scan := func(client string) any {
		return webtest.Multipart(map[string]any{
			"client": client, "file": webtest.File{Name: "scan.jpg", ContentType: "image/jpeg", Data: "scan"},
		})
	}
	w.upload("Lease")
	refused(w.staff().Post(all+"1/signs/", `{"client":1}`), "client", `"王" (U+738B), which is number 1 of "王小明"`)
	refused(w.staff().Post(all+"1/manual_sign/", scan("1")), "client", "U+738B")
	w.staff().Post(all+"1/signs/", `{"client":2}`).Status(201)
	refused(w.staff().Patch(all+"1/", `{"name":"Lease 👍"}`), "name", "U+1F44D), which is number 7")
	w.staff().Put("/v1/crm/clients/2/", `{"name":"ქართული","type":0,"phone":"+77011234567"}`).Status(200)
	refused(w.staff().Patch(all+"1/signs/1/", `{}`), "client", "U+10E5")

	w.upload("ქართული")
	refused(w.staff().Post(all+"2/signs/", `{"client":3}`), "name", "U+10E5")

	of := table.Of(w.Env.Table, companyID)
	is := company.Company{
		Item: table.At(of.Company(), company.Version), ID: int64(companyID), Name: "株式会社", TimeZone: "Asia/Almaty", Revision: 1,
	}
	if err := of.Put(is).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	refused(w.staff().Post(all+"1/signs/", `{"client":3}`), "company", "U+682A")
	refused(w.staff().Post(all+"1/company/", `{}`), "company", "U+682A")
}

// Whoever records a signature by hand, or removes what has a history, is named by the record too.
func TestStaffWhoseNamesCannotBeDrawn(t *testing.T) {
	w := newWorld(t)
	w.named("小明", "王")
	w.client("Ann", "+77011234567")
	w.upload("Lease")
	link := all + w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201).Text("uuid") + "/"
	w.public().Post(link+"open/", `{}`).Status(200)
	for _, a := range []*webtest.Answer{
		w.staff().Delete(all + "1/signs/1/"), w.staff().Post(all+"1/manual_sign/", webtest.Multipart(map[string]any{
			"client": "1", "file": webtest.File{Name: "scan.jpg", ContentType: "image/jpeg", Data: "scan"},
		})),
	} {
		if got := a.Writes(0).Status(400).Field("code", `"letter"`).Text("detail"); !strings.Contains(got, `Your name: The letter "小" (U+5C0F)`) {
			t.Errorf("refused: %s", got)
		}
	}
	w.manager().Delete(all + "1/signs/1/").Status(204)
}
