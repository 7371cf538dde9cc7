package plan_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/standing"
	"github.com/tenantry/tenantry/infra/operator/plan"
	"github.com/tenantry/tenantry/infra/operator/stagetest"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// acme makes company 7, with two records.
func acme(t *testing.T) *stagetest.Stage {
	t.Helper()
	s := stagetest.New(t)
	of := table.Of(s.Conn, 7)
	c := company.Company{Item: table.At(of.Company(), company.Version), ID: 7, Name: "Acme", TimeZone: "Asia/Almaty", Revision: 1}
	if err := of.Put(c).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.People(t, 7)
	list := listing.Of(of, kinds.Category, nil)
	first, err := list.Reserve(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := list.CreateMany(t.Context(), []int64{first, first + 1}, func(tx *table.Tx) ([]int64, error) {
		for _, id := range []int64{first, first + 1} {
			tx.Put(of.Create(table.At(of.Record(kinds.Category, id), 1)), nil)
		}
		return []int64{first, first + 1}, nil
	}); err != nil {
		t.Fatal(err)
	}
	return s
}

func stored(t *testing.T, s *stagetest.Stage) (c company.Company) {
	t.Helper()
	of := table.Of(s.Conn, 7)
	if err := of.Get(t.Context(), of.Company(), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// The operator sets all limits of a plan at once, and learns what the company has; what is over the plan is noted.
func TestPlan(t *testing.T) {
	s := acme(t)
	run := func(args ...string) (string, error) {
		t.Helper()
		return s.Run(t.Context(), plan.Run, append([]string{"-tenant", "7"}, args...)...)
	}
	if said, err := run(); err != nil || said != "Company 7, \"Acme\", has the plan: no limits.\n" {
		t.Errorf("%q, %v", said, err)
	}
	said, err := run("-records", "1", "-members", "10", "-sms", "1000", "-seals", "200")
	if err != nil || !strings.HasSuffix(said, "has the plan: at most 1 record, 10 members and invitations, 1000 segments of SMS a month, "+
		"200 sealed documents a month. It has 2 records and 1 member.\n") {
		t.Errorf("%q, %v", said, err)
	}
	if c := stored(t, s); c.PlanOf() != (company.Plan{Records: 1, Members: 10, SMS: 1000, Seals: 200}) || c.Full != 1 {
		t.Errorf("%+v, full %v", c.PlanOf(), c.Full)
	}
	if _, err := run("-records", "3"); err != nil {
		t.Error(err)
	}
	if c := stored(t, s); c.PlanOf() != (company.Plan{Records: 3}) || c.Full != 0 {
		t.Errorf("%+v, full %v", c.PlanOf(), c.Full)
	}
	if _, err := run("-sms", "0"); err != nil || stored(t, s).Plan != nil {
		t.Errorf("%v, %+v", err, stored(t, s).Plan)
	}
	for want, args := range map[string][]string{
		"-sms -1 is no limit": {"-sms", "-1"}, "invalid value": {"-sms", "many"}, "there is no company 8": {"-tenant", "8", "-sms", "1"},
	} {
		if _, err := run(args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// The command needs no more than its policy allows, and uses all of that.
func TestRights(t *testing.T) {
	s := acme(t)
	if err := plan.Run(t.Context(), s.Judged(t, "plan", nil), []string{"-tenant", "7", "-records", "1"}); err != nil {
		t.Fatal(err)
	}
}

// Wherever it is killed, it ends the same when it is run again.
func TestKilled(t *testing.T) {
	stagetest.Killed(t, acme, plan.Run, []string{"-tenant", "7", "-records", "1"}, func(t *testing.T, s *stagetest.Stage, _ string) {
		for _, stands := range s.Standings(t, 7) {
			if stands.Full != 1 {
				t.Errorf("it stands as %+v", stands)
			}
		}
		if c := stored(t, s); c.PlanOf().Records != 1 || c.Full != 1 {
			t.Errorf("%+v, full %v", c.PlanOf(), c.Full)
		}
	})
}

// Whether a company is full follows its plan, also while it is closed: so it is right once that is taken back, and says nothing of when it
// was closed.
func TestPlanOfAClosedCompany(t *testing.T) {
	for name, c := range map[string]struct {
		before, closed string
		full           int64
	}{
		"more":   {"1", "0", 0},
		"less":   {"3", "1", 1},
		"still":  {"1", "2", 2},
		"enough": {"1", "3", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := acme(t)
			run := func(records string) {
				t.Helper()
				if _, err := s.Run(t.Context(), plan.Run, "-tenant", "7", "-records", records); err != nil {
					t.Fatal(err)
				}
			}
			e, _ := s.Env()
			standings := standing.Open(s.Conn)
			change := func(of func(w *record.Work, c *company.Company) error) {
				t.Helper()
				scope := standings.Scope(record.Scope{Now: e.Now, Actor: audit.Actor{Request: "r", At: e.Now()}}, 7)
				if err := scope.Do(t.Context(), nil, func(w *record.Work) error {
					c, err := company.Get(t.Context(), w)
					if err != nil {
						return err
					}
					return of(w, &c)
				}); err != nil {
					t.Fatal(err)
				}
				if err := standings.Spread(t.Context(), 7); err != nil {
					t.Fatal(err)
				}
			}
			run(c.before)
			change(standing.Close)
			since := stored(t, s).Since
			run(c.closed)
			if now := stored(t, s); now.Since != since || now.State != tenant.Closed {
				t.Errorf("closed since %v, not %v: %+v", now.Since, since, now.Standing)
			}
			change(standing.Reopen)
			if now := stored(t, s); now.State != tenant.Active || now.Full != c.full {
				t.Errorf("%+v, not full %d", now.Standing, c.full)
			}
			for _, stands := range s.Standings(t, 7) {
				if stands.Full != c.full || stands.State != tenant.Active {
					t.Errorf("it is known as %+v, not full %d", stands, c.full)
				}
			}
		})
	}
}

// A company that is not restored wholly gets no plan: its restore writes that too. It may be shown.
func TestPlanWhileRestored(t *testing.T) {
	s := acme(t)
	of := table.Of(s.Conn, 7)
	if err := of.Update(of.Company()).Set("rst", "a copy").Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context(), plan.Run, "-tenant", "7"); err != nil {
		t.Error(err)
	}
	if said, err := s.Run(t.Context(), plan.Run, "-tenant", "7", "-records", "3"); err == nil || !strings.Contains(err.Error(), "not restored") {
		t.Errorf("%q, %v", said, err)
	}
	if c := stored(t, s); c.Plan != nil {
		t.Errorf("it has the plan %+v", c.Plan)
	}
}
