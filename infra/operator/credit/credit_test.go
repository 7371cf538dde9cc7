package credit_test

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/functions/sms"
	"github.com/tenantry/tenantry/infra/operator/credit"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/infra/operator/stagetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// company makes a company that is called Acme.
func company(t *testing.T, of *table.Tenant) {
	t.Helper()
	if err := of.Create(table.At(of.Company(), 1)).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := of.Update(of.Company()).Set("n", "Acme").Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// owner is the owner of company 7 at the API of a stage where the operator alone books.
func owner(t *testing.T, s *stagetest.Stage) *webtest.Client {
	t.Helper()
	return webtest.Setup{Change: func(e *app.Env) { e.Table, e.Config.SMS.TopUp = s.Conn, false }}.New(t, sms.New).As(webtest.Owner(7))
}

// The operator books what a company has paid, where its owner can't: once for a reference, also if the command runs twice at once.
func TestAPaymentIsBookedOnce(t *testing.T) {
	s := stagetest.New(t)
	judged := s.Judged(t, "credit", nil)
	owner := owner(t, s)
	owner.Post("/v1/sms/account/top_up/", `{"amount":"5000"}`).Status(403).
		JSON(`{"detail":"The operator of the platform books what a company has paid.","code":"host_only"}`)
	with := func(change func(*stage.Env), args ...string) (string, error) {
		var out bytes.Buffer
		e := *judged
		e.Out = &out
		change(&e)
		err := credit.Run(t.Context(), &e, append([]string{"-tenant", "7"}, args...))
		return out.String(), err
	}
	run := func(args ...string) (string, error) { return with(func(*stage.Env) {}, args...) }
	if _, err := run("-amount", "5000", "-reference", "a"); err == nil || !strings.Contains(err.Error(), "there is no company 7") {
		t.Errorf("without a company: %v", err)
	}
	company(t, table.Of(s.Conn, 7))
	for _, answer := range []string{"", "no\n"} {
		if said, err := with(func(e *stage.Env) { e.Yes, e.In = false, strings.NewReader(answer) },
			"-amount", "5000", "-reference", "kaspi/1"); err == nil || !strings.Contains(said, `company 7, "Acme", under the reference kaspi/1`) {
			t.Errorf("%q, %v", said, err)
		}
	}
	owner.Get("/v1/sms/account/").Field("balance", `"0.00"`)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if said, err := run("-amount", "5000", "-reference", "kaspi/1", "-comment", "Invoice 1"); err != nil ||
				!strings.Contains(said, "company 7: 5000.00 booked") {
				t.Errorf("%q, %v", said, err)
			}
		})
	}
	wait.Wait()
	if said, err := run("-amount", "5000.00", "-reference", "kaspi/1"); err != nil || !strings.Contains(said, "booked before") {
		t.Errorf("again: %q, %v", said, err)
	}
	for want, flags := range map[string][]string{
		"booked with another amount: 5000.00": {"-amount", "6000", "-reference", "kaspi/1"},
		"-amount 0 is not more than 0":        {"-amount", "0", "-reference", "kaspi/2"},
		"-amount -5 is not more than 0":       {"-amount", "-5", "-reference", "kaspi/2"},
		"-comment has characters":             {"-amount", "5", "-reference", "kaspi/2", "-comment", "a\x1b[8mb"},
		"-amount much":                        {"-amount", "much", "-reference", "kaspi/2"},
		"-reference has to have":              {"-amount", "1", "-reference", "a b"},
		"name -tenant":                        {"-reference", "kaspi/2"},
		`"000" belongs to no flag`:            {"-reference", "kaspi/2", "-amount", "5", "000"},
		"-comment has more":                   {"-amount", "1", "-reference", "kaspi/2", "-comment", strings.Repeat("ж", 201)},
	} {
		if _, err := run(flags...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, not %q", flags, err, want)
		}
	}
	if _, err := run("-amount", "0.50", "-reference", "kaspi/2"); err != nil {
		t.Error(err)
	}
	owner.Get("/v1/sms/account/").Field("balance", `"5000.50"`)
	owner.Get("/v1/sms/account/history/").JSON(`{"count":2,"next":null,"previous":null,"results":[
		{"id":"<int>","tenant":7,"invoice":2,"created_at":"<datetime>","updated_at":"<datetime>","amount":"0.50","comment":null},
		{"id":"<int>","tenant":7,"invoice":1,"created_at":"<datetime>","updated_at":"<datetime>","amount":"5000.00","comment":"Invoice 1"}]}`)
}

func TestKilled(t *testing.T) {
	stagetest.Killed(t, func(t *testing.T) *stagetest.Stage {
		s := stagetest.New(t)
		company(t, table.Of(s.Conn, 7))
		return s
	}, credit.Run, strings.Fields("-tenant 7 -amount 100 -reference a"), func(t *testing.T, s *stagetest.Stage, said string) {
		owner(t, s).Get("/v1/sms/account/").Field("balance", `"100.00"`)
		if !strings.Contains(said, "company 7: 100.00 booked") {
			t.Errorf("%q", said)
		}
	})
}
