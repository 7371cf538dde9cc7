package clients_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/pack"
	"github.com/tenantry/tenantry/functions/pack/job"
	"github.com/tenantry/tenantry/functions/settings"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const fields = "/v1/crm/settings/custom_fields_list/"

// define defines a custom field of clients and returns its path.
func define(c *webtest.Client, name, of, rest string) (path string) {
	made := c.Post(fields, `{"key":"client","name":"`+name+`","label":"L","type":"`+of+`"`+rest+`}`).Status(201)
	return fmt.Sprintf("/v1/crm/settings/custom_fields/%d/", made.Int("id"))
}

// listed are the ids of a list's first page.
func listed(c *webtest.Client, query string) string {
	name, value, _ := strings.Cut(query, "=")
	a := c.Get(all + "?" + url.QueryEscape(name) + "=" + url.QueryEscape(value)).Status(200)
	return strings.Trim(fmt.Sprint(a.IDs()), "[]")
}

// TestCustomFieldsOfLists: clients are filtered and ordered by the custom fields that say so.
func TestCustomFieldsOfLists(t *testing.T) {
	api := webtest.New(t, clients.New, settings.New).Join(webtest.Manager(1), webtest.Manager(2))
	c := api.As(webtest.Manager(1))
	const both = `,"filter":true,"table":true`
	define(c, "visits", "integer", both)
	define(c, "paid", "decimal", both)
	define(c, "vip", "boolean", both)
	define(c, "met", "date", both)
	define(c, "at", "datetime", both)
	define(c, "city", "string", both)
	define(c, "paint", "color", both)
	define(c, "brought_by", "client", both)
	define(c, "about", "html", "")
	define(c, "shown", "integer", `,"table":true`)
	define(c, "asked", "integer", `,"filter":true`)
	define(c, "visits__in", "integer", both)
	for _, extra := range []string{
		`{"visits":7,"paid":"5.25","vip":true,"met":"2024-02-29","at":"2024-02-29T20:00:00Z","city":"Алматы","paint":"#0aF","shown":1,"asked":2,"visits__in":7}`,
		`{"visits":-3,"paid":100,"vip":false,"met":"1969-12-31","at":"2024-03-01T03:00:00+05:00","city":"алёна","brought_by":1,"shown":3,"asked":1}`,
		`{"visits":40,"paid":5.3,"city":"` + strings.Repeat("я", 129) + `","about":"b","shown":2,"other":1}`,
		`{}`,
	} {
		c.Post(all, `{"name":"a","extra":`+extra+`}`).Status(201)
	}
	for query, want := range map[string]string{
		"extra__visits=7": "1", "extra__visits__gte=7": "3 1", "extra__visits__lte=7": "2 1", "extra__visits__isnull=true": "4",
		"extra__visits__isnull=false": "3 2 1", "extra__asked__in=7,1": "2",
		"extra__visits__in=7": "1", // of the field visits__in
		"extra__paid=5.25":    "1", "extra__paid__gte=5.26": "3 2", "extra__paid__in=100.00,5.30": "3 2",
		"extra__vip=true": "1", "extra__vip=false": "2", "extra__vip__isnull=1": "4 3", "extra__vip__gte=true": "4 3 2 1",
		"extra__met=2024-02-29": "1", "extra__met__lte=1970-01-01": "2",
		"extra__at__gte=2024-02-29T21:00:00Z": "2", "extra__at=2024-03-01 03:00:00+05:00": "2",
		"extra__city=АЛМАТЫ": "1", "extra__city__in=алена, АЛМАТЫ": "2 1", "extra__city__isnull=true": "4 3", "extra__city__gte=алм": "1",
		"extra__paint=#0Af": "1", "extra__brought_by=1": "2",
		"extra__asked=2": "1", "extra__shown=2": "4 3 2 1", "extra__about=b": "4 3 2 1", "extra__other=1": "4 3 2 1", "extra__": "4 3 2 1",
		"ordering=extra__visits": "2 1 3 4", "ordering=-extra__visits": "4 3 1 2", "ordering=extra__paid": "1 3 2 4", "ordering=extra__vip": "2 1 4 3",
		"ordering=extra__met": "2 1 4 3", "ordering=-extra__at": "4 3 2 1", "ordering=extra__city": "2 1 4 3", "ordering=extra__shown": "1 3 2 4",
		"ordering=extra__asked": "4 3 2 1", "ordering=extra__nothing,id": "1 2 3 4",
	} {
		if got := listed(c, query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	c.Get(all + "?extra__visits__in=40,7").Status(400).JSON(`{"extra__visits__in":["A valid integer is required."]}`)
	c.Get(all + "?extra__visits=x&extra__paid=1.001&extra__vip=2&extra__met=x&extra__at=x").Status(400).JSON(`{
		"extra__visits":["A valid integer is required."],"extra__paid":["Ensure that there are no more than 2 decimal places."],
		"extra__vip":["Must be a valid boolean."],"extra__met":["Date has wrong format. Use one of these formats instead: YYYY-MM-DD."],
		"extra__at":["Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."]}`)
	if got := listed(api.As(webtest.Manager(2)), "extra__visits=x"); got != "" { // of another company
		t.Errorf("got %s", got)
	}
	// Only a request that names a custom field reads definitions.
	plain := c.Get(all + "?type=0").Status(200)
	c.Get(all + "?extra__visits=7").Status(200).Calls(plain.Cost().Calls + 1)
}

// merge makes segments of the clients, until nothing is left to do.
func merge(t *testing.T, api *webtest.API, run func(company tenant.ID) (again time.Time)) {
	t.Helper()
	for range 10 {
		again := run(1)
		if again.IsZero() {
			return
		}
		api.Clock.Step(again.Sub(api.Clock.Now()))
	}
	t.Fatal("merging does not end")
}

// TestNewCustomField: until a new field is in the segments, only what asks for it is refused.
func TestNewCustomField(t *testing.T) {
	api := webtest.Setup{Change: func(e *app.Env) { e.Files = filestest.New(t) }}.New(t, clients.New, settings.New).Join(webtest.Manager(1))
	c := api.As(webtest.Manager(1))
	call := pack.New(api.Env)
	packed := func(company tenant.ID) time.Time {
		payload, err := json.Marshal(job.Request{Company: company, Kind: kinds.Client})
		if err != nil {
			t.Fatal(err)
		}
		answered, err := call(t.Context(), payload)
		if err != nil {
			t.Fatal(err)
		}
		var a job.Answer
		if err := json.Unmarshal(answered, &a); err != nil {
			t.Fatal(err)
		}
		return a.Again
	}
	many := make([]string, search.Small+10)
	for i := range many {
		many[i] = fmt.Sprintf(`{"name":"n%03d","extra":{"visits":%d,"city":"c%d"}}`, i, i, i%3)
	}
	c.Post(all+"import/individual/", `{"data":[`+strings.Join(many, ",")+`]}`).Status(201)
	merge(t, api, packed)
	api.Clock.Step(time.Minute)
	c.Get(all+"?search=n007&extra__visits=7").Status(200).Field("count", "1")

	path := define(c, "visits", "integer", `,"filter":true,"table":true`)
	preparing := func(query string, asks int) {
		t.Helper()
		c.Get(all+"?"+query).Writes(asks).Status(503).Field("code", `"search_preparing"`).Header("Retry-After", "5")
		c.Get(all+"?search=n007").Status(200).Field("count", "1")
	}
	preparing("extra__visits=7", 1)
	preparing("ordering=extra__visits&search=n", 0)
	asked := outbox.NewKeyed(table.Of(api.Env.Table, 1).Message, search.MergeMessage, string(kinds.Client), api.Clock.Now())
	if err := table.Of(api.Env.Table, 1).Get(t.Context(), asked.Key(), new(table.Attributes)); err != nil {
		t.Errorf("nothing asks for a merge: %v", err)
	}
	merge(t, api, packed)
	c.Get(all+"?extra__visits__gte=200").Status(200).Field("count", "10")
	if got := listed(c, "extra__visits__lte=2"); got != "3 2 1" {
		t.Errorf("got %s", got)
	}

	// A change is found at once, whatever is in segments.
	c.Patch(all+"8/", `{"extra":{"visits":1000}}`).Status(200)
	c.Patch(all+"9/", `{"extra":{"visits":"none"}}`).Status(400)
	c.Patch(all+"9/", `{"extra":{}}`).Status(200)
	for range 2 {
		if got := listed(c, "extra__visits__gte=1000"); got != "8" {
			t.Errorf("got %s", got)
		}
		if got := listed(c, "extra__visits__isnull=true"); got != "9" {
			t.Errorf("got %s", got)
		}
		api.Clock.Step(time.Hour)
		merge(t, api, packed)
	}

	// A field of another type is another column.
	c.Patch(path, `{"type":"string"}`).Status(200)
	preparing("extra__visits=7", 1)
	merge(t, api, packed)
	c.Get(all+"?extra__visits=7").Status(200).Field("count", "0")
	c.Patch(path, `{"filter":false}`).Status(200)
	c.Get(all+"?extra__visits=7").Status(200).Field("count", fmt.Sprint(len(many)))
}
