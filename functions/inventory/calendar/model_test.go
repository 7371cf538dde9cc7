package calendar_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/shared/moment"
)

// model is a naive account of one item, in whole hours: what each entry planned, and what really
// happened. It decides by sets of hours.
type model struct {
	now    int
	closed bool
	plans  map[int64]*plan
	fates  []fate // what was handed out, for ever
}

type plan struct {
	start, end, gap int
	block           bool
	fate            int // the index of its fate; -1 if it was not handed out
}

// fate is an actual time; while it is out, its end is the planned one.
type fate struct {
	start, end int
	out        bool
}

const horizon = 1 << 20 // the end of what does not end

// hours are those that a plan has now, as [from, until).
func (m *model) hours(p *plan) (from, until int) {
	if p.fate >= 0 {
		f := m.fates[p.fate]
		if f.out {
			return f.start, max(f.end, m.now)
		}
		return f.start, f.end
	}
	for from = p.start; ; {
		was := from
		for _, f := range m.fates { // what really happened is taken from the beginning of a plan
			if !f.out && f.start <= from && from < f.end && f.start < p.end {
				from = f.end
			}
		}
		if was == from {
			return from, p.end
		}
	}
}

// isFree tells whether something may be planned, or handed out, for a time.
func (m *model) isFree(id int64, want *plan, out bool) bool {
	was := m.plans[id]
	handOut := out && (was == nil || was.fate < 0)
	from, until := want.start, want.end
	if !out && was != nil && was.start == want.start {
		from, until = m.hours(&plan{start: want.start, end: want.end, fate: -1})
	}
	if out && until < m.now {
		until = m.now
	}
	had := false // it had the item from this hour on
	if was != nil && was.start == want.start && !handOut {
		a, b := m.hours(was)
		had = a < b
	}
	for other, p := range m.plans {
		a, b := m.hours(p)
		isOut := p.fate >= 0 && m.fates[p.fate].out
		if isOut && handOut {
			b = horizon
		}
		if other == id || a >= b || from >= until || had && a < from {
			continue
		}
		if a < until && from < b || isOut && handOut {
			return false
		}
		if waited := from > want.start; b <= from && from < b+p.gap && !out && !want.block && !waited {
			return false
		}
		if until <= a && a < until+want.gap && p.fate < 0 && !p.block && a == p.start {
			return false
		}
	}
	return true
}

// overlap tells what occupies an hour twice, if anything does.
func (m *model) overlap() string {
	for i, a := range m.fates {
		for j, b := range m.fates[:i] {
			if max(a.start, b.start) < min(m.actual(a), m.actual(b)) {
				return fmt.Sprintf("%d %+v and %d %+v both happened", i, a, j, b)
			}
		}
	}
	for i, p := range m.plans {
		from, until := m.hours(p)
		for j, q := range m.plans {
			a, b := m.hours(q)
			late := p.fate < 0 && q.fate >= 0 && m.fates[q.fate].out && from >= m.fates[q.fate].end
			if i == j || late || q.fate < 0 && p.fate >= 0 { // the latter is asked the other way round
				continue
			}
			if max(from, a) < min(until, b) {
				return fmt.Sprintf("%d %+v and %d %+v", i, p, j, q)
			}
		}
	}
	return ""
}

func (m *model) actual(f fate) int {
	if f.out {
		return m.now
	}
	return f.end
}

func (m *model) entry(id int64, p *plan, out bool) calendar.Entry {
	e := calendar.Entry{Line: id, Order: 1, Start: at(p.start), End: at(p.end), Gap: moment.Seconds(p.gap) * 3600, Out: out}
	if p.block {
		e.Line, e.Order, e.Block = 0, 0, id
	}
	if p.end == horizon {
		e.End = calendar.Forever
	}
	return e
}

// Whatever happens to an item, in whatever order: nothing has it twice, and what is refused is refused
// because of something that really has it.
func TestModel(t *testing.T) {
	counts := map[string]int{}
	for seed := range uint64(300) {
		run(t, rand.New(rand.NewPCG(seed, 11)), counts)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	for _, what := range []string{
		"planned", "planned refused", "moved", "moved refused", "handed out", "handed out refused", "returned", "returned late",
		"waited", "released", "closed", "closed refused", "past",
	} {
		if counts[what] < 100 {
			t.Errorf("%s: %d times", what, counts[what])
		}
	}
	t.Log(counts)
}

func run(t *testing.T, r *rand.Rand, counts map[string]int) {
	t.Helper()
	m, c, next := &model{plans: map[int64]*plan{}}, &calendar.Calendar{}, int64(1)
	one := func() (int64, *plan) {
		ids := make([]int64, 0, len(m.plans))
		for id := range m.plans {
			ids = append(ids, id)
		}
		if len(ids) == 0 {
			return 0, nil
		}
		slices.Sort(ids)
		id := ids[r.IntN(len(ids))]
		return id, m.plans[id]
	}
	for step := range 600 {
		now := midnight.Add(time.Duration(m.now) * time.Hour)
		told := ""
		// ask asks both for a time, and keeps it if it is free.
		ask := func(what string, id int64, want plan, out bool) {
			told = fmt.Sprintf("%s %d %+v", what, id, want)
			was := m.plans[id]
			if was != nil && was.end == want.end {
				want.gap = was.gap
			}
			same := was != nil && was.start == want.start && was.end == want.end && out == (was.fate >= 0)
			free := same || !m.closed && m.isFree(id, &want, out)
			before := *c
			err := c.Occupy(m.entry(id, &want, out), now)
			if err == nil && out && was.fate < 0 && was.end == want.end {
				reopened(t, before, *c, m.entry(id, &want, out), now)
			}
			if errors.Is(err, calendar.ErrPast) && free {
				counts["past"]++
				return
			}
			if refused := errors.Is(err, calendar.ErrOverlap) || errors.Is(err, calendar.ErrClosed); refused == free || err != nil && !refused {
				t.Errorf("step %d, hour %d: %s: %v, and in the model it is free: %t\n%+v", step, m.now, told, err, free, c.Entries)
				return
			}
			if err != nil {
				counts[what+" refused"]++
				return
			}
			counts[what]++
			want.fate = -1
			switch {
			case out && was != nil && was.fate >= 0:
				want.fate = was.fate
				m.fates[want.fate] = fate{want.start, want.end, true}
			case out:
				m.fates = append(m.fates, fate{want.start, want.end, true})
				want.fate = len(m.fates) - 1
			}
			m.plans[id] = &want
		}
		gaps := r.IntN(4) * r.IntN(2)
		id, p := one()
		switch which := r.IntN(100); {
		case m.closed && which < 50 || !m.closed && which == 99:
			if told = "opened"; m.closed {
				c.Open()
				m.closed = false
				break
			}
			told = "closed"
			used := false
			for _, p := range m.plans {
				out := p.fate >= 0 && m.fates[p.fate].out
				used = used || !p.block && (out && p.end != horizon || !out && p.end > m.now)
			}
			if err := c.Close(now); (err == nil) == used {
				t.Errorf("step %d: closed: %v, and in the model it is used: %t", step, err, used)
			} else if err != nil {
				counts["closed refused"]++
			} else {
				counts["closed"]++
				m.closed = true
			}
		case which < 20 || p == nil:
			start := m.now - 3 + r.IntN(40)
			if r.IntN(20) == 0 {
				start -= 40 * days
			}
			want := plan{start: start, end: start + 1 + r.IntN(20), gap: gaps}
			if r.IntN(6) == 0 {
				want.block, want.gap = true, 0
			} else if r.IntN(60) == 0 {
				want.end = horizon
			}
			ask("planned", next, want, false)
			next++
		case which < 40 && p.end != horizon && (p.fate < 0 || m.fates[p.fate].out):
			want := *p
			want.end += r.IntN(9) - 3
			if p.fate < 0 && r.IntN(2) == 0 {
				want.start += r.IntN(9) - 4
			}
			if want.gap = gaps; want.block {
				want.gap = 0
			}
			if want.end > want.start {
				ask("moved", id, want, p.fate >= 0)
			}
		case which < 65 && p.fate < 0 && !p.block && p.start < m.now+4:
			want := *p
			want.start = m.now - r.IntN(5)*r.IntN(2)
			want.end = max(want.end, want.start+1)
			ask("handed out", id, want, true)
		case which < 80 && p.fate >= 0 && m.fates[p.fate].out:
			f := &m.fates[p.fate]
			end := max(m.now-r.IntN(4)*r.IntN(2), f.start)
			told = fmt.Sprintf("returned %d at %d", id, end)
			counts["returned"]++
			if end > f.end {
				counts["returned late"]++
			}
			before := *c
			c.Return(m.entry(id, p, true), at(end))
			reopened(t, before, *c, m.entry(id, p, true), now)
			f.out, f.end, p.end = false, end, end
			for _, e := range c.Entries {
				if e.Late > e.Start {
					counts["waited"]++
				}
			}
		case which < 83 && p.fate < 0:
			told = fmt.Sprintf("released %d", id)
			counts["released"]++
			c.Release(m.entry(id, p, false))
			delete(m.plans, id)
		default:
			m.now += 1 + r.IntN(16)*r.IntN(2)
		}
		m.compare(t, c, told)
		if t.Failed() {
			return
		}
	}
}

// compare checks that the calendar says what the model says, and that nothing has the item twice.
func (m *model) compare(t *testing.T, c *calendar.Calendar, told string) {
	t.Helper()
	if twice := m.overlap(); twice != "" {
		t.Errorf("hour %d, after %q: %s", m.now, told, twice)
	}
	has := map[int64]calendar.Entry{}
	for _, e := range c.Entries {
		has[e.Line+e.Block] = e
	}
	for id, p := range m.plans {
		e, ok := has[id]
		if !ok { // it was dropped
			if p.end > m.now-31*days || at(p.end) > c.Floor {
				t.Errorf("hour %d, after %q: %d %+v is missing, the floor is %d", m.now, told, id, p, c.Floor)
			}
			delete(m.plans, id)
			continue
		}
		want := m.entry(id, p, p.fate >= 0 && m.fates[p.fate].out)
		from, until := m.hours(p)
		if got := max(e.Start, e.Late); got != at(from) && (from < until || got < e.End) {
			t.Errorf("hour %d, after %q: %d begins at %s, in the model at %d", m.now, told, id, got.Time().UTC(), from)
		}
		if e.Late, want.Back = 0, p.fate >= 0 && !want.Out; e != want {
			t.Errorf("hour %d, after %q: %+v, want %+v", m.now, told, e, want)
		}
	}
	if len(has) != len(m.plans) {
		t.Errorf("hour %d, after %q: %d entries, %d in the model", m.now, told, len(has), len(m.plans))
	}
}
