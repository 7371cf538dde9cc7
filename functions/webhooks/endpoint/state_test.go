package endpoint

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/moment"
)

var at = moment.Of(time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC))

// about checks a time that varies by a tenth.
func about(t *testing.T, what string, got, from moment.Micros, want time.Duration) {
	t.Helper()
	if d := got.Time().Sub(from.Time()); d < want*9/10 || d > want*11/10 {
		t.Errorf("%s: after %s, want about %s", what, d, want)
	}
}

// An event that fails while others succeed is tried ten times, over about three days, and is given up then.
func TestAnEventIsTriedAgain(t *testing.T) {
	s, now := State{Cursor: 7}, at
	s.Record(Tried{Open: Open{Event: 7}, Outcome: Failed, At: now})
	for i, want := range pauses() {
		s.Record(Tried{Open: Open{Event: 6}, Outcome: Succeeded, At: now})
		if len(s.Open) != 1 || s.Open[0].Attempts != i+1 || s.Failures != 0 {
			t.Fatalf("after %d attempts: %+v", i+1, s)
		}
		about(t, fmt.Sprint("attempt ", i+2), s.Open[0].Due, now, want)
		if due := s.Due(s.Open[0].Due - 1); len(due) > 0 {
			t.Errorf("it is due too early: %v", due)
		}
		if wakes, ok := s.Wakes(true); !ok || wakes != s.Open[0].Due {
			t.Errorf("it wakes at %d, %t", wakes, ok)
		}
		now = s.Open[0].Due
		due := s.Due(now)
		if len(due) != 1 || due[0].Event != 7 {
			t.Fatalf("due: %v", due)
		}
		if next := s.Record(Tried{Open: due[0], Outcome: Failed, At: now}); (next == 0) != (i == len(pauses())-1) {
			t.Errorf("after %d attempts the next one is at %d", i+2, next)
		}
	}
	if len(s.Open) > 0 || s.Failures != 1 || s.Stopped != "" {
		t.Errorf("in the end: %+v", s)
	}
}

// After ten failures in a row the oldest event is tried alone, by the schedule, and loses no attempts by that; everything else waits.
// The first success lets all others go.
func TestProbing(t *testing.T) {
	s := State{Cursor: 20}
	if s.Room(at) != MostOpen {
		t.Errorf("room for %d", s.Room(at))
	}
	for n := range int64(12) { // which were called at once
		s.Record(Tried{Open: Open{Event: 9 + n}, Outcome: Failed, At: at})
	}
	if !s.IsProbing() || s.Room(at) != 0 || len(s.Due(at)) > 0 || s.Failures != 12 || len(s.Open) != 12 {
		t.Fatalf("%+v", s)
	}
	about(t, "the first probe", s.Probe, at, 5*time.Second)
	for i, want := range pauses()[1:] {
		now := s.Probe
		due := s.Due(now)
		if len(due) != 1 || due[0].Event != 9 || due[0].Attempts > 1 {
			t.Fatalf("probe %d: %+v", i, due)
		}
		s.Record(Tried{Open: due[0], Probe: true, Outcome: Failed, At: now})
		about(t, fmt.Sprint("probe ", i+2), s.Probe, now, want)
		if len(s.Due(s.Probe-1)) > 0 || len(s.Open) != 12 {
			t.Fatalf("%+v", s)
		}
	}
	if s.Stopped != "" {
		t.Fatalf("it is stopped too early: %s", s.Stopped)
	}
	now := s.Probe
	s.Record(Tried{Open: s.Due(now)[0], Probe: true, Outcome: Succeeded, At: now})
	if s.IsProbing() || len(s.Open) != 11 || s.Since != 0 || s.Probe != 0 || s.Success != now || len(s.Due(now)) != 11 {
		t.Errorf("%+v", s)
	}
}

// An event of the log is the probe where nothing else waits.
func TestAProbeOfTheLog(t *testing.T) {
	s := State{Failures: probesAfter, Probe: at, Since: at}
	if s.Room(at-1) != 0 || s.Room(at) != 1 {
		t.Errorf("room for %d, %d", s.Room(at-1), s.Room(at))
	}
	if _, ok := s.Wakes(false); ok {
		t.Error("it wakes for nothing")
	}
	if wakes, ok := s.Wakes(true); !ok || wakes != at {
		t.Errorf("it wakes at %d, %t", wakes, ok)
	}
}

// Five days of failures stop a webhook, and so does one 410; a success in between doesn't let it come to that.
func TestWhatStops(t *testing.T) {
	day := func(n float64) moment.Micros { return at.Add(time.Duration(n * float64(24*time.Hour))) }
	for name, row := range map[string]struct {
		tried []Tried
		want  Reason
	}{
		"gone":            {[]Tried{{Open: Open{Event: 1}, Outcome: Refused, At: at}}, Gone},
		"a test is gone":  {[]Tried{{Asked: &Asked{Test: "a"}, Outcome: Refused, At: at}}, Gone},
		"almost":          {[]Tried{{Open: Open{Event: 1}, Outcome: Failed, At: at}, {Open: Open{Event: 1}, Outcome: Failed, At: day(4.99)}}, ""},
		"five days":       {[]Tried{{Open: Open{Event: 1}, Outcome: Failed, At: at}, {Open: Open{Event: 1}, Outcome: Failed, At: day(5)}}, Failing},
		"tests don't":     {[]Tried{{Open: Open{Event: 1}, Outcome: Failed, At: at}, {Asked: &Asked{Test: "a"}, Outcome: Failed, At: day(5)}}, ""},
		"one in between":  {[]Tried{{Open: Open{Event: 1}, Outcome: Failed, At: at}, {Open: Open{Event: 2}, At: day(3)}, {Open: Open{Event: 1}, Outcome: Failed, At: day(6)}}, ""},
		"a test succeeds": {[]Tried{{Open: Open{Event: 1}, Outcome: Failed, At: at}, {Asked: &Asked{Test: "a"}, At: day(3)}, {Open: Open{Event: 1}, Outcome: Failed, At: day(6)}}, ""},
		"what is lost":    {[]Tried{{Open: Open{Event: 1}, Outcome: Failed, At: at}, {Open: Open{Event: 2}, Outcome: Lost, At: day(3)}, {Open: Open{Event: 1}, Outcome: Failed, At: day(6)}}, Failing},
	} {
		s := State{Cursor: 9}
		for _, tried := range row.tried {
			s.Record(tried)
		}
		if s.Stopped != row.want {
			t.Errorf("%s: %q, want %q", name, s.Stopped, row.want)
		}
	}
}

// What can't be sent by our fault counts for nothing, is given up like everything else, and while the webhook is probing it isn't tried
// again at once.
func TestUnshown(t *testing.T) {
	s := State{Cursor: 9, Failures: probesAfter, Since: at, Probe: at, Open: []Open{{Event: 7, Attempts: 1, Due: at}}}
	s.Record(Tried{Open: s.Open[0], Probe: true, Outcome: Unshown, At: at})
	if s.Failures != probesAfter || s.Probes != 0 || s.Probe <= at || len(s.Due(at)) > 0 || s.Open[0].Attempts != 2 {
		t.Errorf("%+v", s)
	}
	s.Record(Tried{Open: Open{Event: 7, Attempts: len(pauses())}, Outcome: Unshown, At: at})
	if len(s.Open) > 0 || s.Stopped != "" {
		t.Errorf("%+v", s)
	}
}

func TestAsking(t *testing.T) {
	var s State
	for i := range MostAsked {
		if !s.Ask(Asked{Event: int64(i + 1)}) {
			t.Fatalf("%d are too many", i+1)
		}
	}
	if s.Ask(Asked{Test: "a"}) {
		t.Error("more than may wait")
	}
	if !s.Ask(Asked{Event: 1}) || len(s.Asked) != MostAsked {
		t.Errorf("what waits already is asked for twice: %v", s.Asked)
	}
	a := s.Asked[3]
	if next := s.Record(Tried{Asked: &a, Open: Open{Event: a.Event}, Outcome: Failed, At: at}); next != 0 || len(s.Asked) != MostAsked-1 ||
		s.Failures != 0 || len(s.Open) != 0 || slices.Contains(s.Asked, a) {
		t.Errorf("%d, %+v", next, s)
	}
}

// Who recovers goes back, never forward, and loses what would come twice by that.
func TestRecover(t *testing.T) {
	s := State{Cursor: 50, Open: []Open{{Event: 20, Due: at + 5}, {Event: 40, Due: at + 5}}, Failures: 12, Since: at, Probes: 3, Probe: at + 9}
	s.Recover(30, at)
	if s.Cursor != 30 || fmt.Sprint(s.Open) != fmt.Sprint([]Open{{Event: 20, Due: at}}) || s.Failures != 0 || s.Probe != 0 {
		t.Errorf("%+v", s)
	}
	s.Recover(45, at)
	if s.Cursor != 30 {
		t.Errorf("forward to %d", s.Cursor)
	}
}

// A run that ends counts with what its owner has changed meanwhile.
func TestAfterARun(t *testing.T) {
	run := Attempts{
		Tried: []Tried{{Open: Open{Event: 11}, At: at}, {Open: Open{Event: 12}, Outcome: Failed, At: at}, {Open: Open{Event: 4}, At: at}},
		Turn:  1, Cursor: 12, Run: &Run{First: 5, Deliveries: make([]Delivery, 3)},
	}
	for name, row := range map[string]struct {
		meanwhile State
		want      string
	}{
		"nothing":              {State{Turn: 1, Cursor: 10, Open: []Open{{Event: 4}}}, "12: 12"},
		"recovered":            {State{Turn: 2, Cursor: 3}, "3:"},
		"recovered, no change": {State{Turn: 2, Cursor: 10, Open: []Open{{Event: 4}, {Event: 5}}}, "10: 5"},
		"restarted":            {State{Turn: 2, Cursor: 30}, "30:"},
	} {
		next := row.meanwhile.after(run)
		got := fmt.Sprintf("%d:", next.Cursor)
		for _, o := range next.Open {
			got += fmt.Sprint(" ", o.Event)
		}
		if got != row.want || next.Next != 8 {
			t.Errorf("%s: %s, want %s; the next delivery is %d", name, got, row.want, next.Next)
		}
	}
	if !strings.Contains(fmt.Sprint(pauses()), "24h0m0s]") {
		t.Errorf("the pauses are %v", pauses())
	}
}
