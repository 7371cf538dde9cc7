package webhooks_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/history"
	"github.com/tenantry/tenantry/functions/identity/credentialtest"
	"github.com/tenantry/tenantry/functions/webhooks"
	"github.com/tenantry/tenantry/functions/webhooks/endpoint"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	all       = "/v1/webhooks/"
	one       = "/v1/webhooks/1/"
	password  = `{"password":"correct horse"}`
	notFound  = `{"detail":"Not found."}`
	forbidden = `{"detail":"You do not have permission to perform this action."}`
	erp       = `{"url":"https://erp.example.com/hooks","types":["order.*","client.created"],"description":"ERP"}`
)

// newAPI is the group with the owners of two companies, who have passwords.
func newAPI(t *testing.T) *webtest.API {
	t.Helper()
	api := webtest.New(t, webhooks.New, history.New).Join(webtest.Owner(1), webtest.Owner(2), webtest.Manager(1))
	credentialtest.Give(t, api.Env.Table, "correct horse", webtest.Owner(1).User, webtest.Owner(2).User)
	return api
}

// delivered tells of attempts of a webhook of company 1, as the function deliver does: in runs of so many each.
func delivered(t *testing.T, api *webtest.API, runs ...int) {
	t.Helper()
	of, now := table.Of(api.Env.Table, 1), api.Clock.Now()
	number := 0
	for _, n := range runs {
		var list []endpoint.Delivery
		for range n {
			number++
			list = append(list, endpoint.Delivery{
				Message: fmt.Sprintf("evt_1_%d", number), Event: int64(number), Type: "order.created", Cause: endpoint.Event, Attempt: 1,
				At: moment.Of(now), Took: 12, Status: http.StatusBadGateway, Answer: "down", Next: moment.Of(now.Add(5 * time.Second)),
			})
		}
		s, err := endpoint.Read(t.Context(), of, 1)
		if err == nil {
			err = s.Hold(t.Context(), of, now, time.Minute)
		}
		if err == nil {
			err = s.Save(t.Context(), of, endpoint.Attempts{Turn: s.Turn, Cursor: s.Cursor, Run: endpoint.NewRun(list, now)}, now)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// view is webhook 1 as its owner sees it, with other values of some fields.
func view(t *testing.T, changed string) string {
	t.Helper()
	v := map[string]any{}
	for _, text := range []string{`{"id":1,"created_at":"2026-03-02T09:30:00Z","created_by":14,"url":"https://erp.example.com/hooks",
		"types":["order.*","client.created"],"description":"ERP","enabled":true,"payload":"thin","version":1,"disabled_reason":null,
		"disabled_at":null,"secret":{"generation":1,"before_until":null},
		"delivery":{"last_success_at":null,"failures":0,"failing_since":null,"retrying":0,"next_attempt_at":null}}`, changed} {
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A webhook is made, read, changed and removed, and its history tells that.
func TestAWebhook(t *testing.T) {
	api := newAPI(t)
	owner := api.As(webtest.Owner(1))
	owner.Get(all).Status(200).JSON(`[]`)
	owner.Post(all, erp).Status(201).JSON(view(t, `{}`)).Header("ETag", `"1"`).Header("Location", webtest.BaseURL+one).Happened("webhook.created")
	owner.Get(one).Status(200).JSON(view(t, `{}`)).Header("ETag", `"1"`)
	owner.Get(all).Status(200).JSON(`[` + view(t, `{}`) + `]`)

	// What has these values already is not written.
	owner.Put(one, erp).Status(200).Header("ETag", `"1"`).Writes(0)
	owner.Patch(one, `{}`).Status(200).Header("ETag", `"1"`).Writes(0)

	owner.Patch(one, `{"description":"","payload":"whole"}`).Status(200).Header("ETag", `"2"`).Happened("webhook.updated").
		JSON(view(t, `{"description":"","payload":"whole"}`))
	owner.With("If-Match", `"1"`).Patch(one, `{"enabled":false}`).Status(412).Writes(0)
	owner.With("If-Match", `"2"`).Put(one, `{"url":"https://[2606:4700::1111]:8443/h","types":["*"],"enabled":false}`).Status(200).
		Header("ETag", `"3"`).JSON(view(t, `{"description":"","payload":"whole","url":"https://[2606:4700::1111]:8443/h","types":["*"],"enabled":false}`))
	owner.Patch(one, `{"enabled":true}`).Status(200).Header("ETag", `"4"`)
	owner.With("If-Match", `"3"`).Delete(one).Status(412).Writes(0)
	owner.Delete(one).Status(204).Empty().Happened("webhook.deleted")
	for _, a := range []*webtest.Answer{
		owner.Get(one), owner.Patch(one, `{}`), owner.Delete(one), owner.Post(one+"secret/", password), owner.Post(one+"test/", nil),
		owner.Get(one + "deliveries/"),
	} {
		a.Status(404).JSON(notFound)
	}
	told := owner.Get("/v1/crm/history/?object=webhook:1").Status(200).Field("count", "5").Field("results.0.action", `"deleted"`)
	told.NotContain("whsec_")
}

// The same request with the same key is answered once more, and happens once.
func TestWebhooksAreMadeOnce(t *testing.T) {
	api := newAPI(t)
	owner := api.As(webtest.Owner(1)).With("Idempotency-Key", "k")
	owner.Post(all, erp).Status(201)
	owner.Post(all, erp).Status(201).Header("Idempotent-Replayed", "true").Writes(0).Field("id", "1")
	first := owner.Post(one+"test/", nil).Status(202).Text("webhook_id")
	if again := owner.Post(one+"test/", nil).Status(202).Writes(0).Text("webhook_id"); again != first || !strings.HasPrefix(first, "test_") {
		t.Errorf("%s, then %s", first, again)
	}
}

func TestACompanyHasSomeWebhooks(t *testing.T) {
	api := newAPI(t)
	owner := api.As(webtest.Owner(1))
	for range endpoint.Most {
		owner.Post(all, erp).Status(201)
	}
	owner.Post(all, erp).Status(400).JSON(`{"non_field_errors":["There can be at most 20 webhooks."]}`)
	owner.Delete(all + "7/").Status(204)
	owner.Post(all, erp).Status(201).Field("id", "21")
	owner.Get(all).Status(200).Calls(2)
	api.As(webtest.Owner(2)).Post(all, erp).Status(201)
}

func TestWhatIsNoWebhook(t *testing.T) {
	api := newAPI(t)
	err := crosstenant.Open(api.Env.Table).Put(crosstenant.DomainItem{
		Item: table.At(crosstenant.Domain("rent.example.com"), crosstenant.DomainVersion), Tenant: 2,
	}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	owner := api.As(webtest.Owner(1))
	owner.Post(all, erp).Status(201)
	const (
		scheme  = `{"url":["The URL must start with https://."]}`
		public  = `{"url":["The address is not public."]}`
		ours    = `{"url":["The address is one of this platform."]}`
		invalid = `{"url":["Enter a valid URL."]}`
	)
	for url, want := range map[string]string{
		"http://erp.example.com/":                scheme,
		"ftp://erp.example.com/":                 invalid,
		"https://10.0.0.1/":                      public,
		"https://127.0.0.1/":                     public,
		"https://[::1]/":                         public,
		"https://169.254.169.254/latest/":        public,
		"https://localhost/":                     public,
		"https://api.tenantry.test/v1/webhooks/": ours,
		"https://acme.tenantry.test/":            ours,
		"https://RENT.example.com./":             ours,
		"https://erp.example.com:22/":            `{"url":["The port must be 443 or 8443."]}`,
		"https://user:secret@erp.example.com/":   `{"url":["The URL must not hold a user or a password."]}`,
		"https://erp.example.com/#a":             `{"url":["The URL must not have a fragment (#)."]}`,
		"https://":                               invalid,
		"erp":                                    invalid,
		"":                                       `{"url":["This field may not be blank."]}`,
	} {
		owner.Post(all, fmt.Sprintf(`{"url":%q,"types":["*"]}`, url)).Status(400).Writes(0).JSON(want)
		owner.Patch(one, fmt.Sprintf(`{"url":%q}`, url)).Status(400).Writes(0).JSON(want)
	}
	for fields, want := range map[string]string{
		`"types":[]`:   `{"types":["This list may not be empty."]}`,
		`"types":null`: `{"types":["This field may not be null."]}`,
		`"types":"*"`:  `{"types":["Expected a list of items but got type \"str\"."]}`,
		`"types":["order.*","order.c*","order*"]`: `{"types":{"1":["\"order.c*\" is not a valid choice."],"2":["\"order*\" is not a valid choice."]}}`,
		`"types":["","webhook.test","a.*"]`:       `{"types":{"0":["This field may not be blank."]}}`,
		`"types":["webhook.test","a.*"]`:          `{"types":{"0":["\"webhook.test\" is not a valid choice."],"1":["\"a.*\" is not a valid choice."]}}`,
		`"payload":"fat"`:                         `{"payload":["\"fat\" is not a valid choice."]}`,
		`"payload":null`:                          `{"payload":["This field may not be null."]}`,
		`"version":2`:                             `{"version":["\"2\" is not a valid choice."]}`,
		`"enabled":"perhaps"`:                     `{"enabled":["Must be a valid boolean."]}`,
		`"enabled":null`:                          `{"enabled":["This field may not be null."]}`,
		`"description":null`:                      `{"description":["This field may not be null."]}`,
		`"tenant":2`:                              `{"tenant":["Invalid pk \"2\" - object does not exist."]}`,
	} {
		owner.Patch(one, `{`+fields+`}`).Status(400).Writes(0).JSON(want)
	}
	owner.Post(all, `{}`).Status(400).JSON(`{"url":["This field is required."],"types":["This field is required."]}`)
	// What callers may not decide is ignored.
	owner.Patch(one, `{"created_by":5,"id":9,"secret":"mine","disabled_reason":"gone","delivery":{"failures":3}}`).Status(200).Writes(0).JSON(view(t, `{}`))
}

// Only an owner has to do with webhooks, and nobody with those of another company.
func TestWhoHasWebhooks(t *testing.T) {
	api := newAPI(t)
	api.As(webtest.Owner(1)).Post(all, erp).Status(201)
	delivered(t, api, 1)
	try := func(c *webtest.Client, status int, answer string) {
		t.Helper()
		c.Get(one).Status(status).JSON(answer)
		for _, body := range []string{erp, `{"url":"http://x","types":["*"]}`} {
			c.Put(one, body).Status(status).JSON(answer).Writes(0)
			c.Patch(one, body).Status(status).JSON(answer).Writes(0)
		}
		c.Delete(one).Status(status).JSON(answer).Writes(0)
		c.Post(one+"secret/", password).Status(status).JSON(answer).Writes(0)
		c.Post(one+"rotate/", password).Status(status).JSON(answer).Writes(0)
		c.Post(one+"test/", nil).Status(status).JSON(answer).Writes(0)
		c.Post(one+"recover/", `{"since":"2026-03-02T09:00:00Z"}`).Status(status).JSON(answer).Writes(0)
		c.Get(one + "deliveries/").Status(status).JSON(answer)
		c.Get(one + "deliveries/1/").Status(status).JSON(answer)
		c.Post(one+"deliveries/1/resend/", nil).Status(status).JSON(answer).Writes(0)
	}
	try(api.As(webtest.Manager(1)), 403, forbidden)
	try(api.As(webtest.Feed(1, 1)), 403, forbidden)
	try(api.As(webtest.Key(1, 1, "events:read", "settings:write")), 403, forbidden)
	api.As(webtest.Manager(1)).Get(all).Status(403).JSON(forbidden).Calls(0)
	api.As(webtest.Manager(1)).Post(all, erp).Status(403).JSON(forbidden).Calls(0)
	try(api.As(webtest.Owner(2)), 404, notFound)
	api.As(webtest.Owner(2)).Get(all).Status(200).JSON(`[]`)
	// Who has ceased to be an owner since the authorizer looked changes nothing.
	former := api.As(webtest.Member(99, 1, "owner"))
	former.Post(all, erp).Writes(1).Status(403) // a number
	former.Patch(one, `{"enabled":false}`).Status(403).Writes(0)
	former.Delete(one).Status(403).Writes(0)
	api.As(webtest.Owner(1)).Get(one).Status(200).Header("ETag", `"1"`)
}

// A secret is in the answers that are asked for it with the password, and nowhere else.
func TestSecretsAreNowhereElse(t *testing.T) {
	api := newAPI(t)
	owner := api.As(webtest.Owner(1))
	owner.Post(all, erp).Status(201).NotContain("whsec_")
	first := owner.Post(one+"secret/", password).Status(200).Header("Cache-Control", "private, no-store").Text("secret")
	rotated := owner.With("If-Match", `"1"`).Post(one+"rotate/", password).Status(200).Header("ETag", `"2"`).Field("generation", "2").
		Field("before", `"`+first+`"`).Field("before_until", `"2026-03-03T09:30:00Z"`)
	second := rotated.Text("secret")
	if !strings.HasPrefix(first, "whsec_") || first == second {
		t.Errorf("%s, then %s", first, second)
	}
	owner.With("If-Match", `"1"`).Post(one+"rotate/", password).Status(412).Writes(0)
	for _, a := range []*webtest.Answer{
		owner.Get(one), owner.Get(all), owner.Patch(one, `{"description":"x"}`), owner.Get("/v1/crm/history/?object=webhook:1"),
		owner.Post(one+"secret/", `{}`), owner.Get(one + "deliveries/"), owner.Post(one+"test/", nil),
	} {
		a.NotContain("whsec_", first, second)
	}
	if log := api.Log(); strings.Contains(log, "whsec_") || strings.Contains(log, "correct horse") || !strings.Contains(log, "webhooks-rotate") {
		t.Errorf("logged %s", log)
	}
}

// What is asked for waits in the state, once each, and not more than some of it.
func TestWhatIsAskedFor(t *testing.T) {
	api := newAPI(t)
	owner := api.As(webtest.Owner(1))
	owner.Post(all, erp).Status(201)
	owner.Post(one+"recover/", `{}`).Status(400).JSON(`{"since":["This field is required."]}`).Writes(0)
	owner.Post(one+"recover/", `{"since":"2026-03-02"}`).Status(400).Writes(0)
	owner.Post(one+"recover/", `{"since":"2026-03-02T09:00:00Z"}`).Status(200).JSON(view(t, `{}`))
	delivered(t, api, 1)
	owner.Post(one+"deliveries/2/resend/", nil).Status(404).JSON(notFound).Writes(0)
	owner.Post(one+"deliveries/1/resend/", nil).Status(410).Writes(0).Field("code", `"event_expired"`) // the log has none yet
	for range endpoint.MostAsked {
		owner.Post(one+"test/", nil).Status(202)
	}
	owner.Post(one+"test/", nil).Status(409).Writes(0).
		JSON(`{"detail":"Too many deliveries that were asked for wait already.","code":"too_many_asked"}`)
	owner.Patch(one, `{"enabled":false}`).Status(200)
	owner.Post(one+"recover/", `{"since":"2026-03-02T09:00:00Z"}`).Status(409).Writes(0).
		JSON(`{"detail":"The webhook is disabled.","code":"disabled"}`)
}

// Deliveries are in pages, the newest first, however they are stored.
func TestPagesOfDeliveries(t *testing.T) {
	api := newAPI(t)
	owner := api.As(webtest.Owner(1))
	owner.Post(all, erp).Status(201)
	const path = one + "deliveries/"
	owner.Get(path).Status(200).JSON(`{"count":0,"next":null,"previous":null,"results":[]}`).Calls(3)
	delivered(t, api, 3, 1, 3)
	at := webtest.BaseURL + path
	ids := func(a *webtest.Answer) string { return fmt.Sprint(a.IDs()) }
	first := owner.Get(path+"?pageSize=3").Status(200).Field("count", "7").Field("previous", "null").Field("next", `"`+at+`?page=2&pageSize=3"`).Calls(4)
	middle := owner.Get(path+"?pageSize=3&page=2").Status(200).Field("next", `"`+at+`?page=3&pageSize=3"`)
	last := owner.Get(path+"?pageSize=3&page=last").Status(200).Field("next", "null").Field("previous", `"`+at+`?page=2&pageSize=3"`)
	if got := ids(first) + ids(middle) + ids(last); got != "[7 6 5][4 3 2][1]" {
		t.Errorf("pages %s", got)
	}
	for _, page := range []string{"0", "4", "-1", "x", "1.5"} {
		owner.Get(path + "?pageSize=3&page=" + page).Status(404).JSON(`{"detail":"Invalid page."}`)
	}
	owner.Get(path + "5/").Status(200).JSON(`{"id":5,"webhook_id":"evt_1_5","event":5,"type":"order.created","cause":"event","attempt":1,` +
		`"created_at":"2026-03-02T09:30:00Z","milliseconds":12,"succeeded":false,"status":502,"answer":"down","problem":null,` +
		`"next_attempt_at":"2026-03-02T09:30:05Z"}`)
	owner.Get(path + "8/").Status(404).JSON(notFound)
}

// What each operation costs.
func TestCosts(t *testing.T) {
	api := newAPI(t)
	owner := api.As(webtest.Owner(1))
	owner.Post(all, erp).Status(201).Calls(6).Units(4, 19)
	delivered(t, api, 1)
	owner.Get(one).Status(200).Calls(1).Units(2, 0)
	owner.Get(all).Status(200).Calls(2).Units(2, 0)
	owner.Patch(one, `{}`).Status(200).Calls(2).Units(2, 2)
	owner.Patch(one, `{"description":"a"}`).Status(200).Calls(2).Units(2, 12)
	owner.Patch(one, `{"types":["*"]}`).Status(200).Calls(2).Units(2, 18)
	owner.Patch(one, `{"enabled":false}`).Status(200).Calls(2).Units(2, 14)
	owner.Patch(one, `{"enabled":true}`).Status(200).Calls(3).Units(3, 18)
	owner.Post(one+"secret/", password).Status(200).Calls(7).Units(2, 4)
	owner.Post(one+"rotate/", password).Status(200).Calls(7).Units(3, 16)
	owner.Post(one+"test/", nil).Status(202).Calls(3).Units(2, 6)
	owner.Post(one+"recover/", `{"since":"2026-03-02T09:00:00Z"}`).Status(200).Calls(6).Units(5, 6)
	owner.Get(one+"deliveries/").Status(200).Calls(4).Units(4, 0)
	owner.Get(one+"deliveries/1/").Status(200).Calls(2).Units(2, 0)
	owner.Delete(one).Status(204).Calls(2).Units(2, 18)
}

// Whoever changes a state that was changed meanwhile looks again.
func TestAskingAtOnce(t *testing.T) {
	api := newAPI(t)
	owner := api.As(webtest.Owner(1))
	owner.Post(all, erp).Status(201)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() { owner.Post(one+"test/", nil).Status(202) })
	}
	all.Wait()
	s, err := endpoint.Read(t.Context(), table.Of(api.Env.Table, 1), 1)
	if err != nil || len(s.Asked) != 6 {
		t.Errorf("%d of 6 are asked for, %v", len(s.Asked), err)
	}
}
