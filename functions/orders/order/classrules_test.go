package order

import (
	"reflect"
	"testing"
)

func TestTriesOf(t *testing.T) {
	free := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	first, later := stretch{0, 9}, stretch{9, 12}
	got := triesOf([]ask{{1, free, first}, {2, []int64{20}, first}, {1, free, later}, {3, nil, first}}, had{2: {first}})
	want := [][]int64{{1, 3, 4, 5, 6, 7}, {20}, {1, 2, 3, 4, 5, 6, 7}, nil}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v are tried, not %v", got, want)
	}
}

func TestHadAt(t *testing.T) {
	h := had{}
	h.add(1, stretch{10, 20})
	h.add(1, stretch{40, 50})
	for name, tt := range map[string]struct {
		at   stretch
		want bool
	}{
		"before":          {stretch{0, 10}, false},
		"reaches into it": {stretch{0, 11}, true},
		"within":          {stretch{12, 13}, true},
		"around":          {stretch{0, 60}, true},
		"right after":     {stretch{20, 40}, false},
		"the second":      {stretch{20, 41}, true},
	} {
		if got := h.at(tt.at)[1]; got != tt.want {
			t.Errorf("%s: had %t, not %t", name, got, tt.want)
		}
	}
	if h.at(stretch{10, 20})[2] {
		t.Error("an item that no line has is had")
	}
}

func TestChooseOfAClass(t *testing.T) {
	set := func(ids ...int64) map[int64]bool {
		m := map[int64]bool{}
		for _, id := range ids {
			m[id] = true
		}
		return m
	}
	for name, tt := range map[string]struct {
		found, tried  []int64
		really, taken map[int64]bool
		chosen, free  int64
	}{
		"the oldest":                         {[]int64{1, 2, 3}, []int64{1, 2, 3}, set(1, 2, 3), nil, 1, 3},
		"another line has it":                {[]int64{1, 2, 3}, []int64{1, 2, 3}, set(1, 2, 3), set(1), 2, 2},
		"it was taken meanwhile":             {[]int64{1, 2, 3}, []int64{1, 2, 3}, set(2, 3), nil, 2, 2},
		"more are free than are tried":       {[]int64{1, 2, 3, 4}, []int64{1, 2}, set(1, 2), nil, 1, 4},
		"nothing is free":                    {nil, nil, nil, nil, 0, 0},
		"the call has all":                   {[]int64{1, 2}, []int64{1, 2}, set(1, 2), set(1, 2), 0, 0},
		"all that was tried was taken since": {[]int64{1, 2, 3}, []int64{1, 2}, nil, nil, 0, 0},
	} {
		if chosen, free := choose(tt.found, tt.tried, tt.really, tt.taken); chosen != tt.chosen || free != tt.free {
			t.Errorf("%s: %d of %d, not %d of %d", name, chosen, free, tt.chosen, tt.free)
		}
	}
}
