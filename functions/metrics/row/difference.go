package row

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// mostAtOnce is how many steps one message compares, but for those of its last line: they are read and written within about a second.
const mostAtOnce = 400

// difference is what differs between the rows that are there and those that there should be.
type difference struct {
	scope   record.Scope
	order   int64
	source  table.Key      // the order's key
	before  *Row           // the order's own row; nil if the order has no rows yet
	after   Row            // what becomes of it
	others  map[int64]bool // the ids of the order's other rows, but for steps
	changes []change       // what becomes of these, and of steps
	more    bool           // there are other changes, which are not found yet
}

// change is what becomes of a row: it is made where before is nil, and removed where after is.
type change struct {
	id            int64
	before, after *Row
	step          bool
}

// compare finds the rows that differ. Steps are read of those lines alone whose digest differs, and of so many lines at once as mostAtOnce
// says.
func (d *difference) compare(ctx context.Context, w *record.Work, old []int64, want []set) error {
	d.others = map[int64]bool{}
	have := map[int64]*Row{}
	for _, id := range old {
		r, err := Kind().Read(ctx, w, id)
		if err != nil {
			return fmt.Errorf("row: %d, which an order has: %w", id, err)
		}
		have[id], d.others[id] = r, true
	}
	var stepping []pair
	steps := 0
	take := func(p pair) {
		if !p.steps() {
			if p.before == nil || p.after == nil || !record.Same(p.before, &p.after.base) {
				d.changes = append(d.changes, p.whole())
			}
			return
		}
		if steps >= mostAtOnce {
			d.more = true
			return
		}
		steps += p.count()
		stepping = append(stepping, p)
	}
	for i := range want {
		take(pair{have[want[i].base.ID], &want[i]})
		delete(have, want[i].base.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(have)) {
		take(pair{have[id], nil})
	}
	return d.step(ctx, w, stepping)
}

// pair is a line's rows as they are, of which the base tells, and as they should be; nil where there are none.
type pair struct {
	before *Row
	after  *set
}

// steps tells whether steps of the line may differ.
func (p pair) steps() bool {
	was, is := Row{}, Row{}
	if p.before != nil {
		was = *p.before
	}
	if p.after != nil {
		is = p.after.base
	}
	return was.Made != is.Made || was.Made == 0 && len(was.Steps) > 0
}

// count is how many steps there may be to look at.
func (p pair) count() (n int) {
	if p.before != nil {
		n = len(p.before.Steps) // at least a byte for each
	}
	if p.after != nil {
		n = max(n, len(p.after.steps))
	}
	return n
}

// whole is what becomes of the base once its steps are as they should be.
func (p pair) whole() change {
	if p.after == nil {
		return change{id: p.before.ID, before: p.before}
	}
	return change{id: p.after.base.ID, before: p.before, after: &p.after.base}
}

// open is what becomes of the base before its steps change, if that takes more than one transaction: it names all that may be there, and
// has no digest.
func (p pair) open(ids []int64) change {
	c := change{before: p.before}
	open := Row{}
	if p.after == nil {
		open = *p.before
	} else {
		open = p.after.base
	}
	open.Steps, open.Made = nil, 0
	numbers := make([]int64, len(ids))
	for i, id := range ids {
		numbers[i] = numberOf(id)
	}
	open.Steps = pack(numbers)
	c.id, c.after = open.ID, &open
	return c
}

// step finds the changes of steps and of their bases.
func (d *difference) step(ctx context.Context, w *record.Work, pairs []pair) error {
	if len(pairs) == 0 {
		return nil
	}
	old := make([][]int64, len(pairs))
	var keys []table.Key
	for i, p := range pairs {
		var err error
		if old[i], err = p.before.stepsOf(); err != nil {
			return err
		}
		for _, id := range old[i] {
			keys = append(keys, Kind().Key(d.scope.Table, id))
		}
	}
	if err := w.Load(ctx, keys...); err != nil {
		return err
	}
	var opens, steps, closes []change
	for i, p := range pairs {
		have := map[int64]*Row{}
		for _, id := range old[i] {
			r, err := there(Kind().Read(ctx, w, id))
			if err != nil {
				return err
			}
			have[id] = r
		}
		ids := maps.Clone(have)
		for j := 0; p.after != nil && j < len(p.after.steps); j++ {
			after := &p.after.steps[j]
			before := have[after.ID]
			ids[after.ID] = after
			if delete(have, after.ID); before == nil || !record.Same(before, after) {
				steps = append(steps, change{id: after.ID, before: before, after: after, step: true})
			}
		}
		for id, r := range have {
			if r != nil {
				steps = append(steps, change{id: id, before: r, step: true})
			}
		}
		opens, closes = append(opens, p.open(slices.Sorted(maps.Keys(ids)))), append(closes, p.whole())
	}
	slices.SortFunc(steps, func(a, b change) int { return cmp.Or(cmp.Compare(a.date(), b.date()), cmp.Compare(a.id, b.id)) })
	once := slices.Concat(d.changes, steps, closes)
	if d.changes = once; d.fits(once) == len(once) {
		return nil
	}
	d.changes = slices.Clip(once[:len(once)-len(steps)-len(closes)])
	for i, c := range opens {
		if c.before == nil || !record.Same(c.before, c.after) { // not opened by a worker that died
			d.changes, closes[i].before = append(d.changes, c), c.after
		}
	}
	d.changes = slices.Concat(d.changes, steps, closes)
	return nil
}

// date is a day that the change is of: rows of one day are written together, because the day is one item.
func (c change) date() string {
	if c.after != nil {
		return string(c.after.Date)
	}
	return string(c.before.Date)
}

// fits is how many of some changes one transaction holds: at most one of each row.
func (d *difference) fits(changes []change) (n int) {
	sums := days{}
	sums.add(d.before, d.after.listed())
	seen := map[int64]bool{}
	for ; n < len(changes) && !seen[changes[n].id]; n++ {
		sums = sums.with(changes[n].before, changes[n].after)
		if 3+n+1+len(sums) > operations { // the order's own row takes two, and the message one
			break
		}
		seen[changes[n].id] = true
	}
	return n
}

// write writes the changes, as many in a transaction as it holds.
func (d *difference) write(ctx context.Context) error {
	target := d.after
	for first := true; first || len(d.changes) > 0; first = false {
		n := d.fits(d.changes)
		now := d.changes[:n]
		d.changes = d.changes[n:]
		last := len(d.changes) == 0
		d.after = target
		if target.Gone && (!last || d.more) { // it goes with the last of them
			d.after = *d.before
		}
		for _, c := range now {
			switch {
			case c.step:
			case c.after == nil:
				delete(d.others, c.id)
			default:
				d.others[c.id] = true
			}
		}
		d.after.Others = pack(slices.Sorted(maps.Keys(d.others)))
		if n == 0 && !d.more && d.before != nil && record.Same(d.before, &d.after) {
			return nil
		}
		if err := d.commit(ctx, now, last && d.more); err != nil {
			return err
		}
		written := d.after
		d.before = &written
	}
	return nil
}

// commit writes some changes in one transaction, and arms the message of the order for others.
func (d *difference) commit(ctx context.Context, changes []change, more bool) error {
	t := d.scope.Table
	sums := days{}
	sums.add(d.before, d.after.listed())
	for _, c := range changes {
		sums.add(c.before, c.after)
	}
	return t.Write(ctx, func(tx *table.Tx, _ int) error {
		conditional(tx, d.scope, d.before, &d.after, d.source)
		for _, c := range changes {
			if c.after == nil {
				tx.Delete(t.Delete(Kind().Key(t, c.id)), nil)
				continue
			}
			c.after.revise(d.scope, c.before)
			tx.Put(t.Put(c.after), nil)
		}
		sums.write(tx, t)
		if more {
			outbox.Arm(tx, t, outbox.NewKeyed(t.Message, order.Changed, strconv.FormatInt(d.order, 10), d.scope.Now()))
		}
		return nil
	})
}
