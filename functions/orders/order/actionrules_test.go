package order

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

func TestActionCheck(t *testing.T) {
	month := int64(31 * 24)
	for _, tt := range []struct {
		name   string
		action Action
		want   moment.Micros
		errs   string
	}{
		{"now", Action{Status: InRent}, hour(0), "[]"},
		{"lines", Action{Status: Completed, Lines: []int64{1}}, hour(0), "[]"},
		{"a reservation of lines", Action{Status: Reserved, Lines: []int64{1}}, hour(0), "[order_inventories: This step is of the whole order.]"},
		{"a cancellation of lines", Action{Status: Cancelled, Lines: []int64{}}, hour(0), "[order_inventories: This step is of the whole order.]"},
		{"a fee of a cancellation", Action{Status: Cancelled, Fee: &money.Amount{}, NoShow: true}, hour(0), "[]"},
		{
			"a fee of another step",
			Action{Status: Completed, Fee: &money.Amount{}, NoShow: true},
			hour(0),
			"[fee: This is for a cancellation alone. no_show: This is for a cancellation alone.]",
		},
		{"a hand-out 31 days ago", Action{Status: InRent, At: to(hour(-month))}, hour(-month), "[]"},
		{"a hand-out before", Action{Status: InRent, At: to(hour(-month) - 1)}, hour(-month) - 1, "[datetime: Ensure this value is at most 31 days back, not before 2026-01-30T00:00:00Z.]"},
		{"a return before", Action{Status: Completed, At: to(hour(-month - 1))}, hour(-month - 1), "[]"},
		{"a step to come", Action{Status: Completed, At: to(hour(1))}, hour(0), "[datetime: Ensure this value is not after now, 2026-03-02T00:00:00Z.]"},
	} {
		errs := fault.FieldErrors{}
		if got := tt.action.check(at(0), errs); got != tt.want || wrong(errs) != tt.errs {
			t.Errorf("%s: %s, %s", tt.name, got.Time().UTC(), wrong(errs))
		}
	}
}

func TestChoose(t *testing.T) {
	full := orderOf(InRent)
	for id := range int64(AtOnce) {
		full.Lines = append(full.Lines, lasting(id+1, id+1, 9, 12).held())
	}
	more := orderOf(InRent)
	more.Lines = append(more.Lines, full.Lines...)
	more.Lines = append(more.Lines, lasting(99, 99, 9, 12).held())
	mixed := orderOf(InRent,
		lasting(1, 1, 13, 14), lasting(2, 1, 9, 12), lasting(3, 2, 9, 12), lasting(4, 3, 9, 12).handedOut(9), sold(5, 4, 9).handedOut(9),
		lasting(6, 5, 9, 12).handedOut(9).takenBack(12),
	)
	var many []int64
	for id := range int64(AtOnce + 1) {
		many = append(many, id+1)
	}
	for _, tt := range []struct {
		name  string
		order *Order
		lines []int64
		in    State
		want  string
		errs  string
	}{
		{"of each item, the first that is planned", mixed, nil, Planned, "[2 3]", "[]"},
		{"what is out and comes back", mixed, nil, Out, "[4]", "[]"},
		{"what is named, once", mixed, []int64{1, 3, 1}, Planned, "[1 3]", "[]"},
		{"what is named, wherever it is", mixed, []int64{5, 6}, Out, "[5 6]", "[]"},
		{"lines of another order", mixed, []int64{1, 7, 8}, Planned, "[1 7 8]", "[order_inventories [1: Invalid pk \"7\" - object does not exist. 2: Invalid pk \"8\" - object does not exist.]]"},
		{"as many as one call takes", full, nil, Planned, "", "[]"},
		{"more", more, nil, Planned, "", "[order_inventories: Name the lines, at most 30 in a call: there are 31.]"},
		{"more that are named", more, many, Planned, "", "[order_inventories: Ensure this field has no more than 30 elements.]"},
		{"as many that are named", more, many[:AtOnce], Planned, "", "[]"},
	} {
		errs := fault.FieldErrors{}
		got := fmt.Sprint(tt.order.choose(Action{Lines: tt.lines}, tt.in, errs))
		if told := wrong(errs); tt.want != "" && got != tt.want || told != tt.errs {
			t.Errorf("%s: %s, %s", tt.name, got, told)
		}
	}
}

func TestHas(t *testing.T) {
	planned, out, back, left := lasting(1, 1, 9, 12), lasting(2, 2, 9, 12).handedOut(9), lasting(3, 3, 9, 12).handedOut(9).takenBack(12), sold(4, 4, 9).handedOut(9)
	o := orderOf(InRent, planned, out, back, left)
	for _, tt := range []struct {
		name          string
		line          *Line
		planned, outs string // what is refused to a hand-out and to a return
	}{
		{"planned", planned, "", "status"},
		{"out", out, "status", ""},
		{"back", back, "status", "status"},
		{"sold", left, "status", "status"},
		{"changed since", lasting(1, 1, 9, 13), "revision", "revision"},
		{"of another order", lasting(9, 1, 9, 12), "revision", "revision"},
	} {
		if a, b := refusal(o.checkState(tt.line, Planned)), refusal(o.checkState(tt.line, Out)); a != tt.planned || b != tt.outs {
			t.Errorf("%s: %q and %q", tt.name, a, b)
		}
	}
}

func TestHandOut(t *testing.T) {
	late := calendar.Entry{Line: 8, Order: 3, Start: hour(7), End: hour(9) + 1_000_000, Back: true} // by a clock that is ahead
	for _, tt := range []struct {
		name  string
		line  *Line
		at    *moment.Micros
		other []calendar.Entry
		want  moment.Micros
		err   string
	}{
		{"now", lasting(5, 1, 9, 12), nil, nil, hour(9), ""},
		{"before", lasting(5, 1, 9, 12), to(hour(8)), nil, hour(8), ""},
		{"right after another one", lasting(5, 1, 9, 12), nil, []calendar.Entry{late}, hour(9) + 1_000_000, ""},
		{"before another one was back", lasting(5, 1, 9, 12), to(hour(9)), []calendar.Entry{late}, hour(9), "overlap"},
		{"one is out still", lasting(5, 1, 9, 12), nil, []calendar.Entry{{Line: 8, Order: 3, Start: hour(7), End: hour(8), Out: true}}, hour(9), "overlap"},
		{"after its end", lasting(5, 1, 7, 9), nil, nil, 0, "map[datetime:[The end of line 5 is not after this: extend it first.]]"},
		{"a sale", sold(5, 1, 8), nil, nil, hour(9), ""},
	} {
		c := &calendar.Calendar{Item: 1, Entries: tt.other}
		when := hour(9)
		if tt.at != nil {
			when = *tt.at
		}
		err := tt.line.handOut(c, Action{Status: InRent, At: tt.at}, when, 4, at(9))
		if got := refusal(err); got != tt.err {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.err)
		}
		if tt.want == 0 && tt.line.FactStart != nil || tt.want != 0 && *tt.line.FactStart != tt.want {
			t.Errorf("%s: handed out at %v", tt.name, tt.line.FactStart)
		}
		for _, e := range c.Entries {
			if got := e.Point == 4; got != (e.Line == tt.line.ID && tt.line.Type == Rental) {
				t.Errorf("%s: line %d is returned at %d", tt.name, e.Line, e.Point)
			}
		}
		if len(c.Entries) != len(tt.other)+1 && err == nil {
			t.Errorf("%s: the calendar has %+v", tt.name, c.Entries)
		}
	}
}

// An order is in rent since its first item was handed out, however late that is told.
func TestBegin(t *testing.T) {
	for _, tt := range []struct {
		name  string
		since *moment.Micros
		lines []*Line
		want  int64
	}{
		{"the first items", nil, []*Line{lasting(1, 1, 9, 12).handedOut(10), lasting(2, 2, 9, 12).handedOut(9)}, 9},
		{"an earlier one", to(hour(8)), []*Line{lasting(1, 1, 9, 12).handedOut(7)}, 7},
		{"a later one", to(hour(8)), []*Line{lasting(1, 1, 9, 12).handedOut(9)}, 8},
		{"no items", nil, nil, 11},
		{"no items, again", to(hour(8)), nil, 8},
	} {
		o := &Order{Status: Reserved, FactStart: tt.since}
		if o.startRent(tt.lines, hour(11)); o.Status != InRent || *o.FactStart != hour(tt.want) {
			t.Errorf("%s: %d since %s", tt.name, o.Status, o.FactStart.Time().UTC())
		}
	}
}

func TestTakesBack(t *testing.T) {
	rules := pricing.Rules{Zone: time.UTC, LateGrace: 3600, LateStep: 3600}
	for _, tt := range []struct {
		name  string
		out   int64 // when it was handed out
		at    *moment.Micros
		ended *moment.Micros // when the last item came back
		want  int64
		fee   string
		last  int64
		err   string
	}{
		{"now", 9, nil, nil, 12, "0.00", 12, ""},
		{"before", 9, to(hour(10)), nil, 10, "0.00", 10, ""},
		{"before another one", 9, to(hour(10)), to(hour(11)), 10, "0.00", 11, ""},
		{"after another one", 9, nil, to(hour(11)), 12, "0.00", 12, ""},
		{"handed out by a clock that is ahead", 13, nil, nil, 13, "0.00", 13, ""},
		{"before it was handed out", 9, to(hour(8)), nil, 8, "", 0, "map[datetime:[Line 5 was handed out after this.]]"},
		{"within the grace", 9, to(hour(15)), nil, 15, "0.00", 15, ""},
		{"late", 9, to(hour(17)), nil, 17, "200.00", 17, ""},
	} {
		l := lasting(5, 1, 9, 14).handedOut(tt.out).costing(500, 0, 0)
		l.Cost, l.Duration = money.Whole(100), 3600
		o := orderOf(InRent, l)
		o.include(Changes{Lines: []*Draft{changed(l, l)}})
		o.FactEnd = tt.ended
		named := hour(12)
		if tt.at != nil {
			named = *tt.at
		}
		when, err := o.returnLine(l, nil, Action{Status: Completed, At: tt.at}, named, pricer{rules: rules})
		if got := refusal(err); got != tt.err || when != hour(tt.want) {
			t.Errorf("%s: at %s, %q", tt.name, when.Time().UTC(), got)
		}
		if err != nil {
			continue
		}
		if *l.FactEnd != when || *o.FactEnd != hour(tt.last) || l.LateFee.String() != tt.fee || o.LateFees.String() != tt.fee || o.Line(5).State != Returned {
			t.Errorf("%s: fee %s, of the order %s, which holds %+v, ended %s", tt.name, l.LateFee, o.LateFees, o.Lines, o.FactEnd.Time().UTC())
		}
	}
	most, err := money.ParseAmount("99999999999999.99")
	if err != nil {
		t.Fatal(err)
	}
	dear := lasting(5, 1, 9, 12).handedOut(9)
	dear.Cost, dear.Duration = most, 3600
	if _, err := orderOf(InRent, dear).returnLine(dear, nil, Action{}, hour(90), pricer{rules: rules}); !errors.Is(err, errTooMuch) {
		t.Errorf("a fee with too many digits: %v", err)
	}
}

// An order without item lines ends when it is told to, and not before it began.
func TestEnd(t *testing.T) {
	for since, want := range map[int64]int64{0: 12, 9: 12, 13: 13} {
		o := &Order{Meta: record.Meta{ID: 7}, Status: InRent}
		if since != 0 {
			o.FactStart = to(hour(since))
		}
		if o.complete(hour(12)); o.Status != Completed || *o.FactEnd != hour(want) {
			t.Errorf("since %d: %d, %s", since, o.Status, o.FactEnd.Time().UTC())
		}
	}
}
