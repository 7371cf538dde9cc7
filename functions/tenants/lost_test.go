package tenants

import (
	"strings"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/functions/history"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// Where no answer to a change of a member arrives, the history tells whether it
// was this request's.
func TestTheAnswerAboutAMemberNeverArrives(t *testing.T) {
	for _, c := range []struct {
		name    string
		do      func(c *webtest.Client, member, invited int64) *webtest.Answer
		success int
		done    func(w *world, member, invited int64) bool
	}{
		{
			"a role", func(c *webtest.Client, member, _ int64) *webtest.Answer {
				return c.Patch(one(member), `{"role":"manager"}`)
			}, 200,
			func(w *world, member, _ int64) bool { return w.as(1).Get(one(member)).Text("role") == "manager" },
		},
		{
			"the role of an invitation", func(c *webtest.Client, _, invited int64) *webtest.Answer {
				return c.Put(one(invited), `{"role":"manager"}`)
			}, 200,
			func(w *world, _, invited int64) bool { return w.as(1).Get(one(invited)).Text("role") == "manager" },
		},
		{
			"a removal", func(c *webtest.Client, member, _ int64) *webtest.Answer { return c.Delete(one(member)) }, 204,
			func(w *world, member, _ int64) bool { return w.as(1).Get(one(member)).Code() == 404 },
		},
		{
			"a withdrawal", func(c *webtest.Client, _, invited int64) *webtest.Answer { return c.Delete(one(invited)) }, 204,
			func(w *world, _, invited int64) bool { return w.as(1).Get(one(invited)).Code() == 404 },
		},
	} {
		for _, carriesOut := range []bool{true, false} {
			name := enginetest.Table(t)
			w := newWorld(t, func(e *app.Env) { e.Table = table.Open(enginetest.Client(t), name) })
			member, invited := w.hire(3, tenant.Employee), w.invite(1, 4, tenant.Employee)
			sick := webtest.Setup{Change: func(e *app.Env) {
				e.Table = table.Open(deaf{enginetest.Client(t), carriesOut}, name)
			}}.New(t, New)
			want := 503
			if carriesOut {
				want = c.success
			}
			if got := c.do(sick.As(webtest.Member(1, 1, tenant.Owner)), member, invited); got.Code() != want {
				t.Errorf("%s, which happened: %t: %d, want %d: %s", c.name, carriesOut, got.Code(), want, got.Body())
			}
			if c.done(w, member, invited) != carriesOut {
				t.Errorf("%s: happened: %t", c.name, !carriesOut)
			}
			w.check()
		}
	}
}

// A caller who repeats until there is an answer makes one company and one
// invitation, whatever got lost on the way.
func TestALostAnswerNeverMakesTwo(t *testing.T) {
	for seed := range uint64(6) {
		faults := func(a dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
			return tabletest.Wrap(a, tabletest.Faults{Lost: 0.35}, seed)
		}
		api := webtest.Setup{Table: faults}.New(t, New)
		until := func(status int, do func() *webtest.Answer) *webtest.Answer {
			t.Helper()
			a := do()
			for tries := 0; (a.Code() == 503 || a.Code() == 429) && tries < 500; tries++ {
				if a.Code() == 429 { // tries are counted; a kept answer is not one
					api.Clock.Step(time.Hour)
				}
				a = do()
			}
			if a.Code() != status {
				t.Fatalf("seed %d: status %d %s", seed, a.Code(), a.Body())
			}
			return a
		}
		twice := func(post func() *webtest.Answer) {
			t.Helper()
			first := until(201, post)
			if again := until(201, post); string(again.Body()) != string(first.Body()) || again.Get("Idempotent-Replayed") != "true" {
				t.Errorf("seed %d: answered %s, then %s", seed, first.Body(), again.Body())
			}
		}
		for user := range int64(2) {
			put := open(api.Env.Table).all.Put(personOf(user + 1))
			if err := table.Retry(t.Context(), func() error { return put.Run(t.Context()) }); err != nil {
				t.Fatal(err)
			}
		}
		founder := api.As(webtest.SignedIn(1)).With("Idempotency-Key", "key")
		twice(func() *webtest.Answer { return founder.Post("/v1/tenant/", body("acme")) })
		list := until(200, func() *webtest.Answer { return founder.Get("/v1/tenant/") })
		if n := strings.Count(string(list.Body()), `"id":`); n != 1 {
			t.Fatalf("seed %d: %d companies: %s", seed, n, list.Body())
		}
		id := tenant.ID(list.Int("0.id"))

		owner := api.As(webtest.Member(1, id, tenant.Owner)).With("Idempotency-Key", "key")
		twice(func() *webtest.Answer {
			return owner.Post(people, map[string]any{"email": address(2), "role": "employee"})
		})
		until(200, func() *webtest.Answer { return owner.Get(people) }).Field("count", "2")
		mine := until(200, func() *webtest.Answer { return api.As(webtest.SignedIn(2)).Get(invites) })
		if n := strings.Count(string(mine.Body()), `"id":`); n != 1 {
			t.Errorf("seed %d: %d invitations: %s", seed, n, mine.Body())
		}
	}
}

// Who made a company, and when, stands in its history, which is its own.
func TestHistoryOfACompany(t *testing.T) {
	api := webtest.New(t, New, history.New)
	seed(t, api.Env.Table)
	made := api.As(webtest.SignedIn(5)).Post("/v1/tenant/", body("acme")).Status(201)
	api.As(webtest.SignedIn(6)).Post("/v1/tenant/", body("beta")).Status(201)
	const none = `{"count":0,"next":null,"previous":null,"results":[]}`
	path := func(id string) string { return "/v1/crm/history/?object=company:" + id }
	owner := api.As(webtest.Member(5, 1, tenant.Owner))
	owner.Get(path("1")).Status(200).Field("count", "1").Field("results.0", `{"id":1,"object":"company:1","action":"created","user":5,"feed":null,"key":null,
		"at":"2026-03-02T09:30:00Z","request_id":"`+made.Get("X-Request-Id")+`","changes":[
			{"field":"address","from":null,"to":"Abay 1"},{"field":"currency","from":null,"to":"KZT"},{"field":"extra","from":null,"to":{}},
			{"field":"name","from":null,"to":"Acme"},{"field":"timezone","from":null,"to":"Asia/Almaty"}]}`)
	owner.Get(path("2")).Status(200).JSON(none)
	other := api.As(webtest.Member(6, 2, tenant.Manager))
	other.Get(path("1")).Status(200).JSON(none)
	other.Get(path("2")).Status(200).Field("count", "1").Field("results.0.user", "6")
	api.As(webtest.Member(7, 1, tenant.Employee)).Get(path("1")).Status(403)
	api.As(webtest.Member(7, 1, tenant.ReadOnly)).Get(path("1")).Status(403)
	api.As(webtest.SignedIn(5)).Post("/v1/tenant/", body("acme")).Writes(3).Status(400) // what is not made has none
	owner.Get(path("3")).Status(200).JSON(none)
}
