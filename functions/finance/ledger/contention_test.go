package ledger_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// Sixteen who post into one account at the same time all succeed, and its balance is exact. Some
// of what they post is dated ahead.
func TestPostingsUnderContention(t *testing.T) {
	const writers, times = 16, 4
	b := newBooks(t, tabletest.Locks())
	account := b.open(100)
	var wait sync.WaitGroup
	for n := range writers {
		process := b.process(b.world.Client(uint64(n)))
		wait.Go(func() {
			for i := range times {
				at := b.now()
				if n%4 == 0 {
					at = at.Add(time.Hour)
				}
				if _, err := b.post(process, account, money.Whole(int64(n+i)), at); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if got := b.balance(account); got != "556.00" { // 100, and 576 less the 120 of those ahead
		t.Errorf("the balance is %s", got)
	}
	b.clock.Add(time.Hour.Microseconds())
	if got := b.balance(account); got != "676.00" {
		t.Errorf("an hour later the balance is %s", got)
	}
	if st := b.statement(account, ledger.Period{}); st.Count != writers*times {
		t.Errorf("%d postings", st.Count)
	}
	b.agrees(account, 100)
}

// BenchmarkPostings is how many postings a second sixteen make into one account, with locks as
// AWS has them.
func BenchmarkPostings(b *testing.B) {
	k := newBooks(b, tabletest.Locks())
	account := k.open(0)
	var left, failed atomic.Int64
	left.Store(int64(b.N))
	var wait sync.WaitGroup
	b.ResetTimer()
	for n := range 16 {
		process := k.process(k.world.Client(uint64(n)))
		wait.Go(func() {
			for left.Add(-1) >= 0 {
				at := k.now().Add(-time.Duration(n) * 24 * time.Hour)
				if _, err := k.post(process, account, money.Whole(1), at); err != nil {
					failed.Add(1)
				}
			}
		})
	}
	wait.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "postings/s")
	b.ReportMetric(float64(failed.Load()), "failed")
	if got := k.balance(account); got != money.Whole(int64(b.N)-failed.Load()).String() {
		b.Errorf("the balance is %s", got)
	}
}

// Sixteen refunds of one posting at the same time give back all of it and no more.
func TestRefundsUnderContention(t *testing.T) {
	for name, tt := range map[string]struct{ each, made int64 }{"of what suffices for all": {5, 16}, "of what suffices for ten": {8, 10}} {
		t.Run(name, func(t *testing.T) {
			b := newBooks(t, tabletest.Locks())
			account := b.open(0)
			of := b.must(account, 80)
			var made atomic.Int64
			var wait sync.WaitGroup
			for n := range 16 {
				process := b.process(b.world.Client(uint64(n)))
				wait.Go(func() {
					switch _, err := b.refund(process, of.ID, money.Whole(tt.each)); {
					case err == nil:
						made.Add(1)
					case code(err) != fault.Invalid:
						t.Error(err)
					}
				})
			}
			wait.Wait()
			if got := b.balance(account); got != "0.00" || made.Load() != tt.made {
				t.Errorf("%d refunds, and the balance is %s", made.Load(), got)
			}
			b.agrees(account, 0)
		})
	}
}

// Of two accounts that are made the default at the same time one is, whatever is opened and
// closed meanwhile.
func TestDefaultsUnderContention(t *testing.T) {
	b := newBooks(t, tabletest.Locks())
	ids := []int64{b.open(0), b.open(0), b.open(0)}
	processes := make([]record.Scope, 4)
	for n := range processes {
		processes[n] = b.process(b.world.Client(uint64(n)))
	}
	for round := range 50 {
		var wait sync.WaitGroup
		for n := range 2 {
			wait.Go(func() {
				err := b.do(processes[n], func(w *record.Work) error {
					a, err := ledger.Accounts().Edit(t.Context(), w, ids[(round+n)%len(ids)])
					if err != nil {
						return err
					}
					chosen := true
					return ledger.Change(t.Context(), w, a, &chosen)
				})
				if err != nil {
					t.Errorf("round %d: %v", round, err)
				}
			})
		}
		wait.Wait()
		if got := b.defaults(ids...); len(got) != 1 {
			t.Fatalf("round %d: the default is %v", round, got)
		}
	}
}

// closeAccount closes an account.
func (b *books) closeAccount(s record.Scope, id int64) error {
	return b.do(s, func(w *record.Work) error {
		a, err := ledger.Accounts().Edit(b.t.Context(), w, id)
		if err != nil {
			return err
		}
		if err := ledger.Close(b.t.Context(), w, a); err != nil {
			return err
		}
		return ledger.Accounts().Remove(b.t.Context(), w, id)
	})
}

// Where the last account is closed while another one is opened or posted into, there is a default
// afterwards as long as there are accounts, and no posting without its account.
func TestTheLastAccountUnderContention(t *testing.T) {
	b := newBooks(t, tabletest.Locks())
	one, other := b.process(b.world.Client(1)), b.process(b.world.Client(2))
	for round := range 40 {
		last := b.open(0)
		var closed, posted error
		opened := int64(0)
		var p *ledger.Posting
		var wait sync.WaitGroup
		wait.Go(func() {
			time.Sleep(time.Duration(round) * time.Millisecond) // to meet the other one at each of its calls
			closed = b.closeAccount(one, last)
		})
		wait.Go(func() {
			if round%2 == 0 {
				posted = b.do(other, func(w *record.Work) error {
					a := &ledger.Account{}
					ledger.Accounts().Create(w, "", a)
					err := ledger.Open(t.Context(), w, a, false)
					opened = a.ID
					return err
				})
				return
			}
			p, posted = b.post(other, last, money.Whole(1), b.now())
		})
		wait.Wait()
		switch {
		case round%2 == 0: // an account was opened
			if got := b.defaults(last, opened); posted != nil || len(got) != 1 || closed == nil && got[0] != opened {
				t.Fatalf("round %d: opened %v, closed %v, the default is %v", round, posted, closed, got)
			}
			_ = b.closeAccount(b.sound, opened)
		case (closed == nil) == (posted == nil):
			t.Fatalf("round %d: closed %v, posted %v", round, closed, posted)
		case posted == nil:
			if err := b.remove(b.sound, p.ID); err != nil {
				t.Fatal(err)
			}
		}
		if closed != nil {
			if err := b.closeAccount(b.sound, last); err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
		}
	}
}

// An exchange whose process dies at any call is there whole or not at all, and so is its end.
func TestExchangesThatDie(t *testing.T) {
	b := newBooks(t, tabletest.Faults{})
	from, to := b.open(0), b.open(0)
	seed, whole := uint64(0), int64(0)
	for _, after := range []bool{false, true} {
		for call := 1; ; call++ {
			seed++
			client := b.world.Client(seed)
			client.DieAt(call, after)
			_, err := b.exchange(b.process(client), from, to, money.Whole(1), b.now().Add(time.Hour*time.Duration(call%2)))
			if (err == nil) == client.Crashed() {
				t.Errorf("call %d: %v", call, err)
			}
			list, _, pageErr := ledger.Exchanges().Page(t.Context(), b.request(b.sound), search.Query{}, record.Window{Size: 100})
			if pageErr != nil {
				t.Fatal(pageErr)
			}
			whole = int64(len(list))
			for _, account := range []int64{from, to} {
				if st := b.statement(account, ledger.Period{}); int64(st.Count) != whole {
					t.Fatalf("call %d: %d exchanges, and %d postings of account %d", call, whole, st.Count, account)
				}
				b.agrees(account, 0)
			}
			if !client.Crashed() {
				break
			}
		}
	}
	if whole < 2 {
		t.Errorf("%d exchanges", whole)
	}
	for id := whole; id > 0; id-- { // not all of these exist
		for call := 1; ; call++ {
			seed++
			client := b.world.Client(seed)
			client.DieAt(call, call%2 == 0)
			err := b.cancel(b.process(client), id)
			b.agrees(from, 0)
			b.agrees(to, 0)
			if !client.Crashed() {
				if err != nil && !errors.Is(err, fault.ErrNotFound) {
					t.Errorf("exchange %d: %v", id, err)
				}
				break
			}
		}
	}
}

// When the answer to a posting's transaction is lost, the caller is told success only if the posting
// was stored. If it was not, nothing of it is stored.
func TestLostAnswers(t *testing.T) {
	b := newBooks(t, tabletest.Faults{})
	account := b.open(0)
	for i, fails := range []func(*tabletest.Client){
		func(c *tabletest.Client) { c.Deafen(true) },
		func(c *tabletest.Client) { c.Deafen(false) },
		(*tabletest.Client).Resend,
	} {
		client := b.world.Client(uint64(i))
		fails(client)
		before := b.balance(account)
		_, err := b.post(b.process(client), account, money.Whole(1), b.now())
		after := fmt.Sprintf("%s to %s", before, b.balance(account))
		if want := []string{"0.00 to 1.00", "1.00 to 1.00", "1.00 to 2.00"}[i]; after != want || (err == nil) != (i != 1) || err != nil && !table.Unavailable(err) {
			t.Errorf("case %d: %s, want %s: %v", i, after, want, err)
		}
	}
	b.agrees(account, 0)
}
