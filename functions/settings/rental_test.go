package settings_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/functions/history"
	"github.com/tenantry/tenantry/functions/settings"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	rental = "/v1/crm/settings/rental/"
	usual  = `{"late_grace":3600,"late_step":3600,"buffer":0,"month":"days",` + asEver + `}`
	asEver = `"hold":0,"combine":false,"services_by_time":false,"late":"pro_rata","late_percent":100,"late_day_cap":null,"early":"keep","early_start":"free",
		"tax_percent":"0.00","tax_included":false,"max_discount_percent":{"employee":100,"manager":100},"cancellation":[],"no_show_percent":0,"accrual":"first_day"` // of a company from before there were these settings
	companyPast = "/v1/crm/history/?object=company:1"
	outOfBounds = `{"late_grace":["Ensure this value is greater than or equal to 0."],
		"late_step":["Ensure this value is greater than or equal to 60."],
		"buffer":["Ensure this value is less than or equal to 2678400."],"month":["\"moon\" is not a valid choice."]}`
)

// withCompanies is the group, with two companies and their members.
func withCompanies(t *testing.T) *webtest.API {
	t.Helper()
	api := webtest.New(t, settings.New, history.New).
		Join(webtest.Manager(1), webtest.Owner(1), webtest.Employee(1), webtest.ReadOnly(1), webtest.Owner(2))
	for _, id := range []tenant.ID{1, 2} {
		of := table.Of(api.Env.Table, id)
		c := company.Company{Item: table.At(of.Company(), company.Version), ID: int64(id), Name: "A", TimeZone: "Asia/Almaty", Revision: 1}
		if err := of.Put(c).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return api
}

// storedCompany is a company as those who need its settings read it.
func storedCompany(t *testing.T, api *webtest.API, id tenant.ID) (c company.Company) {
	t.Helper()
	of := table.Of(api.Env.Table, id)
	if err := of.Get(t.Context(), of.Company(), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func shownRental(t *testing.T, c company.Company) string {
	t.Helper()
	text, err := json.Marshal(c.RentalRules())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRentalSettingsAreReadAndChanged(t *testing.T) {
	api := withCompanies(t)
	c := api.As(webtest.Manager(1))
	c.Get(rental).Status(200).JSON(usual).Header("ETag", `"1"`).Calls(1).Units(1, 0)
	for _, same := range []string{`{}`, usual} {
		c.Put(rental, same).Status(200).JSON(usual).Header("ETag", `"1"`).Writes(0).Calls(1)
	}
	if storedCompany(t, api, 1).Rental != nil {
		t.Error("what changes nothing was stored")
	}
	changed := `{"late_grace":0,"late_step":1800,"buffer":900,"month":"calendar",` + asEver + `}`
	first := c.Put(rental, `{"late_grace":0,"late_step":"1800","buffer":900,"month":"calendar","tenant":1,"unknown":1}`).
		Status(200).JSON(changed).Header("ETag", `"2"`).Writes(3).Calls(2).Units(1, 8)
	c.Get(rental).Status(200).JSON(changed).Header("ETag", `"2"`)
	c.With("If-None-Match", `"2"`).Get(rental).Status(304).Empty()
	c.With("If-Match", `"1"`).Put(rental, `{"buffer":5}`).Status(412).Field("etag", `"\"2\""`).Writes(0)
	c.With("If-Match", `"2"`).Put(rental, `{"buffer":60}`).Status(200). // the rest stays
										JSON(`{"late_grace":0,"late_step":1800,"buffer":60,"month":"calendar",` + asEver + `}`)
	c.Put(rental, usual).Status(200).JSON(usual).Header("ETag", `"4"`)
	if is := storedCompany(t, api, 1); is.Name != "A" || is.TimeZone != "Asia/Almaty" || shownRental(t, is) != shownRental(t, company.Company{}) {
		t.Errorf("stored %+v", is)
	}

	c.Get(companyPast).Status(200).Field("count", "3").Field("results.2.action", `"changed"`).Field("results.2.id", "2").
		Field("results.2.user", "13").Field("results.2.request_id", `"`+first.Get("X-Request-Id")+`"`).
		Field("results.2.changes", `[{"field":"rental.buffer","from":0,"to":900},{"field":"rental.late_grace","from":3600,"to":0},
			{"field":"rental.late_step","from":3600,"to":1800},{"field":"rental.month","from":"days","to":"calendar"}]`)

	c.Delete(rental).Status(405)
	c.Patch(rental, `{}`).Status(405)
	c.Post(rental, `{}`).Status(405)
	api.As(webtest.Owner(2)).Get(rental).Status(200).JSON(usual).Header("ETag", `"1"`)
}

func TestRentalSettingsThatAreRefused(t *testing.T) {
	api := withCompanies(t)
	for _, tt := range []struct{ name, body, want string }{
		{"out of bounds", `{"late_grace":-1,"late_step":59,"buffer":2678401,"month":"moon"}`, outOfBounds},
		{"null", `{"late_grace":null,"month":null}`, `{"late_grace":["This field may not be null."],"month":["This field may not be null."]}`},
		{"how prices are made", `{"combine":null,"services_by_time":"x","late":"never","early":"never","early_start":null,"late_percent":1001,"late_day_cap":-1,"tax_percent":"100.01",
			"tax_included":3,"max_discount_percent":{"employee":101,"manager":-1}}`, `{"combine":["This field may not be null."],
			"services_by_time":["Must be a valid boolean."],"late":["\"never\" is not a valid choice."],
			"early":["\"never\" is not a valid choice."],"early_start":["This field may not be null."],
			"late_percent":["Ensure this value is less than or equal to 1000."],"late_day_cap":["Ensure this value is greater than or equal to 0."],
			"tax_percent":["Ensure this value is less than or equal to 100."],"tax_included":["Must be a valid boolean."],"max_discount_percent":{
			"employee":["Ensure this value is less than or equal to 100."],"manager":["Ensure this value is greater than or equal to 0."]}}`},
		{"no day of metrics", `{"accrual":"last_day"}`, `{"accrual":["\"last_day\" is not a valid choice."]}`},
		{"no hold", `{"hold":null}`, `{"hold":["This field may not be null."]}`},
		{"a hold of more than 31 days", `{"hold":2678401}`, `{"hold":["Ensure this value is less than or equal to 2678400."]}`},
		{
			"what cancelling costs", `{"cancellation":[{"before":-1,"percent":101},{"before":31622401,"percent":-1},{},{"before":null,"percent":"x"}],"no_show_percent":101}`,
			`{"cancellation":[{"before":["Ensure this value is greater than or equal to 0."],"percent":["Ensure this value is less than or equal to 100."]},
			{"before":["Ensure this value is less than or equal to 31622400."],"percent":["Ensure this value is greater than or equal to 0."]},
			{"before":["This field is required."],"percent":["This field is required."]},
			{"before":["This field may not be null."],"percent":["A valid integer is required."]}],
			"no_show_percent":["Ensure this value is less than or equal to 100."]}`,
		},
		{
			"rows of what cancelling costs for the same time", `{"cancellation":[{"before":60,"percent":1},{"before":0,"percent":2},{"before":60,"percent":1}],"buffer":5}`,
			`{"cancellation":[{},{},{"before":["This value is repeated."]}]}`,
		},
		{
			"eleven rows", `{"cancellation":[` + strings.Repeat(`{"before":1,"percent":1},`, 10) + `{"before":1,"percent":1}]}`,
			`{"cancellation":{"non_field_errors":["Ensure this field has no more than 10 elements."]}}`,
		},
		{
			"null rows", `{"cancellation":null,"no_show_percent":null}`,
			`{"cancellation":["This field may not be null."],"no_show_percent":["This field may not be null."]}`,
		},
		{"no object", `{"max_discount_percent":20}`, `{"max_discount_percent":{"non_field_errors":["Invalid data. Expected a dictionary, but got int."]}}`},
		{"no numbers", `{"late_grace":"soon","buffer":1.5}`, `{"late_grace":["A valid integer is required."],"buffer":["A valid integer is required."]}`},
		{"more than any number", `{"buffer":9223372036854775808}`, `{"buffer":["Ensure this value is less than or equal to 2678400."]}`},
		{"another company", `{"tenant":2,"buffer":5}`, `{"tenant":["Invalid pk \"2\" - object does not exist."]}`},
		{"a list", `[]`, `{"non_field_errors":["Invalid data. Expected a dictionary, but got list."]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			api.As(webtest.Manager(1)).In(t).Put(rental, tt.body).Status(400).JSON(tt.want).Writes(0)
		})
	}
	c := api.As(webtest.Owner(1))
	for _, bound := range []string{`{"late_grace":2678400,"late_step":60,"buffer":2678400}`, `{"late_grace":0,"late_step":2678400,"buffer":0}`} {
		c.Put(rental, bound).Status(200)
	}
}

// Everybody of a company reads its settings, and managers change them.
func TestWhoReadsAndChangesRentalSettings(t *testing.T) {
	api := withCompanies(t)
	for _, me := range []webtest.Caller{webtest.ReadOnly(1), webtest.Employee(1)} {
		api.As(me).Get(rental).Status(200).JSON(usual)
		api.As(me).Put(rental, `{"buffer":5}`).Status(403).JSON(forbidden).Writes(0)
	}
	for i, me := range []webtest.Caller{webtest.Manager(1), webtest.Owner(1)} {
		api.As(me).Put(rental, fmt.Sprintf(`{"buffer":%d}`, i+5)).Status(200)
	}
	api.As(webtest.Nobody()).Get(rental).Status(401)
	// A manager who loses the role between the check of the request and its write can't change anything.
	gone := webtest.Manager(2)
	api.As(gone).Put(rental, `{"buffer":7}`).Status(403).JSON(forbidden)
	api.As(webtest.Owner(2)).Get(rental).Status(200).JSON(usual)
}

// Changes at the same moment don't undo each other.
func TestRentalSettingsAreChangedAtOnce(t *testing.T) {
	api := withCompanies(t)
	c := api.As(webtest.Manager(1))
	var wait sync.WaitGroup
	for _, body := range []string{`{"late_grace":1}`, `{"late_step":61}`, `{"buffer":2}`, `{"month":"calendar"}`} {
		wait.Go(func() { c.Put(rental, body).Status(200) })
	}
	wait.Wait()
	c.Get(rental).Status(200).JSON(`{"late_grace":1,"late_step":61,"buffer":2,"month":"calendar",`+asEver+`}`).Header("ETag", `"5"`)
	c.Get(companyPast).Status(200).Field("count", "4")
}

// The first companies were stored without a revision.
func TestRentalSettingsOfAnOldCompany(t *testing.T) {
	api := withCompanies(t)
	of := table.Of(api.Env.Table, 1)
	if err := of.Update(of.Company()).Remove("r").Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := api.As(webtest.Manager(1))
	c.Get(rental).Status(200).Header("ETag", `"1"`)
	c.Put(rental, `{"buffer":5}`).Status(200).Header("ETag", `"2"`)
	if is := storedCompany(t, api, 1); is.Revision != 2 || is.RentalRules().Buffer != 5 {
		t.Errorf("stored %+v", is)
	}
}

// What was stored before there were settings of how prices are made is as it was then, and each is set alone.
func TestSettingsOfHowPricesAreMade(t *testing.T) {
	api := withCompanies(t)
	of := table.Of(api.Env.Table, 1)
	before := map[string]any{"lg": 60, "ls": 600, "b": 5, "m": "calendar"}
	if err := of.Update(of.Company()).Set("re", before).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	is := `{"late_grace":60,"late_step":600,"buffer":5,"month":"calendar",` + asEver + `}`
	c := api.As(webtest.Manager(1))
	c.Get(rental).Status(200).JSON(is).Header("ETag", `"1"`)
	c.Put(rental, is).Status(200).JSON(is).Header("ETag", `"1"`).Writes(0)
	for _, step := range []struct{ body, field, want string }{
		{`{"combine":true}`, "combine", `true`},
		{`{"services_by_time":true}`, "services_by_time", `true`},
		{`{"late":"tariffs"}`, "late", `"tariffs"`},
		{`{"late_percent":0}`, "late_percent", `0`},
		{`{"late_day_cap":"20000"}`, "late_day_cap", `"20000.00"`},
		{`{"early":"reprice"}`, "early", `"reprice"`},
		{`{"early_start":"charged"}`, "early_start", `"charged"`},
		{`{"tax_percent":12}`, "tax_percent", `"12.00"`},
		{`{"tax_included":true}`, "tax_included", `true`},
		{`{"max_discount_percent":{"employee":0}}`, "max_discount_percent", `{"employee":0,"manager":100}`},
		{`{"max_discount_percent":{"manager":50}}`, "max_discount_percent", `{"employee":0,"manager":50}`},
		{`{"hold":900}`, "hold", `900`},
		{`{"max_discount_percent":{}}`, "max_discount_percent", `{"employee":0,"manager":50}`},
		{
			`{"cancellation":[{"before":259200,"percent":20},{"before":86400,"percent":50}]}`, "cancellation",
			`[{"before":259200,"percent":20},{"before":86400,"percent":50}]`,
		},
		{`{"no_show_percent":100}`, "no_show_percent", `100`},
		{`{"accrual":"daily"}`, "accrual", `"daily"`},
	} {
		c.Put(rental, step.body).Status(200).Field(step.field, step.want)
	}
	whole := `{"late_grace":60,"late_step":600,"buffer":5,"month":"calendar","combine":true,"services_by_time":true,"late":"tariffs",
		"late_percent":0,"late_day_cap":"20000.00","early":"reprice","early_start":"charged","tax_percent":"12.00","tax_included":true,"max_discount_percent":{"employee":0,"manager":50},
		"cancellation":[{"before":259200,"percent":20},{"before":86400,"percent":50}],"no_show_percent":100,
		"hold":900,"accrual":"daily"}`
	c.Get(rental).Status(200).JSON(whole).Header("ETag", `"16"`)
	c.Put(rental, whole).Status(200).JSON(whole).Header("ETag", `"16"`).Writes(0)
	c.Put(rental, `{"late_day_cap":null}`).Status(200).Field("late_day_cap", "null").Field("late_percent", "0")
	c.Get(companyPast).Status(200).Field("results.0.changes", `[{"field":"rental.late_day_cap","from":"20000.00","to":null}]`).
		Field("results.1.changes", `[{"field":"rental.accrual","from":"first_day","to":"daily"}]`).
		Field("results.2.changes", `[{"field":"rental.no_show_percent","from":0,"to":100}]`).
		Field("results.3.changes", `[{"field":"rental.cancellation","from":[],"to":[{"before":259200,"percent":20},{"before":86400,"percent":50}]}]`).
		Field("results.6.changes", `[{"field":"rental.max_discount_percent.employee","from":100,"to":0}]`)
	c.Put(rental, `{"cancellation":[],"no_show_percent":0}`).Status(200).Field("cancellation", "[]").Field("no_show_percent", "0")
	c.Get(rental).Status(200).Field("cancellation", "[]").Field("no_show_percent", "0").Field("late_percent", "0")
}
