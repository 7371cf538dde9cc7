package calendar_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// to is an entry whose item is returned at a rental point.
func to(e calendar.Entry, point int64) calendar.Entry {
	e.Point = point
	return e
}

// It is noon; where an item will be is asked of 20 o'clock.
func TestPointAt(t *testing.T) {
	for name, tt := range map[string]struct {
		has  []calendar.Entry
		want int64
	}{
		"nothing":                                {nil, 0},
		"nobody says":                            {entries(line(1, 13, 14), block(2, 15, 16), sale(3, 21)), 0},
		"planned":                                {entries(to(line(1, 13, 14), 3)), 3},
		"planned until then":                     {entries(to(line(1, 13, 20), 3)), 3},
		"planned until later":                    {entries(to(line(1, 13, 21), 3)), 0},
		"planned for later":                      {entries(to(line(1, 21, 22), 3)), 0},
		"out":                                    {entries(to(out(line(1, 3, 14)), 3)), 3},
		"out, and will be":                       {entries(to(out(line(1, 3, 21)), 3)), 0},
		"overdue":                                {entries(to(out(line(1, 3, 5)), 3)), 3},
		"returned: it has been moved":            {entries(to(back(line(1, 3, 5)), 3)), 0},
		"nobody came, and the time is over":      {entries(to(line(1, 3, 12), 3)), 0},
		"nobody came yet":                        {entries(to(line(1, 3, 13), 3)), 3},
		"the last one":                           {entries(to(out(line(1, 3, 13)), 3), to(line(2, 14, 15), 4), to(line(3, 21, 22), 5)), 4},
		"the last one that says it":              {entries(to(out(line(1, 3, 13)), 3), line(2, 14, 15), block(3, 16, 17)), 3},
		"the last one that is not back":          {entries(to(back(line(1, 3, 11)), 4), to(out(line(2, 11, 12)), 3)), 3},
		"overdue, before one that is planned":    {entries(to(out(line(1, 3, 5)), 3), to(line(2, 6, 14), 4)), 4},
		"of two that end together the later":     {entries(to(out(line(1, 3, 14)), 3), to(late(line(2, 4, 14), 5), 4)), 4},
		"one that waited in vain for a late one": {entries(to(late(line(2, 6, 11), 12), 4), to(back(line(1, 3, 12)), 3)), 0},
	} {
		c := calendar.Calendar{Entries: tt.has}
		if got := c.PointAt(at(20), noon); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}

// Where an item is returned is in nobody's way: it changes in a calendar that is closed or full, and of a line that could not move.
func TestReturnAt(t *testing.T) {
	was := entries(to(line(1, 13, 14), 3), line(2, 14, 16))
	for name, change := range map[string]func(c *calendar.Calendar) error{
		"by itself":         func(c *calendar.Calendar) error { c.ReturnAt(line(1, 0, 0), 4); return nil },
		"with its old time": func(c *calendar.Calendar) error { return c.Occupy(to(line(1, 13, 14), 4), noon) },
	} {
		c := calendar.Calendar{Entries: slices.Clone(was), Closed: true}
		shared := c
		if err := change(&c); err != nil || !slices.Equal(c.Entries, entries(to(line(1, 13, 14), 4), line(2, 14, 16))) || !c.IsChanged() {
			t.Errorf("%s: %v, %+v", name, err, c.Entries)
		}
		if !slices.Equal(shared.Entries, was) {
			t.Errorf("%s: a copy of the calendar has changed, too: %+v", name, shared.Entries)
		}
	}
	c := calendar.Calendar{Entries: slices.Clone(was)}
	c.ReturnAt(line(1, 0, 0), 3)
	c.ReturnAt(line(7, 0, 0), 3)
	if err := c.Occupy(to(line(1, 13, 14), 3), noon); err != nil || c.IsChanged() || !slices.Equal(c.Entries, was) {
		t.Errorf("as it was: %v, %+v", err, c.Entries)
	}
	if err := c.Occupy(to(line(1, 13, 15), 4), noon); !errors.Is(err, calendar.ErrOverlap) || !slices.Equal(c.Entries, was) {
		t.Errorf("refused: %v, %+v", err, c.Entries)
	}
	if err := c.Occupy(to(out(line(1, 12, 14)), 5), noon); err != nil || c.Entries[0] != to(out(line(1, 12, 14)), 5) {
		t.Errorf("handed out: %v, %+v", err, c.Entries)
	}
	if c.Return(line(1, 0, 0), at(13)); c.Entries[0] != to(back(line(1, 12, 13)), 5) {
		t.Errorf("returned: %+v", c.Entries)
	}
}

// A release from before there were points reads the entries, and what it writes has no points.
func TestPointsAreStoredBesideTheTexts(t *testing.T) {
	s := scope(tabletest.New(t), "one")
	want := entries(line(1, 13, 14), to(line(2, 15, 16), 3), line(3, 17, 18), to(line(4, 19, 20), 12), line(5, 21, 22))
	if err := occupy(t, s, 1, want...); err != nil {
		t.Fatal(err)
	}
	if c := read(t, s, 1); !slices.Equal(c.Entries, want) {
		t.Errorf("%+v\nwant %+v", c.Entries, want)
	}
	some, err := calendar.Some(t.Context(), s, 1)
	if err != nil || !slices.Equal(some[1].Entries, want) {
		t.Errorf("%v, %+v", err, some)
	}
	all, _, err := calendar.All(t.Context(), s)
	if err != nil || !slices.Equal(all[1].Entries, want) {
		t.Errorf("%v, %+v", err, all)
	}
	var old struct {
		table.Item
		Revision int64    `dynamo:"r"`
		Entries  []string `dynamo:"t,omitempty"`
	}
	var points struct {
		Points []int64 `dynamo:"p"`
	}
	texts := "[L1/101 1772456400+3600 L2/102 1772463600+3600 L3/103 1772470800+3600 L4/104 1772478000+3600 L5/105 1772485200+3600]"
	if err := stored(t, s, 1).Decode(&old); err != nil || fmt.Sprint(old.Entries) != texts {
		t.Errorf("%v, %v", err, old.Entries)
	}
	if err := stored(t, s, 1).Decode(&points); err != nil || fmt.Sprint(points.Points) != "[0 3 0 12]" {
		t.Errorf("%v, %v", err, points.Points)
	}
	old.Revision++
	if err := s.Table.Put(old).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range want {
		want[i].Point = 0
	}
	if c := read(t, s, 1); !slices.Equal(c.Entries, want) {
		t.Errorf("written by an old release: %+v", c.Entries)
	}
	err = s.Do(t.Context(), nil, func(w *record.Work) error {
		causes().Create(w, "", &cause{})
		return calendar.Change(t.Context(), w, 1, func(c *calendar.Calendar) error { c.ReturnAt(line(1, 0, 0), 8); return nil })
	})
	if want[0].Point = 8; err != nil || !slices.Equal(read(t, s, 1).Entries, want) {
		t.Errorf("%v, %+v", err, read(t, s, 1))
	}
}

// More points than entries are not taken for those of the first ones.
func TestPointsOfNoEntries(t *testing.T) {
	s := scope(tabletest.New(t), "one")
	err := s.Table.Put(struct {
		table.Item
		Points []int64 `dynamo:"p"`
	}{table.At(s.Table.Calendar(1), 2), []int64{0, 3}}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if c, err := calendar.Read(t.Context(), s.Reading(), 1); err == nil {
		t.Errorf("%+v", c)
	}
}
