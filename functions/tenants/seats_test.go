package tenants

import (
	"testing"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const noSeat = `{"detail":"The plan of the company has room for 2 members and invitations.","code":"plan","limit":"members","most":2}`

// forget makes company 1 one from before seats were counted.
func (w *world) forget() {
	w.t.Helper()
	of := table.Of(w.Env.Table, 1)
	if err := of.Update(of.Company()).Remove("mn").Run(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// seats is how many seats are counted; -1: they are not.
func (w *world) seats() int64 {
	w.t.Helper()
	c, err := open(w.Env.Table).company(w.t.Context(), 1)
	if err != nil {
		w.t.Fatal(err)
	}
	if c.Seats == nil {
		return -1
	}
	return *c.Seats
}

// Members and invitations take the seats of a plan, and whoever goes leaves one; in a company from before seats were counted, too.
func TestSeatsOfAPlan(t *testing.T) {
	for name, before := range map[string]func(*world){"counted": func(*world) {}, "from before": (*world).forget} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.plan(1, company.Plan{Members: 2})
			before(w)
			first := w.invite(1, 3, tenant.Employee)
			invite := func() *webtest.Answer {
				return w.in(1, 1).Post(people, map[string]any{"email": address(4), "role": "employee"})
			}
			invite().Status(403).Writes(0).JSON(noSeat)
			before(w)
			w.as(3).Post(invites+"1/decline/", nil).Status(204)
			if n := w.seats(); n != 1 {
				t.Errorf("%d seats after declining", n)
			}
			before(w)
			second := w.invite(1, 4, tenant.Owner)
			w.as(4).Post(invites+"1/accept/", nil).Status(200)
			invite().Status(403)
			before(w)
			w.in(1, 1).Delete(one(second)).Status(204)
			if n := w.seats(); n != 1 {
				t.Errorf("%d seats after removing a member", n)
			}
			third := w.invite(1, 4, tenant.Employee)
			before(w)
			w.in(1, 1).Delete(one(third)).Status(204)
			w.in(1, 1).Get(one(first)).Status(404)
			if n := w.seats(); n != 1 {
				t.Errorf("%d seats after removing an invitation", n)
			}
			w.check()
		})
	}
}

// Who was invited before a plan became smaller finds no room, and does when there is some again.
func TestASmallerPlan(t *testing.T) {
	for name, before := range map[string]func(*world){"counted": func(*world) {}, "from before": (*world).forget} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.hire(3, tenant.Manager)
			w.invite(1, 4, tenant.Employee)
			w.plan(1, company.Plan{Members: 2})
			before(w)
			w.as(4).Post(invites+"1/accept/", nil).Status(403).Writes(0).JSON(noSeat)
			w.plan(1, company.Plan{Members: 3})
			w.as(4).Post(invites+"1/accept/", nil).Status(200)
			w.check()
		})
	}
}

// Many who invite at once don't get more seats than there are, whether seats were counted before or not.
func TestSeatsAtOnce(t *testing.T) {
	for name, before := range map[string]func(*world){"counted": func(*world) {}, "from before": (*world).forget} {
		t.Run(name, func(t *testing.T) {
			w := asOnAWS(t)
			w.plan(1, company.Plan{Members: 4})
			gone := w.invite(1, 20, tenant.Employee)
			before(w)
			requests := []func() *webtest.Answer{func() *webtest.Answer { return w.in(1, 1).Delete(one(gone)) }}
			for user := range int64(8) {
				requests = append(requests, func() *webtest.Answer {
					return w.in(1, 1).Post(people, map[string]any{"email": address(user + 5), "role": "employee"})
				})
			}
			got := atOnce(requests...)
			places := w.in(1, 1).Get(people + "?pageSize=100").Status(200).Int("count")
			if places > 4 || w.seats() != places || got[500] > 0 {
				t.Errorf("%v: %d places, %d seats", got, places, w.seats())
			}
		})
	}
}
