package account_test

import (
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/sms/account"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/usage"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/outbox/notify/smsrates"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/throttle"
	"github.com/tenantry/tenantry/shared/tenant"
)

// made makes the company, as it stands.
func made(t *testing.T, of *table.Tenant, state tenant.State) {
	t.Helper()
	c := company.Company{
		Item: table.At(of.Company(), company.Version), ID: int64(of.ID()), TimeZone: "Asia/Almaty", Revision: 1,
		Standing: tenant.Standing{State: state},
	}
	if err := of.Put(c).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// What comes late of a company that is being erased, or is gone, leaves nothing.
func TestNothingIsLeftOfACompanyThatIsGone(t *testing.T) {
	begun := time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
	name := enginetest.Table(t)
	scope := record.Scope{
		Table: table.Of(table.Open(enginetest.Client(t), name), 7), Now: func() time.Time { return begun },
		Actor: audit.Actor{Request: "r", At: begun},
	}
	late := map[string]func() error{
		"money":   func() error { return account.GiveBack(t.Context(), scope, "m1", account.Postage{Cents: 1500}, begun) },
		"a share": func() error { return account.GiveBack(t.Context(), scope, "m2", account.Postage{Share: 2}, begun) },
		"kept":    func() error { return account.Keep(t.Context(), scope, "m3") },
		"a day":   func() error { return usage.DayOf(scope.Table, "2026-03-01").Keep(t.Context(), scope.Table) },
		"a payment": func() error {
			err := scope.Do(t.Context(), nil, func(w *record.Work) error {
				_, err := account.Receive(t.Context(), w, "p1", money.Whole(100), nil)
				return err
			})
			if !errors.Is(err, fault.ErrNotFound) {
				t.Errorf("a payment: %v", err)
			}
			return nil
		},
	}
	for _, state := range []tenant.State{"no company", tenant.Erasing, tenant.Closed} {
		if state != "no company" {
			made(t, scope.Table, state)
		}
		if state == tenant.Closed { // which can be taken back: all of it is written
			late["a payment"] = func() error {
				return scope.Do(t.Context(), nil, func(w *record.Work) error {
					_, err := account.Receive(t.Context(), w, "p1", money.Whole(100), nil)
					return err
				})
			}
		}
		for what, do := range late {
			if err := do(); err != nil {
				t.Errorf("%s: %s: %v", state, what, err)
			}
		}
		for _, key := range []table.Key{
			scope.Table.SMSAccount(), scope.Table.SMSReturn("m1"), scope.Table.SMSReturn("m2"), scope.Table.SMSReturn("m3"),
			scope.Table.SMSReceipt("p1"), scope.Table.UsageDay("2026-03-01"), scope.Table.UsageMonth("2026-03"),
		} {
			var item table.Attributes
			err := scope.Table.Get(t.Context(), key, &item)
			if there := err == nil; there != (state == tenant.Closed) {
				t.Errorf("%s: %v is there: %t, %v", state, key, there, err)
			}
		}
	}
}

// What a message was paid with is given back once, however often and by however many workers it is asked for, and not at all when it
// was kept before.
func TestAPriceIsGivenBackOnce(t *testing.T) {
	begun := time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
	scope := record.Scope{
		Table: table.Of(table.Open(enginetest.Client(t), enginetest.Table(t)), 7), Now: func() time.Time { return begun },
		Actor: audit.Actor{Request: "r", At: begun},
	}
	made(t, scope.Table, tenant.Active)
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

// doored is a company that has enough, and a door.
func doored(t *testing.T, begun time.Time) (record.Scope, *account.Door, *table.Conn) {
	t.Helper()
	conn, now := table.Open(enginetest.Client(t), enginetest.Table(t)), func() time.Time { return begun }
	scope := record.Scope{Table: table.Of(conn, 7), Now: now, Actor: audit.Actor{User: 3, Request: "r", At: begun}, Through: crosstenant.Open(conn)}
	if err := scope.Do(t.Context(), nil, func(w *record.Work) error {
		return account.Book(t.Context(), w, &account.Operation{Amount: money.Whole(100)})
	}); err != nil {
		t.Fatal(err)
	}
	rates, err := smsrates.Parse("KZ=1", money.Whole(15))
	if err != nil {
		t.Fatal(err)
	}
	return scope, account.NewDoor(account.Terms{Sends: true, Rates: rates, Free: 2, Daily: 100}, throttle.Open(conn, now)), conn
}

// A message is counted once, in the first try that comes as far, whatever races the request loses before and after.
func TestAMessageIsCountedOnce(t *testing.T) {
	begun := time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
	scope, door, conn := doored(t, begun)
	err := scope.Do(t.Context(), nil, func(w *record.Work) error {
		if w.Try() == 1 {
			return table.ErrRevision
		}
		err := door.Pays(t.Context(), w, []string{"+77011234567"}, 1, &account.Operation{Amount: money.Whole(-15)})
		if err == nil && w.Try() < 4 {
			return table.ErrRevision
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var count struct {
		table.Item
		N int `dynamo:"c"`
	}
	key := crosstenant.Throttle("text-user", throttle.Subject("3"), strconv.FormatInt(begun.Truncate(24*time.Hour).Unix(), 10))
	if err := crosstenant.Open(conn).Get(t.Context(), key, &count); err != nil || count.N != 1 {
		t.Errorf("counted %d times, %v", count.N, err)
	}
}

// A request of before midnight that commits after one of the next day takes of that day's share, and gives nobody a day anew.
func TestAFreeShareIsHadOnceAroundMidnight(t *testing.T) {
	midnight := time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC)
	scope, door, _ := doored(t, midnight)
	for i, step := range []struct {
		at   time.Time
		free bool
	}{{midnight, true}, {midnight.Add(-time.Second), true}, {midnight, false}, {midnight.Add(-time.Second), false}} {
		s := scope
		s.Actor.At = step.at
		var paid account.Postage
		if err := s.Do(t.Context(), nil, func(w *record.Work) (err error) {
			if paid, err = door.Sends(t.Context(), w, account.Links(), "channel", "+77011234567"); err != nil {
				return err
			}
			return w.Send("documents.link", paid)
		}); err != nil {
			t.Fatal(err)
		}
		if free := paid.Share > 0; free != step.free {
			t.Errorf("%d: paid with %+v", i, paid)
		}
	}
}
