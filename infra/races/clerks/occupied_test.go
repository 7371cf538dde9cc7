package clerks

import (
	"testing"
	"time"
)

// planned is a line of item 1, as planned; out and back say when it was handed out and taken back, 0 that it was not.
func planned(id int64, from, until, out, back int, status int64) *held {
	l := &line{ID: id, Start: hour(from), End: at(hour(until)), Inventory: &record{1}}
	if out != 0 {
		l.FactStart = at(hour(out))
	}
	if back != 0 {
		l.FactEnd = at(hour(back))
	}
	return &held{l, status}
}

func TestTwice(t *testing.T) {
	sold := planned(1, 8, 12, 8, 0, completed)
	sold.End = nil
	for _, tt := range []struct {
		name   string
		lines  []*held
		blocks []block
		says   string
		twice  int
	}{
		{"one after the other", []*held{planned(1, 8, 12, 0, 0, reserved), planned(2, 13, 15, 0, 0, reserved)}, nil, "", 0},
		{"two plans", []*held{planned(1, 8, 12, 0, 0, reserved), planned(2, 11, 15, 0, 0, reserved)}, nil, "has two", 1},
		{"one of them is cancelled", []*held{planned(1, 8, 12, 0, 0, cancelled), planned(2, 11, 15, 0, 0, reserved)}, nil, "", 0},
		{"not kept free", []*held{planned(1, 8, 12, 0, 0, reserved), planned(2, 12, 15, 0, 0, reserved)}, nil, "is not kept free", 0},
		{"out, and a plan", []*held{planned(1, 8, 12, 8, 0, inRent), planned(2, 11, 15, 0, 0, reserved)}, nil, "has two", 1},
		{"late, and a plan that waits", []*held{planned(1, 6, 8, 6, 0, inRent), planned(2, 9, 15, 0, 0, reserved)}, nil, "", 0},
		{"late, and handed out again", []*held{planned(1, 6, 8, 6, 0, inRent), planned(2, 9, 15, 9, 0, inRent)}, nil, "has two", 1},
		{"back early, and handed out again", []*held{planned(1, 6, 12, 6, 8, completed), planned(2, 8, 15, 8, 0, inRent)}, nil, "", 0},
		{"back late, and handed out before", []*held{planned(1, 6, 8, 6, 9, completed), planned(2, 8, 15, 8, 0, inRent)}, nil, "has two", 1},
		{"sold, and a plan", []*held{sold, planned(2, 30, 32, 0, 0, reserved)}, nil, "has two", 1},
		{"blocked", []*held{planned(1, 8, 12, 0, 0, reserved)}, []block{{ID: 1, Start: hour(11), End: hour(13)}}, "has two", 1},
		{"blocked afterwards", []*held{planned(1, 8, 12, 0, 0, reserved)}, []block{{ID: 1, Start: hour(13), End: hour(14)}}, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := &audit{
				Office: &Office{now: func() time.Time { return hour(10) }},
				lines:  map[int64][]*held{1: tt.lines, 2: {planned(9, 8, 20, 0, 0, reserved)}}, blocks: map[int64][]block{1: tt.blocks},
			}
			checkFaults(t, a.twice(), tt.says)
			if a.found.Overlaps != tt.twice {
				t.Errorf("%d overlaps, want %d", a.found.Overlaps, tt.twice)
			}
		})
	}
}
