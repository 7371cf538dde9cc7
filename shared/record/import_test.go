package record_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/recordtest"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// noAnswer keeps nothing.
type noAnswer struct{}

func (noAnswer) Keep(context.Context, *table.Tx) error { return nil }

func (noAnswer) Hold(*table.Tx, time.Time) {}

func (s *shelf) bring(k *record.Kind[*box], decide func(w *record.Work, taken []record.TakenRow) ([]*box, error)) error {
	return k.Import(s.t.Context(), s.scope("import"), "zb.import", noAnswer{}, decide)
}

// What else an import does is told as in any other unit of work.
func TestWhatGoesWithAnImport(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{Tag: "x"})
	none, refused := money.Amount{}, fault.New(fault.Conflict, "There is no more.")
	err := s.bring(boxes(), func(w *record.Work, _ []record.TakenRow) ([]*box, error) {
		return []*box{{}}, add(t.Context(), w, 1, record.Addition{Name: "a", By: money.Whole(-1), Least: &none, Refused: refused})
	})
	if !errors.Is(err, refused) {
		t.Errorf("a sum that does not bear it: %v", err)
	}
	tries := 0
	err = s.bring(boxes(), func(w *record.Work, _ []record.TakenRow) ([]*box, error) {
		tries++
		boxes().Create(w, "made", &box{Tag: "x"})
		return []*box{{Tag: "y"}}, nil
	})
	if f, ok := fault.As(err); !ok || f.Code != fault.Invalid || tries != 2 {
		t.Errorf("a value that is taken: %d tries, %v", tries, err)
	}
	err = s.bring(boxes(), func(w *record.Work, taken []record.TakenRow) ([]*box, error) {
		if len(taken) > 0 {
			if len(taken) != 1 || taken[0] != (record.TakenRow{At: 1, Field: "tag", Owner: 1}) {
				t.Errorf("taken: %v", taken)
			}
			return nil, fault.Field("tag", say.NotUnique)
		}
		return []*box{{Tag: "y"}, {Tag: "x"}}, nil
	})
	if f, ok := fault.As(err); !ok || f.Code != fault.Invalid {
		t.Errorf("a row's value that is taken: %v", err)
	}
	if n, err := s.scope("read").Listing("zb").CountNow(t.Context()); n != 1 || err != nil {
		t.Errorf("%d boxes, %v", n, err)
	}
}

// An import is for plain records, and says so before it writes.
func TestWhatIsNotImported(t *testing.T) {
	child, few := boxes(), boxes()
	child.Parent = func(*box) record.Parent { return record.Parent{} }
	few.Most = 5
	for name, tt := range map[string]struct {
		kind *record.Kind[*box]
		rows []*box
	}{
		"two of one value":         {boxes(), []*box{{Tag: "a"}, {Tag: "a"}}},
		"records of others":        {child, []*box{{}}},
		"records of which are few": {few, []*box{{}}},
	} {
		s := newShelf(t, tabletest.Faults{})
		s.put(&box{})
		err := s.bring(tt.kind, func(*record.Work, []record.TakenRow) ([]*box, error) { return tt.rows, nil })
		if _, told := fault.As(err); err == nil || told || !strings.HasPrefix(err.Error(), "record: ") {
			t.Errorf("%s: %v", name, err)
		}
		s.check()
	}
}

// The rows of an import hold what they refer to, from the moment when they appear. Where that
// goes meanwhile, the import is decided anew.
func TestRowsHoldOthers(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{Name: "1"}, &box{Name: "2"})
	end := func(id int64) error {
		return s.do(s.scope("end"), func(w *record.Work) error { return boxes().Remove(t.Context(), w, id) })
	}
	tries := 0
	err := s.bring(boxes(), func(w *record.Work, _ []record.TakenRow) ([]*box, error) {
		tries++
		if tries == 1 {
			return []*box{{In: 1}, {In: 2}, {}}, end(2)
		}
		boxes().Create(w, "", &box{Name: "instead"})
		return []*box{{In: 1}, {In: 1}, {In: 1}}, w.Number(t.Context())
	})
	if err != nil || tries != 2 {
		t.Fatalf("%d tries, %v", tries, err)
	}
	if n, err := s.scope("read").Listing("zb").CountNow(t.Context()); n != 5 || err != nil {
		t.Errorf("%d boxes, %v", n, err)
	}
	f, ok := fault.As(end(1))
	if !ok || fmt.Sprint(f.Members["held_by"]) != "map[test_box:3]" {
		t.Errorf("a record that rows hold: %+v", f)
	}
	// What is refused at its end leaves nothing held.
	refused := errors.New("refused")
	err = s.bring(boxes(), func(w *record.Work, _ []record.TakenRow) ([]*box, error) {
		w.Also(func(*table.Tx) error { return refused })
		return []*box{{In: 1}}, nil
	})
	if !errors.Is(err, refused) {
		t.Error(err)
	}
	if f, ok := fault.As(end(1)); !ok || fmt.Sprint(f.Members["held_by"]) != "map[test_box:3]" {
		t.Errorf("after an import that did not happen: %+v", f)
	}
}

// What the records of an import refer to is checked as in a unit of work. It is read at once, and what
// the unit of work knows already is not read again.
func TestNewRecordsAreChecked(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{Tag: "x"})
	scope := s.scope("check")
	rows, errs := []*box{}, []fault.FieldErrors{}
	for _, in := range []int64{0, 1, 2, 2} {
		b := boxes().New(scope)
		b.In = in
		rows, errs = append(rows, b), append(errs, fault.FieldErrors{})
	}
	ctx, m := meter.Start(t.Context())
	read := scope.Reading()
	if err := boxes().Check(ctx, read, rows, errs); err != nil {
		t.Fatal(err)
	}
	missing := `map[in:[Invalid pk "2" - object does not exist.]]`
	if got := fmt.Sprint(errs); got != "[map[] map[] "+missing+" "+missing+"]" {
		t.Error(got)
	}
	if err := boxes().Check(ctx, read, rows[:2], errs[:2]); err != nil || m.Usage().Calls != 1 {
		t.Errorf("%d calls, %v", m.Usage().Calls, err)
	}
	if b := rows[0]; b.ID != 0 || b.Revision != 1 || b.CreatedAt() != encode.Instant(recordtest.Start) || b.Tenant() != 7 {
		t.Errorf("a new record is %+v", b.Meta)
	}
}
