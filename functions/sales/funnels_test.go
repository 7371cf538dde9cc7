package sales_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/history"
	"github.com/tenantry/tenantry/functions/orders"
	"github.com/tenantry/tenantry/functions/sales"
	"github.com/tenantry/tenantry/functions/sales/lead"
	"github.com/tenantry/tenantry/functions/settings"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/recordtest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	funnels = "/v1/sales/funnels/"
	stages  = "/v1/sales/funnels/1/stages/"
	board   = "/v1/sales/funnels/1/board/"
	leads   = "/v1/sales/leads/"
)

func groups() []app.New {
	return []app.New{sales.New, clients.New, orders.New, settings.New, history.New}
}

// newAPI has companies 1 and 2. The first has a funnel with the stages 1 New, 2 Won and 3 Lost, and a funnel with
// the stage 4.
func newAPI(t *testing.T, setup webtest.Setup) (*webtest.API, *webtest.Client) {
	t.Helper()
	api := setup.New(t, groups()...).Join(webtest.Employee(1), webtest.Manager(1), webtest.Owner(1), webtest.Employee(2))
	c := api.As(webtest.Employee(1))
	c.Post(funnels, `{"name":"Rentals"}`).Status(201)
	c.Post(funnels, `{"name":"Sales"}`).Status(201)
	for _, body := range []string{`{"name":"New"}`, `{"name":"Won","type":"SUCCESS","colour":"#27AE60"}`, `{"name":"Lost","type":"CANCEL"}`} {
		c.Post(stages, body).Status(201)
	}
	c.Post(funnels+"2/stages/", `{"name":"First"}`).Status(201).Field("id", "4")
	return api, c
}

// whole checks that what company 1 stores of its sales is consistent.
func whole(t *testing.T, api *webtest.API) {
	t.Helper()
	s := record.Scope{Table: table.Of(api.Env.Table, 1), Now: api.Env.Now}
	problems := recordtest.Problems(t.Context(), lead.Funnels(), s)
	problems = append(problems, recordtest.Problems(t.Context(), lead.Stages(), s)...)
	for _, problem := range append(problems, recordtest.Problems(t.Context(), lead.Kind(), s)...) {
		t.Error(problem)
	}
}

func stage(id, at, name, kind, colour, ordering string) string {
	return `{"id":` + id + `,"created_at":"2026-03-02T09:30:00Z","updated_at":"` + at + `","funnel":1,"name":"` + name + `","type":"` + kind +
		`","colour":` + colour + `,"ordering":` + ordering + `}`
}

const begun = "2026-03-02T09:30:00Z"

// TestFunnels follows a funnel and its stages from their making to their end.
func TestFunnels(t *testing.T) {
	api := webtest.New(t, groups()...)
	c := api.As(webtest.Employee(1))
	c.Post(funnels, `{"name":" Rentals ","stages":[{"name":"ignored"}]}`).Status(201).Calls(2).Units(0, 8).
		JSON(`{"id":1,"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z","name":"Rentals","stages":[]}`).
		Header("ETag", `"1"`).Header("Location", webtest.BaseURL+funnels+"1/")
	c.Get(stages).Status(200).JSON(`[]`)
	c.Get(board).Status(200).Field("stages", `[]`)

	// Reading the funnel, a number, and the transaction: the stage, its counter, the funnel and its history.
	c.Post(stages, `{"name":"New"}`).Status(201).Calls(3).Units(2, 11).JSON(stage("1", begun, "New", "DEFAULT", "null", "0")).
		Header("ETag", `"1"`).Header("Location", webtest.BaseURL+stages+"1/")
	c.Post(stages, `{"name":"Lost","type":"CANCEL","colour":"#eb5757"}`).Status(201).JSON(stage("2", begun, "Lost", "CANCEL", `"#eb5757"`, "1"))
	c.Post(stages, `{"name":"Talks","ordering":"1","colour":null,"funnel":7,"id":7}`).Status(201).JSON(stage("3", begun, "Talks", "DEFAULT", "null", "1"))
	c.Post(stages, `{"name":"Won","type":"SUCCESS","ordering":0}`).Status(201)
	c.Get(stages).Status(200).Calls(2).JSON("[" + strings.Join([]string{
		stage("1", begun, "New", "DEFAULT", "null", "0"), stage("4", begun, "Won", "SUCCESS", "null", "0"),
		stage("2", begun, "Lost", "CANCEL", `"#eb5757"`, "1"), stage("3", begun, "Talks", "DEFAULT", "null", "1"),
	}, ",") + "]")
	heads := `[{"id":1,"name":"New","type":"DEFAULT","colour":null,"ordering":0},{"id":4,"name":"Won","type":"SUCCESS","colour":null,"ordering":0},` +
		`{"id":2,"name":"Lost","type":"CANCEL","colour":"#eb5757","ordering":1},{"id":3,"name":"Talks","type":"DEFAULT","colour":null,"ordering":1}]`
	c.Get(funnels+"1/").Status(200).Calls(1).Units(1, 0).Field("stages", heads).Header("ETag", `"5"`)
	c.Get(funnels+"?search=rent").Status(200).Field("count", "1").Field("results.0.stages", heads)

	api.Clock.Step(time.Minute)
	const later = "2026-03-02T09:31:00Z"
	c.With("If-Match", `"1"`).Patch(stages+"3/", `{"name":"Negotiations","type":"DEFAULT"}`).Status(200).Header("ETag", `"2"`).
		JSON(stage("3", later, "Negotiations", "DEFAULT", "null", "1")).Writes(3) // it, the funnel, and the funnel's history
	c.Patch(stages+"3/", `{}`).Status(200).Header("ETag", `"2"`).Writes(0)
	c.With("If-Match", `"1"`).Patch(stages+"3/", `{"name":"x"}`).Status(412)
	c.Put(stages+"3/", `{"type":"DEFAULT"}`).Status(400).JSON(`{"name":["This field is required."]}`)
	c.Get(funnels+"1/").Field("stages.3.name", `"Negotiations"`)
	c.Patch(funnels+"1/", `{"name":"Hire"}`).Status(200).Field("name", `"Hire"`).Field("stages.3.name", `"Negotiations"`)

	c.Delete(stages + "2/").Status(204).Empty()
	c.Get(stages + "2/").Status(404)
	c.Get(funnels+"1/").Field("stages.2.id", "3")
	c.Get("/v1/crm/history/?object=funnel:1").Status(200).Field("count", "8").
		Field("results.0.changes", `[{"field":"stages.2","from":"<any>","to":null}]`).
		Field("results.2.changes", `[{"field":"stages.3.name","from":"Talks","to":"Negotiations"}]`)
	c.Delete(funnels + "1/").Status(204)
	for _, path := range []string{funnels + "1/", stages, stages + "1/", board} {
		c.Get(path).Status(404).JSON(`{"detail":"Not found."}`)
	}
	c.Post(stages, `{"name":"Late"}`).Status(404)
	c.Get(funnels).Status(200).Field("count", "0")
	whole(t, api)
}

func TestBadStages(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	for body, want := range map[string]string{
		`{}`:                                          `{"name":["This field is required."]}`,
		`{"name":"a","type":"LOST"}`:                  `{"type":["\"LOST\" is not a valid choice."]}`,
		`{"name":"a","type":null}`:                    `{"type":["This field may not be null."]}`,
		`{"name":"a","colour":"red"}`:                 `{"colour":["Enter a colour such as #1a2b3c."]}`,
		`{"name":"a","colour":"#12345g"}`:             `{"colour":["Enter a colour such as #1a2b3c."]}`,
		`{"name":"a","ordering":-1}`:                  `{"ordering":["Ensure this value is greater than or equal to 0."]}`,
		`{"name":"a","ordering":2147483648}`:          `{"ordering":["Ensure this value is less than or equal to 2147483647."]}`,
		`{"name":"a","ordering":null}`:                `{"ordering":["This field may not be null."]}`,
		`{"name":"","colour":"x","type":"x"}`:         `{"name":["This field may not be blank."],"colour":["Enter a colour such as #1a2b3c."],"type":["\"x\" is not a valid choice."]}`,
		`{"name":"` + strings.Repeat("ж", 256) + `"}`: `{"name":["Ensure this field has no more than 255 characters."]}`,
	} {
		c.Post(stages, body).Status(400).JSON(want).Writes(0)
		if body != `{}` {
			c.Patch(stages+"1/", body).Status(400).JSON(want).Writes(0)
		}
	}
	c.Post(stages, `{"name":"The last","ordering":2147483647}`).Status(201)
	c.Post(stages, `{"name":"After it"}`).Status(201).Field("ordering", "2147483647")
	for range lead.MaxStages - 5 {
		c.Post(stages, `{"name":"Another"}`).Status(201)
	}
	c.Post(stages, `{"name":"One too many"}`).Status(400).JSON(`{"non_field_errors":["There can be at most 25 stages in a funnel."]}`)
	c.Post(stages, `{"name":"","type":"x"}`).Status(400).
		JSON(`{"non_field_errors":["There can be at most 25 stages in a funnel."],"name":["This field may not be blank."],"type":["\"x\" is not a valid choice."]}`)
	c.Delete(funnels + "1/").Status(204) // with all of them
	c.Get(funnels).Field("count", "1")
	whole(t, api)
}

func TestArranging(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	for body, want := range map[string]string{
		`{}`:                       `{"stages":["This field is required."]}`,
		`{"stages":null}`:          `{"stages":["This field may not be null."]}`,
		`{"stages":5}`:             `{"stages":["Expected a list of items but got type \"int\"."]}`,
		`{"stages":[]}`:            `{"stages":["Name all stages of the funnel; missing: 1, 2, 3."]}`,
		`{"stages":[3,1]}`:         `{"stages":["Name all stages of the funnel; missing: 2."]}`,
		`{"stages":[3,1,2,9]}`:     `{"stages":{"3":["Invalid pk \"9\" - object does not exist."]}}`,
		`{"stages":[3,4,2]}`:       `{"stages":{"1":["Invalid pk \"4\" - object does not exist."]}}`,
		`{"stages":[3,1,2,1]}`:     `{"stages":{"3":["The stage is named twice."]}}`,
		`{"stages":[3,-1,"x",2]}`:  `{"stages":{"2":["A valid integer is required."]}}`,
		`{"stages":[1.5,{},true]}`: `{"stages":{"0":["A valid integer is required."],"1":["A valid integer is required."],"2":["A valid integer is required."]}}`,
	} {
		c.Put(stages, body).Status(400).JSON(want).Writes(0)
	}
	api.Clock.Step(time.Minute)
	const later = "2026-03-02T09:31:00Z"
	// The funnel, the stages in one batch, and the transaction: three stages, the funnel and its history.
	c.Put(stages, `{"stages":["3",1,2]}`).Status(200).Calls(3).Writes(5).JSON("[" + strings.Join([]string{
		stage("3", later, "Lost", "CANCEL", "null", "0"), stage("1", later, "New", "DEFAULT", "null", "1"), stage("2", later, "Won", "SUCCESS", `"#27AE60"`, "2"),
	}, ",") + "]")
	c.Get(funnels+"1/").Field("stages.0.id", "3").Field("stages.2.id", "2")
	api.Clock.Step(time.Minute)
	c.Put(stages, `{"stages":[3,2,1]}`).Status(200).Writes(4).Field("0.updated_at", `"`+later+`"`)
	c.Put(stages, `{"stages":[3,2,1]}`).Status(200).Writes(0)
	c.Put(funnels+"9/stages/", `{"stages":[]}`).Status(404)
	api.As(webtest.Employee(2)).Put(stages, `{"stages":[3,2,1]}`).Status(404)
	api.As(webtest.ReadOnly(1)).Put(stages, `{"stages":[1,2,3]}`).Status(403)

	// Two who arrange at once: the order is the one's or the other's. A stage made meanwhile is not lost.
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			if i == 0 {
				c.Post(stages, `{"name":"Meanwhile"}`).Status(201)
				return
			}
			if a := c.Put(stages, []string{`{"stages":[1,2,3]}`, `{"stages":[2,3,1]}`}[i%2]); a.Code() != 200 {
				a.Status(400).JSON(`{"stages":["Name all stages of the funnel; missing: 5."]}`)
			}
		})
	}
	wait.Wait()
	got := c.Get(funnels + "1/").Status(200)
	order := fmt.Sprint(got.Int("stages.0.id"), got.Int("stages.1.id"), got.Int("stages.2.id"), got.Int("stages.3.id"))
	if order != "1 2 3 5" && order != "2 3 1 5" && order != "3 2 1 5" {
		t.Errorf("the order is %s", order)
	}
	whole(t, api)
}

// TestFunnelsOfCompanies: nothing of one company is seen or touched by another.
func TestFunnelsOfCompanies(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	other := api.As(webtest.Owner(2))
	other.Post(funnels, `{"name":"Own"}`).Status(201).Field("id", "1")
	other.Get(funnels).Status(200).Field("count", "1").NotContain("Rentals", "New")
	other.Get(stages).Status(200).JSON(`[]`)
	other.Get(board).Status(200).Field("stages", `[]`)
	for _, path := range []string{funnels + "2/", funnels + "2/stages/", stages + "1/", funnels + "2/board/"} {
		other.Get(path).Status(404).JSON(`{"detail":"Not found."}`)
	}
	for _, path := range []string{funnels + "2/", stages + "1/"} {
		other.Patch(path, `{"name":"x"}`).Status(404)
		other.Delete(path).Status(404)
	}
	// A stage is found below its own funnel alone.
	c.Get(funnels + "2/stages/1/").Status(404)
	c.Patch(funnels+"2/stages/1/", `{"name":"x"}`).Status(404)
	c.Delete(funnels + "2/stages/1/").Status(404)
	c.Get(stages+"1/").Status(200).Field("name", `"New"`)
	reader := api.As(webtest.ReadOnly(1))
	for _, path := range []string{funnels, funnels + "1/", stages, stages + "1/", board, leads} {
		reader.Get(path).Status(200)
	}
	reader.Post(funnels, `{"name":"x"}`).Status(403)
	reader.Post(stages, `{"name":"x"}`).Status(403)
}
