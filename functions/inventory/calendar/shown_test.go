package calendar_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// What is shown as free is what Occupy takes.
func TestIsFree(t *testing.T) {
	for name, tt := range map[string]struct {
		has  calendar.Calendar
		want calendar.Entry
		free bool
	}{
		"nothing":                     {calendar.Calendar{}, line(1, 14, 16), true},
		"nothing, and it is closed":   {calendar.Calendar{Closed: true}, line(1, 14, 16), false},
		"no time":                     {calendar.Calendar{}, line(1, 14, 14), false},
		"before the floor":            {calendar.Calendar{Floor: at(10)}, line(1, 9, 14), false},
		"at the floor":                {calendar.Calendar{Floor: at(10)}, line(1, 10, 14), true},
		"occupied":                    {calendar.Calendar{Entries: entries(line(2, 15, 18))}, line(1, 14, 16), false},
		"a block is there":            {calendar.Calendar{Entries: entries(block(2, 15, 18))}, line(1, 14, 16), false},
		"kept free":                   {calendar.Calendar{Entries: entries(gap(line(2, 12, 13), 2))}, line(1, 14, 16), false},
		"too short a time is left":    {calendar.Calendar{Entries: entries(line(2, 17, 18))}, gap(line(1, 14, 16), 2), false},
		"late until now":              {calendar.Calendar{Entries: entries(out(line(2, 3, 5)))}, line(1, 12, 14), true},
		"late":                        {calendar.Calendar{Entries: entries(out(line(2, 3, 5)))}, line(1, 11, 14), false},
		"full":                        {calendar.Calendar{Entries: many(200, 20)}, line(1, 14, 16), false},
		"full, and something is over": {calendar.Calendar{Entries: many(200, 11)}, line(1, 14*days, 15*days), true},
	} {
		t.Run(name, func(t *testing.T) {
			c := tt.has
			if got := c.IsFree(tt.want, noon); got != tt.free {
				t.Errorf("shown: %t", got)
			}
			if err := c.Occupy(tt.want, noon); (err == nil) != tt.free {
				t.Errorf("decided: %v", err)
			}
		})
	}
}

func TestWithin(t *testing.T) {
	for name, tt := range map[string]struct {
		has  calendar.Entry
		from int // of a time until 14 o'clock
		is   bool
	}{
		"inside":                        {line(1, 12, 13), 11, true},
		"around":                        {line(1, 9, 20), 11, true},
		"it ends then":                  {line(1, 9, 11), 11, false},
		"it begins then":                {line(1, 14, 20), 11, false},
		"it waits until then":           {late(line(1, 9, 20), 14), 11, false},
		"it waited in vain":             {late(line(1, 11, 12), 12), 11, false},
		"returned at once":              {back(line(1, 12, 12)), 11, false},
		"out, and late":                 {out(line(1, 3, 5)), 11, true},
		"out, and late, later than now": {out(line(1, 3, 5)), 12, false},
		"sold":                          {sale(1, 3), 13, true},
		"the time kept free":            {gap(line(1, 9, 11), 2), 11, false},
	} {
		c := calendar.Calendar{Entries: entries(tt.has), Floor: at(2)}
		if got := slices.Contains(c.Within(at(tt.from), at(14), noon), tt.has); got != tt.is {
			t.Errorf("%s: it shows: %t", name, got)
		}
		if c.IsIdle(at(tt.from), at(14), noon) == tt.is {
			t.Errorf("%s: it is idle: %t", name, !tt.is)
		}
	}
	if c := (&calendar.Calendar{Floor: at(2)}); c.IsIdle(at(1), at(14), noon) || !c.IsIdle(at(2), at(14), noon) {
		t.Error("what is not known any more is idle")
	}
}

// All calendars of a company are one call, if they are not too many; another company's are not among them.
func TestAll(t *testing.T) {
	conn := tabletest.New(t)
	s := scope(conn, "one")
	for item := range int64(30) {
		if err := occupy(t, s, item+1, line(item+100, 14, 15+int(item)), out(line(1, 3, 14))); err != nil {
			t.Fatal(err)
		}
	}
	if err := occupy(t, scopeOf(table.Of(conn, 8), "other"), 99, block(1, 14, 16)); err != nil {
		t.Fatal(err)
	}
	ctx, m := meter.Start(t.Context())
	all, gap, err := calendar.All(ctx, s)
	if err != nil || len(all) != 30 || gap != 0 || m.Usage().Calls != 1 || m.Usage().ReadUnits > 2 {
		t.Fatalf("%d calendars, %v, %+v", len(all), err, m.Usage())
	}
	for item, c := range all {
		if want := read(t, s, item); fmt.Sprint(c.Entries) != fmt.Sprint(want.Entries) {
			t.Errorf("%d: %+v, want %+v", item, c, want)
		}
	}
	err = s.Do(t.Context(), nil, func(w *record.Work) error {
		causes().Create(w, "", &cause{N: 1})
		calendar.KeepGap(w, 3_600)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if again, gap, err := calendar.All(t.Context(), s); err != nil || len(again) != 30 || gap != 3_600 {
		t.Errorf("%d calendars, a gap of %d, %v", len(again), gap, err)
	}
	if micros := stored(t, s, 0).Int("g"); micros != 3_600_000_000 {
		t.Errorf("the gap is stored as %d", micros)
	}
}
