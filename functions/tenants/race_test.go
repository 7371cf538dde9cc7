package tenants

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// asOnAWS gives a world whose table refuses what meets in time, as AWS does.
func asOnAWS(t *testing.T) *world {
	t.Helper()
	name := enginetest.Table(t)
	return newWorld(t, func(e *app.Env) {
		e.Table = table.Open(tabletest.Wrap(enginetest.Client(t), tabletest.Locks(), 1), name)
	})
}

// atOnce makes requests at the same time and counts the answers by status.
func atOnce(requests ...func() *webtest.Answer) map[int]int {
	var mu sync.Mutex
	count, start := map[int]int{}, make(chan struct{})
	var wait sync.WaitGroup
	for _, do := range requests {
		wait.Go(func() {
			<-start
			code := do().Code()
			mu.Lock()
			defer mu.Unlock()
			count[code]++
		})
	}
	close(start)
	wait.Wait()
	return count
}

func repeat(n int, do func() *webtest.Answer) (list []func() *webtest.Answer) {
	for range n {
		list = append(list, do)
	}
	return list
}

// Two owners who demote or remove each other, or leave, at once: one stays.
func TestTwoOwnersGoAtOnce(t *testing.T) {
	for name, c := range map[string][2]func(a, b *webtest.Client) *webtest.Answer{
		"demote each other": {
			func(a, _ *webtest.Client) *webtest.Answer { return a.Patch(one(2), `{"role":"manager"}`) },
			func(_, b *webtest.Client) *webtest.Answer { return b.Patch(one(1), `{"role":"manager"}`) },
		},
		"remove each other": {
			func(a, _ *webtest.Client) *webtest.Answer { return a.Delete(one(2)) },
			func(_, b *webtest.Client) *webtest.Answer { return b.Delete(one(1)) },
		},
		"leave": {
			func(a, _ *webtest.Client) *webtest.Answer { return a.Delete(one(1)) },
			func(_, b *webtest.Client) *webtest.Answer { return b.Patch(one(2), `{"role":"employee"}`) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			for range 3 {
				w := asOnAWS(t)
				w.hire(3, tenant.Owner)
				a, b := w.in(1, 1), w.in(3, 1)
				got := atOnce(func() *webtest.Answer { return c[0](a, b) }, func() *webtest.Answer { return c[1](a, b) })
				if got[200]+got[204] != 1 || got[409]+got[403] != 1 {
					t.Errorf("statuses %v, want one success and one refusal", got)
				}
				w.check()
			}
		})
	}
}

func TestManyInviteOneAddressAtOnce(t *testing.T) {
	w := asOnAWS(t)
	w.hire(3, tenant.Manager)
	for _, user := range []int64{1, 3} {
		w.in(user, 1)
	}
	var list []func() *webtest.Answer
	for i := range 10 {
		who := w.in(int64(1+i%2*2), 1)
		list = append(list, func() *webtest.Answer {
			return who.Post(people, map[string]any{"email": address(4), "role": "employee"})
		})
	}
	if got := atOnce(list...); got[201] != 1 || got[400] != 9 {
		t.Errorf("statuses %v, want one 201 and 400 for the others", got)
	}
	w.check()
	if mails := w.deliver(); len(mails) != 1 {
		t.Errorf("%d mails, want 1", len(mails))
	}
}

// An invitation that is accepted, declined, changed and withdrawn at the same
// moment ends in one way.
func TestAnInvitationEndsOnce(t *testing.T) {
	for range 5 {
		w := asOnAWS(t)
		id := w.invite(1, 3, tenant.Employee)
		me, owner := w.as(3), w.as(1)
		got := atOnce(append(repeat(3, func() *webtest.Answer { return me.Post(invites+"1/accept/", nil) }),
			func() *webtest.Answer { return me.Post(invites+"1/decline/", nil) },
			func() *webtest.Answer { return owner.Patch(one(id), `{"role":"manager"}`) },
			func() *webtest.Answer { return me.Patch(profile, `{"first_name":"Ann"}`) })...)
		if got[409]+got[500]+got[503] > 0 || got[200]+got[204]+got[404] != 6 {
			t.Errorf("statuses %v", got)
		}
		w.deliver()
		w.check()
		members := len(memberships(t, open(w.Env.Table), 3))
		if a := owner.Get(one(id)); members == 1 != (a.Code() == 200) {
			t.Errorf("a member of %d companies, and the staff record is %d", members, a.Code())
		} else if members == 1 && a.Text("first_name") != "Ann" {
			t.Errorf("the profile is %s", a.Body())
		}
	}
}

// Roles, hosts and other companies of one user that change at the same moment
// do not touch each other.
func TestOneUsersMembershipsAtOnce(t *testing.T) {
	w := asOnAWS(t)
	id := w.hire(3, tenant.Employee)
	w.as(2).Post(people, map[string]any{"email": address(3), "role": "read-only"}).Status(201)
	w.as(3).Post("/v1/tenant/", body("own")).Status(201)
	one1, two2, three := w.in(1, 1), w.in(2, 2), w.in(3, 3)
	w.invite(1, 5, tenant.Manager)
	got := atOnce(
		func() *webtest.Answer { return one1.Delete(one(id)) },
		func() *webtest.Answer { return two2.Patch(one(1), `{"role":"owner"}`) },
		func() *webtest.Answer { return three.Post(invites+"2/accept/", nil) },
		func() *webtest.Answer { return three.Post("/v1/tenant/", body("another")) },
		func() *webtest.Answer { return w.as(5).Post(invites+"1/accept/", nil) },
	)
	if got[200] != 3 || got[201] != 1 || got[204] != 1 {
		t.Errorf("statuses %v", got)
	}
	list := memberships(t, open(w.Env.Table), 3)
	seen := map[tenant.ID]tenant.Role{}
	for _, m := range list {
		seen[m.Tenant] = m.Role
	}
	if len(list) != 3 || fmt.Sprint(seen) != "map[2:read-only 3:owner 4:owner]" {
		t.Errorf("memberships %v", list)
	}
	for id := range tenant.ID(4) {
		checkCompany(t, open(w.Env.Table), id+1)
	}
}

// No rule is decided on a read that may lag.
func TestUsersOnStaleReads(t *testing.T) {
	name := enginetest.Table(t)
	w := newWorld(t, func(e *app.Env) {
		e.Table = table.Open(tabletest.Wrap(enginetest.Client(t), tabletest.Faults{Stale: time.Hour}, 1), name)
	})
	id := w.hire(3, tenant.Owner)
	w.as(3).Patch(one(1), `{"role":"manager"}`).Status(200)
	w.as(1).Delete(one(id)).Status(403)
	w.as(3).Delete(one(id)).Status(409)
	w.as(3).Patch(one(1), `{"role":"owner"}`).Status(200)
	w.as(1).Delete(one(id)).Status(204)
	w.hire(3, tenant.Employee)
	w.as(3).Get(invites).Status(200).JSON(`[]`)
	w.check()
}

// Whatever dies or is lost on the way, everything about a member is whole, and
// who was told that it happened was told the truth.
func TestStaffIsWholeUnderFaults(t *testing.T) {
	outcomes := map[string]int{}
	for seed := range uint64(40) {
		name := enginetest.Table(t)
		w := newWorld(t, func(e *app.Env) { e.Table = table.Open(enginetest.Client(t), name) })
		waiting, member := w.invite(1, 3, tenant.Owner), w.hire(4, tenant.Owner)
		faulty := w.Env
		faulty.Table = table.Open(tabletest.Wrap(enginetest.Client(t), tabletest.Faults{Crash: 0.1, Lost: 0.25}, seed), name)
		sick := webtest.Setup{
			Change: func(e *app.Env) { e.Table = faulty.Table },
		}.New(t, New)
		owner, invited := sick.As(webtest.Member(1, 1, tenant.Owner)), sick.As(webtest.SignedIn(3))
		step := []struct {
			name string
			do   func() *webtest.Answer
			done func() bool
		}{
			{
				"invite", func() *webtest.Answer {
					return owner.Post(people, map[string]any{"email": address(9), "role": "employee"})
				},
				func() bool { return w.as(1).Get(people+"?search=u9@").Int("count") == 1 },
			},
			{
				"accept", func() *webtest.Answer { return invited.Post(invites+"1/accept/", nil) },
				func() bool { return w.as(1).Get(one(waiting)).Text("status") == "active" },
			},
			{
				"decline", func() *webtest.Answer { return invited.Post(invites+"1/decline/", nil) },
				func() bool { return w.as(1).Get(one(waiting)).Code() == 404 },
			},
			{
				"demote", func() *webtest.Answer { return owner.Patch(one(member), `{"role":"employee"}`) },
				func() bool { return w.as(1).Get(one(member)).Text("role") == "employee" },
			},
			{
				"remove", func() *webtest.Answer { return owner.Delete(one(member)) },
				func() bool { return w.as(1).Get(one(member)).Code() == 404 },
			},
			{
				"withdraw", func() *webtest.Answer { return owner.Delete(one(waiting)) },
				func() bool { return w.as(1).Get(one(waiting)).Code() == 404 },
			},
		}[seed%6]
		told := step.do().Code() < 300
		w.check()
		happened := step.done()
		if told && !happened {
			t.Errorf("seed %d: %s was said to be done and is not", seed, step.name)
		}
		if !happened { // tried again, it happens
			again := w.as(1)
			switch step.name {
			case "accept":
				w.as(3).Post(invites+"1/accept/", nil).Status(200)
			case "decline":
				w.as(3).Post(invites+"1/decline/", nil).Status(204)
			case "remove":
				again.Delete(one(member)).Status(204)
			case "withdraw":
				again.Delete(one(waiting)).Status(204)
			case "demote":
				again.Patch(one(member), `{"role":"employee"}`).Status(200)
			default:
				w.invite(1, 9, tenant.Employee)
			}
			if w.check(); !step.done() {
				t.Errorf("seed %d: %s does not happen", seed, step.name)
			}
		}
		outcomes[fmt.Sprintf("happened %v, told %v", happened, told)]++
	}
	for _, want := range []string{"happened true, told true", "happened false, told false"} {
		if outcomes[want] == 0 {
			t.Errorf("outcomes %v: never %s", outcomes, want)
		}
	}
}
