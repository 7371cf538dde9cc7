package ledger_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/recordtest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// books are the accounts of a company in Almaty, and processes that work on them.
type books struct {
	t        testing.TB
	world    *tabletest.World
	name     string
	clock    atomic.Int64 // microseconds
	requests atomic.Int64
	sound    record.Scope // of a process without faults
}

func newBooks(t testing.TB, faults tabletest.Faults) *books {
	t.Helper()
	b := &books{t: t}
	b.world, b.name = tabletest.NewFaulty(t, faults)
	b.clock.Store(recordtest.Start.UnixMicro())
	b.sound = b.process(enginetest.Client(t))
	settle(t, b.sound)
	return b
}

// settle gives a company its time zone.
func settle(t testing.TB, s record.Scope) {
	t.Helper()
	c := company.Company{Item: table.At(s.Table.Company(), company.Version), ID: int64(s.Table.ID()), TimeZone: "Asia/Almaty"}
	if err := s.Table.Put(c).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (b *books) now() time.Time { return time.UnixMicro(b.clock.Load()) }

// process is a process that reaches the table through a client.
func (b *books) process(client dynamodbiface.DynamoDBAPI) record.Scope {
	return b.request(record.Scope{Table: table.Of(table.Open(client, b.name), 7), Now: b.now})
}

// request is the next request that a process serves.
func (b *books) request(s record.Scope) record.Scope {
	s.Actor = audit.Actor{User: 1, Request: fmt.Sprint("request-", b.requests.Add(1)), At: b.now()}
	return s
}

// do is a request of its own.
func (b *books) do(s record.Scope, decide func(w *record.Work) error) error {
	return b.request(s).Do(b.t.Context(), nil, decide)
}

// open opens an account.
func (b *books) open(initial int64) (id int64) {
	b.t.Helper()
	var a *ledger.Account
	err := b.do(b.sound, func(w *record.Work) error {
		a = &ledger.Account{Name: "Cash", Initial: money.Whole(initial)}
		ledger.Accounts().Create(w, "", a)
		return ledger.Open(b.t.Context(), w, a, false)
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return a.ID
}

// post posts an amount at a moment.
func (b *books) post(s record.Scope, account int64, amount money.Amount, at time.Time) (p *ledger.Posting, err error) {
	err = b.do(s, func(w *record.Work) error {
		p = &ledger.Posting{Account: account, Amount: amount, Date: moment.Of(at), Sort: ledger.SortPlain}
		return ledger.Post(b.t.Context(), w, "", p)
	})
	return p, err
}

// must posts an amount now, by a process without faults.
func (b *books) must(account, amount int64) *ledger.Posting {
	b.t.Helper()
	p, err := b.post(b.sound, account, money.Whole(amount), b.now())
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

func (b *books) refund(s record.Scope, of int64, amount money.Amount) (p *ledger.Posting, err error) {
	err = b.do(s, func(w *record.Work) (err error) {
		p, err = ledger.Refund(b.t.Context(), w, ledger.Part{Of: of, Amount: amount, Date: moment.Of(w.Scope().Actor.At)})
		return err
	})
	return p, err
}

func (b *books) exchange(s record.Scope, from, to int64, amount money.Amount, at time.Time) (e *ledger.Exchange, err error) {
	err = b.do(s, func(w *record.Work) error {
		e = &ledger.Exchange{}
		ledger.Exchanges().Create(w, "", e)
		e.From, e.To, e.Amount, e.Date = from, to, amount, moment.Of(at)
		return ledger.Exchanging(b.t.Context(), w, e)
	})
	return e, err
}

// edit changes a posting.
func (b *books) edit(s record.Scope, id int64, change func(p *ledger.Posting)) error {
	return b.do(s, func(w *record.Work) error {
		p, err := ledger.Postings().Edit(b.t.Context(), w, id)
		if err != nil {
			return err
		}
		change(p)
		return ledger.Reposted(b.t.Context(), w, p, w.Errors(""))
	})
}

func (b *books) remove(s record.Scope, id int64) error {
	return b.do(s, func(w *record.Work) error { return ledger.Unpost(b.t.Context(), w, id) })
}

func (b *books) cancel(s record.Scope, id int64) error {
	return b.do(s, func(w *record.Work) error {
		e, err := ledger.Exchanges().Edit(b.t.Context(), w, id)
		if err != nil {
			return err
		}
		if err := ledger.Unexchanged(b.t.Context(), w, e); err != nil {
			return err
		}
		return ledger.Exchanges().Remove(b.t.Context(), w, id)
	})
}

// balance is what an account is worth now.
func (b *books) balance(account int64) string {
	b.t.Helper()
	list, err := ledger.MoneyOf(b.t.Context(), b.request(b.sound).Reading(), account)
	if err != nil {
		b.t.Fatal(err)
	}
	return list[0].Balance.String()
}

// defaults are the accounts that are the default.
func (b *books) defaults(ids ...int64) (list []int64) {
	b.t.Helper()
	all, err := ledger.MoneyOf(b.t.Context(), b.request(b.sound).Reading(), ids...)
	if err != nil {
		b.t.Fatal(err)
	}
	for i, m := range all {
		if m.Default {
			list = append(list, ids[i])
		}
	}
	return list
}

// statement is a whole statement.
func (b *books) statement(account int64, in ledger.Period) ledger.Statement {
	b.t.Helper()
	st, err := ledger.StatementOf(b.t.Context(), b.request(b.sound), account, in, record.Window{Size: 1 << 20})
	if err != nil {
		b.t.Fatal(err)
	}
	return st
}

// agrees finds fault with what stands beside an account: its balance, its statement and its
// postings have to tell the same.
func (b *books) agrees(account int64, initial int64) {
	b.t.Helper()
	st := b.statement(account, ledger.Period{})
	sum, ahead := money.Whole(initial), money.Amount{}
	for _, p := range st.Postings {
		sum = sum.Add(p.Amount)
		if int64(p.Date) > b.clock.Load() {
			ahead = ahead.Add(p.Amount)
		}
	}
	if st.Closing.Cmp(sum) != 0 || b.balance(account) != sum.Sub(ahead).String() || st.Opening.Cmp(money.Whole(initial)) != 0 {
		b.t.Errorf("account %d: the statement says %s to %s, the balance is %s, the postings make %s and %s ahead",
			account, st.Opening, st.Closing, b.balance(account), sum, ahead)
	}
}

// code is the code of a fault; "" for any other error.
func code(err error) fault.Code {
	if f, ok := fault.As(err); ok {
		return f.Code
	}
	return ""
}

func TestKinds(t *testing.T) {
	t.Run("accounts", func(t *testing.T) {
		recordtest.Run(t, recordtest.Subject[*ledger.Account]{
			Kind: ledger.Accounts(),
			New: func(n int) *ledger.Account {
				return &ledger.Account{Name: fmt.Sprint("Account ", n), Initial: money.Whole(int64(n))}
			},
			Change: func(a *ledger.Account, n int) { a.Types = []int64{int64(n)} },
		})
	})
	seed := func(t testing.TB, s record.Scope) {
		t.Helper()
		err := s.Do(t.Context(), nil, func(w *record.Work) error {
			ledger.Accounts().Create(w, "", &ledger.Account{Name: "Cash"})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Run("postings", func(t *testing.T) {
		recordtest.Run(t, recordtest.Subject[*ledger.Posting]{
			Kind: ledger.Postings(), Seed: seed,
			New: func(n int) *ledger.Posting {
				most, comment, id := int64(1<<62), "Комментарий, который длиннее всего, что помещается в указатель поиска", int64(999_999_999_999)
				return &ledger.Posting{
					Account: 1, Amount: money.Least(), Date: moment.Of(recordtest.Start) + moment.Micros(n), Day: "2026-03-02", Sort: ledger.SortExchange,
					Type: &most, Comment: &comment, Request: &id, RefundOf: &id,
				}
			},
			Change: func(p *ledger.Posting, n int) { p.Amount = money.Whole(int64(n)) },
		})
	})
	t.Run("exchanges", func(t *testing.T) {
		recordtest.Run(t, recordtest.Subject[*ledger.Exchange]{
			Kind: ledger.Exchanges(), Seed: seed,
			New: func(n int) *ledger.Exchange {
				return &ledger.Exchange{From: 1, To: 2, Amount: money.Most(), Date: moment.Of(recordtest.Start) + moment.Micros(n)}
			},
			Change: func(e *ledger.Exchange, n int) { e.Amount = money.Whole(int64(n)) },
		})
	})
}
