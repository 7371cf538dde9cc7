package record_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// A tray stands on a shelf, which tells of it, and in the order of its place.
type (
	rack struct {
		record.Meta
		Name string `dynamo:"n"`
	}
	tray struct {
		record.Meta
		Rack  int64  `dynamo:"o"`
		Place string `dynamo:"a"`
	}
)

var (
	rackKind = kinds.Kind{Code: "zr", Name: "test_rack", Label: "Rack", Many: "racks"}
	trayKind = kinds.Kind{Code: "zt", Name: "test_tray", Label: "Tray", Many: "trays"}
)

func racks() *record.Kind[*rack] {
	return &record.Kind[*rack]{Kind: rackKind, Shown: func(r *rack) any { return map[string]any{"name": r.Name} }}
}

func trays() *record.Kind[*tray] {
	return &record.Kind[*tray]{
		Kind: trayKind, Shown: func(t *tray) any { return map[string]any{"rack": t.Rack, "place": t.Place} },
		Parent: func(t *tray) record.Parent { return record.Parent{Kind: "zr", ID: t.Rack, List: "trays"} },
		Below:  func(t *tray) record.Child { return record.Child{Of: "zr", ID: t.Rack, At: t.Place} },
	}
}

// store is a company with racks and trays.
type store struct {
	*shelf
	record.Scope
}

func newStore(t *testing.T) store {
	t.Helper()
	s := newShelf(t, tabletest.Faults{})
	c := table.OpenWith(enginetest.Client(t), s.name, rackKind, trayKind)
	return store{s, record.Scope{
		Table: table.Of(c, 7), Actor: audit.Actor{User: 1, Request: "r", At: s.clock}, Now: func() time.Time { return s.clock },
	}}
}

// with does something to trays, with some racks edited.
func (s store) with(decide func(w *record.Work) error, racked ...int64) error {
	return s.do(s.Scope, func(w *record.Work) error {
		for _, id := range racked {
			if _, err := racks().Edit(s.t.Context(), w, id); err != nil {
				return err
			}
		}
		return decide(w)
	})
}

// fill makes two racks and puts trays on the first.
func (s store) fill(places ...string) {
	s.t.Helper()
	err := s.with(func(w *record.Work) error {
		a := &rack{Name: "a"}
		racks().Create(w, "", a, &rack{Name: "b"})
		if err := w.Number(s.t.Context()); err != nil {
			return err
		}
		for _, p := range places {
			trays().Create(w, "", &tray{Rack: a.ID, Place: p})
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// A child that moves is told by both: one loses it, the other gets it.
func TestAChildMoves(t *testing.T) {
	s := newStore(t)
	s.fill("1")
	move := func(w *record.Work) error {
		moved, err := trays().Edit(t.Context(), w, 1)
		if err == nil {
			moved.Rack = 2
		}
		return err
	}
	for _, only := range []int64{1, 2} {
		if err := s.with(move, only); err == nil || !strings.Contains(err.Error(), "does not edit") {
			t.Errorf("told by %d alone: %v", only, err)
		}
	}
	if err := s.with(move, 1, 2); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[int64]string{
		1: `trays.1 {"place":"1","rack":1}→null`, 2: `trays.1 null→{"place":"1","rack":2}`,
	} {
		entries, n, err := audit.Page(t.Context(), s.Table, rackKind, id, 0, 10)
		if err != nil || n != 2 {
			t.Fatalf("%d entries, %v", n, err)
		}
		var told []string
		for _, c := range entries[0].Changes {
			told = append(told, fmt.Sprintf("%s %s→%s", c.Field, c.From, c.To))
		}
		if got := strings.Join(told, ", "); got != want {
			t.Errorf("rack %d tells %s, not %s", id, got, want)
		}
	}
}

// As many children as are asked for are found past those that are not to be seen.
func TestChildrenBehindADeadImport(t *testing.T) {
	s := newStore(t)
	s.fill("2026-05", "2026-06", "2026-07", "2026-08")
	for n := range 5 {
		left := &tray{Rack: 1, Place: fmt.Sprint("2026-01-", n)}
		left.Import, left.Waiting = 100, true
		trays().Place(s.Table, left, int64(100+n))
		if err := s.Table.Put(left).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	list, err := trays().Children(t.Context(), s.Scope, "zr", 1, record.Span{Most: 3})
	if err != nil || len(list) != 3 || list[0].Place != "2026-05" || list[2].Place != "2026-07" {
		t.Errorf("%+v, %v", list, err)
	}
	list, err = trays().Children(t.Context(), s.Scope, "zr", 1, record.Span{Most: 9, Newest: true})
	if err != nil || len(list) != 4 || list[0].Place != "2026-08" {
		t.Errorf("%+v, %v", list, err)
	}
}

// Places come from the index alone, within a span and in their order.
func TestPlaces(t *testing.T) {
	s := newStore(t)
	s.fill("2026-05", "2026-07", "2026-06", "2026-06")
	for _, tt := range []struct {
		name string
		span record.Span
		want string
	}{
		{"all", record.Span{}, "[{1 2026-05} {3 2026-06} {4 2026-06} {2 2026-07}]"},
		{"of one place", record.Span{From: "2026-06", To: "2026-06"}, "[{3 2026-06} {4 2026-06}]"},
		{"the newest", record.Span{Newest: true, From: "2026-06"}, "[{2 2026-07} {4 2026-06} {3 2026-06}]"},
		{"where there is nothing", record.Span{From: "2027"}, "[]"},
	} {
		ctx, m := meter.Start(t.Context())
		list, err := trays().Places(ctx, s.Scope, "zr", 1, tt.span)
		if got := fmt.Sprint(list); err != nil || got != tt.want || m.Usage().Calls != 1 {
			t.Errorf("%s: %s in %d calls, %v", tt.name, got, m.Usage().Calls, err)
		}
	}
}

// A place that does not sort, or that no key holds, is a mistake of ours.
func TestPlacesSort(t *testing.T) {
	s := newStore(t)
	s.fill()
	for place, good := range map[string]bool{
		"": true, "2026-03-02T09:30:00.5Z": true, strings.Repeat("9", 64): true, strings.Repeat("9", 65): false, "a b": false, "ә": false, "a#b": false,
	} {
		err := s.with(func(w *record.Work) error {
			trays().Create(w, "", &tray{Rack: 1, Place: place})
			return nil
		}, 1)
		if (err == nil) != good {
			t.Errorf("%q: %v", place, err)
		}
	}
}

// The list of a kind of few records is one call, in the order that the kind says.
func TestAll(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	for _, name := range []string{"c", "a", "b", "a"} {
		s.put(&box{Name: name})
	}
	if err := s.do(s.scope("remove"), func(w *record.Work) error { return boxes().Remove(t.Context(), w, 3) }); err != nil {
		t.Fatal(err)
	}
	kind := boxes()
	for want, sorted := range map[string]func(a, b *box) int{
		"1 2 4": nil, "2 4 1": func(a, b *box) int { return strings.Compare(a.Name, b.Name) },
	} {
		kind.Sorted = sorted
		ctx, m := meter.Start(t.Context())
		list, err := kind.All(ctx, s.scope("read"))
		var ids []string
		for _, b := range list {
			ids = append(ids, fmt.Sprint(b.ID))
		}
		if got := strings.Join(ids, " "); err != nil || got != want || m.Usage().Calls != 1 {
			t.Errorf("%s in %d calls, want %s: %v", got, m.Usage().Calls, want, err)
		}
	}
}
