package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/platform"
	"github.com/tenantry/tenantry/infra/races/clerks"
)

func nothing(string) string { return "" }

// A platform that runs is raced, and one that is started and killed.
func TestRaces(t *testing.T) {
	t.Run("with -url", func(t *testing.T) {
		p, err := platform.Start(t.Context(), platform.Options{Addr: "127.0.0.1:0", Demo: true, Patient: true, Unlimited: true, Out: t.Output()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		var out bytes.Buffer
		args := []string{"-url", p.URL + "/", "-n", "150", "-alone", "20", "-seed", "1"}
		if status := run(t.Context(), args, nothing, &out, &out); status != 0 {
			t.Fatalf("status %d\n%s", status, &out)
		}
		for _, says := range []string{" 0 kills:", "\n0 overlaps\n", "nothing is wrong"} {
			if !strings.Contains(out.String(), says) {
				t.Errorf("it does not say %q:\n%s", says, &out)
			}
		}
	})
	t.Run("with -kill", func(t *testing.T) {
		var out bytes.Buffer
		args := []string{"-n", "150", "-alone", "20", "-seed", "1", "-kill", "1"}
		if status := run(t.Context(), args, nothing, &out, &out); status != 0 || !strings.Contains(out.String(), " 1 kills:") {
			t.Fatalf("status %d\n%s", status, &out)
		}
	})
}

// An audit finds what is wrong: here, answers are changed on their way.
func TestAuditFinds(t *testing.T) {
	p, err := platform.Start(t.Context(), platform.Options{Addr: "127.0.0.1:0", Demo: true, Patient: true, Unlimited: true, Out: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	st := &stage{url: p.URL}
	if err := st.company(t.Context(), nothing); err != nil {
		t.Fatal(err)
	}
	office, err := clerks.Open(t.Context(), st.call, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	clerk := office.Hire(st.call, 1)
	for range 100 {
		clerk.Act(t.Context())
	}
	// What the clerks did is left to chance; this is there in any case.
	create := func(path, body string) (is struct{ ID int64 }) {
		if status, err := st.plain(t.Context(), "POST", path, body, &is); err != nil || status >= 300 {
			t.Fatalf("%s: %d %v", path, status, err)
		}
		return is
	}
	requests := "/v1/crm/requests/"
	made := create(requests, `{"client":1,"services":[{"service":1}]}`)
	create(fmt.Sprint(requests, made.ID, "/deposits/"), `{"amount":"10.00"}`)
	create(fmt.Sprint(requests, made.ID, "/pay/"), `{"amount":"10.00"}`)
	referral := create(requests+"referrals/", fmt.Sprintf(`{"request":%d,"agent":1,"amount":"5.00"}`, made.ID))
	create(fmt.Sprint(requests, "referrals/", referral.ID, "/pay/"), `{}`)
	const long = `"start_at":"2020-01-01T00:00:00Z","end_at":"2040-01-01T00:00:00Z"`
	for _, tt := range []struct{ name, path, was, is, says string }{
		{"a line at another time", "/v1/crm/requests/", `"start_at":"`, long + `,"x":"`, "has two"},
		{"a total", "/v1/crm/requests/", `"price_inventory":"`, `"price_inventory":"1`, "its totals are"},
		{"what was paid", "/v1/finances/transactions/", `"kind":"payment"`, `"kind":"plain"`, "its payments are"},
		{"a balance", "/v1/finances/accounts/", `"balance":"`, `"balance":"1`, "its postings come to"},
		{"a debt", "/v1/crm/requests/", `"debt":"`, `"debt":"1`, "its debts are"},
		{"the debt of a client", "/v1/crm/clients/", `"orders_debt_amount":"`, `"orders_debt_amount":"1`, "its sums are"},
		{"what is left of deposits", "/v1/crm/requests/", `"returned":"`, `"returned":"-1`, "its deposit"},
		{"referrals", "/v1/crm/requests/referrals/", `"amount":"`, `"amount":"1`, "its referrals are"},
		{"a line that has no time", "/v1/crm/requests/", `"status":3`, `"status":1`, "the calendar has"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spoiled := func(ctx context.Context, method, path, key, body string) (int, []byte, error) {
				status, answer, err := st.call(ctx, method, path, key, body)
				if method == "GET" && strings.Contains(path, tt.path) {
					answer = bytes.ReplaceAll(answer, []byte(tt.was), []byte(tt.is))
				}
				return status, answer, err
			}
			_, wrong := office.Audit(t.Context(), spoiled, 0)
			if !strings.Contains(strings.Join(wrong, "\n"), tt.says) {
				t.Errorf("it does not say %q: %q", tt.says, wrong)
			}
		})
	}
	if _, wrong := office.Audit(t.Context(), st.call, 5); len(wrong) > 0 {
		t.Errorf("unspoiled: %q", wrong)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"-nothing"}, {"-url", "http://127.0.0.1:1", "-kill", "1"}} {
		var out bytes.Buffer
		if status := run(t.Context(), args, nothing, &out, &out); status != 2 || out.Len() == 0 {
			t.Errorf("%v: status %d, %s", args, status, &out)
		}
	}
}
