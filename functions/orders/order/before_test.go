package order

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/say"
)

// What was written before verbs said what they did is read as it was when it was written: testdata/before.json has entries of histories
// as that release stored them, and what it told of each.
func TestBefore(t *testing.T) {
	data, err := os.ReadFile("testdata/before.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden []struct {
		Entry  audit.Entry      `json:"entry"`
		Events []map[string]any `json:"events"`
	}
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	o := &Order{Lines: []Held{{ID: 1, Item: 1}, {ID: 2, Item: 3}}}
	kinds := map[EventKind]bool{}
	for _, g := range golden {
		events := eventsOf(g.Entry, o)
		for _, e := range events {
			kinds[e.Kind] = true
		}
		told, err := json.Marshal(events)
		if err != nil {
			t.Fatal(err)
		}
		var got []map[string]any
		if err := json.Unmarshal(say.Spoken(told, say.English, nil), &got); err != nil {
			t.Fatal(err)
		}
		for _, e := range g.Events {
			e["type"] = nil // it was added since
		}
		if !reflect.DeepEqual(got, g.Events) {
			t.Errorf("%s, revision %d: %v\nwant %v", g.Entry.Object, g.Entry.ID, got, g.Events)
		}
	}
	for _, v := range EventKind("").Values() {
		kind := EventKind(v.Text)
		if !kinds[kind] && kind != "document" && kind != "sign" && kind != "penalty" && kind != "swapped" && kind != "reopened" {
			t.Errorf("nothing in testdata/before.json is %s", kind)
		}
	}
}
