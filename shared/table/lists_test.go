package table_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/table"
)

func TestLists(t *testing.T) {
	a, one, two := table.Attributes{}, table.Attributes{}, table.Attributes{}
	one.SetInt("n", 1)
	two.SetText("t", "b")
	a.SetList("l", []table.Attributes{one, two})
	a.SetList("e", nil)
	a.SetText("t", "no list")
	if l := a.List("l"); len(l) != 2 || l[0].Int("n") != 1 || l[1].Text("t") != "b" {
		t.Errorf("read %v", l)
	}
	for _, name := range []string{"e", "t", "absent"} {
		if l := a.List(name); l != nil {
			t.Errorf("%s: %v", name, l)
		}
	}
}

// TestSize: the engine counts names and values; ours is never less.
func TestSize(t *testing.T) {
	a, inner := table.Attributes{}, table.Attributes{}
	a.SetText("text", strings.Repeat("ұ", 100))
	a.SetBytes("b", make([]byte, 50))
	inner.SetInt("number", 1234)
	a.SetMap("m", inner)
	a.SetList("l", []table.Attributes{inner, inner})
	atLeast := 4 + 200 + 1 + 50 + 1 + 3 + 6 + 3 + 1 + 3 + 2*(3+6+3)
	if got := a.Size(); got < atLeast || got > atLeast+40 {
		t.Errorf("%d bytes, at least %d", got, atLeast)
	}
}
