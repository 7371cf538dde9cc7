package record_test

import (
	"testing"

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
