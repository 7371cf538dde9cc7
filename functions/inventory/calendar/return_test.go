package calendar_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/shared/moment"
)

func TestReturn(t *testing.T) {
	for name, tt := range map[string]struct {
		has  []calendar.Entry
		end  int // of line 1
		want []calendar.Entry
	}{
		"on time":                     {entries(out(line(1, 3, 12))), 12, entries(back(line(1, 3, 12)))},
		"early, and the rest is free": {entries(out(line(1, 3, 15))), 12, entries(back(line(1, 3, 12)))},
		"nobody waited":               {entries(out(line(1, 3, 5)), line(2, 13, 14)), 12, entries(back(line(1, 3, 12)), line(2, 13, 14))},
		"the time kept free stays": {
			entries(gap(out(line(1, 3, 5)), 2), line(2, 13, 14)), 12,
			entries(gap(back(line(1, 3, 12)), 2), line(2, 13, 14)),
		},
		"one waited":         {entries(out(line(1, 3, 5)), line(2, 6, 14)), 12, entries(back(line(1, 3, 12)), late(line(2, 6, 14), 12))},
		"one waited in vain": {entries(out(line(1, 3, 5)), line(2, 6, 8)), 12, entries(back(line(1, 3, 12)), late(line(2, 6, 8), 12))},
		"a block waited":     {entries(out(line(1, 3, 5)), block(2, 6, 14)), 12, entries(back(line(1, 3, 12)), late(block(2, 6, 14), 12))},
		"a sale waited":      {entries(out(line(1, 3, 5)), sale(2, 6)), 12, entries(back(line(1, 3, 12)), late(sale(2, 6), 12))},
		"late, told as of the past": {
			entries(out(line(1, 3, 5)), line(2, 6, 14), line(3, 14, 15)), 8,
			entries(back(line(1, 3, 8)), late(line(2, 6, 14), 8), line(3, 14, 15)),
		},
		"as late as one begins":         {entries(out(line(1, 3, 5)), line(2, 6, 14)), 6, entries(back(line(1, 3, 6)), line(2, 6, 14))},
		"what was before does not wait": {entries(line(2, 1, 3), out(line(1, 3, 5))), 12, entries(line(2, 1, 3), back(line(1, 3, 12)))},
		"at the moment of the hand-out": {entries(out(line(1, 3, 5)), line(2, 6, 8)), 3, entries(back(line(1, 3, 3)), line(2, 6, 8))},
		"before the hand-out":           {entries(out(line(1, 3, 5))), 2, entries(back(line(1, 3, 3)))},
		"a sale is returned":            {entries(out(sale(1, 3))), 12, entries(back(line(1, 3, 12)))},
		"what is not out":               {entries(line(1, 3, 15)), 12, entries(line(1, 3, 15))},
		"what is not there":             {entries(line(2, 3, 15)), 12, entries(line(2, 3, 15))},
		"late, over what was returned at once": {
			entries(out(line(1, 3, 5)), back(line(2, 6, 6))), 12, entries(back(line(1, 3, 12)), back(line(2, 6, 6))),
		},
		"twice late": {
			entries(late(line(2, 6, 20), 8), out(line(1, 9, 10)), late(line(3, 6, 7), 8)), 12,
			entries(late(line(3, 6, 7), 8), late(line(2, 6, 20), 12), back(line(1, 9, 12))),
		},
	} {
		t.Run(name, func(t *testing.T) {
			for closed, how := range map[bool]string{false: "open", true: "closed"} {
				c := calendar.Calendar{Entries: slices.Clone(tt.has), Closed: closed}
				kept := slices.Clone(tt.has)
				shared := c
				c.Return(line(1, 0, 0), at(tt.end))
				slices.SortStableFunc(tt.want, func(a, b calendar.Entry) int { return int(a.Start - b.Start) })
				if !slices.Equal(c.Entries, tt.want) || c.Closed != closed {
					t.Errorf("%s: %+v\nwant %+v", how, c.Entries, tt.want)
				}
				if !slices.Equal(shared.Entries, kept) {
					t.Errorf("%s: a copy of the calendar has changed, too: %+v", how, shared.Entries)
				}
			}
		})
	}
}

// A line that is handed out and returned at the same moment is in nobody's way, and can be told again.
func TestReturnedAtOnce(t *testing.T) {
	var c calendar.Calendar
	for _, step := range []error{
		c.Occupy(out(gap(line(1, 12, 14), 2)), noon),
		func() error { c.Return(line(1, 0, 0), at(12)); return nil }(),
		c.Occupy(line(2, 11, 13), noon),
		c.Close(noon.Add(2 * time.Hour)),
	} {
		if step != nil {
			t.Fatal(step)
		}
	}
}

// A line that is returned may be asked for again as it is, and stays returned.
func TestReturnedStaysReturned(t *testing.T) {
	was := entries(back(line(1, 3, 8)), line(2, 14, 15))
	c := calendar.Calendar{Entries: was}
	if err := c.Occupy(line(1, 3, 8), noon); err != nil || !slices.Equal(c.Entries, was) {
		t.Errorf("%v, %+v", err, c.Entries)
	}
}

// The setting of how long an item is kept free may change; what is booked already stays as it is.
func TestALaterSettingMakesNoConflict(t *testing.T) {
	c := calendar.Calendar{Entries: entries(line(1, 13, 14), line(2, 14, 16))}
	if err := c.Occupy(out(gap(line(1, 12, 14), 2)), noon); err != nil || c.Entries[0].Gap != 0 {
		t.Errorf("handed out: %v, %+v", err, c.Entries)
	}
	if err := c.Occupy(gap(line(2, 14, 16), 2), noon); err != nil || c.Entries[1].Gap != 0 {
		t.Errorf("as it was: %v, %+v", err, c.Entries)
	}
	if err := c.Occupy(gap(line(2, 14, 17), 2), noon); err != nil || c.Entries[1].Gap != 2*3600 {
		t.Errorf("extended: %v, %+v", err, c.Entries)
	}
}

// The clock of one request is 2 s ahead of the other's.
func TestClocks(t *testing.T) {
	ahead := noon.Add(2 * time.Second)
	c := calendar.Calendar{Entries: entries(out(line(1, 3, 12)), line(2, 13, 15))}
	c.Return(line(1, 0, 0), moment.Of(ahead))
	hand := out(line(2, 12, 15))
	if err := c.Occupy(hand, noon); !errors.Is(err, calendar.ErrOverlap) {
		t.Fatalf("the clocks do not differ: %v", err)
	}
	hand.Start = c.HandOutAt(noon)
	if err := c.Occupy(hand, noon); err != nil || hand.Start != moment.Of(ahead) {
		t.Errorf("handed out: %v", err)
	}
	if c.Return(line(2, 0, 0), at(12)); c.Entries[1].End != hand.Start {
		t.Errorf("returned by the clock that is behind: %+v", c.Entries[1])
	}
	for name, c := range map[string]calendar.Calendar{
		"nothing":                      {},
		"it was returned a while ago":  {Entries: entries(back(line(1, 3, 11)))},
		"it is returned in an hour":    {Entries: entries(back(line(1, 3, 13)))},
		"what is planned, itself, say": {Entries: entries(calendar.Entry{Line: 1, Start: at(3), End: at(12) + 1e6})},
	} {
		if got := c.HandOutAt(noon); got != moment.Of(noon) {
			t.Errorf("%s: %s", name, got.Time().UTC())
		}
	}
}

// A hand-out that is told later has the item from then on until now: not from before another one came
// back, however short ago that was.
func TestAHandOutFromBeforeAReturn(t *testing.T) {
	const second = 1_000_000
	now := moment.Of(noon)
	was := calendar.Entry{Line: 1, Order: 1, Start: now - 2*second, End: now - second, Back: true}
	for name, tt := range map[string]struct {
		from moment.Micros
		free bool
	}{
		"before both":     {now - 3*second, false},
		"while it had it": {now - 3*second/2, false},
		"from the return": {now - second, true},
	} {
		t.Run(name, func(t *testing.T) {
			plan := calendar.Entry{Line: 2, Order: 2, Start: tt.from, End: now - second/2}
			c := calendar.Calendar{Entries: []calendar.Entry{was}}
			if tt.from < was.Start {
				plan.End = was.Start
			}
			plan.Out = true
			if err := c.Occupy(plan, noon); (err == nil) != tt.free {
				t.Errorf("free: %t, %v", tt.free, err)
			}
		})
	}
	c := calendar.Calendar{Entries: []calendar.Entry{{Line: 1, Order: 1, Start: now - second, End: now - second, Back: true}}}
	if err := c.Occupy(calendar.Entry{Line: 2, Order: 2, Start: now - 2*second, End: now - second, Out: true}, noon); err != nil {
		t.Errorf("over what was returned at once: %v", err)
	}
}
