package settings_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/functions/settings"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	all       = "/v1/crm/settings/custom_fields_list/"
	one       = "/v1/crm/settings/custom_fields/"
	notFound  = `{"detail":"Not found."}`
	forbidden = `{"detail":"You do not have permission to perform this action."}`
	notUnique = `{"non_field_errors":["The fields key, name must make a unique set."]}`
)

// newAPI is the group, with members of two companies.
func newAPI(t *testing.T) *webtest.API {
	t.Helper()
	return webtest.New(t, settings.New).Join(webtest.Manager(1), webtest.Owner(1), webtest.Owner(2))
}

// field is the answer about a field of the least that one can say.
func field(id int, key, name, kind string) string {
	return fmt.Sprintf(`{"id":%d,"key":%q,"name":%q,"label":"L","placeholder":"","type":%q,
		"required":false,"table":false,"filter":false,"options":null}`, id, key, name, kind)
}

func least(key, name, kind string) string {
	return fmt.Sprintf(`{"key":%q,"name":%q,"label":"L","type":%q}`, key, name, kind)
}

// stored is the definitions of a key as those who enforce them read them.
func stored(t *testing.T, api *webtest.API, id tenant.ID, key string) customfield.Set {
	t.Helper()
	company := table.Of(api.Env.Table, id)
	items, err := company.GetMany(t.Context(), company.Definitions(key))
	if err != nil {
		t.Fatal(err)
	}
	set, err := customfield.Decode(table.Attributes(items[company.Definitions(key)]))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestDefineReadDelete(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Manager(1))
	c.Get(all).Status(200).JSON(`[]`).Calls(1)
	want := `{"id":1,"key":"client","name":"passport","label":"Паспорт","placeholder":"N 123","type":"string",
		"required":true,"table":true,"filter":true,"options":["a",{"value":"b","label":"B"}]}`
	c.Post(all, `{"key":"client","name":" passport ","label":"Паспорт","placeholder":" N 123","type":"string","required":"true","table":1,
		"filter":true,"options":["a",{"value":"b","label":"B"}],"id":9,"tenant":1,"unknown":1}`).
		Status(201).JSON(want).Header("ETag", `"1"`).Header("Location", webtest.BaseURL+one+"1/").Writes(3).Calls(3).Units(1, 7)
	c.Get(one+"1/").Status(200).JSON(want).Header("ETag", `"1"`).Calls(1).Units(1, 0)
	c.With("If-None-Match", `"1"`).Get(one + "1/").Status(304).Empty()
	c.Post(all, least("order", "a", "date")).Status(201).JSON(field(2, "order", "a", "date"))
	c.Post(all, least("client", "a", "document")).Status(201).JSON(field(3, "client", "a", "document"))
	c.Get(all).Status(200).JSON("["+want+","+field(2, "order", "a", "date")+","+field(3, "client", "a", "document")+"]").
		Calls(1).Units(1, 0).NoHeader("ETag")
	c.Head(all).Status(200).Empty()
	if set := stored(t, api, 1, "client"); len(set.List) != 2 || set.List[0].Name != "passport" || !set.List[0].Required {
		t.Errorf("stored %+v", set)
	}
	c.Delete(one + "1/").Status(204).Empty().Writes(2).Calls(2)
	for _, gone := range []*webtest.Answer{
		c.Get(one + "1/"), c.Delete(one + "1/"), c.Put(one+"1/", least("client", "x", "date")), c.Patch(one+"1/", `{"name":"x"}`),
	} {
		gone.Status(404).JSON(notFound)
	}
	c.Get(all).Status(200).Field("0.id", "2").Field("1.id", "3").NotContain("passport")
	if set := stored(t, api, 1, "client"); len(set.List) != 1 || set.List[0].ID != 3 {
		t.Errorf("stored %+v", set)
	}
	// The name is free again, the number is not.
	c.Delete(one + "3/").Status(204)
	c.Post(all, least("client", "passport", "date")).Status(201).Field("id", "4").Header("ETag", `"1"`)
}

func TestBadBodies(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Owner(1))
	c.Post(all, least("client", "a", "string")).Status(201)
	body := func(change string) string {
		return `{"key":"client","name":"b","label":"L","type":"string",` + change + `}`
	}
	choices := `{"options":["Expected a list of choices: texts, or objects with a value, which is a text."]}`
	for in, want := range map[string]string{
		`{}`:                                      `{"key":["This field is required."],"name":["This field is required."],"label":["This field is required."],"type":["This field is required."]}`,
		body(`"key":"clients"`):                   `{"key":["\"clients\" is not a valid choice."]}`,
		body(`"type":"text"`):                     `{"type":["\"text\" is not a valid choice."]}`,
		body(`"name":" "`):                        `{"name":["This field may not be blank."]}`,
		body(`"label":""`):                        `{"label":["This field may not be blank."]}`,
		body(`"label":null`):                      `{"label":["This field may not be null."]}`,
		body(`"placeholder":null`):                `{"placeholder":["This field may not be null."]}`,
		body(`"required":"perhaps"`):              `{"required":["Must be a valid boolean."]}`,
		body(`"table":null`):                      `{"table":["This field may not be null."]}`,
		body(`"options":[1]`):                     choices,
		body(`"type":"workshop","required":true`): `{"required":["There are no records of the type workshop yet, so no field of it can be required."]}`,
		body(`"options":["` + strings.Repeat("ұ", 2047) + `"]`):                                             `{"options":["Ensure this field has no more than 4096 bytes."]}`,
		body(`"type":"date","options":"` + strings.Repeat("a", 4095) + `"`):                                 `{"options":["Ensure this field has no more than 4096 bytes."]}`,
		body(`"name":"` + strings.Repeat("ұ", 256) + `"`):                                                   `{"name":["Ensure this field has no more than 255 characters."]}`,
		body(`"placeholder":"` + strings.Repeat("ұ", 256) + `","label":"` + strings.Repeat("a", 256) + `"`): `{"placeholder":["Ensure this field has no more than 255 characters."],"label":["Ensure this field has no more than 255 characters."]}`,
		body(`"name":"a"`): notUnique,
		`[]`:               `{"non_field_errors":["Invalid data. Expected a dictionary, but got list."]}`,
	} {
		c.Post(all, in).Status(400).JSON(want)
	}
	c.Get(one+"1/").Status(200).Header("ETag", `"1"`)
	c.Post(all, body(`"name":"A","options":null`)).Status(201).Field("id", "2")
	c.Post(all, least("order", "a", "string")).Status(201).Field("id", "3")
	c.Post(all, body(`"name":"non_field_errors"`)).Status(201).Field("id", "4")
	c.Post(all, `{"key":"client","name":"o","label":"L","type":"integer","options":{"min":[0,null,1.50,"<&>"]}}`).Status(201).
		Field("options", `{"min":[0,null,1.50,"<&>"]}`)
	c.Get(one+"5/").Status(200).Field("options", `{"min":[0,null,1.50,"<&>"]}`)
}

func TestChange(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Manager(1))
	c.Post(all, least("client", "a", "string")).Status(201)
	c.Post(all, least("client", "b", "string")).Status(201)
	c.Post(all, least("order", "c", "string")).Status(201)
	c.Patch(one+"1/", `{"required":true,"options":["x"]}`).Status(200).Header("ETag", `"2"`).Writes(2).Calls(2).
		JSON(`{"id":1,"key":"client","name":"a","label":"L","placeholder":"","type":"string","required":true,"table":false,"filter":false,"options":["x"]}`)
	// What is left out of a PUT stays.
	c.Put(one+"1/", least("client", "a2", "string")).Status(200).Header("ETag", `"3"`).
		JSON(`{"id":1,"key":"client","name":"a2","label":"L","placeholder":"","type":"string","required":true,"table":false,"filter":false,"options":["x"]}`)
	for _, same := range []string{`{}`, `{"name":"a2"}`, `{"key":"client","options":["x"],"id":5}`} {
		c.Patch(one+"1/", same).Status(200).Header("ETag", `"3"`).Writes(0)
	}
	c.Put(one+"1/", `{"name":"z"}`).Status(400).
		JSON(`{"key":["This field is required."],"label":["This field is required."],"type":["This field is required."]}`)
	c.Patch(one+"1/", `{"name":"b"}`).Status(400).JSON(notUnique)
	c.Patch(one+"1/", `{"options":[1]}`).Status(400)
	c.Patch(one+"1/", `{"options":{"any":1}}`).Status(200).Field("options", `{"any":1}`)
	c.Patch(one+"1/", `{"type":"date","options":[1]}`).Status(200).Field("type", `"date"`)
	c.Patch(one+"1/", `{"type":"string"}`).Status(400).
		JSON(`{"options":["Expected a list of choices: texts, or objects with a value, which is a text."]}`)
	c.Patch(one+"1/", `{"type":"string","options":null}`).Status(200).Field("options", "null").Header("ETag", `"6"`)
	c.With("If-Match", `"5"`).Patch(one+"1/", `{"name":"z"}`).Status(412).
		JSON(`{"detail":"<string>","etag":"\"6\""}`)
	c.With("If-Match", `"5"`).Delete(one + "1/").Status(412)
	c.With("If-Match", `"6"`).Patch(one+"1/", `{"name":"a3"}`).Status(200).Header("ETag", `"7"`)
	c.Get(one+"2/").Status(200).Header("ETag", `"1"`) // of the same key, and unchanged
	c.With("If-Match", `"7"`).Delete(one + "1/").Status(204)
}

// TestMove: a field goes from one key to another as a whole, or not at all.
func TestMove(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Manager(1))
	c.Post(all, least("client", "a", "string")).Status(201)
	c.Post(all, least("order", "a", "date")).Status(201)
	c.Patch(one+"1/", `{"key":"order"}`).Status(400).JSON(notUnique)
	if set := stored(t, api, 1, "client"); len(set.List) != 1 || set.Revision != 1 {
		t.Errorf("refused, and stored %+v", set)
	}
	c.Patch(one+"1/", `{"key":"order","name":"b"}`).Status(200).Writes(3).Calls(2).Header("ETag", `"2"`).
		JSON(field(1, "order", "b", "string"))
	c.Get(one+"1/").Status(200).JSON(field(1, "order", "b", "string")).Header("ETag", `"2"`)
	c.Patch(one+"2/", `{"key":"workshop","required":true}`).Status(400).JSON(`{"required":["No record has fields of workshop."]}`)
	c.Patch(one+"2/", `{"key":"workshop"}`).Status(200).JSON(field(2, "workshop", "a", "date")) // which had none
	for key, want := range map[string][]int64{"client": nil, "order": {1}, "workshop": {2}} {
		var ids []int64
		for _, d := range stored(t, api, 1, key).List {
			ids = append(ids, d.ID)
		}
		if !slices.Equal(ids, want) {
			t.Errorf("%s has %v, want %v", key, ids, want)
		}
	}
	c.Get(all).Status(200).JSON("[" + field(1, "order", "b", "string") + "," + field(2, "workshop", "a", "date") + "]")
	c.Post(all, least("client", "a", "string")).Status(201).Field("id", "3")
}

// A manager who was removed, or demoted, after the authorizer looked, changes
// nothing.
func TestARoleThatIsGoneChangesNothing(t *testing.T) {
	for name, now := range map[string]webtest.Caller{
		"removed": webtest.Member(99, 1, tenant.Owner), "demoted": webtest.Member(webtest.Manager(1).User, 1, tenant.Employee),
	} {
		t.Run(name, func(t *testing.T) {
			api := webtest.New(t, settings.New).Join(webtest.Owner(1), now)
			api.As(webtest.Owner(1)).Post(all, least("client", "a", "string")).Status(201)
			c := api.As(webtest.Manager(1))
			c.Post(all, least("client", "b", "string")).Writes(1).Status(403).JSON(forbidden) // a number, which nobody has now
			c.Patch(one+"1/", `{"label":"M"}`).Status(403).JSON(forbidden)
			c.Patch(one+"1/", `{"key":"order"}`).Status(403).JSON(forbidden)
			c.Delete(one + "1/").Status(403).JSON(forbidden)
			c.Get(all).Status(200).JSON("[" + field(1, "client", "a", "string") + "]")
		})
	}
}

func TestRolesAndCompanies(t *testing.T) {
	api := newAPI(t)
	mine, theirs := api.As(webtest.Manager(1)), api.As(webtest.Owner(2))
	mine.Post(all, least("client", "a", "string")).Status(201).Field("id", "1")
	theirs.Post(all, least("client", "a", "string")).Status(201).Field("id", "1")
	theirs.Post(all, least("client", "secret", "string")).Status(201).Field("id", "2")
	mine.Get(all).Status(200).JSON("[" + field(1, "client", "a", "string") + "]").NotContain("secret")
	for _, id := range []string{"2", "3", "999999999999", "9999999999999"} {
		mine.Get(one + id + "/").Status(404).JSON(notFound)
		mine.Put(one+id+"/", least("client", "x", "date")).Status(404).JSON(notFound)
		mine.Patch(one+id+"/", `{}`).Status(404).JSON(notFound)
		mine.Delete(one + id + "/").Status(404).JSON(notFound)
	}
	mine.Delete(one + "1/").Status(204)
	theirs.Get(one+"1/").Status(200).Field("name", `"a"`)
	mine.With("X-Tenant-Id", "2").Get(all).Status(403).JSON(forbidden)
	for _, caller := range []webtest.Caller{webtest.ReadOnly(2), webtest.Employee(2)} {
		c := api.As(caller)
		c.Get(all).Status(200).Field("1.name", `"secret"`)
		c.Get(one+"2/").Status(200).Field("name", `"secret"`)
		c.Post(all, least("client", "b", "string")).Status(403).JSON(forbidden)
		c.Put(one+"2/", least("client", "b", "string")).Status(403).JSON(forbidden)
		c.Patch(one+"2/", `{}`).Status(403).JSON(forbidden)
		c.Delete(one + "2/").Status(403).JSON(forbidden)
	}
	api.As(webtest.Nobody()).Get(all).Status(401)
	api.As(webtest.SignedIn(9)).Get(all).Status(403)
}

type listedField struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

func listed(t *testing.T, c *webtest.Client) (list []listedField) {
	t.Helper()
	if err := json.Unmarshal(c.Get(all).Status(200).Body(), &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestManyWantOneName: exactly one has it.
func TestManyWantOneName(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Manager(1))
	c.Post(all, least("order", "other", "date")).Status(201)
	for _, key := range []string{"client", "order"} { // a key without definitions, and one that has some
		answers := make([]*webtest.Answer, 8)
		var wait sync.WaitGroup
		for i := range answers {
			wait.Go(func() { answers[i] = c.Post(all, least(key, "a", "string")) })
		}
		wait.Wait()
		made := 0
		for _, a := range answers {
			if a.Code() == 201 {
				made++
			} else if a.JSON(notUnique); a.Code() != 400 { // it may have taken a number
				t.Errorf("%s: status %d", key, a.Code())
			}
		}
		if made != 1 {
			t.Errorf("%s: %d were made", key, made)
		}
	}
	if list := listed(t, c); len(list) != 3 {
		t.Errorf("stored %v", list)
	}
}

// TestManyNamesAtOnce: none is lost, and no number comes twice.
func TestManyNamesAtOnce(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Manager(1))
	var wait sync.WaitGroup
	for i := range 6 {
		wait.Go(func() { c.Post(all, least("client", fmt.Sprint("f", i), "string")).Status(201) })
	}
	wait.Wait()
	list := listed(t, c)
	names := map[string]bool{}
	for i, f := range list {
		names[f.Name] = true
		if i > 0 && list[i-1].ID >= f.ID {
			t.Errorf("%d after %d", f.ID, list[i-1].ID)
		}
	}
	if len(list) != 6 || len(names) != 6 {
		t.Errorf("stored %v", list)
	}
}

func TestLimits(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Manager(1))
	for i := range customfield.MaxDefinitions {
		c.Post(all, least("client", fmt.Sprint("f", i), "string")).Status(201)
	}
	c.Post(all, least("client", "more", "string")).Status(400).
		JSON(`{"non_field_errors":["A key can't have more than 100 custom fields."]}`)
	c.Patch(one+"1/", `{"name":"another"}`).Status(200)
	c.Post(all, least("order", "more", "string")).Status(201).Field("id", "101")
	c.Patch(one+"101/", `{"key":"client"}`).Status(400).JSON(`{"non_field_errors":["A key can't have more than 100 custom fields."]}`)
	options := strings.Repeat("ұ", 2000)
	for i := range 5 {
		a := c.Post(
			all, map[string]any{"key": "service", "name": fmt.Sprint(i), "label": "L", "type": "string", "options": []string{options}},
		)
		if i < 4 {
			a.Status(201)
			continue
		}
		a.Status(400).JSON(`{"non_field_errors":["The custom fields of one key may take 16 KB together, with their labels and options. Shorten or delete some."]}`)
	}
	c.Get(all).Status(200).Calls(1)
}
