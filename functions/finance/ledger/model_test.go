package ledger_test

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

var (
	modelRounds = flag.Int("model.rounds", 2, "how many rounds the model of the ledger runs")
	modelSeed   = flag.Uint64("model.seed", 1, "the seed of its first round")
)

// entry is a posting as the model knows it.
type entry struct {
	account  int64
	cents    int64
	date     moment.Micros
	refunded int64 // cents
	refundOf int64
	exchange int64
}

// clerk is a worker with postings that nobody else touches, in accounts that all share.
type clerk struct {
	*books
	random    *rand.Rand
	client    *tabletest.Client
	process   record.Scope
	accounts  []int64
	entries   map[int64]entry
	exchanges map[int64][2]int64 // the postings of each
	done      map[string]int
}

// hire gives the clerk a process that lives.
func (c *clerk) hire() {
	c.client = c.world.Client(c.random.Uint64())
	c.process = c.books.process(c.client)
}

// cents is a number of cents as an amount.
func cents(n int64) money.Amount {
	a, err := money.Whole(n).Ratio(1, 100)
	if err != nil {
		panic(err)
	}
	return a
}

// unknown tells whether a request may have happened, although it failed.
func unknown(err error) bool {
	return errors.Is(err, tabletest.ErrCrashed) || table.Unavailable(err)
}

// failed counts how a request ended. It is true if it must be looked up whether it happened.
func (c *clerk) failed(what string, err error, allowed ...fault.Code) bool {
	switch {
	case err == nil:
		c.done[what]++
	case unknown(err):
		c.done[what+", outcome unknown"]++
		return true
	case slices.Contains(allowed, code(err)):
		c.done[what+", refused"]++
	default:
		c.t.Errorf("%s: %v", what, err)
	}
	return false
}

// stored reads a posting. It returns nil if the table does not have it.
func (c *clerk) stored(id int64) *ledger.Posting {
	if id == 0 {
		return nil
	}
	p, err := ledger.Postings().Get(c.t.Context(), c.sound, id)
	if err != nil && !errors.Is(err, fault.ErrNotFound) {
		c.t.Error(err)
	}
	return p
}

// moment is a time some days around now, more often before than after.
func (c *clerk) moment() time.Time {
	return c.now().Add(time.Duration(c.random.Int64N(int64(100*time.Hour)) - int64(80*time.Hour))).Truncate(time.Microsecond)
}

// amount is a number of cents that is not 0.
func (c *clerk) amount() int64 {
	return (1 + c.random.Int64N(100_000)) * (1 - 2*c.random.Int64N(2))
}

func (c *clerk) account() int64 { return c.accounts[c.random.IntN(len(c.accounts))] }

// own picks one of the clerk's postings for which fits is true. It returns 0 if the clerk has no such posting.
func (c *clerk) own(fits func(e entry) bool) int64 {
	var list []int64
	for id, e := range c.entries {
		if fits(e) {
			list = append(list, id)
		}
	}
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[c.random.IntN(len(list))]
}

func free(e entry) bool { return e.exchange == 0 }

// act does one thing, and notes in the model what came of it.
func (c *clerk) act() {
	if c.client.Crashed() {
		c.hire()
	}
	switch n := c.random.IntN(100); {
	case n < 35:
		c.posts()
	case n < 55:
		c.edits()
	case n < 67:
		c.removes()
	case n < 80:
		c.refunds()
	case n < 88:
		c.swaps()
	case n < 94:
		c.cancels()
	default:
		c.clock.Add(c.random.Int64N(int64(5 * time.Hour / time.Microsecond)))
	}
}

func (c *clerk) posts() {
	e := entry{account: c.account(), cents: c.amount(), date: moment.Of(c.moment())}
	p, err := c.post(c.process, e.account, cents(e.cents), e.date.Time())
	if c.failed("post", err, fault.Invalid) && c.stored(p.ID) != nil {
		err = nil
	}
	if err == nil {
		c.entries[p.ID] = e
	}
}

func (c *clerk) edits() {
	id := c.own(free)
	if id == 0 {
		return
	}
	is := c.entries[id]
	to := is
	if c.random.IntN(2) == 0 {
		to.cents = c.amount()
	}
	if c.random.IntN(2) == 0 {
		to.date = moment.Of(c.moment())
	}
	if c.random.IntN(3) == 0 {
		to.account = c.account()
	}
	err := c.edit(c.process, id, func(p *ledger.Posting) {
		p.Amount, p.Date, p.Account = cents(to.cents), to.date, to.account
	})
	size := func(n int64) int64 { return max(n, -n) }
	turned := (to.cents < 0) != (is.cents < 0)
	wrong := is.refunded > 0 && (turned || size(to.cents) < is.refunded || to.account != is.account)
	if of, ok := c.entries[is.refundOf]; ok {
		wrong = turned && to.cents != is.cents || to.account != is.account || size(to.cents) > size(of.cents)-of.refunded+size(is.cents)
	}
	if c.failed("edit", err, fault.Invalid) {
		p := c.stored(id)
		if p == nil {
			c.t.Errorf("posting %d is gone", id)
			return
		}
		if p.Amount.Cents() == to.cents && p.Date == to.date && p.Account == to.account {
			err = nil
		}
	}
	switch {
	case err == nil && wrong && to != is:
		c.t.Errorf("posting %d of %+v became %+v", id, is, to)
	case code(err) == fault.Invalid && !wrong && !c.mayBeFull():
		c.t.Errorf("posting %d of %+v can't become %+v: %v", id, is, to, err)
	case err == nil:
		c.entries[id] = to
		if of, ok := c.entries[is.refundOf]; ok {
			of.refunded += size(to.cents) - size(is.cents)
			c.entries[is.refundOf] = of
		}
	}
}

// mayBeFull tells whether an account may have as many postings ahead as it can.
func (c *clerk) mayBeFull() bool { return len(c.entries) > ledger.MaxAhead/10 }

func (c *clerk) removes() {
	id := c.own(free)
	if id == 0 {
		return
	}
	is := c.entries[id]
	err := c.remove(c.process, id)
	if c.failed("remove", err, fault.Conflict) && c.stored(id) == nil {
		err = nil
	}
	switch {
	case err == nil && is.refunded > 0:
		c.t.Errorf("posting %d has refunds, and went", id)
	case code(err) == fault.Conflict && is.refunded == 0:
		c.t.Errorf("posting %d: %v", id, err)
	case err == nil:
		delete(c.entries, id)
		if of, ok := c.entries[is.refundOf]; ok {
			of.refunded -= max(is.cents, -is.cents)
			c.entries[is.refundOf] = of
		}
	}
}

func (c *clerk) refunds() {
	id := c.own(func(e entry) bool { return free(e) && e.refundOf == 0 })
	if id == 0 {
		return
	}
	of := c.entries[id]
	n := 1 + c.random.Int64N(max(of.cents, -of.cents))
	e := entry{account: of.account, cents: -n, date: moment.Of(c.now()), refundOf: id}
	if of.cents < 0 {
		e.cents = n
	}
	tooMuch := n > max(of.cents, -of.cents)-of.refunded
	p, err := c.refund(c.process, id, cents(n))
	if c.failed("refund", err, fault.Invalid) && p != nil && c.stored(p.ID) != nil {
		err = nil
	}
	switch {
	case err == nil && tooMuch:
		c.t.Errorf("%d of %+v was refunded", n, of)
	case code(err) == fault.Invalid && !tooMuch:
		c.t.Errorf("%d of %+v can't be refunded: %v", n, of, err)
	case err == nil:
		e.date = p.Date
		c.entries[p.ID] = e
		of.refunded += n
		c.entries[id] = of
	}
}

func (c *clerk) swaps() {
	from, to := c.accounts[0], c.accounts[1]
	if c.random.IntN(2) == 0 {
		from, to = to, from
	}
	n, at := 1+c.random.Int64N(100_000), c.moment()
	x, err := c.exchange(c.process, from, to, cents(n), at)
	if c.failed("exchange", err, fault.Invalid) {
		out, in := c.stored(x.Out), c.stored(x.In)
		if (out == nil) != (in == nil) {
			c.t.Errorf("half of exchange %d", x.ID)
		}
		if out != nil {
			err = nil
		}
	}
	if err == nil {
		c.entries[x.Out] = entry{account: from, cents: -n, date: moment.Of(at), exchange: x.ID}
		c.entries[x.In] = entry{account: to, cents: n, date: moment.Of(at), exchange: x.ID}
		c.exchanges[x.ID] = [2]int64{x.Out, x.In}
	}
}

func (c *clerk) cancels() {
	if len(c.exchanges) == 0 {
		return
	}
	ids := slices.Sorted(maps.Keys(c.exchanges))
	id := ids[c.random.IntN(len(ids))]
	pair := c.exchanges[id]
	err := c.cancel(c.process, id)
	if c.failed("cancel", err) {
		out, in := c.stored(pair[0]), c.stored(pair[1])
		if (out == nil) != (in == nil) {
			c.t.Errorf("half of exchange %d", id)
		}
		if out == nil {
			err = nil
		}
	}
	if err == nil {
		delete(c.entries, pair[0])
		delete(c.entries, pair[1])
		delete(c.exchanges, id)
	}
}

// Eight clerks work at the same time, with conflicts, throttled calls, lost answers, crashes and a clock
// that moves. A model does the same things one after the other. When the clerks rest, the balances,
// statements and postings that are stored must equal the model's.
func TestModel(t *testing.T) {
	zone, err := time.LoadLocation("Asia/Almaty")
	if err != nil {
		t.Fatal(err)
	}
	for round := range *modelRounds {
		seed := *modelSeed + uint64(round)
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			m := newModel(t, seed)
			for range 4 {
				m.burst(12)
				m.compare(zone)
			}
			t.Log(m.told())
		})
	}
}

type model struct {
	*books
	random   *rand.Rand
	accounts map[int64]int64 // their initial amounts
	clerks   []*clerk
}

func newModel(t *testing.T, seed uint64) *model {
	t.Helper()
	m := &model{
		books: newBooks(t, tabletest.Faults{
			Lock: 2 * time.Millisecond, Transaction: 3 * time.Millisecond, Lost: 0.03, Throttled: 0.03, Crash: 0.01, Stale: 20 * time.Millisecond,
		}),
		random: rand.New(rand.NewPCG(seed, 1)), accounts: map[int64]int64{},
	}
	for i := range int64(3) {
		m.accounts[m.open(1_000*i)] = 1_000 * i
	}
	for range 8 {
		c := &clerk{
			books: m.books, random: rand.New(rand.NewPCG(seed, m.random.Uint64())), accounts: slices.Sorted(maps.Keys(m.accounts)),
			entries: map[int64]entry{}, exchanges: map[int64][2]int64{}, done: map[string]int{},
		}
		c.hire()
		m.clerks = append(m.clerks, c)
	}
	return m
}

// burst lets all clerks act at the same time.
func (m *model) burst(acts int) {
	var wait sync.WaitGroup
	for _, c := range m.clerks {
		wait.Go(func() {
			for range acts {
				c.act()
			}
		})
	}
	wait.Wait()
}

// all are the postings of the model.
func (m *model) all() map[int64]entry {
	all := map[int64]entry{}
	for _, c := range m.clerks {
		maps.Copy(all, c.entries)
	}
	return all
}

// compare checks that what is stored equals the model.
func (m *model) compare(zone *time.Location) {
	m.t.Helper()
	all := m.all()
	for id, e := range all {
		p := m.clerks[0].stored(id)
		if p == nil || p.Account != e.account || p.Amount.Cents() != e.cents || p.Date != e.date || p.Refunded.Cents() != e.refunded {
			m.t.Errorf("posting %d is %+v, and in the model %+v", id, p, e)
		}
	}
	day := func(e entry) decode.Date { return decode.Date(e.date.Time().In(zone).Format(time.DateOnly)) }
	for account, initial := range m.accounts {
		var ids []int64
		balance := initial * 100
		for id, e := range all {
			if e.account != account {
				continue
			}
			ids = append(ids, id)
			if int64(e.date) <= m.clock.Load() {
				balance += e.cents
			}
		}
		if got := m.balance(account); got != cents(balance).String() {
			m.t.Errorf("account %d has %s, and in the model %s", account, got, cents(balance))
		}
		slices.SortFunc(ids, func(a, b int64) int {
			return cmp.Or(cmp.Compare(day(all[a]), day(all[b])), cmp.Compare(all[a].date, all[b].date), cmp.Compare(a, b))
		})
		around := func() decode.Date {
			return decode.Date(m.now().Add(time.Duration(m.random.Int64N(240)-120) * time.Hour).In(zone).Format(time.DateOnly))
		}
		periods := []ledger.Period{{}, {From: around()}, {To: around()}}
		for range 5 {
			in := ledger.Period{From: around(), To: around()}
			if in.From <= in.To {
				periods = append(periods, in)
			}
		}
		for _, in := range periods {
			opening, closing, within := initial*100, initial*100, []int64{}
			for _, id := range ids {
				e := all[id]
				switch d := day(e); {
				case in.From != "" && d < in.From:
					opening, closing = opening+e.cents, closing+e.cents
				case in.To == "" || d <= in.To:
					closing += e.cents
					within = append(within, id)
				}
			}
			m.hold(account, in, cents(opening), cents(closing), within)
		}
	}
}

// hold checks, page by page, that a statement equals the model's.
func (m *model) hold(account int64, in ledger.Period, opening, closing money.Amount, ids []int64) {
	m.t.Helper()
	size := 1 + m.random.IntN(20)
	got := []int64{}
	for offset := 0; offset == 0 || offset < len(ids); offset += size {
		st, err := ledger.StatementOf(m.t.Context(), m.request(m.sound), account, in, record.Window{Offset: offset, Size: size})
		if err != nil {
			m.t.Fatal(err)
		}
		for _, p := range st.Postings {
			got = append(got, p.ID)
		}
		if st.Opening.Cmp(opening) != 0 || st.Closing.Cmp(closing) != 0 || st.Count != len(ids) {
			m.t.Errorf("account %d in %v: %s to %s with %d postings, and in the model %s to %s with %d",
				account, in, st.Opening, st.Closing, st.Count, opening, closing, len(ids))
		}
	}
	if !slices.Equal(got, ids) {
		m.t.Errorf("account %d in %v: %v, and in the model %v", account, in, got, ids)
	}
}

// told is what the clerks did, and how often.
func (m *model) told() map[string]int {
	all := map[string]int{}
	for _, c := range m.clerks {
		for what, n := range c.done {
			all[what] += n
		}
	}
	return all
}
