package settings_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/history"
	"github.com/tenantry/tenantry/functions/inventory"
	"github.com/tenantry/tenantry/functions/points"
	"github.com/tenantry/tenantry/functions/settings"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	priceRules = "/v1/crm/price_rules/"
	nauryz     = `{"name":"Nauryz","season_from":"2026-03-21","season_to":"2026-03-22","percent":20}`
	nauryzIs   = `{"id":1,"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z","name":"Nauryz","active":true,"ordering":0,
		"groups":[],"categories":[],"rental_points":[],"season_from":"2026-03-21","season_to":"2026-03-22","yearly":false,"weekdays":[],
		"time_from":null,"time_to":null,"length_from":null,"length_below":null,"percent":"20.00","prices":[],"minimum":null}`
)

// shop is a company with the groups 1, which has an hour for 2,000 (tariff 1), a day for 15,000 (2) and an unpublished week (3), and 2,
// which has none and is of the category 1; and a rental point. Company 2 has a group 1 too.
func shop(t *testing.T) *webtest.API {
	t.Helper()
	api := webtest.New(t, settings.New, history.New, inventory.New, clients.New, points.New).
		Join(webtest.Manager(1), webtest.Owner(1), webtest.Employee(1), webtest.ReadOnly(1), webtest.Owner(2))
	for _, id := range []tenant.ID{1, 2} {
		of := table.Of(api.Env.Table, id)
		c := company.Company{Item: table.At(of.Company(), company.Version), ID: int64(id), TimeZone: "Asia/Almaty", Revision: 1}
		if err := of.Put(c).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	c := api.As(webtest.Owner(1))
	c.Post("/v1/crm/categories/", `{"name":"Cars"}`).Status(201)
	c.Post("/v1/crm/rental_points/", `{"name":"Airport","address":"1"}`).Status(201)
	c.Post("/v1/crm/groups/", `{"name":"Sedans"}`).Status(201)
	c.Post("/v1/crm/groups/", `{"name":"Vans","category":1}`).Status(201)
	for _, of := range []string{
		`"name":"Hour","price":2000,"duriation":3600`, `"name":"Day","price":15000,"duriation":86400`,
		`"name":"Week","price":91000,"duriation":604800,"published":false`,
	} {
		c.Post("/v1/crm/groups/1/tarifs/", `{"inventory_group":1,`+of+`}`).Status(201)
	}
	api.As(webtest.Owner(2)).Post("/v1/crm/groups/", `{"name":"Others"}`).Status(201)
	return api
}

func TestPriceRulesAreRecords(t *testing.T) {
	api := shop(t)
	c := api.As(webtest.Manager(1))
	c.Post(priceRules, nauryz).Status(201).JSON(nauryzIs).Header("ETag", `"1"`).Header("Location", webtest.BaseURL+priceRules+"1/").
		Calls(4).Units(1, 16)
	c.Get(priceRules+"1/").Status(200).JSON(nauryzIs).Header("ETag", `"1"`).Calls(1)
	c.With("If-None-Match", `"1"`).Get(priceRules + "1/").Status(304).Empty()
	c.Put(priceRules+"1/", nauryz).Status(200).Header("ETag", `"1"`).Writes(0)
	c.With("If-Match", `"7"`).Patch(priceRules+"1/", `{"percent":5}`).Status(412).Writes(0)
	c.With("If-Match", `"1"`).Patch(priceRules+"1/", `{"percent":"-12.5","ordering":-3}`).Status(200).Header("ETag", `"2"`).
		Field("percent", `"-12.50"`).Field("ordering", "-3").Field("season_to", `"2026-03-22"`)
	c.Post(priceRules, `{"name":"Night","active":false,"groups":[1,"2"],"rental_points":[1],"time_from":"22:00","time_to":"06:00",
		"length_from":86400,"length_below":"172800","prices":[{"tarif":2,"price":20000},{"tarif":1,"price":"0"}]}`).Status(201).
		Field("active", "false").Field("groups", "[1,2]").Field("rental_points", "[1]").Field("time_from", `"22:00"`).
		Field("time_to", `"06:00"`).Field("length_from", "86400").Field("length_below", "172800").Field("percent", "null").
		Field("prices", `[{"tarif":2,"price":"20000.00"},{"tarif":1,"price":"0.00"}]`)
	c.Post(priceRules, `{"name":"Weekend","categories":[1],"weekdays":[6,7],"minimum":172800}`).Status(201).
		Field("weekdays", "[6,7]").Field("categories", "[1]").Field("minimum", "172800")
	c.Patch(priceRules+"1/", `{"season_from":"2026-12-30","season_to":"2026-01-02","yearly":true}`).Status(200).Field("yearly", "true")
	c.Patch(priceRules+"1/", `{"season_from":null,"season_to":null}`).Status(200).Field("yearly", "false").Field("season_from", "null")
	c.Get(priceRules).Status(200).Field("count", "3").Field("results.0.id", "3").Field("results.2.id", "1")
	c.Get(priceRules+"?pageSize=1&page=2").Status(200).Field("results.0.name", `"Night"`)

	c.Delete(priceRules + "2/").Status(204).Empty()
	c.Get(priceRules + "2/").Status(404)
	c.Get("/v1/crm/history/?object=price_rule:1").Status(200).Field("count", "4").Field("results.2.changes",
		`[{"field":"ordering","from":0,"to":-3},{"field":"percent","from":"20.00","to":"-12.50"}]`)
	api.As(webtest.Owner(2)).Get(priceRules + "1/").Status(404)
	api.As(webtest.Owner(2)).Get(priceRules).Status(200).Field("count", "0")
}

func TestPriceRulesThatAreRefused(t *testing.T) {
	api := shop(t)
	c := api.As(webtest.Manager(1))
	condition := `{"non_field_errors":["A rule has at most one of a season, weekdays and a time of day."]}`
	effect := `{"non_field_errors":["A rule has exactly one of percent, prices and minimum."]}`
	for _, tt := range []struct{ name, body, want string }{
		{"nothing", `{}`, `{"name":["This field is required."],"non_field_errors":["A rule has exactly one of percent, prices and minimum."]}`},
		{"no effect", `{"name":"a"}`, effect},
		{"two effects", `{"name":"a","percent":5,"minimum":900}`, effect},
		{"out of bounds", `{"name":"a","ordering":2147483648,"length_from":0,"length_below":3153600001,"percent":"-100.01","minimum":899,"weekdays":[0,8]}`, `{
			"ordering":["Ensure this value is less than or equal to 2147483647."],"length_from":["Ensure this value is greater than or equal to 1."],
			"length_below":["Ensure this value is less than or equal to 3153600000."],"percent":["Ensure this value is greater than or equal to -100."],
			"minimum":["Ensure this value is greater than or equal to 900."],
			"weekdays":{"0":["Ensure this value is greater than or equal to 1."],"1":["Ensure this value is less than or equal to 7."]}}`},
		{"no change of prices", `{"name":"a","percent":"0.00"}`, `{"percent":["Ensure this value is not 0."]}`},
		{"no percent", `{"name":"a","percent":"1.005"}`, `{"percent":["Ensure that there are no more than 2 decimal places."]}`},
		{"too much", `{"name":"a","percent":1000.01}`, `{"percent":["Ensure this value is less than or equal to 1000."]}`},
		{"groups and categories", `{"name":"a","percent":5,"groups":[1],"categories":[1]}`, `{"categories":["A rule is for groups or for categories, not for both."]}`},
		{"of nobody", `{"name":"a","percent":5,"groups":[1,9],"rental_points":[7]}`, `{"groups":{"1":["Invalid pk \"9\" - object does not exist."]},
			"rental_points":{"0":["Invalid pk \"7\" - object does not exist."]}}`},
		{"a category of nobody", `{"name":"a","percent":5,"categories":[2]}`, `{"categories":{"0":["Invalid pk \"2\" - object does not exist."]}}`},
		{"repeated", `{"name":"a","percent":5,"groups":[1,1],"rental_points":[1,1],"weekdays":[7,1,7]}`, `{"groups":{"1":["This value is repeated."]},
			"rental_points":{"1":["This value is repeated."]},"weekdays":{"2":["This value is repeated."]}}`},
		{"half a season", `{"name":"a","percent":5,"season_from":"2026-03-21"}`, `{"season_to":["This field is required."]}`},
		{"the other half", `{"name":"a","percent":5,"season_to":"2026-03-21"}`, `{"season_from":["This field is required."]}`},
		{"a season that ends before", `{"name":"a","percent":5,"season_from":"2026-03-21","season_to":"2026-03-20"}`, `{"season_to":["Ensure this value is not before season_from."]}`},
		{"years of no season", `{"name":"a","percent":5,"yearly":true}`, `{"yearly":["A rule without a season has no years."]}`},
		{"no day", `{"name":"a","percent":5,"season_from":"2026-02-30","season_to":"2026-03-20"}`, `{"season_from":["Date has wrong format. Use one of these formats instead: YYYY-MM-DD."]}`},
		{"half a time", `{"name":"a","percent":5,"time_to":"10:00"}`, `{"time_from":["This field is required."]}`},
		{"no time", `{"name":"a","percent":5,"time_from":"10:00","time_to":"10:00"}`, `{"time_to":["Ensure this value is not that of time_from."]}`},
		{"not of a clock", `{"name":"a","percent":5,"time_from":"24:00","time_to":"9:00"}`, `{
			"time_from":["Time has wrong format. Use one of these formats instead: hh:mm."],"time_to":["Time has wrong format. Use one of these formats instead: hh:mm."]}`},
		{"two conditions", `{"name":"a","percent":5,"weekdays":[1],"time_from":"10:00","time_to":"11:00"}`, condition},
		{"no length", `{"name":"a","percent":5,"length_from":60,"length_below":60}`, `{"length_below":["Ensure this value is greater than length_from."]}`},
		{"prices of no group", `{"name":"a","prices":[{"tarif":1,"price":5}]}`, `{"groups":["A price list needs the groups whose tariffs it has."]}`},
		{"prices", `{"name":"a","groups":[1],"prices":[{"tarif":1,"price":5},{"price":-1},{"tarif":9,"price":"1"},{"tarif":1,"price":1}]}`, `{"prices":[
			{},{"tarif":["This field is required."],"price":["Ensure this value is greater than or equal to 0."]},
			{"tarif":["Invalid pk \"9\" - object does not exist."]},{"tarif":["This value is repeated."]}]}`},
		{"no prices", `{"name":"a","groups":[1],"prices":[5,null,{"tarif":1,"price":5}]}`, `{"prices":[
			{"non_field_errors":["<any>"]},{"non_field_errors":["<any>"]},{}]}`},
		{"prices twice", `{"name":"a","groups":[1],"prices":[{"tarif":1,"price":5},{"tarif":9,"price":"1"},{"tarif":1,"price":1}]}`, `{"prices":[
			{},{"tarif":["Invalid pk \"9\" - object does not exist."]},{"tarif":["This value is repeated."]}]}`},
		{"much at once", `{"name":" ","percent":0,"groups":[9],"season_to":"2026-03-20"}`, `{"name":["This field may not be blank."],
			"percent":["Ensure this value is not 0."],"season_from":["This field is required."],"groups":{"0":["Invalid pk \"9\" - object does not exist."]}}`},
	} {
		t.Run(tt.name, func(t *testing.T) { c.In(t).Post(priceRules, tt.body).Status(400).JSON(tt.want).Writes(0) })
	}
	c.Get(priceRules).Status(200).Field("count", "0")
}

// Everybody of a company reads its price rules, and managers change them.
func TestWhoChangesPriceRules(t *testing.T) {
	api := shop(t)
	api.As(webtest.Manager(1)).Post(priceRules, nauryz).Status(201)
	for _, me := range []webtest.Caller{webtest.ReadOnly(1), webtest.Employee(1)} {
		c := api.As(me)
		c.Get(priceRules + "1/").Status(200)
		c.Get(priceRules).Status(200).Field("count", "1")
		c.Post(priceRules, nauryz).Status(403).JSON(forbidden).Writes(0)
		c.Patch(priceRules+"1/", `{"percent":5}`).Status(403).Writes(0)
		c.Delete(priceRules + "1/").Status(403).Writes(0)
	}
	// A manager who loses the role between the check of the request and its write can't change anything.
	api.As(webtest.Owner(2)).Post(priceRules, nauryz).Status(201)
	gone := api.As(webtest.Manager(2))
	gone.Patch(priceRules+"1/", `{"percent":5}`).Status(403).JSON(forbidden).Writes(0)
	gone.Delete(priceRules + "1/").Status(403).JSON(forbidden).Writes(0)
}

// Rules that are made at the same moment are all in the price book.
func TestPriceRulesAreMadeAtOnce(t *testing.T) {
	api := shop(t)
	c := api.As(webtest.Manager(1))
	var wait sync.WaitGroup
	for n := range 4 {
		wait.Go(func() { c.Post(priceRules, fmt.Sprintf(`{"name":"%d","percent":5}`, n)).Status(201) })
	}
	wait.Wait()
	c.Get(ofSedans("2026-03-03T10:00", "2026-03-03T12:00", "")).Status(200).Field("price_book", "4")
}

func ofSedans(start, end, more string) string {
	return priceRules + "preview/?group=1&start_at=" + start + "&end_at=" + end + more
}

func TestPreview(t *testing.T) {
	api := shop(t)
	c := api.As(webtest.ReadOnly(1))
	c.Get(ofSedans("2026-03-03T10:00", "2026-03-03T12:00:00Z", "")).Status(200).Calls(1).JSON(`{"price":"14000.00",
		"priced_until":"2026-03-03T12:00:00Z","combined":false,"tarif":1,"tarif_price":"2000.00","tarif_duration":"01:00:00","units":7,"price_book":0,
		"steps":[{"kind":"tariff","text":"7 × 2000.00 for 1 h (7 h)","units":7,"count":1,"percent":null,"tarif":1,"rule":null,"amount":"14000.00"}]}`)
	c.Get(ofSedans("2026-03-03", "2026-03-03T12:00:00Z", "")).Status(400).JSON(
		`{"start_at":["Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."]}`)
	for _, tt := range []struct{ query, want string }{
		{"", `{"group":["This field is required."],"start_at":["This field is required."],"end_at":["This field is required."]}`},
		{"?group=x&start_at=x&end_at=2026-03-03T10:00&rental_point=y", `{"group":["A valid integer is required."],
			"start_at":["Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."],
			"rental_point":["A valid integer is required."]}`},
		{"?group=9&start_at=2026-03-03T10:00&end_at=2026-03-03T10:00&rental_point=2", `{"group":["Invalid pk \"9\" - object does not exist."],
			"end_at":["Ensure this value is after start_at."],"rental_point":["Invalid pk \"2\" - object does not exist."]}`},
		{"?group=1&start_at=2026-03-03T10:00&end_at=2036-03-12T10:00", `{"end_at":["Ensure this is at most 3660 days after start_at."]}`},
		{"?group=1&start_at=9999-12-30T00:00&end_at=9999-12-31T00:00", `{"start_at":["Ensure this value is between 1900-01-02 and 2999-12-30."]}`},
		{"?group=2&start_at=2026-03-03T10:00&end_at=2026-03-03T11:00", `{"group":["The group has no published tariff."]}`},
		{"?group=9223372036854775807&start_at=2026-03-03T10:00&end_at=2026-03-03T11:00", `{"group":["Invalid pk \"9223372036854775807\" - object does not exist."]}`},
	} {
		c.Get(priceRules + "preview/" + tt.query).Status(400).JSON(tt.want)
	}
	// The group 2 is of company 1 alone.
	api.As(webtest.Owner(2)).Get(priceRules + "preview/?group=2&start_at=2026-03-03T10:00&end_at=2026-03-03T11:00").Status(400).
		JSON(`{"group":["Invalid pk \"2\" - object does not exist."]}`)
}

// A preview is priced as docs/prices.md says: by sums of tariffs, and by the rules of its place.
func TestPreviewsFollowTheRules(t *testing.T) {
	api := shop(t)
	c := api.As(webtest.Manager(1))
	fiveDays := ofSedans("2026-03-20T00:00", "2026-03-25T00:00", "")
	for _, step := range []struct {
		name, method, path, body, preview, price, until, units string
	}{
		{"days alone", "PUT", rental, `{}`, ofSedans("2026-03-02T10:00", "2026-03-03T11:00", ""), "30000.00", "2026-03-03T06:00:00Z", "2"},
		{"combined", "PUT", rental, `{"combine":true}`, ofSedans("2026-03-02T10:00", "2026-03-03T11:00", ""), "17000.00", "2026-03-03T06:00:00Z", "1"},
		{"but not of this group", "PATCH", "/v1/crm/groups/1/", `{"combine":false}`, ofSedans("2026-03-02T10:00", "2026-03-03T11:00", ""), "30000.00", "2026-03-03T06:00:00Z", "2"},
		{"again", "PATCH", "/v1/crm/groups/1/", `{"combine":null}`, ofSedans("2026-03-02T10:00", "2026-03-03T11:00", ""), "17000.00", "2026-03-03T06:00:00Z", "1"},
		{"five days", "PUT", rental, `{}`, fiveDays, "75000.00", "2026-03-24T19:00:00Z", "5"},
		{"two of them in a season", "POST", priceRules, nauryz, fiveDays, "81000.00", "2026-03-24T19:00:00Z", "5"},
		{"a rule of a point", "POST", priceRules, `{"name":"Airport","percent":10,"rental_points":[1]}`, fiveDays, "81000.00", "2026-03-24T19:00:00Z", "5"},
		{"at the point", "PUT", rental, `{}`, fiveDays + "&rental_point=1", "89100.00", "2026-03-24T19:00:00Z", "5"},
		{"prices of the season", "PATCH", priceRules + "1/", `{"percent":null,"groups":[1],"prices":[{"tarif":2,"price":20000}]}`, fiveDays, "85000.00", "2026-03-24T19:00:00Z", "5"},
		{"at least three days", "PATCH", priceRules + "1/", `{"prices":[],"minimum":259200}`, ofSedans("2026-03-22T00:00", "2026-03-23T00:00", ""), "45000.00", "2026-03-24T19:00:00Z", "3"},
		{"no rule", "DELETE", priceRules + "1/", "", fiveDays, "75000.00", "2026-03-24T19:00:00Z", "5"},
	} {
		if code := c.Do(step.method, step.path, step.body).Code(); code >= 300 {
			t.Fatalf("%s: %d", step.name, code)
		}
		c.Get(step.preview).Status(200).Field("price", `"`+step.price+`"`).Field("priced_until", `"`+step.until+`"`).
			Field("units", step.units).Field("tarif", "2").Field("tarif_price", `"15000.00"`).Field("tarif_duration", `"1 00:00:00"`)
	}
	c.Get(fiveDays).Status(200).Field("price_book", "5").Field("combined", "true")
}
