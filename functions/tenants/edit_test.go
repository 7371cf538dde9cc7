package tenants

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/history"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	acme       = "/v1/tenant/1/"
	noCurrency = `{"detail":"The currency can't be changed any more: there are records with amounts in it.","code":"currency"}`
)

func TestACompanyIsReadAndChanged(t *testing.T) {
	w := newWorld(t)
	owner := w.as(1)
	fresh := `{"id":1,"name":"Acme","address":"Abay 1","country":null,"currency":"KZT","timezone":"Asia/Almaty","logo":null,
		"bin":null,"phone":null,"email":null,"language":null,"extra":{},"role":"owner","state":"active","notice":null,"erased_at":null}`
	owner.Get(acme).Status(200).JSON(fresh).Header("ETag", `"1"`).Calls(1).Units(2, 0)
	owner.Patch(acme, `{}`).Status(200).JSON(fresh).Header("ETag", `"1"`).Writes(0).Calls(1)
	changed := `{"id":1,"name":"Acme Rent","address":"","country":"KZ","currency":"KZT","timezone":"Asia/Almaty","logo":"https://cdn.example.com/l.png",
		"bin":"140340010302","phone":"+77011234567","email":"info@acme.test","language":null,"extra":{"a":[1]},"role":"owner","state":"active","notice":null,"erased_at":null}`
	owner.Put(acme, `{"name":" Acme Rent ","address":"","country":"KZ","currency":"KZT","timezone":"Asia/Almaty","logo":"https://cdn.example.com/l.png",
		"bin":"1403 4001 0302","phone":"8 (701) 123-45-67","email":"info@acme.test","extra":{"a":[1]},"domain":"other","id":9,"role":"x","tenant":5}`).
		Status(200).JSON(changed).Header("ETag", `"2"`).Writes(2).Calls(2).Units(2, 6)
	owner.Get(acme).Status(200).JSON(changed).Header("ETag", `"2"`)
	owner.Get("/v1/tenant/").Status(200).JSON(`[` + changed + `]`)
	owner.Put(acme, `{"name":"Acme Rent","currency":"KZT","timezone":"Asia/Almaty"}`).Status(200).JSON(changed).Writes(0) // the rest stays
	owner.Patch(acme, `{"country":null,"logo":null,"bin":null,"phone":null,"email":null,"extra":null,"timezone":"UTC"}`).Status(200).
		JSON(`{"id":1,"name":"Acme Rent","address":"","country":null,"currency":"KZT","timezone":"UTC","logo":null,
			"bin":null,"phone":null,"email":null,"language":null,"extra":null,"role":"owner","state":"active","notice":null,"erased_at":null}`).Header("ETag", `"3"`)
	owner.With("host", "acme."+webtest.PlatformDomain).Get(people).Status(200) // it is still found by its domain
	owner.With("If-Match", `"2"`).Patch(acme, `{"name":"Late"}`).Status(412).Field("etag", `"\"3\""`)
	owner.With("If-None-Match", `"3"`).Get(acme).Status(304).Empty()
	owner.Head(acme).Status(200).Empty().Header("ETag", `"3"`)
	owner.Post(acme, nil).Status(405)
	w.check()
}

func TestACompanyIsMadeWithAllThatItHas(t *testing.T) {
	w := newWorld(t)
	w.as(3).Post("/v1/tenant/", `{"name":"A","domain":"a3","currency":"KZT","timezone":"UTC","bin":"140340010302","phone":"87011234567","email":"a@a.test"}`).
		Status(201).Header("ETag", `"1"`).Header("Location", webtest.BaseURL+"/v1/tenant/3/").Field("bin", `"140340010302"`).
		Field("phone", `"+77011234567"`).Field("email", `"a@a.test"`)
	w.as(3).Post("/v1/tenant/", `{"name":"A","domain":"api","currency":"kzt","timezone":"x","country":"XX","bin":"1","phone":"1"}`).
		Status(400).
		JSON(`{"domain":["This domain name is reserved."],"currency":["\"kzt\" is not a valid choice."],"timezone":["\"x\" is not a valid choice."],
			"country":["\"XX\" is not a valid choice."],"bin":["Enter a valid BIN: 12 digits with a matching control digit."],
			"phone":["Enter a valid phone number, such as +77011234567."]}`)
}

func TestAChangeOfACompanyThatIsRefused(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct{ name, body, want string }{
		{"required", `{}`, `{"name":["This field is required."],"currency":["This field is required."],"timezone":["This field is required."]}`},
		{"null", `{"name":null,"currency":null,"timezone":null,"address":null}`, `{"name":["This field may not be null."],"currency":["This field may not be null."],
			"timezone":["This field may not be null."],"address":["This field may not be null."]}`},
		{
			"rules, all of them", `{"name":"A","currency":"XXX","timezone":"Local","country":"ZZ","bin":"140340010303","phone":"x","extra":{"a":"` + strings.Repeat("x", maxExtra) + `"}}`,
			`{"currency":["\"XXX\" is not a valid choice."],"timezone":["\"Local\" is not a valid choice."],"country":["\"ZZ\" is not a valid choice."],
			"bin":["Enter a valid BIN: 12 digits with a matching control digit."],"phone":["Enter a valid phone number, such as +77011234567."],
			"extra":["Ensure this field has no more than 16384 bytes."]}`,
		},
		{
			"formats", `{"name":"","currency":"KZT","timezone":"UTC","logo":"x","email":"x"}`,
			`{"name":["This field may not be blank."],"logo":["Enter a valid URL."],"email":["Enter a valid email address."]}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) { w.as(1).In(t).Put(acme, c.body).Status(400).JSON(c.want) })
	}
	w.as(1).Get(acme).Status(200).Header("ETag", `"1"`)
}

// Everybody of a company reads it, managers change it, and to others it is not there.
func TestWhoReadsAndChangesACompany(t *testing.T) {
	w := newWorld(t)
	for i, role := range []tenant.Role{tenant.ReadOnly, tenant.Employee, tenant.Manager, tenant.Owner} {
		t.Run(string(role), func(t *testing.T) {
			user := int64(10 + i)
			w.hire(user, role)
			me := w.as(user).In(t)
			me.Get(acme).Status(200).Field("role", `"`+string(role)+`"`)
			a := me.Patch(acme, `{"address":"by `+string(role)+`"}`)
			if role.Covers(tenant.Manager) {
				a.Status(200).Field("address", `"by `+string(role)+`"`)
			} else {
				a.Status(403).JSON(forbidden)
			}
		})
	}
	for _, path := range []string{acme, "/v1/tenant/999/", "/v1/tenant/999999999999999999/"} { // another's, and nobody's
		w.as(2).Get(path).Status(404).JSON(`{"detail":"Not found."}`)
		w.as(2).Patch(path, `{"name":"Mine"}`).Status(404).JSON(`{"detail":"Not found."}`)
		w.as(2).With("X-Tenant-Id", "1").Put(path, `{"name":"Mine","currency":"KZT","timezone":"UTC"}`).Status(404)
	}
	w.As(webtest.Nobody()).Get(acme).Status(401)
	w.as(1).Get(acme).Status(200).Field("name", `"Acme"`)
}

// The currency is free until a record with an amount could be there.
func TestTheCurrencyOfACompany(t *testing.T) {
	for _, c := range []struct{ name, path, body string }{
		{"a client", "/v1/crm/clients/", `{"name":"a"}`},
		{"a discount", "/v1/crm/discounts/", `{"name":"a","amount":"5"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := webtest.New(t, New, clients.New)
			seed(t, api.Env.Table)
			owner := webtest.Owner(1)
			seedOne(t, api.Env.Table, owner.User)
			me := api.As(owner)
			me.Post("/v1/tenant/", body("acme")).Status(201)
			me.Post("/v1/crm/agents/", `{"name":"no amount"}`).Status(201)
			me.Patch(acme, `{"currency":"USD"}`).Status(200).Field("currency", `"USD"`).Calls(2)
			id := me.Post(c.path, c.body).Status(201).Int("id")
			me.Patch(acme, `{"currency":"EUR","name":"New"}`).Status(409).JSON(noCurrency)
			me.Patch(acme, `{"currency":"USD","name":"New"}`).Status(200).Field("name", `"New"`) // as it is
			me.Delete(fmt.Sprint(c.path, id, "/")).Status(204)
			me.Patch(acme, `{"currency":"EUR"}`).Status(409).JSON(noCurrency)
		})
	}
}

func TestAChangeOfACompanyIsInItsHistory(t *testing.T) {
	api := webtest.New(t, New, history.New)
	owner := webtest.Owner(1)
	seedOne(t, api.Env.Table, owner.User)
	me := api.As(owner)
	me.Post("/v1/tenant/", body("acme")).Status(201)
	a := me.Patch(acme, `{"name":"New","bin":"140340010302"}`).Status(200)
	me.Patch(acme, `{"name":"New"}`).Status(200)
	me.Get("/v1/crm/history/?object=company:1").Status(200).Field("count", "2").Field("results.0.action", `"changed"`).
		Field("results.0.user", "14").Field("results.0.request_id", `"`+a.Get("X-Request-Id")+`"`).
		Field("results.0.changes", `[{"field":"bin","from":null,"to":"140340010302"},{"field":"name","from":"Acme","to":"New"}]`)
}

// What members, hosts and members' counts change of a company at the same moment
// does not undo each other.
func TestACompanyIsChangedAtOnce(t *testing.T) {
	w := asOnAWS(t)
	w.hire(3, tenant.Manager)
	id := w.hire(4, tenant.Employee)
	owner, manager := w.as(1), w.as(3)
	got := atOnce(
		func() *webtest.Answer { return owner.Patch(acme, `{"name":"One"}`) },
		func() *webtest.Answer { return manager.Patch(acme, `{"address":"Two"}`) },
		func() *webtest.Answer { return owner.Patch(one(id), `{"role":"owner"}`) },
	)
	if got[200] != 3 {
		t.Errorf("statuses %v", got)
	}
	owner.Get(acme).Status(200).Field("name", `"One"`).Field("address", `"Two"`).Header("ETag", `"3"`)
	w.check() // the owners are counted
}

// A company of before its changes were counted is at its first revision.
func TestACompanyWithoutARevision(t *testing.T) {
	w := newWorld(t)
	s := open(w.Env.Table)
	if err := s.all.Update(table.Of(w.Env.Table, 1).Company()).Remove("r").Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.as(1).Get(acme).Status(200).Header("ETag", `"1"`)
	w.as(1).Patch(acme, `{"name":"New"}`).Status(200).Header("ETag", `"2"`)
	w.as(1).Patch(acme, `{"name":"Newer"}`).Status(200).Header("ETag", `"3"`)
}

// A name that can't be drawn heads no record of who has signed. A company that has one from before keeps it until it takes another.
func TestNamesOfCompaniesCanBeDrawn(t *testing.T) {
	w := newWorld(t)
	const want = `{"name":["The letter \"株\" (U+682A), which is number 6 of \"Acme 株式会社\", can't be drawn: documents have Latin and Cyrillic letters."]}`
	w.as(1).Patch(acme, `{"name":"Acme 株式会社"}`).Status(400).Writes(0).JSON(want)
	w.as(1).Put(acme, `{"name":"Acme 株式会社","currency":"KZT","timezone":"Asia/Almaty"}`).Status(400).Writes(0).JSON(want)
	w.as(1).Post("/v1/tenant/", `{"name":"Acme 株式会社","domain":"kk","currency":"KZT","timezone":"Asia/Almaty"}`).Status(400).Writes(0).JSON(want)
	w.as(1).Patch(acme, `{"name":"Oʻzbek Gʻafur «Әсел»"}`).Status(200)

	s := open(w.Env.Table)
	if err := s.all.Update(table.Of(w.Env.Table, 1).Company()).Set("n", "株式会社").Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.as(1).Put(acme, `{"name":"株式会社","currency":"KZT","timezone":"Asia/Almaty","address":"Abay 2"}`).Status(200).Field("name", `"株式会社"`)
	w.as(1).Patch(acme, `{"name":"株式"}`).Status(400).Writes(0)
}

// A company chooses the language in which it writes, and no other company's.
func TestTheLanguageOfACompany(t *testing.T) {
	w := newWorld(t)
	owner := w.as(1)
	owner.Put(acme, `{"name":"Acme","currency":"KZT","timezone":"UTC","language":"kk"}`).Status(200).Field("language", `"kk"`)
	owner.Put(acme, `{"name":"Acme","currency":"KZT","timezone":"UTC"}`).Status(200).Writes(0).Field("language", `"kk"`)
	owner.Patch(acme, `{"language":"ru"}`).Status(200).Field("language", `"ru"`)
	for _, bad := range []string{"de", "KK", "kk-KZ"} {
		owner.Patch(acme, `{"language":"`+bad+`"}`).Status(400).JSON(`{"language":["\"` + bad + `\" is not a valid choice."]}`)
	}
	owner.Patch(acme, `{"language":""}`).Status(400)
	w.as(2).Patch(acme, `{"language":"en"}`).Status(404)
	owner.Get(acme).Status(200).Field("language", `"ru"`)
	w.as(2).Get("/v1/tenant/2/").Status(200).Field("language", `null`)
	owner.Patch(acme, `{"language":null}`).Status(200).Field("language", `null`)
	w.as(3).Post("/v1/tenant/", `{"name":"A","domain":"a3","currency":"KZT","timezone":"UTC","language":"en"}`).Status(201).Field("language", `"en"`)
	w.check()
}
