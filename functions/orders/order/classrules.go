package order

import (
	"slices"

	"github.com/tenantry/tenantry/shared/moment"
)

// spare is how many more items are looked at than a line needs, because the search lags and some may be taken by now.
const spare = 5

// ask is what a quoted line asks that names a group: the group, and what the search says is free, the oldest first.
type ask struct {
	group int64
	free  []int64
	time  stretch
}

// stretch is the time that a line has an item, and for which the item is kept free after it.
type stretch struct{ start, end moment.Micros }

// stretchOf is the time of a new line.
func stretchOf(l *Line, buffer moment.Seconds) stretch {
	if l.Type == Sale {
		return stretch{l.Start, l.until()}
	}
	return stretch{l.Start, l.until().Add(buffer.Duration())}
}

// had are the items that lines of the call have, and when.
type had map[int64][]stretch

func (h had) add(id int64, at stretch) { h[id] = append(h[id], at) }

// at are the items that lines of the call have at some moment of a time.
func (h had) at(t stretch) map[int64]bool {
	ids := map[int64]bool{}
	for id, times := range h {
		ids[id] = slices.ContainsFunc(times, func(s stretch) bool { return s.start < t.end && t.start < s.end })
	}
	return ids
}

// triesOf are, for each line, the items that are looked at: as many as the lines of its group before it may take away,
// one for itself, and a few to spare. What other lines of the call name for that time is not among them.
func triesOf(asks []ask, named had) [][]int64 {
	tries, before := make([][]int64, len(asks)), map[int64]int{}
	for i, a := range asks {
		before[a.group]++
		taken := named.at(a.time)
		for _, id := range a.free {
			if len(tries[i]) < before[a.group]+spare && !taken[id] {
				tries[i] = append(tries[i], id)
			}
		}
	}
	return tries
}

// choose chooses the first of the tried items that is really free and that no other line of the call has then; 0 if there
// is none. Rentals of one group cost the same, so the oldest is the cheapest. free counts what the line could have: none if
// all that was tried is taken.
func choose(found, tried []int64, really, taken map[int64]bool) (chosen, free int64) {
	for _, id := range found {
		switch {
		case taken[id]:
		case !slices.Contains(tried, id):
			free++
		case really[id]:
			if free++; chosen == 0 {
				chosen = id
			}
		}
	}
	if chosen == 0 {
		free = 0
	}
	return chosen, free
}
