package settings_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/functions/authorizer"
	"github.com/tenantry/tenantry/functions/identity/credential"
	"github.com/tenantry/tenantry/functions/identity/credentialtest"
	"github.com/tenantry/tenantry/functions/settings"
	"github.com/tenantry/tenantry/functions/tenants/key"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	keys     = "/v1/keys/"
	password = "correct horse"
	erp      = `{"name":"ERP","scopes":["orders:write","clients:read"],"password":"correct horse"}`
)

// person gives a caller a password.
func person(t *testing.T, api *webtest.API, callers ...webtest.Caller) {
	t.Helper()
	for _, c := range callers {
		credentialtest.Give(t, api.Env.Table, password, c.User)
	}
}

// keysAPI is the group with the owners of two companies, who have passwords.
func keysAPI(t *testing.T) *webtest.API {
	t.Helper()
	api := newAPI(t)
	person(t, api, webtest.Owner(1), webtest.Owner(2))
	return api
}

// keyed returns what the authorizer finds for a key of a request from an address.
func keyed(t *testing.T, api *webtest.API, text, address string) string {
	t.Helper()
	a := authorizer.New(authorizer.Config{Table: api.Env.Table, Keys: api.Env.Keys, Now: api.Clock.Now, Log: new(strings.Builder)})
	raw, err := a.Invoke(t.Context(), fmt.Appendf(nil,
		`{"headers":{"authorization":"Bearer %s"},"requestContext":{"http":{"sourceIp":%q}}}`, text, address))
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Context map[string]string }
	if err := json.Unmarshal(raw, &answer); err != nil {
		t.Fatal(err)
	}
	c := answer.Context
	return strings.TrimSpace(c["verdict"] + " " + c["tenant"] + " " + c["key"] + " " + c["scopes"])
}

const home = "192.0.2.1"

// A key is shown once. The authorizer knows it at once, with what it may do; a change counts at once, and so does its end.
func TestAKeyIsShownOnceChangedAndRevoked(t *testing.T) {
	api := keysAPI(t)
	owner := api.As(webtest.Owner(1))
	owner.Get(keys).Status(200).JSON(`[]`)
	made := owner.Post(keys, erp).Status(201).Header("ETag", `"1"`).Header("Location", webtest.BaseURL+keys+"1/").
		Header("Cache-Control", "private, no-store")
	text := made.Text("key")
	view := func(name, scopes, networks, expires, used string) string {
		return `{"id":1,` + created + `,"created_by":14,"name":"` + name + `","scopes":` + scopes + `,"networks":` + networks +
			`,"expires_at":` + expires + `,"last_used":` + used + `,"hint":"` + text[len(text)-4:] + `"}`
	}
	const both = `["clients:read","orders:write"]`
	first := view("ERP", both, `[]`, `null`, `null`)
	made.JSON(strings.TrimSuffix(first, "}") + `,"key":"` + text + `"}`)
	owner.Get(keys+"1/").Status(200).JSON(first).Header("ETag", `"1"`)
	if got := keyed(t, api, text, home); got != "ok 1 1 clients:read orders:write" {
		t.Errorf("the authorizer finds %s", got)
	}
	owner.Get(keys).Status(200).JSON(`[` + view("ERP", both, `[]`, `null`, `"2026-03-02"`) + `]`)

	owner.Patch(keys+"1/", `{}`).Status(200).Header("ETag", `"1"`).Writes(0)
	owner.Patch(keys+"1/", `{"name":"ERP","scopes":["clients:read","orders:write"],"networks":[],"expires_at":null}`).Status(200).Writes(0)

	// A new name needs no password, and neither does less than before.
	owner.Patch(keys+"1/", `{"name":"Shop"}`).Status(200).JSON(view("Shop", both, `[]`, `null`, `"2026-03-02"`))
	owner.Patch(keys+"1/", `{"scopes":["clients:read"],"networks":["203.0.113.7","2001:DB8::1/32","203.0.113.7/32"],"expires_at":"2026-03-02T10:00:00Z"}`).
		Status(200).Header("ETag", `"3"`).
		JSON(view("Shop", `["clients:read"]`, `["203.0.113.7/32","2001:db8::/32"]`, `"2026-03-02T10:00:00Z"`, `"2026-03-02"`))
	for address, want := range map[string]string{
		home: "invalid", "203.0.113.7": "ok 1 1 clients:read", "203.0.113.8": "invalid", "2001:db8:ffff::1": "ok 1 1 clients:read",
	} {
		if got := keyed(t, api, text, address); got != want {
			t.Errorf("from %s the authorizer finds %s", address, got)
		}
	}
	owner.With("If-Match", `"2"`).Patch(keys+"1/", `{"name":"x"}`).Status(412).Writes(0)
	owner.Put(keys+"1/", `{"name":"Shop","scopes":["clients:read"],"networks":null,"expires_at":null,"password":"correct horse"}`).Status(200).
		JSON(view("Shop", `["clients:read"]`, `[]`, `null`, `"2026-03-02"`))
	if got := keyed(t, api, text, home); got != "ok 1 1 clients:read" {
		t.Errorf("the authorizer finds %s", got)
	}

	theirs := api.As(webtest.Owner(2))
	theirs.Get(keys).Status(200).JSON(`[]`)
	theirs.Get(keys + "1/").Status(404).JSON(notFound)
	theirs.Patch(keys+"1/", `{"name":"x"}`).Status(404).JSON(notFound).Writes(0)
	theirs.Delete(keys + "1/").Status(404).JSON(notFound).Writes(0)

	owner.Delete(keys + "1/").Status(204).Empty()
	if got := keyed(t, api, text, home); got != "invalid" {
		t.Errorf("once it is revoked the authorizer finds %s", got)
	}
	owner.Delete(keys + "1/").Status(404)
	owner.Patch(keys+"1/", `{"name":"x"}`).Status(404)
	owner.Get(keys + "1/").Status(404)

	kind, _ := kinds.ByName("key")
	entries, count, err := audit.Page(t.Context(), table.Of(api.Env.Table, 1), kind, 1, 0, 10)
	if err != nil || count != 5 || entries[0].Action != "deleted" || entries[4].Action != "created" {
		t.Errorf("%d entries, %+v, %v", count, entries, err)
	}
	if told := fmt.Sprint(entries); strings.Contains(told, text) {
		t.Errorf("the history tells the key: %s", told)
	}
}

// A key ends by itself.
func TestAKeyExpires(t *testing.T) {
	api := keysAPI(t)
	owner := api.As(webtest.Owner(1))
	text := owner.Post(keys, `{"name":"a","scopes":["sms:read"],"expires_at":"2026-03-02T09:30:10Z","password":"correct horse"}`).Status(201).Text("key")
	if got := keyed(t, api, text, home); got != "ok 1 1 sms:read" {
		t.Errorf("%s", got)
	}
	api.Clock.Step(10 * 1e9)
	if got := keyed(t, api, text, home); got != "invalid" {
		t.Errorf("at its end: %s", got)
	}
	owner.Get(keys+"1/").Status(200).Field("expires_at", `"2026-03-02T09:30:10Z"`)
	owner.Patch(keys+"1/", `{"name":"b"}`).Status(200) // its end stays, although it is past
	owner.Patch(keys+"1/", `{"expires_at":"2026-03-02T09:30:11Z"}`).Status(400).JSON(`{"password":["This field is required."]}`)
	owner.Patch(keys+"1/", `{"expires_at":"2026-03-02T09:30:11Z","password":"correct horse"}`).Status(200)
	if got := keyed(t, api, text, home); got != "ok 1 1 sms:read" {
		t.Errorf("with a later end: %s", got)
	}
}

// Only an owner has to do with keys, and no key and no feed has.
func TestKeysAreTheOwnersAlone(t *testing.T) {
	api := keysAPI(t).Join(webtest.Employee(1), webtest.ReadOnly(1))
	owner := api.As(webtest.Owner(1))
	owner.Post(keys, erp).Status(201)
	for _, caller := range []webtest.Caller{
		webtest.ReadOnly(1), webtest.Employee(1), webtest.Manager(1), webtest.Feed(1, 1), webtest.Key(1, 1, "settings:read", "settings:write"),
	} {
		c := api.As(caller)
		c.Get(keys).Status(403).JSON(forbidden).Calls(0)
		c.Get(keys + "1/").Status(403).JSON(forbidden).Calls(0)
		c.Post(keys, erp).Status(403).JSON(forbidden).Calls(0)
		c.Patch(keys+"1/", `{"name":"x"}`).Status(403).JSON(forbidden).Calls(0)
		c.Delete(keys + "1/").Status(403).JSON(forbidden).Calls(0)
	}
	// Who has ceased to be the owner since the authorizer looked makes, changes and revokes none.
	former := webtest.Member(99, 1, "owner")
	person(t, api, former)
	gone := api.As(former)
	gone.Post(keys, erp).Writes(5).Status(403) // what is counted, and a number
	gone.Patch(keys+"1/", `{"name":"x"}`).Status(403).Writes(0)
	gone.Delete(keys + "1/").Status(403).Writes(0)
	owner.Get(keys).Status(200).Field("0.name", `"ERP"`)
}

func TestWhatIsNoKey(t *testing.T) {
	owner := keysAPI(t).As(webtest.Owner(1))
	const fine = `"name":"a","scopes":["sms:read"],"password":"correct horse"`
	const network = "This is no IPv4 or IPv6 address, and no network of them such as 203.0.113.0/24."
	for body, want := range map[string]string{
		`{}`: `{"name":["This field is required."],"scopes":["This field is required."],"password":["This field is required."]}`,
		`{"name":"a","scopes":[],"password":"x"}`:                                               `{"scopes":["This list may not be empty."]}`,
		`{"name":"a","scopes":null,"password":"x"}`:                                             `{"scopes":["This field may not be null."]}`,
		`{"name":"a","scopes":"sms:read","password":"x"}`:                                       `{"scopes":["Expected a list of items but got type \"str\"."]}`,
		`{"name":"a","scopes":["sms:read","users:read","sms"],"password":"x"}`:                  `{"scopes":{"1":["\"users:read\" is not a valid choice."],"2":["\"sms\" is not a valid choice."]}}`,
		`{` + fine + `,"networks":["203.0.113.0/24","203.0.113.0/33","office","fe80::1%eth0"]}`: `{"networks":{"1":["` + network + `"],"2":["` + network + `"],"3":["` + network + `"]}}`,
		`{` + fine + `,"networks":["::ffff:203.0.113.0/120"]}`:                                  `{"networks":{"0":["` + network + `"]}}`,
		`{` + fine + `,"networks":"203.0.113.1"}`:                                               `{"networks":["Expected a list of items but got type \"str\"."]}`,
		`{` + fine + `,"expires_at":"2026-03-02T09:30:00Z"}`:                                    `{"expires_at":["Ensure this value is after now, 2026-03-02T09:30:00Z."]}`,
		`{` + fine + `,"expires_at":"2026-03-02"}`:                                              "",
		`{` + fine + `,"tenant":2}`:                                                             `{"tenant":["Invalid pk \"2\" - object does not exist."]}`,
		`{"name":"` + strings.Repeat("я", 256) + `","scopes":["sms:read"],"password":"x"}`:      `{"name":["Ensure this field has no more than 255 characters."]}`,
	} {
		a := owner.Post(keys, body).Status(400).Writes(0)
		if want != "" {
			a.JSON(want)
		}
	}
	// What callers may not decide is ignored. An address of IPv4 in the form of IPv6 is one of IPv4.
	a := owner.Post(keys, `{`+fine+`,"networks":["::ffff:203.0.113.9"],"key":"tnt_key_mine","hint":"mine","created_by":5,"id":9,"last_used":"2020-01-01"}`).
		Status(201).Field("id", "1").Field("created_by", "14").Field("last_used", "null").Field("networks", `["203.0.113.9/32"]`)
	if a.Text("key") == "tnt_key_mine" {
		t.Error("a caller chose the key")
	}
}

// A wrong password makes nothing, and is counted with those of signing in; one is asked for where a key will be able to do more.
func TestThePasswordIsAskedForAgain(t *testing.T) {
	api := keysAPI(t)
	owner := api.As(webtest.Owner(1))
	owner.Post(keys, erp).Status(201)
	const wrong = `{"password":["This password is wrong."]}`
	refused := func(body string) { owner.Patch(keys+"1/", body).Writes(2).Status(400).JSON(wrong) }
	owner.Post(keys, `{"name":"a","scopes":["sms:read"],"password":"correct horsf"}`).Writes(2).Status(400).JSON(wrong)
	refused(`{"scopes":["clients:read","orders:write","sms:read"],"password":"x"}`)
	owner.Patch(keys+"1/", `{"scopes":["clients:read","orders:write","sms:read"]}`).Status(400).JSON(`{"password":["This field is required."]}`).Writes(0)
	owner.Get(keys).Status(200).Field("0.scopes", `["clients:read","orders:write"]`)
	owner.Patch(keys+"1/", `{"scopes":["sms:read"],"password":"correct horse"}`).Status(200).Field("scopes", `["sms:read"]`)

	for range credential.PerCaller - 2 {
		refused(`{"scopes":["sms:write"],"password":"x"}`)
	}
	a := owner.Patch(keys+"1/", `{"scopes":["sms:write"],"password":"correct horse"}`).Status(429)
	if a.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	owner.Patch(keys+"1/", `{"name":"b"}`).Status(200) // needs none
	person(t, api, webtest.Owner(3))
	api.Join(webtest.Owner(3)).As(webtest.Owner(3)).Post(keys, erp).Status(201)
}

func TestACompanyHasSomeKeys(t *testing.T) {
	api := keysAPI(t)
	owner := api.As(webtest.Owner(1)).With("Idempotency-Key", "the same")
	seen := map[string]bool{}
	for range key.Most {
		seen[owner.Post(keys, erp).Status(201).NoHeader("Idempotent-Replayed").Text("key")] = true
	}
	if len(seen) != key.Most {
		t.Errorf("%d keys of %d differ", len(seen), key.Most)
	}
	owner.Post(keys, erp).Writes(4).Status(400).JSON(`{"non_field_errors":["There can be at most 50 keys."]}`)
	for text := range seen {
		keyed(t, api, text, home)
	}
	owner.Get(keys).Status(200).Field("49.last_used", `"2026-03-02"`).Calls(2)
	owner.Delete(keys + "7/").Status(204)
	owner.Post(keys, erp).Status(201)
}

// Nothing that opens a door is in the table or in the log, and no partition of a company has the platform's item.
func TestTheKeyIsNowhere(t *testing.T) {
	name := enginetest.Table(t)
	api := webtest.Setup{Change: func(e *app.Env) { e.Table = table.Open(enginetest.Client(t), name) }}.New(t, settings.New).Join(webtest.Owner(1))
	person(t, api, webtest.Owner(1))
	text := api.As(webtest.Owner(1)).With("Idempotency-Key", "k").Post(keys, erp).Status(201).Text("key")
	hash, _ := crosstenant.KeyHash(text)
	out, err := enginetest.Client(t).Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(name)})
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, raw := range out.Items {
		var item map[string]any
		if err := dynamo.UnmarshalItem(raw, &item); err != nil {
			t.Fatal(err)
		}
		found = found || item["pk"] == "K#"+hash
		if all := fmt.Sprint(item); strings.Contains(all, text) || strings.Contains(all, text[len("tnt_key_"):]) || strings.Contains(all, password) {
			t.Errorf("%s", all)
		}
	}
	if !found {
		t.Error("no item under K#: the test looks in the wrong place")
	}
	if log := api.Log(); strings.Contains(log, text) || strings.Contains(log, password) || !strings.Contains(log, "keys-create") {
		t.Errorf("logged %s", log)
	}
}
