package segment

import (
	"cmp"
	"slices"
)

// hit is a record that matches, with its key at one level of the order.
type hit struct {
	key    uint64
	row    uint32
	source uint32
}

// pager finds a page by selection.
type pager struct {
	levels []level
	hits   []hit // the page
}

// Find gets the ids of a query's page, in their order, and how many records match in all.
func (v *View) Find(q Query) (ids []int64, count int) {
	m := v.match(q)
	from, to := q.page(m.count)
	if from == to {
		return nil, m.count
	}
	p := pager{levels: v.levels(q.Order, m)}
	p.find(m, 0, from, to)
	ids = make([]int64, len(p.hits))
	for i, h := range p.hits {
		if int(h.source) < len(v.parts) {
			ids[i] = v.parts[h.source].ids.value(int(h.row))
		} else {
			ids[i] = v.changes[h.row].ID
		}
	}
	return ids, m.count
}

// page is what positions the page has among that many matches: from up to before to.
func (q Query) page(count int) (from, to int) {
	from = min(max(q.Offset, 0), count)
	return from, from + min(max(q.Size, 0), count-from)
}

// page appends the records at positions from up to before to of some that are equal down to a level. A group is of one
// source.
func (p *pager) page(level int, groups [][]hit, from, to int) {
	if from >= to {
		return
	}
	if total(groups) == 1 || level == len(p.levels) {
		for _, group := range groups {
			p.hits = append(p.hits, group...)
		}
		return
	}
	for _, group := range groups {
		for i := range group {
			group[i].key = p.levels[level].key(int(group[i].source), group[i].row)
		}
	}
	before, equal, after := p.split(level, groups, from)
	from -= total(before)
	to -= total(before)
	p.page(level+1, equal, from, min(to, total(equal)))
	if to -= total(equal); to <= 0 {
		return
	}
	before, equal, _ = p.split(level, after, to-1)
	p.sorted(level, before)
	p.page(level+1, equal, 0, to-total(before))
}

func total(groups [][]hit) (n int) {
	for _, group := range groups {
		n += len(group)
	}
	return n
}

// split orders records so far that what comes before the one at a position, what is equal to it, and what comes after
// are together.
func (p *pager) split(level int, groups [][]hit, position int) (before, equal, after [][]hit) {
	rest := slices.Clone(groups)
	before, equal, after = make([][]hit, len(groups)), make([][]hit, len(groups)), make([][]hit, len(groups))
	low, high := make([]int, len(groups)), make([]int, len(groups)) // in each group what is undecided
	for i, group := range groups {
		high[i] = len(group)
	}
	for {
		count := 0
		for i := range groups {
			rest[i] = groups[i][low[i]:high[i]]
			count += len(rest[i])
		}
		pivot := p.pivot(rest, position, count)
		less, same := 0, 0
		for i := range rest {
			if len(rest[i]) == 0 {
				continue
			}
			bound, is := p.levels[level].bound(pivot.key, int(pivot.source), int(rest[i][0].source))
			l, s := partition(rest[i], bound, is)
			before[i], equal[i] = rest[i][:l], rest[i][l:l+s]
			less, same = less+l, same+s
		}
		switch {
		case position < less:
			for i := range rest {
				high[i] = low[i] + len(before[i])
				before[i], equal[i] = nil, nil
			}
		case position < less+same:
			for i, group := range groups {
				l := low[i] + len(before[i])
				s := l + len(equal[i])
				before[i], equal[i], after[i] = group[:l], group[l:s], group[s:]
			}
			return before, equal, after
		default:
			position -= less + same
			for i := range rest {
				low[i] += len(before[i]) + len(equal[i])
				before[i], equal[i] = nil, nil
			}
		}
	}
}

// partition moves keys below a bound to the front and equal ones behind them.
func partition(hits []hit, bound uint64, equal bool) (less, same int) {
	if !equal {
		for i, h := range hits {
			if h.key < bound {
				hits[i], hits[less] = hits[less], h
				less++
			}
		}
		return less, 0
	}
	end := len(hits)
	for i := 0; i < end; {
		switch h := hits[i]; {
		case h.key < bound:
			hits[i], hits[less] = hits[less], h
			less++
			i++
		case h.key == bound:
			i++
		default:
			end--
			hits[i], hits[end] = hits[end], h
		}
	}
	return less, end - less
}

// samples is how many records the choice of a pivot looks at.
const samples = 256

// pivot chooses a record with which few remain to be decided: one of the largest group that is, as far as a sample
// tells, a little beyond the position.
func (p *pager) pivot(groups [][]hit, position, count int) hit {
	largest := slices.MaxFunc(groups, func(a, b []hit) int { return cmp.Compare(len(a), len(b)) })
	if len(largest) < 2 {
		return largest[0]
	}
	sample := make([]hit, min(samples, len(largest)))
	for i := range sample {
		sample[i] = largest[i*len(largest)/len(sample)]
	}
	slices.SortFunc(sample, func(a, b hit) int { return cmp.Compare(a.key, b.key) })
	at, beyond := position*len(sample)/count, len(sample)/16
	if 2*at < len(sample) {
		at = min(at+beyond, len(sample)/2)
	} else {
		at = max(at-beyond, len(sample)/2)
	}
	return sample[at]
}

// sorted appends records in their order; they may differ from a level on.
func (p *pager) sorted(level int, groups [][]hit) {
	from := len(p.hits)
	for _, group := range groups {
		p.hits = append(p.hits, group...)
	}
	slices.SortFunc(p.hits[from:], func(a, b hit) int {
		c := p.levels[level].compare(a, b)
		for i := level + 1; c == 0 && i < len(p.levels); i++ {
			l := &p.levels[i]
			a.key, b.key = l.key(int(a.source), a.row), l.key(int(b.source), b.row)
			c = l.compare(a, b)
		}
		return c
	})
}
