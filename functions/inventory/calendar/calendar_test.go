package calendar_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
)

// In these tests it is noon, and times are hours from midnight.

var midnight = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

func at(hours int) moment.Micros { return moment.Of(midnight.Add(time.Duration(hours) * time.Hour)) }

var noon = midnight.Add(12 * time.Hour)

const days = 24

func block(id int64, from, to int) calendar.Entry {
	return calendar.Entry{Block: id, Start: at(from), End: at(to)}
}

func line(id int64, from, to int) calendar.Entry {
	return calendar.Entry{Line: id, Order: 100 + id, Start: at(from), End: at(to)}
}

func out(e calendar.Entry) calendar.Entry {
	e.Out = true
	return e
}

func sale(id int64, from int) calendar.Entry {
	e := line(id, from, from)
	e.End = calendar.Forever
	return e
}

// gap is an entry with hours that are kept free afterwards.
func gap(e calendar.Entry, hours moment.Seconds) calendar.Entry {
	e.Gap = hours * 3600
	return e
}

// back is an entry that was handed out and is returned.
func back(e calendar.Entry) calendar.Entry {
	e.Back = true
	return e
}

// late is an entry that waited for a late return until an hour.
func late(e calendar.Entry, hour int) calendar.Entry {
	e.Late = at(hour)
	return e
}

// waited is line 1 that waited for line 2, and what else there is.
func waited(more ...calendar.Entry) []calendar.Entry {
	return append(entries(line(2, 3, 10), late(line(1, 6, 14), 10)), more...)
}

// nothing is what a late return has left of line 1, and what else there is.
func nothing(more ...calendar.Entry) []calendar.Entry {
	return append(entries(gap(line(2, 3, 10), 2), late(line(1, 6, 8), 10)), more...)
}

// from is an entry that begins somewhat later, or earlier.
func from(e calendar.Entry, by time.Duration) calendar.Entry {
	e.Start = e.Start.Add(by)
	return e
}

func entries(list ...calendar.Entry) []calendar.Entry { return list }

// many are entries of an hour each, from an hour on.
func many(n, from int) (list []calendar.Entry) {
	for i := range n {
		list = append(list, block(int64(1000+i), from+i, from+i+1))
	}
	return list
}

func TestOccupy(t *testing.T) {
	for name, tt := range map[string]struct {
		has  []calendar.Entry
		want calendar.Entry
		err  error // nil: it is taken
	}{
		"an empty calendar":                            {nil, block(1, 14, 16), nil},
		"it ends where another begins":                 {entries(line(2, 16, 18)), block(1, 14, 16), nil},
		"it begins where another ends":                 {entries(line(2, 13, 14)), block(1, 14, 16), nil},
		"between two":                                  {entries(line(2, 13, 14), line(3, 16, 18)), block(1, 14, 16), nil},
		"it overlaps the beginning of another":         {entries(line(2, 15, 18)), block(1, 14, 16), calendar.ErrOverlap},
		"it overlaps the end of another":               {entries(line(2, 13, 15)), block(1, 14, 16), calendar.ErrOverlap},
		"inside another":                               {entries(line(2, 13, 18)), block(1, 14, 16), calendar.ErrOverlap},
		"around another":                               {entries(line(2, 15, 16)), block(1, 14, 18), calendar.ErrOverlap},
		"equal to another":                             {entries(line(2, 14, 16)), block(1, 14, 16), calendar.ErrOverlap},
		"a line where a block is":                      {entries(block(2, 14, 16)), line(1, 15, 17), calendar.ErrOverlap},
		"a block and a line of the same number":        {entries(block(1, 14, 16)), line(1, 15, 17), calendar.ErrOverlap},
		"no time at all":                               {nil, block(1, 14, 14), calendar.ErrReversed},
		"no time at all, in the middle of another":     {entries(line(2, 13, 18)), block(1, 14, 14), calendar.ErrReversed},
		"reversed":                                     {nil, block(1, 16, 14), calendar.ErrReversed},
		"moved within its own time":                    {entries(block(1, 14, 18)), block(1, 15, 16), nil},
		"moved over its own time":                      {entries(block(1, 14, 18)), block(1, 13, 20), nil},
		"moved onto another":                           {entries(block(1, 14, 18), block(2, 18, 20)), block(1, 14, 19), calendar.ErrOverlap},
		"after a sale":                                 {entries(sale(2, 14)), line(1, 20000, 20001), calendar.ErrOverlap},
		"until a sale":                                 {entries(sale(2, 14)), line(1, 13, 14), nil},
		"a sale before what is booked":                 {entries(line(2, 900, 901)), sale(1, 14), calendar.ErrOverlap},
		"in the past":                                  {nil, block(1, 2, 4), nil},
		"in the past, where something was":             {entries(line(2, 3, 5)), block(1, 2, 4), calendar.ErrOverlap},
		"while something is late":                      {entries(out(line(2, 3, 5))), block(1, 6, 14), calendar.ErrOverlap},
		"after something that is late":                 {entries(out(line(2, 3, 5))), line(1, 12, 14), nil},
		"handed out while something is late":           {entries(out(line(2, 3, 5))), out(line(1, 12, 14)), calendar.ErrOverlap},
		"handed out later than booked":                 {entries(line(1, 10, 14), line(2, 14, 16)), out(line(1, 12, 14)), nil},
		"what is late is extended":                     {entries(out(line(1, 3, 5)), line(2, 16, 18)), out(line(1, 3, 16)), nil},
		"late, and extended onto another":              {entries(out(line(1, 3, 5)), line(2, 16, 18)), out(line(1, 3, 17)), calendar.ErrOverlap},
		"what is late stays late over what is booked":  {entries(out(line(1, 3, 5)), line(2, 6, 7)), out(line(1, 3, 6)), calendar.ErrOverlap},
		"a full calendar":                              {many(200, 20), block(1, 14, 16), calendar.ErrFull},
		"a full calendar in which something is over":   {many(200, 11), block(1, 14*days, 15*days), nil},
		"within the time that is kept free":            {entries(gap(line(2, 12, 14), 2)), line(1, 15, 18), calendar.ErrOverlap},
		"when the time that is kept free ends":         {entries(gap(line(2, 12, 14), 2)), line(1, 16, 18), nil},
		"too short a time is left before another":      {entries(line(2, 17, 18)), gap(line(1, 13, 16), 2), calendar.ErrOverlap},
		"enough time is left before another":           {entries(line(2, 18, 19)), gap(line(1, 13, 16), 2), nil},
		"a sale within the time that is kept free":     {entries(gap(line(2, 12, 14), 2)), sale(1, 15), calendar.ErrOverlap},
		"a block within the time that is kept free":    {entries(gap(line(2, 12, 14), 2)), block(1, 14, 15), nil},
		"a time kept free runs into a block":           {entries(block(2, 16, 18)), gap(line(1, 13, 16), 2), nil},
		"a time kept free goes on after a block":       {entries(gap(line(2, 12, 14), 3), block(3, 14, 15)), line(1, 16, 18), calendar.ErrOverlap},
		"handed out within the time that is kept free": {entries(gap(line(2, 8, 11), 2)), out(line(1, 12, 14)), nil},
		"before what was handed out too early":         {entries(line(2, 8, 10), out(line(3, 11, 14))), gap(line(2, 8, 11), 2), nil},
		"before what began too early, and is back":     {entries(line(2, 6, 8), back(line(3, 9, 11))), gap(line(2, 6, 9), 2), nil},
		"what is late is kept free from now on":        {entries(gap(out(line(2, 3, 5)), 2)), line(1, 13, 15), calendar.ErrOverlap},
		"what is late may be booked after that":        {entries(gap(out(line(2, 3, 5)), 2)), line(1, 14, 15), nil},
		"from now, by a clock that is 2 s behind":      {entries(out(line(2, 3, 5))), from(line(1, 12, 14), -2*time.Second), nil},
		"from a minute ago, while something is out":    {entries(out(line(2, 3, 5))), from(line(1, 12, 14), -time.Minute), calendar.ErrOverlap},
		"what waits for something late is extended":    {entries(out(line(2, 3, 5)), line(1, 6, 14)), line(1, 6, 16), nil},
		"what waits for something late begins earlier": {entries(out(line(2, 3, 5)), line(1, 6, 14)), line(1, 5, 14), calendar.ErrOverlap},
		"after a late return is extended":              {waited(), late(line(1, 6, 16), 10), nil},
		"after a late return, extended onto another":   {waited(line(3, 14, 15)), line(1, 6, 16), calendar.ErrOverlap},
		"after a late return, moved into that time":    {waited(), line(1, 7, 14), calendar.ErrOverlap},
		"after a late return moves behind that time":   {waited(), line(1, 11, 14), nil},
		"after a late return is handed out":            {waited(), out(line(1, 10, 14)), nil},
		"handed out before the late one was back":      {waited(), out(line(1, 9, 14)), calendar.ErrOverlap},
		"a hand-out then, at its own planned start":    {waited(), out(line(1, 6, 14)), calendar.ErrOverlap},
		"of what a late return left nothing":           {entries(line(2, 3, 10), late(line(1, 6, 8), 10)), line(3, 10, 11), nil},
		"left nothing, it grows onto another":          {nothing(line(3, 10, 12)), line(1, 6, 14), calendar.ErrOverlap},
		"soon after an actual end, and then extended":  {entries(gap(line(2, 3, 10), 2), line(1, 11, 14)), line(1, 11, 16), nil},
		"soon after an actual end, moved":              {entries(gap(line(2, 3, 10), 2), line(1, 11, 14)), line(1, 10, 14), calendar.ErrOverlap},
		"left nothing by one that was late, it grows":  {nothing(), late(line(1, 6, 14), 10), nil},
		"a sale with a time that is kept free":         {entries(gap(sale(2, 14), 2)), line(1, 15, 16), calendar.ErrOverlap},
		"where what was returned at once is":           {entries(gap(line(2, 13, 13), 2)), line(1, 12, 14), nil},
		"what was returned at once is extended":        {entries(line(2, 13, 13), line(1, 12, 14)), line(2, 13, 14), calendar.ErrOverlap},
		"handed out where a sale is handed out":        {entries(out(sale(2, 3))), out(line(1, 13, 14)), calendar.ErrOverlap},
		"handed out as of before what is out":          {entries(out(line(2, 11, 16))), out(line(1, 3, 5)), calendar.ErrOverlap},
		"a sale is handed out":                         {entries(sale(1, 14)), out(sale(1, 12)), nil},
		"a sale is handed out while something is late": {entries(out(line(2, 3, 5)), sale(1, 14)), out(sale(1, 12)), calendar.ErrOverlap},
		"moved in a full calendar":                     {many(200, 20), block(1000, 14, 16), nil},
		"an overlap in a full calendar":                {many(200, 20), block(1, 20, 21), calendar.ErrOverlap},
	} {
		t.Run(name, func(t *testing.T) {
			c := calendar.Calendar{Entries: tt.has}
			err := c.Occupy(tt.want, noon)
			if !errors.Is(err, tt.err) {
				t.Fatalf("%v, want %v", err, tt.err)
			}
			if tt.err != nil && !reflect.DeepEqual(c, calendar.Calendar{Entries: tt.has}) {
				t.Errorf("it was refused and left %+v", c)
			}
			if tt.err == nil {
				has(t, c, tt.want)
			}
		})
	}
}

// has checks that the calendar has an entry once, and that its entries are in order.
func has(t *testing.T, c calendar.Calendar, want calendar.Entry) {
	t.Helper()
	n := 0
	for i, e := range c.Entries {
		if e == want {
			n++
		}
		if i > 0 && e.Start < c.Entries[i-1].Start {
			t.Errorf("entry %d begins before the one before it", i)
		}
	}
	if n != 1 || len(c.Entries) > calendar.Most {
		t.Errorf("%d times among %d entries", n, len(c.Entries))
	}
}

func TestClosedTakesNothing(t *testing.T) {
	was := entries(block(1, 14, 16))
	c := calendar.Calendar{Entries: was, Closed: true}
	for name, want := range map[string]calendar.Entry{"a new one": block(2, 18, 20), "a move": block(1, 14, 15)} {
		if err := c.Occupy(want, noon); !errors.Is(err, calendar.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := c.Occupy(was[0], noon); err != nil {
		t.Errorf("what does not change: %v", err)
	}
	if c.Release(was[0]); len(c.Entries) != 0 {
		t.Errorf("%+v", c)
	}
	c.Open()
	if err := c.Occupy(was[0], noon); err != nil || c.Closed {
		t.Errorf("opened again: %v", err)
	}
}

func TestWhatIsOverForLongIsDropped(t *testing.T) {
	month := -31 * days
	c := calendar.Calendar{Entries: entries(
		block(1, month, month+11), block(2, month+11, month+12), block(3, month+12, month+13), out(line(4, month-2, month-1)), sale(5, 400),
	)}
	if err := c.Occupy(block(6, 14, 16), noon); err != nil {
		t.Fatal(err)
	}
	want := entries(out(line(4, month-2, month-1)), block(3, month+12, month+13), block(6, 14, 16), sale(5, 400))
	if !reflect.DeepEqual(c.Entries, want) || c.Floor != at(month+12) {
		t.Errorf("floor %d, %+v", c.Floor, c.Entries)
	}
}

// Of a full calendar as little is dropped as is needed, and that is known afterwards.
func TestAFullCalendarDropsWhatEndedFirst(t *testing.T) {
	c := calendar.Calendar{Entries: many(200, 2)} // ten of which are over
	for i := range 10 {
		if err := c.Occupy(block(int64(i+1), 1000+i, 1001+i), noon); err != nil {
			t.Fatal(err)
		}
		if len(c.Entries) != 200 || c.Floor != at(3+i) {
			t.Fatalf("after %d more: %d entries, floor %d", i+1, len(c.Entries), c.Floor)
		}
	}
	if err := c.Occupy(block(11, 2000, 2001), noon); !errors.Is(err, calendar.ErrFull) {
		t.Error(err)
	}
	if c.Release(block(11, 0, 0)); len(c.Entries) != 200 {
		t.Error("what was not there was released")
	}
	c.Release(block(10, 0, 0))
	if err := c.Occupy(block(11, 2000, 2001), noon); err != nil || c.Floor != at(12) {
		t.Errorf("%v, floor %d", err, c.Floor)
	}
}

func TestFloor(t *testing.T) {
	for name, tt := range map[string]struct {
		has  []calendar.Entry
		want calendar.Entry
		err  error
	}{
		"it begins at the floor":                       {nil, block(1, 10, 14), nil},
		"it begins before":                             {nil, block(1, 9, 14), calendar.ErrPast},
		"it lies before":                               {nil, block(1, 7, 8), calendar.ErrPast},
		"it began before and ends later than it did":   {entries(line(1, 9, 14)), line(1, 9, 20), nil},
		"it began before and is handed out":            {entries(line(1, 9, 14)), out(line(1, 9, 14)), nil},
		"it moves to begin before":                     {entries(line(1, 11, 14)), line(1, 9, 14), calendar.ErrPast},
		"it was over before, and would take what was":  {entries(line(1, 7, 8)), line(1, 7, 14), calendar.ErrPast},
		"it was over before, and becomes shorter":      {entries(block(1, 6, 9)), block(1, 7, 8), nil},
		"it was over before, and is still out":         {entries(out(line(1, 7, 8))), line(1, 7, 12), nil},
		"it was over before, and moves to a later day": {entries(block(1, 7, 8)), block(1, 30, 40), nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := calendar.Calendar{Entries: tt.has, Floor: at(10)}
			if err := c.Occupy(tt.want, noon); !errors.Is(err, tt.err) {
				t.Errorf("%v, want %v", err, tt.err)
			}
		})
	}
}

func TestClose(t *testing.T) {
	for name, tt := range map[string]struct {
		has    []calendar.Entry
		refuse bool
	}{
		"empty":                           {nil, false},
		"blocked now and later":           {entries(block(1, 11, 13), block(2, 20, 30)), false},
		"a line that is over":             {entries(line(1, 2, 12)), false},
		"a line that has begun":           {entries(line(1, 2, 13)), true},
		"a line to come":                  {entries(line(1, 900, 901)), true},
		"a line that is late":             {entries(out(line(1, 2, 3))), true},
		"sold":                            {entries(sale(1, 2)), true},
		"sold and handed out":             {entries(out(sale(1, 2))), false},
		"sold later, a line is out":       {entries(out(line(1, 2, 14)), sale(2, 20)), true},
		"a line to come, and a block too": {entries(block(1, 11, 13), line(1, 900, 901)), true},
	} {
		t.Run(name, func(t *testing.T) {
			for step, how := range map[string]func(*calendar.Calendar, time.Time) error{
				"close": (*calendar.Calendar).Close, "end": (*calendar.Calendar).CloseAndClear,
			} {
				c := calendar.Calendar{Entries: tt.has}
				err := how(&c, noon)
				if errors.Is(err, calendar.ErrInUse) != tt.refuse || c.Closed == tt.refuse {
					t.Errorf("%s: %v, %+v", step, err, c)
				}
				want := len(tt.has)
				if err == nil && step == "end" {
					want = 0
				}
				if left := len(c.Entries); left != want {
					t.Errorf("%s leaves %d entries, not %d", step, left, want)
				}
			}
		})
	}
}

// A refusal tells what is in the way, and nothing else.
func TestConflicts(t *testing.T) {
	c := calendar.Calendar{Item: 3, Entries: entries(out(line(7, 2, 5)), line(8, 12, 13), block(9, 13, 14), sale(10, 15))}
	for want, told := range map[calendar.Entry]string{
		block(1, 11, 14): `[{"line":7,"request":107,"block":null,"inventory":3,"start_at":"2026-03-02T02:00:00Z","end_at":"2026-03-02T05:00:00Z","overdue":true},` +
			`{"line":8,"request":108,"block":null,"inventory":3,"start_at":"2026-03-02T12:00:00Z","end_at":"2026-03-02T13:00:00Z","overdue":false},` +
			`{"line":null,"request":null,"block":9,"inventory":3,"start_at":"2026-03-02T13:00:00Z","end_at":"2026-03-02T14:00:00Z","overdue":false}]`,
		block(1, 14, 16): `[{"line":10,"request":110,"block":null,"inventory":3,"start_at":"2026-03-02T15:00:00Z","end_at":null,"overdue":false}]`,
	} {
		f, ok := fault.As(c.Occupy(want, noon))
		if !ok || f.Code != fault.Conflict || f.Members["code"] != "overlap" {
			t.Fatalf("%+v", f)
		}
		if got, err := json.Marshal(f.Members["conflicts"]); err != nil || string(got) != told {
			t.Errorf("%s\nwant %s", got, told)
		}
	}
	f, ok := fault.As(c.Close(noon))
	if !ok || f.Members["code"] != "in_use" || len(f.Members["conflicts"].([]calendar.ItemConflict)) != 3 {
		t.Errorf("%+v", f)
	}
}

// What changes nothing of a calendar needs no write.
func TestIsChanged(t *testing.T) {
	for name, tt := range map[string]struct {
		do   func(c *calendar.Calendar)
		want bool
	}{
		"nothing":                 {func(*calendar.Calendar) {}, false},
		"a new entry":             {func(c *calendar.Calendar) { _ = c.Occupy(line(2, 16, 18), noon) }, true},
		"the entry as it is":      {func(c *calendar.Calendar) { _ = c.Occupy(line(1, 13, 15), noon) }, false},
		"what is refused":         {func(c *calendar.Calendar) { _ = c.Occupy(line(2, 14, 18), noon) }, false},
		"its release":             {func(c *calendar.Calendar) { c.Release(line(1, 0, 0)) }, true},
		"a release of no entry":   {func(c *calendar.Calendar) { c.Release(line(2, 0, 0)) }, false},
		"a return of no hand-out": {func(c *calendar.Calendar) { c.Return(line(1, 0, 0), at(14)) }, false},
		"opened, as it is":        {func(c *calendar.Calendar) { c.Open() }, false},
	} {
		c := calendar.Calendar{Item: 1, Entries: entries(line(1, 13, 15))}
		if tt.do(&c); c.IsChanged() != tt.want {
			t.Errorf("%s: %t", name, c.IsChanged())
		}
	}
}
