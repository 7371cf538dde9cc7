package pricing

import (
	"cmp"
	"slices"
	"time"

	"github.com/tenantry/tenantry/shared/moment"
)

// ruled returns the price rules of a line in their order. Only rentals have any.
func (it Item) ruled() []Rule {
	if it.Sale || it.Timeless || len(it.Rules) == 0 {
		return nil
	}
	rules := slices.Clone(it.Rules)
	slices.SortStableFunc(rules, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(a.Ordering, b.Ordering), cmp.Compare(a.ID, b.ID))
	})
	return rules
}

// fits tells whether a rental has the length that a rule is for.
func (r Rules) fits(rule *Rule, start, end time.Time) bool {
	return (rule.AtLeast <= 0 || !r.plus(start, rule.AtLeast).After(end)) && (rule.Below <= 0 || r.plus(start, rule.Below).After(end))
}

// holds tells whether a rule holds while the clocks show a time.
func (rule *Rule) holds(wall time.Time) bool {
	return rule.holdsOn(wall) && rule.holdsAt(moment.Seconds(wall.Hour()*3600+wall.Minute()*60+wall.Second()))
}

// holdsOn tells whether a rule holds on a day.
func (rule *Rule) holdsOn(day time.Time) bool {
	if s := rule.Season; s != nil {
		year, month, d := day.Date()
		if !s.has(Date{year, month, d}) {
			return false
		}
	}
	return len(rule.Weekdays) == 0 || slices.Contains(rule.Weekdays, day.Weekday())
}

// holdsAt tells whether a rule holds at a time of the day.
func (rule *Rule) holdsAt(second moment.Seconds) bool {
	switch h := rule.Hours; {
	case h == nil:
		return true
	case h.From < h.To:
		return h.From <= second && second < h.To
	default:
		return second >= h.From || second < h.To
	}
}

func (s *Season) has(d Date) bool {
	if !s.Yearly {
		return s.First.compare(d) <= 0 && d.compare(s.Last) <= 0
	}
	first, last := s.First, s.Last
	first.Year, last.Year = d.Year, d.Year
	if first.compare(last) <= 0 {
		return first.compare(d) <= 0 && d.compare(last) <= 0
	}
	return first.compare(d) <= 0 || d.compare(last) <= 0 // over the end of the year
}

func (d Date) compare(other Date) int {
	return cmp.Or(cmp.Compare(d.Year, other.Year), cmp.Compare(d.Month, other.Month), cmp.Compare(d.Day, other.Day))
}

// share is the seconds of a rental in which the same rules hold.
type share struct {
	holds   string // a byte for each rule: 1 if it holds
	seconds int64
}

// shares divides some time by the rules that hold, in any order. Each second has what the clocks show at its beginning.
func (r Rules) shares(rules []Rule, from, to int64) (list []share) {
	marks := borders(rules)
	times := make([]string, len(marks)-1) // which rules hold from one of them to the next
	for i := range times {
		times[i] = holding(rules, func(rule *Rule) bool { return rule.holdsAt(marks[i]) })
	}
	days := map[string][]int64{} // by the rules that hold on a day, its seconds between the marks
	c := r.clock()
	for from < to {
		ahead := int64(c.offset(from))
		until := min(to, c.until) // the clocks are not changed before
		first, last := from+ahead, until+ahead
		for day := first - mod(first, int64(Day)); day < last; day += int64(Day) {
			date := time.Unix(day, 0).UTC()
			key := holding(rules, func(rule *Rule) bool { return rule.holdsOn(date) })
			if days[key] == nil {
				days[key] = make([]int64, len(times))
			}
			for i, n := range days[key] {
				begins, ends := max(first, day+int64(marks[i])), min(last, day+int64(marks[i+1]))
				days[key][i] = n + max(ends-begins, 0)
			}
		}
		from = until
	}
	index := map[string]int{}
	for on, lengths := range days {
		for i, n := range lengths {
			if n == 0 {
				continue
			}
			key := both(on, times[i])
			at, known := index[key]
			if !known {
				at = len(list)
				index[key], list = at, append(list, share{holds: key})
			}
			list[at].seconds += n
		}
	}
	return list
}

// borders are the times of the day at which a rule begins or ends to hold, with both ends of the day.
func borders(rules []Rule) []moment.Seconds {
	marks := []moment.Seconds{0, Day}
	for _, rule := range rules {
		if h := rule.Hours; h != nil {
			marks = append(marks, min(max(h.From, 0), Day), min(max(h.To, 0), Day))
		}
	}
	slices.Sort(marks)
	return slices.Compact(marks)
}

func holding(rules []Rule, holds func(*Rule) bool) string {
	key := make([]byte, len(rules))
	for i := range rules {
		if holds(&rules[i]) {
			key[i] = 1
		}
	}
	return string(key)
}

func both(a, b string) string {
	key := []byte(a)
	for i := range key {
		key[i] &= b[i]
	}
	return string(key)
}

func mod(n, of int64) int64 { return ((n % of) + of) % of }
