package conformance_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const fieldsPath = "/v1/crm/settings/custom_fields_list/"

// Custom fields of every key either filter and order the list of the key's records, wherever in these they are, or are refused with the
// flag that says so.
func TestCustomFieldsInLists(t *testing.T) {
	for _, key := range customfield.Keys() {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			api := again(t)
			k, part, ok := kinds.ByField(key)
			if !ok || k.Array {
				operation{}.join(t, api)
				refusesFlags(t, api.As(webtest.Owner(1)), key, "string", key)
				if ok && !strings.HasPrefix(string(api.As(webtest.Owner(1)).Get(k.Path).Status(200).Body()), "[") {
					t.Errorf("%s is no array", k.Path)
				}
				return
			}
			maker := mustMakeAt(t, k.Path)
			maker.join(t, api)
			maker.prepare(t, api, 1)
			filtersAndOrders(t, api.As(webtest.Owner(1)), maker, key, part)
			refusesFlags(t, api.As(webtest.Owner(1)), key, "html", "the type html")
		})
	}
}

// refusesFlags checks that fields of a key and type take neither flag, and are taken without.
func refusesFlags(t *testing.T, owner *webtest.Client, key, of, told string) {
	t.Helper()
	body := fmt.Sprintf(`{"key":%q,"name":"x","label":"X","type":%q`, key, of)
	owner.Post(fieldsPath, body+`,"filter":true,"table":true}`).Status(400).Writes(0).
		JSON(fmt.Sprintf(`{"filter":["No list is filtered by fields of %s."],"table":["No list is ordered by fields of %s."]}`, told, told))
	made := owner.Post(fieldsPath, body+`}`).Status(201)
	owner.Patch(fmt.Sprintf("/v1/crm/settings/custom_fields/%d/", made.Int("id")), `{"filter":true}`).Status(400).
		JSON(fmt.Sprintf(`{"filter":["No list is filtered by fields of %s."]}`, told))
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
	ids := map[string]string{}
	for i, name := range []string{"a", "b"} {
		body, _ := maker.nth(20 + i).(map[string]any)
		values := map[string]any{"n": i + 1, "s": name, "at": fmt.Sprintf("2026-03-1%dT09:00:00", i)}
		body["extra"] = values
		if part != "" {
			body["extra"] = map[string]any{}
			kind := strings.ToUpper(strings.TrimPrefix(key, "inventory_"))
			body[part] = map[string]any{"type": kind, "number": fmt.Sprintf("12%dABC02", i), "extra": values}
		}
		made := owner.Post(maker.path(), body).Status(maker.Success())
		ids[fmt.Sprint(made.Int("id"))] = name
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
		answer, got := strict.Get(maker.list()+"?"+values.Encode()).Status(200), ""
		for i := range answer.Int("count") {
			got += ids[fmt.Sprint(answer.Value(fmt.Sprintf("results.%d.id", i)))]
		}
		if got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	strict.Get(maker.list() + "?" + extra + "m=1").Status(400).
		JSON(fmt.Sprintf(`{"%sm":["Unknown parameter. Did you mean \"%sn\"?"]}`, extra, extra))
	owner.Get(maker.list() + "?" + extra + "m=1").Status(200)
}
