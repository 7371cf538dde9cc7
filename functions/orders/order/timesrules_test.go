package order

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
)

func to[T any](v T) *T { return &v }

// hour is an hour of the tables, in microseconds: they begin on some day at 0 o'clock.
func hour(n int64) moment.Micros {
	return moment.Of(time.Date(2026, time.March, 2, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Hour))
}

// at is an hour of the tables.
func at(n int64) time.Time { return hour(n).Time() }

// lasting is a rental of an item between two hours.
func lasting(id, item, from, end int64) *Line {
	return &Line{Meta: record.Meta{ID: id}, Order: 7, Item: item, Start: hour(from), End: hour(end)}
}

// sold is a sale of an item.
func sold(id, item, from int64) *Line {
	return &Line{Meta: record.Meta{ID: id}, Order: 7, Item: item, Type: Sale, Start: hour(from)}
}

// handedOut makes a line one whose item was handed out at an hour.
func (l *Line) handedOut(at int64) *Line {
	l.FactStart = to(hour(at))
	return l
}

// takenBack makes a line one whose item was taken back at an hour.
func (l *Line) takenBack(at int64) *Line {
	l.FactEnd = to(hour(at))
	return l
}

// added is a draft of a line that is new.
func added(l *Line) *Draft { return &Draft{Line: l} }

// changed is a draft of a line that was another one before.
func changed(before, l *Line) *Draft { return &Draft{Line: l, before: before} }

// wrong are the fields that have errors, with the first of each, in English.
func wrong(errs fault.FieldErrors) string {
	var list []string
	for field, e := range errs {
		switch e := e.(type) {
		case []say.Message:
			list = append(list, field+": "+e[0].Error())
		case fault.FieldErrors:
			if e.Any() {
				list = append(list, field+" "+wrong(e))
			}
		default:
			list = append(list, fmt.Sprint(field, e))
		}
	}
	slices.Sort(list)
	return fmt.Sprint(list)
}

// What a change of a line asks of the calendar of its item.
func TestDraftsMove(t *testing.T) {
	for _, tt := range []struct {
		name                 string
		draft                *Draft
		stays, renews, moves bool
	}{
		{"new", added(lasting(0, 1, 9, 12)), false, true, true},
		{"unchanged", changed(lasting(5, 1, 9, 12), lasting(5, 1, 9, 12)), true, false, false},
		{"another end", changed(lasting(5, 1, 9, 12), lasting(5, 1, 9, 13)), true, true, true},
		{"another start", changed(lasting(5, 1, 9, 12), lasting(5, 1, 10, 12)), false, false, true},
		{"another item", changed(lasting(5, 1, 9, 12), lasting(5, 2, 9, 12)), false, true, true},
		{"out since before its plan", changed(lasting(5, 1, 9, 12).handedOut(8), lasting(5, 1, 8, 12).handedOut(8)), true, false, false},
	} {
		if d := tt.draft; d.stays() != tt.stays || d.renews() != tt.renews || d.moves() != tt.moves {
			t.Errorf("%s: stays %t, renews %t, moves %t", tt.name, d.stays(), d.renews(), d.moves())
		}
	}
}

// A line that names no time has that of its order.
func TestGives(t *testing.T) {
	sent := &Order{RentStart: to(hour(8)), RentEnd: to(hour(18))}
	timed := &Order{RentStart: to(hour(1)), Lines: []Held{{ID: 1, Start: hour(7), End: hour(20)}, {ID: 2, Start: hour(6)}}}
	for _, tt := range []struct {
		name  string
		order *Order
		line  Line
		want  [2]moment.Micros // start and end
	}{
		{"both are sent", sent, Line{Start: hour(9), End: hour(10)}, [2]moment.Micros{hour(9), hour(10)}},
		{"neither is", sent, Line{}, [2]moment.Micros{hour(8), hour(18)}},
		{"no end", sent, Line{Start: hour(9)}, [2]moment.Micros{hour(9), hour(18)}},
		{"no start", sent, Line{End: hour(12)}, [2]moment.Micros{hour(8), hour(12)}},
		{"the order has lines", timed, Line{}, [2]moment.Micros{hour(6), hour(20)}},
		{"the order has no time", &Order{}, Line{}, [2]moment.Micros{}},
		{"a sale", sent, Line{Type: Sale, End: hour(12)}, [2]moment.Micros{hour(11), 0}},
		{"a sale that names its time", sent, Line{Type: Sale, Start: hour(9)}, [2]moment.Micros{hour(9), 0}},
	} {
		if tt.order.fillTime(&tt.line, at(11)); [2]moment.Micros{tt.line.Start, tt.line.End} != tt.want {
			t.Errorf("%s: from %d to %d, want %v", tt.name, tt.line.Start, tt.line.End, tt.want)
		}
	}
}

func TestCheckTime(t *testing.T) {
	const early = -80 * 366 * 24 * moment.Micros(time.Hour/time.Microsecond) // before 1900
	for _, tt := range []struct {
		name       string
		start, end *moment.Micros
		refused    bool // by the decoder, at rent_start
		want       string
	}{
		{"none", nil, nil, false, "[]"},
		{"in order", to(hour(1)), to(hour(2)), false, "[]"},
		{"no end", to(hour(1)), nil, false, "[]"},
		{"at once", to(hour(1)), to(hour(1)), false, "[rent_end: Ensure this value is after rent_start.]"},
		{"an end out of range", nil, to(early), false, "[rent_end: Ensure this value is between 1900-01-02 and 2999-12-30.]"},
		{"1970", new(moment.Micros), new(moment.Micros), false, "[rent_end: Ensure this value is not 1970-01-01T00:00:00Z. rent_start: Ensure this value is not 1970-01-01T00:00:00Z.]"},
		{"a start out of range", to(early), to(early - 1), true, "[rent_end: Ensure this value is between 1900-01-02 and 2999-12-30. rent_start: no date]"},
		{"a start that was refused", to(hour(2)), to(hour(1)), true, "[rent_start: no date]"},
	} {
		errs := fault.FieldErrors{}
		if tt.refused {
			errs.Add("rent_start", "no date")
		}
		if (&Order{RentStart: tt.start, RentEnd: tt.end}).checkTime(errs); wrong(errs) != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, wrong(errs), tt.want)
		}
	}
}

func TestCheck(t *testing.T) {
	longest := int64(Longest / time.Hour)
	for _, tt := range []struct {
		name    string
		line    *Line
		refused string // by the decoder
		want    string
	}{
		{"a rental", lasting(0, 1, 9, 12), "", "[]"},
		{"the longest", lasting(0, 1, 9, 9+longest), "", "[]"},
		{"too long", lasting(0, 1, 9, 10+longest), "", "[end_at: Ensure this value is at most 10 years after the start.]"},
		{"no time", &Line{}, "", "[end_at: This field is required. start_at: This field is required.]"},
		{"no end", &Line{Start: hour(1)}, "", "[end_at: This field is required.]"},
		{"a sale without an end", sold(0, 1, 9), "", "[]"},
		{"a sale at no time", &Line{Type: Sale}, "", "[start_at: This field is required.]"},
		{"a start out of range", &Line{Start: 1 << 60, End: hour(2)}, "", "[start_at: Ensure this value is between 1900-01-02 and 2999-12-30.]"},
		{"at once", lasting(0, 1, 9, 9), "", "[end_at: Ensure this value is after the start.]"},
		{"an end that was refused", lasting(0, 1, 9, 8), "end_at", "[end_at: no date]"},
		{"a start that was refused", &Line{End: hour(9)}, "start_at", "[start_at: no date]"},
		{"no end because it was refused", &Line{Start: hour(9)}, "end_at", "[end_at: no date]"},
		{"out before its plan, with an end between", lasting(5, 1, 9, 8).handedOut(7), "", "[]"},
		{"an end before it was handed out", lasting(5, 1, 9, 12).handedOut(12), "", "[end_at: Ensure this value is after the start.]"},
	} {
		errs := fault.FieldErrors{}
		if tt.refused != "" {
			errs.Add(tt.refused, "no date")
		}
		if tt.line.checkTime(errs); wrong(errs) != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, wrong(errs), tt.want)
		}
	}
}

func TestFollow(t *testing.T) {
	for _, tt := range []struct {
		name string
		line *Line
		want int64
	}{
		{"out, and its end comes before its plan", lasting(5, 1, 9, 8).handedOut(7), 7},
		{"out, and its end comes after", lasting(5, 1, 9, 12).handedOut(7), 9},
		{"planned", lasting(5, 1, 9, 8), 9},
		{"back", lasting(5, 1, 9, 8).handedOut(7).takenBack(8), 9},
		{"sold", sold(5, 1, 9).handedOut(7), 9},
	} {
		if tt.line.startAtHandOut(); tt.line.Start != hour(tt.want) {
			t.Errorf("%s: it begins %s", tt.name, tt.line.Start.Time().UTC())
		}
	}
}

// After a rental an item is kept free for as long as the company wishes, before what is planned.
func TestMeets(t *testing.T) {
	const buffer = 3600
	for _, tt := range []struct {
		name string
		a, b *Line
		want bool
	}{
		{"the same time", lasting(1, 1, 9, 12), lasting(2, 1, 9, 12), true},
		{"one within the other", lasting(1, 1, 9, 12), lasting(2, 1, 10, 11), true},
		{"one right after the other", lasting(1, 1, 9, 12), lasting(2, 1, 12, 14), true},
		{"not an hour after", lasting(1, 1, 9, 12), &Line{Start: hour(13) - 1, End: hour(14)}, true},
		{"an hour after", lasting(1, 1, 9, 12), lasting(2, 1, 13, 14), false},
		{"what is out right after the other", lasting(1, 1, 9, 12), lasting(2, 1, 12, 14).handedOut(12), false},
		{"after one that was taken back early", lasting(1, 1, 9, 12).handedOut(9).takenBack(10), lasting(2, 1, 11, 14), false},
		{"after a sale", sold(1, 1, 9), lasting(2, 1, 500, 501), true},
		{"a sale right after", lasting(1, 1, 9, 12), sold(2, 1, 12), true},
		{"a sale before", lasting(1, 1, 9, 12), sold(2, 1, 8), true},
	} {
		if one, other := tt.a.meets(tt.b, buffer), tt.b.meets(tt.a, buffer); one != tt.want || other != tt.want {
			t.Errorf("%s: %t and the other way round %t", tt.name, one, other)
		}
	}
}

// Lines of one call that are in each other's way are reported once, at the later one, unless both have their times already.
func TestOverlaps(t *testing.T) {
	const twice = "inventory: Another line of this call has the item at this time."
	for _, tt := range []struct {
		name   string
		drafts []*Draft
		want   string
	}{
		{"two items", []*Draft{added(lasting(0, 1, 9, 12)), added(lasting(0, 2, 9, 12))}, "[]"},
		{"one item", []*Draft{added(lasting(0, 1, 9, 12)), added(lasting(0, 1, 9, 12))}, "[b [" + twice + "]]"},
		{"no item", []*Draft{added(lasting(0, 0, 9, 12)), added(lasting(0, 0, 9, 12))}, "[]"},
		{"three times", []*Draft{added(lasting(0, 1, 9, 12)), added(lasting(0, 1, 9, 12)), added(lasting(0, 1, 9, 12))}, "[b [" + twice + "] c [" + twice + "]]"},
		{"another time", []*Draft{added(lasting(0, 1, 9, 12)), added(lasting(0, 1, 13, 14))}, "[]"},
		{"they stay", []*Draft{
			changed(lasting(5, 1, 9, 12), lasting(5, 1, 9, 12)), changed(lasting(6, 1, 12, 14), lasting(6, 1, 12, 14)),
		}, "[]"},
		{"one stays", []*Draft{changed(lasting(5, 1, 9, 12), lasting(5, 1, 9, 12)), added(lasting(0, 1, 11, 14))}, "[b [" + twice + "]]"},
		{"they change places", []*Draft{
			changed(lasting(5, 1, 9, 12), lasting(5, 1, 13, 16)), changed(lasting(6, 1, 13, 16), lasting(6, 1, 9, 12)),
		}, "[]"},
	} {
		errs := fault.FieldErrors{}
		for i, d := range tt.drafts {
			d.Path = string(rune('a' + i))
		}
		if overlaps(tt.drafts, 3600, errs.At); wrong(errs) != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, wrong(errs), tt.want)
		}
	}
}

// The time of a new order is checked with those of its lines, which have it where they name none; that of an order that is there was checked
// when it was sent.
func TestTimes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		order *Order
		want  string
	}{
		{"a new order", &Order{RentStart: to(hour(9)), RentEnd: to(hour(8))}, "[a [end_at: Ensure this value is after the start.] " +
			"b [inventory: Another line of this call has the item at this time.] rent_end: Ensure this value is after rent_start.]"},
		{"one that is there", &Order{Meta: record.Meta{ID: 7}, RentStart: to(hour(9)), RentEnd: to(hour(8))}, "[a [end_at: Ensure this value is after the start.] " +
			"b [inventory: Another line of this call has the item at this time.]]"},
		{"a good one", &Order{RentStart: to(hour(5)), RentEnd: to(hour(6))}, "[]"},
	} {
		errs, drafts := fault.FieldErrors{}, []*Draft{{Line: &Line{Item: 1}, Path: "a"}, {Line: lasting(0, 1, 8, 10), Path: "b"}}
		if tt.order.setTimes(drafts, 0, at(7), errs.At); wrong(errs) != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, wrong(errs), tt.want)
		}
	}
	early := changed(lasting(5, 1, 9, 12).handedOut(7), lasting(5, 1, 9, 8).handedOut(7))
	if (&Order{Meta: record.Meta{ID: 7}}).setTimes([]*Draft{early}, 0, at(7), fault.FieldErrors{}.At); early.Line.Start != hour(7) {
		t.Errorf("the plan of a line follows its hand-out: %s", early.Line.Start.Time().UTC())
	}
}

// What the calendar of its item is told of a line.
func TestEntry(t *testing.T) {
	buffered := lasting(5, 1, 9, 12)
	buffered.Buffer = 60
	for _, tt := range []struct {
		name  string
		line  *Line
		point int64
		want  calendar.Entry
	}{
		{"planned", lasting(5, 1, 9, 12), 0, calendar.Entry{Line: 5, Order: 7, Start: hour(9), End: hour(12)}},
		{"kept free afterwards", buffered, 0, calendar.Entry{Line: 5, Order: 7, Start: hour(9), End: hour(12), Gap: 60}},
		{"out", lasting(5, 1, 9, 12).handedOut(8), 0, calendar.Entry{Line: 5, Order: 7, Start: hour(8), End: hour(12), Out: true}},
		{"back", lasting(5, 1, 9, 12).handedOut(8).takenBack(14), 0, calendar.Entry{Line: 5, Order: 7, Start: hour(8), End: hour(14)}},
		{"sold", sold(5, 1, 9), 0, calendar.Entry{Line: 5, Order: 7, Start: hour(9), End: calendar.Forever}},
		{"sold and handed out", sold(5, 1, 9).handedOut(10), 0, calendar.Entry{Line: 5, Order: 7, Start: hour(10), End: calendar.Forever, Out: true}},
		{"returned elsewhere", lasting(5, 1, 9, 12), 3, calendar.Entry{Line: 5, Order: 7, Start: hour(9), End: hour(12), Point: 3}},
		{"a sale does not come back", sold(5, 1, 9), 3, calendar.Entry{Line: 5, Order: 7, Start: hour(9), End: calendar.Forever}},
	} {
		if got := tt.line.entry(tt.point); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// What happened, happened by now. A clock that is a little ahead is believed, but not more than now is written.
func TestMoment(t *testing.T) {
	for _, tt := range []struct {
		name string
		at   *moment.Micros
		want moment.Micros
		errs string
	}{
		{"none", nil, hour(9), "[]"},
		{"before", to(hour(8)), hour(8), "[]"},
		{"a minute ahead", to(hour(9).Add(time.Minute)), hour(9), "[]"},
		{"more", to(hour(9).Add(time.Minute) + 1), hour(9), "[datetime: Ensure this value is not after now, 2026-03-02T09:00:00Z.]"},
		{"out of range", to[moment.Micros](-1 << 60), -1 << 60, "[datetime: Ensure this value is between 1900-01-02 and 2999-12-30.]"},
	} {
		errs := fault.FieldErrors{}
		if got := happened(tt.at, at(9), errs, "datetime"); got != tt.want || wrong(errs) != tt.errs {
			t.Errorf("%s: %d, %s", tt.name, got, wrong(errs))
		}
	}
}
