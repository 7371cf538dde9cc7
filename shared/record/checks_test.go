package record_test

import (
	"reflect"
	"testing"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// A value that the record itself got since it was read is a lost race, which is tried again,
// and not a value of another record.
func TestAValueOfTheRecordItself(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{})
	other := func(change func(b *box)) error {
		return s.do(s.scope("other"), func(w *record.Work) error { return edit(t.Context(), w, 1, change) })
	}
	tries := 0
	err := s.do(s.scope("one"), func(w *record.Work) error {
		tries++
		if err := edit(t.Context(), w, 1, func(b *box) { b.Name, b.Tag = "one", "x" }); err != nil {
			return err
		}
		switch tries {
		case 1:
			return other(func(b *box) { b.Name = "other" })
		case 2:
			return other(func(b *box) { b.Tag = "x" })
		}
		return nil
	})
	b, getErr := boxes().Get(t.Context(), s.scope("read"), 1)
	if err != nil || getErr != nil || tries != 3 || b.Name != "one" || b.Tag != "x" {
		t.Errorf("%d tries, %v: %+v, %v", tries, err, b, getErr)
	}
	s.check()
}

// A kind can name the record that has a unique value, also where a race was lost to it.
func TestWhoHasAValue(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{Tag: "x"})
	named := boxes()
	named.NamesOwner = true
	for kind, want := range map[*record.Kind[*box]]map[string]any{named: {"taken_by": map[string]int64{"tag": 1}}, boxes(): nil} {
		err := s.do(s.scope("a"), func(w *record.Work) error {
			kind.Create(w, "", &box{Tag: "x"})
			return nil
		})
		f, ok := fault.As(err)
		if !ok || f.Code != fault.Invalid || !reflect.DeepEqual(f.Members, want) {
			t.Errorf("%v with %v, want %v", err, f.Members, want)
		}
	}
}
