package suspend_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/standing"
	"github.com/tenantry/tenantry/infra/operator/stagetest"
	"github.com/tenantry/tenantry/infra/operator/suspend"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

func acme(t *testing.T) *stagetest.Stage {
	t.Helper()
	s := stagetest.New(t)
	of := table.Of(s.Conn, 7)
	c := company.Company{Item: table.At(of.Company(), company.Version), ID: 7, Name: "Acme", TimeZone: "UTC", Revision: 1}
	if err := of.Put(c).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.People(t, 7)
	return s
}

// stands fails unless all know that the company stands so.
func stands(t *testing.T, s *stagetest.Stage, state tenant.State, notice say.Message) {
	t.Helper()
	for i, got := range s.Standings(t, 7) {
		if got.State != state || got.Notice != notice {
			t.Errorf("number %d: %+v", i, got)
		}
	}
}

func TestSuspend(t *testing.T) {
	s := acme(t)
	said, err := s.Run(t.Context(), suspend.Run, "-tenant", "7", "-reads", "-notice", " Pay. ")
	if err != nil || !strings.Contains(said, `company 7, "Acme"`) || !strings.HasSuffix(said, "Company 7 is suspended for all but reading.\n") {
		t.Errorf("%q, %v", said, err)
	}
	stands(t, s, tenant.OnlyRead, "Pay.")
	if _, err := s.Run(t.Context(), suspend.Run, "-tenant", "7", "-notice", "Pay."); err != nil {
		t.Error(err)
	}
	stands(t, s, tenant.Suspended, "Pay.")
	if _, err := s.Run(t.Context(), suspend.Resume, "-tenant", "7"); err != nil {
		t.Error(err)
	}
	stands(t, s, tenant.Active, "")
	for want, args := range map[string][]string{
		"name the company": {}, "there is no company 8": {"-tenant", "8"}, "more than 200": {"-tenant", "7", "-notice", strings.Repeat("a", 201)},
		"can't be shown": {"-tenant", "7", "-notice", "Pay \x1b[8mnow"},
	} {
		if _, err := s.Run(t.Context(), suspend.Run, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// What is closed is not opened by halves, and is kept from being erased by a suspension; what is being erased is not resumed, and what is half restored neither.
func TestWhatIsNotChanged(t *testing.T) {
	s := acme(t)
	of := table.Of(s.Conn, 7)
	set := func(name string, value any) {
		t.Helper()
		if err := of.Update(of.Company()).Set(name, value).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	set("st", tenant.Closed)
	if _, err := s.Run(t.Context(), suspend.Run, "-tenant", "7", "-reads"); err == nil || !strings.Contains(err.Error(), "is closed") {
		t.Error(err)
	}
	if _, err := s.Run(t.Context(), suspend.Run, "-tenant", "7", "-notice", "Stay."); err != nil {
		t.Error(err)
	}
	stands(t, s, tenant.Suspended, "Stay.")
	if _, err := s.Run(t.Context(), suspend.Run, "-tenant", "7", "-reads"); err == nil || !strings.Contains(err.Error(), "and before that closed") {
		t.Error(err)
	}
	stands(t, s, tenant.Suspended, "Stay.")
	set("st", tenant.Erasing)
	if _, err := s.Run(t.Context(), suspend.Resume, "-tenant", "7"); err == nil || !strings.Contains(err.Error(), "is erasing") {
		t.Error(err)
	}
	set("st", tenant.Suspended)
	set("rst", "a copy")
	if _, err := s.Run(t.Context(), suspend.Resume, "-tenant", "7", "-reopen"); err == nil || !strings.Contains(err.Error(), "not restored") {
		t.Error(err)
	}
}

// The command needs no more than its policy allows, and uses all of that.
func TestRights(t *testing.T) {
	s := acme(t)
	e := s.Judged(t, "suspend", nil)
	if err := suspend.Run(t.Context(), e, []string{"-tenant", "7"}); err != nil {
		t.Fatal(err)
	}
	if err := suspend.Resume(t.Context(), e, []string{"-tenant", "7"}); err != nil {
		t.Fatal(err)
	}
}

// Wherever it is killed, it ends the same when it is run again.
func TestKilled(t *testing.T) {
	stagetest.Killed(t, acme, suspend.Run, []string{"-tenant", "7", "-notice", "Pay."}, func(t *testing.T, s *stagetest.Stage, _ string) {
		stands(t, s, tenant.Suspended, "Pay.")
	})
}

// What an owner has closed stays closed where that was last, and is closed again where it was suspended since, unless both are to be taken
// back. A suspension that was taken back from above a closing does not come back with it.
func TestResumeOfAClosedCompany(t *testing.T) {
	for name, steps := range map[string]func(t *testing.T, s *stagetest.Stage){
		"closed": func(t *testing.T, s *stagetest.Stage) { closes(t, s) },
		"suspended, and closed": func(t *testing.T, s *stagetest.Stage) {
			suspends(t, s)
			closes(t, s)
		},
		"closed, suspended twice, and resumed": func(t *testing.T, s *stagetest.Stage) {
			closes(t, s)
			suspends(t, s, "-notice", "Pay.")
			suspends(t, s, "-notice", "Pay now.")
			said, err := s.Run(t.Context(), suspend.Resume, "-tenant", "7")
			if err != nil || !strings.Contains(said, "It is closed again then") || !strings.HasSuffix(said, "Company 7 is closed.\n") {
				t.Errorf("%q, %v", said, err)
			}
			if is := s.Standings(t, 7)[0]; !strings.Contains(is.Notice.Error(), "Its owner can take that back until") {
				t.Errorf("%+v", is)
			}
		},
		"closed, suspended, and closed again": func(t *testing.T, s *stagetest.Stage) {
			closes(t, s)
			suspends(t, s)
			closes(t, s)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := acme(t)
			steps(t, s)
			before := s.Standings(t, 7)[0]
			if _, err := s.Run(t.Context(), suspend.Resume, "-tenant", "7"); err == nil || !strings.Contains(err.Error(), "-reopen") {
				t.Errorf("resumed: %v", err)
			}
			stands(t, s, before.State, before.Notice)
			said, err := s.Run(t.Context(), suspend.Resume, "-tenant", "7", "-reopen")
			if err != nil || !strings.Contains(said, "takes back that its owner has closed it") || !strings.HasSuffix(said, "is active.\n") {
				t.Errorf("%q, %v", said, err)
			}
			stands(t, s, tenant.Active, "")
		})
	}
}

func suspends(t *testing.T, s *stagetest.Stage, more ...string) {
	t.Helper()
	if _, err := s.Run(t.Context(), suspend.Run, append([]string{"-tenant", "7"}, more...)...); err != nil {
		t.Fatal(err)
	}
}

// closes closes the company, as its owner does.
func closes(t *testing.T, s *stagetest.Stage) {
	t.Helper()
	of := standing.Open(s.Conn)
	now := func() time.Time { return time.Now().UTC() }
	scope := of.Scope(record.Scope{Now: now, Actor: audit.Actor{At: now()}}, 7)
	if err := scope.Do(t.Context(), nil, func(w *record.Work) error {
		c, err := company.Get(t.Context(), w)
		if err != nil {
			return err
		}
		return standing.Close(w, &c)
	}); err != nil {
		t.Fatal(err)
	}
	if err := of.Spread(t.Context(), 7); err != nil {
		t.Fatal(err)
	}
}

// The whole of a closing and a suspension is taken back at once, too.
func TestReopened(t *testing.T) {
	s := acme(t)
	closes(t, s)
	suspends(t, s)
	said, err := s.Run(t.Context(), suspend.Resume, "-tenant", "7", "-reopen")
	if err != nil || !strings.Contains(said, "nothing of it is erased") {
		t.Errorf("%q, %v", said, err)
	}
	stands(t, s, tenant.Active, "")
}
