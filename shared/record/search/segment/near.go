package segment

import (
	"math/bits"
	"slices"
	"sort"
)

const (
	// fewHits is how many matches are simply all looked at.
	fewHits = 4 * nearSamples
	// nearSamples is how many matches tell what lies near a page, and nearMargin how many of them a page's bounds are
	// put further apart. That is enough nearly always.
	nearSamples = 512
	nearMargin  = nearSamples / 16
)

// find finds the page from one position up to before another among the matches. Where all around the page are equal on
// one level of the order, only these matter on the next.
func (p *pager) find(m matches, level, from, to int) {
	var lowest, highest *hit
	if m.count > fewHits {
		var tied *hit
		if lowest, highest, tied = m.around(&p.levels[level], from, to); tied != nil {
			if equal, before := m.equal(&p.levels[level], tied); before <= from && before+equal.count >= to {
				p.find(equal, level+1, from-before, to-before)
				return
			}
		}
	}
	groups, before := m.allBetween(&p.levels[level], lowest, highest)
	if before > from || before+total(groups) < to { // the sample misled
		groups, before = m.allBetween(&p.levels[level], nil, nil)
	}
	p.page(level, groups, from-before, to-before)
}

// around are matches that come before and after a page, as far as a sample tells; nil if there are too few. tied is one
// of them if all the sample between them is equal.
func (m *matches) around(l *level, from, to int) (lowest, highest, tied *hit) {
	sample := m.every(m.count / nearSamples)
	for i := range sample {
		sample[i].key = l.key(int(sample[i].source), sample[i].row)
	}
	slices.SortFunc(sample, l.compare)
	low, high, last := from*len(sample)/m.count-nearMargin, to*len(sample)/m.count+nearMargin, len(sample)-1
	if low >= 0 {
		lowest = &sample[low]
	}
	if high <= last {
		highest = &sample[high]
	}
	if first := &sample[max(low, 0)]; l.compare(*first, sample[min(high, last)]) == 0 {
		tied = first
	}
	return lowest, highest, tied
}

// equal are the matches that are equal to a given one, and how many come before them.
func (m *matches) equal(l *level, to *hit) (equal matches, before int) {
	equal.rows = make([]set, len(m.rows))
	for source, rows := range m.rows {
		found := make(set, len(rows))
		bound, is := l.bound(to.key, int(to.source), source)
		of := l.sources[source].of
		for i, word := range rows {
			for ; word != 0; word &= word - 1 {
				switch key := l.turn(of(uint32(i<<6 + bits.TrailingZeros64(word)))); {
				case key < bound:
					before++
				case is && key == bound:
					found[i] |= word & -word
					equal.count++
				}
			}
		}
		equal.rows[source] = found
	}
	return equal, before
}

// allBetween are the matches of all sources from the lowest to the highest, and how many come before.
func (m *matches) allBetween(l *level, lowest, highest *hit) (groups [][]hit, before int) {
	for source := range m.rows {
		group, fewer := m.between(l, source, lowest, highest)
		groups, before = append(groups, group), before+fewer
	}
	return groups, before
}

// every are every n-th of the matches.
func (m *matches) every(n int) (sample []hit) {
	at := 0
	for source, rows := range m.rows {
		for i, word := range rows {
			count := bits.OnesCount64(word)
			if at%n+count < n {
				at += count
				continue
			}
			for ; word != 0; word &= word - 1 {
				if at++; at%n == 0 {
					sample = append(sample, hit{row: uint32(i<<6 + bits.TrailingZeros64(word)), source: uint32(source)})
				}
			}
		}
	}
	return sample
}

// between are the matches of one source from the lowest to the highest, both included, and how many come before. nil
// has no end.
func (m *matches) between(l *level, source int, lowest, highest *hit) (group []hit, before int) {
	low, high, isHigh := uint64(0), uint64(0), false
	if lowest != nil {
		low, _ = l.bound(lowest.key, int(lowest.source), source)
	}
	if highest != nil {
		high, isHigh = l.bound(highest.key, int(highest.source), source)
	}
	of, rows := l.sources[source].of, m.rows[source]
	from, to := 0, len(rows)
	if l.sources[source].byRow {
		from, to, before = l.bounds(&l.sources[source], rows, low, high, highest != nil)
	}
	for i := from; i < to; i++ {
		for word := rows[i]; word != 0; word &= word - 1 {
			row := uint32(i<<6 + bits.TrailingZeros64(word))
			key := l.turn(of(row))
			switch {
			case key < low:
				before++
			case highest == nil || key < high || isHigh && key == high:
				if len(group) == cap(group) { // append alone would copy large groups several times
					group = slices.Grow(group, max(len(group), fewHits))
				}
				group = append(group, hit{key, row, uint32(source)})
			}
		}
	}
	return group, before
}

// bounds are the words of a set that have rows from a low key to a high one, of a source whose keys ascend with its
// rows, and how many rows come before these words.
func (l *level) bounds(k *keys, rows set, low, high uint64, isHigh bool) (from, to, before int) {
	to = len(rows)
	if l.descending {
		if isHigh {
			from = k.row(l.turn(high)) >> 6
		}
		to = min(k.row(l.turn(low))>>6+1, to)
		return from, to, rows[to:].count()
	}
	from = k.row(low) >> 6
	if isHigh {
		to = min(k.row(high)>>6+1, to)
	}
	return from, to, rows[:from].count()
}

// row is the first row whose key isn't less; the keys ascend with the rows.
func (k *keys) row(key uint64) int {
	return sort.Search(k.rows, func(row int) bool { return k.of(uint32(row)) >= key })
}
