package calendar_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
)

// An entry becomes again what it was, unless something has taken the item since. Line 1 was to have it from 3 to 15.
func TestReopen(t *testing.T) {
	planned, early, overdue := line(1, 3, 15), back(line(1, 3, 8)), back(line(1, 3, 11))
	for name, tt := range map[string]struct {
		has    []calendar.Entry
		want   calendar.Entry
		result []calendar.Entry
		inWay  []int64 // lines and blocks; nil: it is reopened
	}{
		"a return":                             {entries(early), out(planned), entries(out(planned)), nil},
		"it keeps the time after it free":      {entries(gap(early, 2)), out(planned), entries(gap(out(planned), 2)), nil},
		"the next one is after its end":        {entries(early, line(2, 15, 16)), out(planned), entries(out(planned), line(2, 15, 16)), nil},
		"the next one has taken it":            {entries(early, line(2, 9, 10), line(3, 14, 20)), out(planned), nil, []int64{2, 3}},
		"the next one is within what is kept":  {entries(gap(early, 2), line(2, 16, 18)), out(planned), nil, []int64{2}},
		"a block has taken it":                 {entries(early, block(2, 9, 10)), out(planned), nil, []int64{2}},
		"another is out":                       {entries(early, out(line(2, 9, 10))), out(planned), nil, []int64{2}},
		"another had it":                       {entries(early, back(line(2, 9, 10))), out(planned), nil, []int64{2}},
		"another had it for no time":           {entries(early, back(line(2, 9, 9))), out(planned), entries(out(planned), back(line(2, 9, 9))), nil},
		"another had it before":                {entries(back(line(2, 1, 3)), early), out(planned), entries(back(line(2, 1, 3)), out(planned)), nil},
		"it is overdue":                        {entries(overdue), out(line(1, 3, 5)), entries(out(line(1, 3, 5))), nil},
		"it is overdue, one waited":            {entries(overdue, late(line(2, 6, 14), 11)), out(line(1, 3, 5)), entries(out(line(1, 3, 5)), line(2, 6, 14)), nil},
		"it is overdue, one waited for two":    {entries(overdue, back(line(3, 2, 11)), late(line(2, 6, 14), 11)), out(line(1, 3, 5)), nil, []int64{3}},
		"it is overdue, one has begun since":   {entries(overdue, line(2, 11, 14)), out(line(1, 3, 5)), nil, []int64{2}},
		"it is overdue, one had begun before":  {entries(back(line(1, 3, 8)), line(2, 10, 14)), out(line(1, 3, 5)), entries(out(line(1, 3, 5)), line(2, 10, 14)), nil},
		"it is overdue, one is yet to begin":   {entries(overdue, line(2, 12, 14)), out(line(1, 3, 5)), entries(out(line(1, 3, 5)), line(2, 12, 14)), nil},
		"what waited for another waits on":     {entries(early, late(line(2, 20, 30), 22)), out(planned), entries(out(planned), late(line(2, 20, 30), 22)), nil},
		"a hand-out":                           {entries(out(line(1, 4, 15))), planned, entries(planned), nil},
		"a hand-out of what is over":           {entries(out(line(1, 4, 10))), line(1, 3, 10), entries(line(1, 3, 10)), nil},
		"an early one":                         {entries(out(line(1, 1, 15))), planned, entries(planned), nil},
		"one that had waited":                  {entries(back(line(2, 1, 4)), out(line(1, 5, 15))), planned, entries(back(line(2, 1, 4)), late(planned, 4)), nil},
		"one within what was kept free":        {entries(gap(back(line(2, 1, 3)), 2), out(line(1, 5, 15))), planned, entries(gap(back(line(2, 1, 3)), 2), planned), nil},
		"a hand-out, another is in the past":   {entries(line(2, 2, 4), out(line(1, 5, 15))), planned, nil, []int64{2}},
		"a hand-out, another in what is past":  {entries(line(2, 4, 5), out(line(1, 5, 15))), planned, nil, []int64{2}},
		"a hand-out, the next one":             {entries(gap(out(line(1, 5, 15)), 1), line(2, 16, 17)), planned, entries(gap(planned, 1), line(2, 16, 17)), nil},
		"a sale":                               {entries(out(sale(1, 5))), sale(1, 3), entries(sale(1, 3)), nil},
		"what is kept free is what it was":     {entries(gap(out(line(1, 5, 15)), 1)), gap(planned, 7), entries(gap(planned, 1)), nil},
		"what was before a late one is no bar": {entries(late(line(2, 1, 4), 4), out(line(1, 5, 15))), planned, entries(late(line(2, 1, 4), 4), planned), nil},
	} {
		t.Run(name, func(t *testing.T) {
			kept := slices.Clone(tt.has)
			c := calendar.Calendar{Entries: tt.has}
			err := c.Reopen(tt.want, at(11), noon)
			if !slices.Equal(tt.has, kept) {
				t.Errorf("what shares the entries has changed: %+v", tt.has)
			}
			if tt.inWay == nil {
				if err != nil || !slices.Equal(c.Entries, tt.result) || !c.IsChanged() {
					t.Errorf("%v, %+v\nwant %+v", err, c.Entries, tt.result)
				}
				return
			}
			if got := inWay(t, err); !slices.Equal(got, tt.inWay) || !slices.Equal(c.Entries, kept) || c.IsChanged() {
				t.Errorf("%v is in the way, and not %v: %+v", got, tt.inWay, c.Entries)
			}
		})
	}
}

// inWay are the lines and blocks that an error names as conflicts.
func inWay(t *testing.T, err error) (ids []int64) {
	t.Helper()
	f, ok := fault.As(err)
	if !ok || !errors.Is(err, calendar.ErrOverlap) {
		t.Fatalf("it is reopened: %v", err)
	}
	for _, one := range f.Members["conflicts"].([]calendar.ItemConflict) {
		if one.Block != nil {
			ids = append(ids, *one.Block)
		} else {
			ids = append(ids, *one.Line)
		}
	}
	return ids
}

// What the calendar does not know any more, or whose item is gone, is not reopened.
func TestReopenRefused(t *testing.T) {
	dropped, closed := calendar.Calendar{Floor: at(8)}, calendar.Calendar{Entries: entries(back(line(1, 3, 8))), Closed: true}
	if err := dropped.Reopen(out(line(1, 3, 15)), at(8), noon); !errors.Is(err, calendar.ErrPast) {
		t.Errorf("dropped: %v", err)
	}
	if err := closed.Reopen(out(line(1, 3, 15)), at(8), noon); !errors.Is(err, calendar.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// reopened checks that a step of the entry of a line, taken back at once, leaves the calendar as it was.
func reopened(t *testing.T, before, after calendar.Calendar, of calendar.Entry, now time.Time) {
	t.Helper()
	i := slices.IndexFunc(before.Entries, func(e calendar.Entry) bool { return e.Line == of.Line && e.Block == of.Block })
	if len(before.Entries) != len(after.Entries) || after.Closed { // the step has dropped what is over
		return
	}
	if err := after.Reopen(before.Entries[i], moment.Of(now), now); err != nil || !slices.Equal(after.Entries, before.Entries) {
		t.Errorf("%v, %+v\nwant %+v", err, after.Entries, before.Entries)
	}
}
