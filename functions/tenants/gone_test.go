package tenants

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// Whoever lost the role after the authorizer read it, and before the change was
// written, changes nothing. The caller here is who the authorizer said, and the
// table knows better.
func TestARoleThatIsGoneChangesNothing(t *testing.T) {
	type standing struct {
		name string
		role tenant.Role // that user 3 has in the table; empty: none any more
	}
	states := []standing{
		{"removed", ""}, {"now an employee", tenant.Employee}, {"now a manager", tenant.Manager}, {"still an owner", tenant.Owner},
	}
	for _, c := range []struct {
		name  string
		least tenant.Role
		do    func(who *webtest.Client, own, employee, owner, invited int64) *webtest.Answer
	}{
		{"invites", tenant.Manager, func(who *webtest.Client, _, _, _, _ int64) *webtest.Answer {
			return who.Post(people, map[string]any{"email": address(9), "role": "employee"})
		}},
		{"invites an owner", tenant.Owner, func(who *webtest.Client, _, _, _, _ int64) *webtest.Answer {
			return who.Post(people, map[string]any{"email": address(9), "role": "owner"})
		}},
		{"changes a role", tenant.Manager, func(who *webtest.Client, _, employee, _, _ int64) *webtest.Answer {
			return who.Patch(one(employee), `{"role":"read-only"}`)
		}},
		{"makes an owner", tenant.Owner, func(who *webtest.Client, _, employee, _, _ int64) *webtest.Answer {
			return who.Patch(one(employee), `{"role":"owner"}`)
		}},
		{"demotes an owner", tenant.Owner, func(who *webtest.Client, _, _, owner, _ int64) *webtest.Answer {
			return who.Patch(one(owner), `{"role":"employee"}`)
		}},
		{"changes the own role", tenant.Manager, func(who *webtest.Client, own, _, _, _ int64) *webtest.Answer {
			return who.Patch(one(own), `{"role":"read-only"}`)
		}},
		{"removes a member", tenant.Manager, func(who *webtest.Client, _, employee, _, _ int64) *webtest.Answer {
			return who.Delete(one(employee))
		}},
		{"removes an owner", tenant.Owner, func(who *webtest.Client, _, _, owner, _ int64) *webtest.Answer {
			return who.Delete(one(owner))
		}},
		{"changes the company", tenant.Manager, func(who *webtest.Client, _, _, _, _ int64) *webtest.Answer {
			return who.Patch(acme, `{"name":"New"}`)
		}},
		{"names who is invited", tenant.Manager, func(who *webtest.Client, _, _, _, invited int64) *webtest.Answer {
			return who.Patch(one(invited), `{"first_name":"Zoe"}`)
		}},
		{"changes an invitation", tenant.Manager, func(who *webtest.Client, _, _, _, invited int64) *webtest.Answer {
			return who.Patch(one(invited), `{"role":"read-only"}`)
		}},
		{"withdraws an invitation", tenant.Manager, func(who *webtest.Client, _, _, _, invited int64) *webtest.Answer {
			return who.Delete(one(invited))
		}},
	} {
		for _, now := range states {
			t.Run(c.name+", "+now.name, func(t *testing.T) {
				w := newWorld(t)
				own, employee, owner := w.hire(3, tenant.Owner), w.hire(4, tenant.Employee), w.hire(5, tenant.Owner)
				invited := w.invite(1, 6, tenant.Employee)
				switch now.role {
				case "":
					w.as(1).Delete(one(own)).Status(204)
				case tenant.Owner:
				default:
					w.as(1).Patch(one(own), fmt.Sprintf(`{"role":%q}`, now.role)).Status(200)
				}
				who := sayingSo(t, w, webtest.Member(3, 1, tenant.Owner))
				before := state(w)
				got := c.do(who, own, employee, owner, invited)
				after := state(w)
				switch {
				case now.role.Covers(c.least):
					if got.Code() >= 300 || before == after {
						t.Errorf("status %d %s", got.Code(), got.Body())
					}
				case (c.name == "changes the own role" || c.name == "changes the company") && now.role == "":
					got.Status(404)
				case strings.HasPrefix(c.name, "invites"):
					got.Writes(1).Status(403).JSON(forbidden) // a number, which nobody has now
				default:
					got.Status(403).JSON(forbidden)
				}
				if !now.role.Covers(c.least) && before != after {
					t.Errorf("it was %s and is %s", before, after)
				}
				w.check()
			})
		}
	}
}

// state is all that the changes are of.
func state(w *world) string {
	return string(w.as(1).Get(people+"?pageSize=50").Body()) + string(w.as(1).Get(acme).Body())
}

// sayingSo is a client of the world's table whom an authorizer took for this caller.
func sayingSo(t *testing.T, w *world, caller webtest.Caller) *webtest.Client {
	t.Helper()
	return webtest.Setup{Change: func(e *app.Env) { e.Table, e.Now = w.Env.Table, w.Env.Now }}.New(t, New).As(caller)
}

// An answer that was kept shows a company to its members alone.
func TestAKeptAnswerShowsNothingAfterARemoval(t *testing.T) {
	w := newWorld(t)
	place := w.invite(1, 3, tenant.Employee)
	accept := func() *webtest.Answer {
		return w.as(3).With("Idempotency-Key", "k").Post(invites+"1/accept/", nil)
	}
	accept().Status(200).JSON(accepted)
	accept().Status(200).JSON(accepted).Header("Idempotent-Replayed", "true").Calls(2).Units(2, 0)
	w.as(1).Delete(one(place)).Status(204)
	accept().Status(404).JSON(`{"detail":"Not found."}`).NoHeader("Idempotent-Replayed")

	found := func() *webtest.Answer {
		return w.as(4).With("Idempotency-Key", "k").Post("/v1/tenant/", body("mine"))
	}
	found().Status(201)
	found().Status(201).Header("Idempotent-Replayed", "true")
	w.in(4, 3).Post(people, map[string]any{"email": address(5), "role": "owner"}).Status(201)
	w.as(5).Post(invites+"3/accept/", nil).Status(200)
	w.as(5).Delete(one(1)).Status(204)
	found().Status(404).JSON(`{"detail":"Not found."}`)
}

// A company reads the caller's role itself, and still asks again when it writes.
func TestAManagerWhoIsRemovedMeanwhileChangesNoCompany(t *testing.T) {
	name := enginetest.Table(t)
	w := newWorld(t, func(e *app.Env) { e.Table = table.Open(enginetest.Client(t), name) })
	id := w.hire(3, tenant.Manager)
	owner := w.as(1)
	removed := meanwhile{enginetest.Client(t), new(sync.Once), func() { owner.Delete(one(id)).Status(204) }}
	api := webtest.Setup{Change: func(e *app.Env) { e.Table, e.Now = table.Open(removed, name), w.Env.Now }}.New(t, New)
	api.As(webtest.SignedIn(3)).Patch(acme, `{"name":"After"}`).Status(403).JSON(forbidden)
	owner.Get(acme).Status(200).Field("name", `"Acme"`)
}
