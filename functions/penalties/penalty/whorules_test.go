package penalty

import "testing"

func TestWho(t *testing.T) {
	to := func(v int64) *int64 { return &v }
	line := func(id, start int64, end *int64) had {
		return had{order: id * 10, line: id, start: start, end: end, live: true}
	}
	actual := func(h had) had { h.actual = true; return h }
	cancelled := func(h had) had { h.live = false; return h }
	for _, c := range []struct {
		name  string
		at    int64
		lines []had
		line  int64 // 0: nobody
		why   Reason
	}{
		{"no lines", 50, nil, 0, Nobody},
		{"planned", 50, []had{line(1, 10, to(90))}, 1, ""},
		{"at its start", 10, []had{line(1, 10, to(90))}, 1, ""},
		{"at its end", 90, []had{line(1, 10, to(90))}, 0, Nobody},
		{"just before its end", 89, []had{line(1, 10, to(90))}, 1, ""},
		{"before its start", 9, []had{line(1, 10, to(90))}, 0, Nobody},
		{"one ends as the next begins", 90, []had{line(2, 90, to(95)), line(1, 10, to(90))}, 2, ""},
		{"out, no end yet", 5000, []had{actual(line(1, 10, nil))}, 1, ""},
		{"handed out late", 15, []had{actual(line(1, 20, to(90)))}, 0, Nobody},
		{"came back early", 80, []had{actual(line(1, 10, to(70)))}, 0, Nobody},
		{"came back late", 95, []had{actual(line(1, 10, to(99)))}, 1, ""},
		{"really had beats planned", 50, []had{line(2, 40, to(60)), actual(line(1, 10, to(90)))}, 1, ""},
		{"really had beats two planned", 50, []had{line(3, 45, to(60)), line(2, 40, to(60)), actual(line(1, 10, to(90)))}, 1, ""},
		{"two planned", 50, []had{line(2, 40, to(60)), line(1, 10, to(90))}, 0, Two},
		{"two that really had", 50, []had{actual(line(2, 40, nil)), actual(line(1, 10, to(90)))}, 0, Two},
		{"a cancelled one", 50, []had{cancelled(line(1, 10, to(90)))}, 0, Nobody},
		{"a cancelled one beside another", 50, []had{cancelled(line(2, 40, to(60))), line(1, 10, to(90))}, 1, ""},
		{"a sale that was handed out", 1 << 60, []had{actual(line(1, 10, nil))}, 1, ""},
		{"a sale that is planned", 1 << 60, []had{line(1, 10, nil)}, 1, ""},
		{"before a sale", 9, []had{actual(line(1, 10, nil))}, 0, Nobody},
	} {
		t.Run(c.name, func(t *testing.T) {
			one, why := who(c.at, c.lines)
			if why != c.why || (one == nil) != (c.line == 0) || one != nil && one.line != c.line {
				t.Errorf("%+v, %q", one, why)
			}
		})
	}
}

func TestSettled(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []had
		want  bool
	}{
		{"none", nil, false},
		{"planned", []had{{live: true}}, false},
		{"handed out, and cancelled", []had{{actual: true}}, false},
		{"handed out", []had{{live: true}, {actual: true, live: true}}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := settled(c.lines); got != c.want {
				t.Error(got)
			}
		})
	}
}
