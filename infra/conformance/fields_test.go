package conformance_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const fieldsPath = "/v1/crm/settings/custom_fields_list/"

// Each flag of a custom field has its effect on the records of its key, wherever in these the field is, or is refused with the flag that
// has none: lists are filtered and ordered by it, and records have to have it.
func TestFlagsOfCustomFields(t *testing.T) {
	for _, key := range customfield.Keys() {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			api := again(t)
			owner := api.As(webtest.Owner(1))
			k, part, ok := kinds.ByField(key)
			if !ok {
				operation{}.join(t, api)
				refusesFlags(t, owner, key, "string", map[string]string{
					"filter": "No list is filtered by fields of " + key + ".", "table": "No list is ordered by fields of " + key + ".",
					"required": "No record has fields of " + key + ".",
				})
				return
			}
			maker := mustMakeAt(t, k.Path)
			maker.join(t, api)
			maker.prepare(t, api, 1)
			of, none := "html", "the type html"
			if k.Array {
				of, none = "string", key
				if !strings.HasPrefix(string(owner.Get(k.Path).Status(200).Body()), "[") {
					t.Errorf("%s is no array", k.Path)
				}
			} else {
				filtersAndOrders(t, owner, maker, key, part)
			}
			refusesFlags(t, owner, key, of, map[string]string{
				"filter": "No list is filtered by fields of " + none + ".", "table": "No list is ordered by fields of " + none + ".",
			})
			requires(t, owner, maker, key, part)
		})
	}
}

// refusesFlags checks that fields of a key and type take none of some flags, each with its message, and are taken without.
func refusesFlags(t *testing.T, owner *webtest.Client, key, of string, messages map[string]string) {
	t.Helper()
	least := map[string]any{"key": key, "name": "x", "label": "X", "type": of}
	all, want := maps.Clone(least), map[string][]string{}
	for flag, message := range messages {
		all[flag], want[flag] = true, []string{message}
	}
	owner.Post(fieldsPath, all).Status(400).Writes(0).JSON(text(t, want))
	one := fmt.Sprintf("/v1/crm/settings/custom_fields/%d/", owner.Post(fieldsPath, least).Status(201).Int("id"))
	for flag := range want {
		owner.Patch(one, map[string]bool{flag: true}).Status(400).JSON(text(t, map[string][]string{flag: want[flag]}))
	}
}

// text is a value as JSON.
func text(t *testing.T, value any) string {
	t.Helper()
	encoded, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// requires checks that the records that are made somewhere have to have the required fields of a key.
func requires(t *testing.T, owner *webtest.Client, maker operation, key, part string) {
	t.Helper()
	field := "extra.must"
	body, _ := maker.nth(30).(map[string]any)
	delete(body, "extra")
	if part != "" {
		body[part] = vehicle(key, 3, map[string]any{})
		field = part + "." + field
	}
	owner.Post(fieldsPath, map[string]any{"key": key, "name": "must", "label": "M", "type": "string", "required": true}).Status(201)
	owner.Post(maker.path(), body).Status(400).Field(field+".0", `"This field is required."`)
}

// vehicle is the part of an item that the fields of a key are in.
func vehicle(key string, n int, extra map[string]any) map[string]any {
	kind := strings.ToUpper(strings.TrimPrefix(key, "inventory_"))
	return map[string]any{"type": kind, "number": fmt.Sprintf("12%dABC02", n), "extra": extra}
}

// filtersAndOrders checks that the list of the records that are made somewhere is filtered and ordered by fields of a key.
func filtersAndOrders(t *testing.T, owner *webtest.Client, maker operation, key, part string) {
	t.Helper()
	for name, of := range map[string]string{"n": "integer", "s": "string", "at": "datetime"} {
		owner.Post(fieldsPath, fmt.Sprintf(`{"key":%q,"name":%q,"label":"X","type":%q,"filter":true,"table":true}`, key, name, of)).Status(201)
	}
	extra, field := "extra__", "extra"
	if part != "" {
		extra, field = part+"__extra__", part+".extra"
	}
	names := map[int64]string{}
	for i, name := range []string{"a", "b"} {
		body, _ := maker.nth(20 + i).(map[string]any)
		values := map[string]any{"n": i + 1, "s": name, "at": fmt.Sprintf("2026-03-1%dT09:00:00", i)}
		body["extra"] = values
		if part != "" {
			body["extra"] = map[string]any{}
			body[part] = vehicle(key, i, values)
		}
		made := owner.Post(maker.path(), body).Status(maker.Success())
		names[made.Int("id")] = name
		made.Field(field+".at", fmt.Sprintf(`"2026-03-1%dT04:00:00Z"`, i)) // the company's local time
	}
	strict := owner.With("Prefer", "handling=strict")
	for query, want := range map[string]string{
		"E__n=2": "b", "E__n__in=1&E__n__in=2&ordering=E__n": "ab", "E__n__gte=1&ordering=-E__n": "ba", "E__s=A": "a",
		"E__at=2026-03-10T09:00:00": "a", "E__at__gte=2026-03-11T08:59:59": "b", "E__at__lte=2026-03-10T04:00:00Z": "a",
		"E__n__isnull=false&ordering=-E__at": "ba", "E__n=3": "",
	} {
		query = strings.ReplaceAll(query, "E__", extra)
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, id := range strict.Get(maker.list() + "?" + values.Encode()).Status(200).IDs() {
			got += names[id]
		}
		if got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	strict.Get(maker.list() + "?" + extra + "m=1").Status(400).
		JSON(fmt.Sprintf(`{"%sm":["Unknown parameter. Did you mean \"%sn\"?"]}`, extra, extra))
	owner.Get(maker.list() + "?" + extra + "m=1").Status(200)
}
