package penalty

import (
	"testing"

	"github.com/tenantry/tenantry/shared/moment"
)

func TestWho(t *testing.T) {
	to := func(v moment.Micros) *moment.Micros { return &v }
	line := func(id int64, start moment.Micros, end *moment.Micros) use {
		return use{order: id * 10, line: id, start: start, end: end, live: true}
	}
	actual := func(h use) use { h.actual = true; return h }
	cancelled := func(h use) use { h.live = false; return h }
	for _, c := range []struct {
		name  string
		at    moment.Micros
		lines []use
		line  int64 // 0: nobody
		why   Reason
	}{
		{"no lines", 50, nil, 0, ReasonNobody},
		{"planned", 50, []use{line(1, 10, to(90))}, 1, ""},
		{"at its start", 10, []use{line(1, 10, to(90))}, 1, ""},
		{"at its end", 90, []use{line(1, 10, to(90))}, 0, ReasonNobody},
		{"just before its end", 89, []use{line(1, 10, to(90))}, 1, ""},
		{"before its start", 9, []use{line(1, 10, to(90))}, 0, ReasonNobody},
		{"one ends as the next begins", 90, []use{line(2, 90, to(95)), line(1, 10, to(90))}, 2, ""},
		{"out, no end yet", 5000, []use{actual(line(1, 10, nil))}, 1, ""},
		{"handed out late", 15, []use{actual(line(1, 20, to(90)))}, 0, ReasonNobody},
		{"came back early", 80, []use{actual(line(1, 10, to(70)))}, 0, ReasonNobody},
		{"came back late", 95, []use{actual(line(1, 10, to(99)))}, 1, ""},
		{"really had beats planned", 50, []use{line(2, 40, to(60)), actual(line(1, 10, to(90)))}, 1, ""},
		{"really had beats two planned", 50, []use{line(3, 45, to(60)), line(2, 40, to(60)), actual(line(1, 10, to(90)))}, 1, ""},
		{"two planned", 50, []use{line(2, 40, to(60)), line(1, 10, to(90))}, 0, ReasonTwo},
		{"two that really had", 50, []use{actual(line(2, 40, nil)), actual(line(1, 10, to(90)))}, 0, ReasonTwo},
		{"a cancelled one", 50, []use{cancelled(line(1, 10, to(90)))}, 0, ReasonNobody},
		{"a cancelled one beside another", 50, []use{cancelled(line(2, 40, to(60))), line(1, 10, to(90))}, 1, ""},
		{"a sale that was handed out", 1 << 60, []use{actual(line(1, 10, nil))}, 1, ""},
		{"a sale that is planned", 1 << 60, []use{line(1, 10, nil)}, 1, ""},
		{"before a sale", 9, []use{actual(line(1, 10, nil))}, 0, ReasonNobody},
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
		lines []use
		want  bool
	}{
		{"none", nil, false},
		{"planned", []use{{live: true}}, false},
		{"handed out, and cancelled", []use{{actual: true}}, false},
		{"handed out", []use{{live: true}, {actual: true, live: true}}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := decides(c.lines); got != c.want {
				t.Error(got)
			}
		})
	}
}
