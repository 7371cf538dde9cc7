package account_test

import (
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/sms/account"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
)

// What a message was paid with is given back once, however often and by however many workers it is asked for, and not at all when it
// was kept before.
func TestAPriceIsGivenBackOnce(t *testing.T) {
	begun := time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
	scope := record.Scope{
		Table: table.Of(table.Open(enginetest.Client(t), enginetest.Table(t)), 7), Now: func() time.Time { return begun },
		Actor: audit.Actor{Request: "r", At: begun},
	}
	const free = 20
	read := func() *account.Account {
		t.Helper()
		a := new(account.Account)
		if err := scope.Table.Get(t.Context(), scope.Table.SMSAccount(), a); err != nil {
			t.Fatal(err)
		}
		return a
	}
	// The day's share has paid nine, and 100 came in.
	if err := scope.Do(t.Context(), nil, func(w *record.Work) error {
		a, err := account.Open(t.Context(), w)
		if err != nil {
			return err
		}
		a.Day, a.Used = begun.Unix()/86400, 9
		return account.Book(t.Context(), w, &account.Operation{Amount: money.Whole(100)})
	}); err != nil {
		t.Fatal(err)
	}
	giveBack := func(message string, p account.Postage, at time.Time) {
		t.Helper()
		var wait sync.WaitGroup
		for range 3 {
			wait.Go(func() {
				if err := account.GiveBack(t.Context(), scope, message, p, at); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
	}
	for _, step := range []struct {
		name    string
		do      func()
		balance string
		left    int64
	}{
		{"nothing yet", func() {}, "100.00", 11},
		{"money", func() { giveBack("a", account.Postage{Cents: 1500}, begun) }, "115.00", 11},
		{"the same", func() { giveBack("a", account.Postage{Cents: 1500}, begun) }, "115.00", 11},
		{"another", func() { giveBack("b", account.Postage{Cents: 1500}, begun) }, "130.00", 11},
		{"a share", func() { giveBack("c", account.Postage{Share: 2}, begun) }, "130.00", 13},
		{"the same share", func() { giveBack("c", account.Postage{Share: 2}, begun) }, "130.00", 13},
		{"a share of yesterday", func() { giveBack("d", account.Postage{Share: 1}, begun.Add(-24*time.Hour)) }, "130.00", 13},
		{"kept", func() {
			for range 2 {
				if err := account.Keep(t.Context(), scope, "e"); err != nil {
					t.Error(err)
				}
			}
			giveBack("e", account.Postage{Cents: 1500}, begun)
		}, "130.00", 13},
		{"a kept share", func() { giveBack("e", account.Postage{Share: 1}, begun) }, "130.00", 13},
	} {
		step.do()
		if a := read(); a.Balance.String() != step.balance || a.FreeLeft(free, begun) != step.left {
			t.Errorf("%s: %s and %d left, want %s and %d", step.name, a.Balance, a.FreeLeft(free, begun), step.balance, step.left)
		}
	}
}
