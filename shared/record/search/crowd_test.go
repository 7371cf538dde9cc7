package search_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// A mass of single changes is merged seconds later, so that no search reads them for minutes. What came to the index later than the mark that
// moved up is found when the mark is sure again, also by who works with the manifest of before.
func TestAMassOfChanges(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	people := i.seed(search.Small + 1)
	w.pass(search.MarkAge + time.Second)
	i.merge(false)
	people = append(people, i.seed(search.Crowd+100)...)
	w.pass(2*search.SoonAge + time.Second)
	if i.finds(people...); !i.waits(false) {
		t.Fatal("nothing asks for a merge")
	}
	later := outbox.Later{}
	if err := i.merger.Merge(t.Context(), i.Tenant, kind, false); !errors.As(err, &later) {
		t.Fatalf("%v: nobody looks for what comes late", err)
	}
	reader := w.instance()
	reader.sees(people...)
	if _, units := cost(t, "a search after a mass of changes", reader.page); units > 20 {
		t.Errorf("it takes %v units, as if it read them", units)
	}
	slow := w.instance()
	slow.skew = -2 * search.SoonAge
	people = append(people, slow.create(numbered(5000)))
	if until := later.Until.Sub(w.now()); until <= 0 || until > search.MarkAge {
		t.Fatalf("the next merge is in %v", until)
	}
	i.ok(w.wait(later.Until))
	i.merge(false)
	if m := i.manifest(); m.Sure != 0 {
		t.Error("the mark is not sure again")
	}
	reader.finds(people...)
	w.instance().sees(people...)
	people = changed(i, people)
	reader.finds(people...)
	i.tidies()
}

// Fewer changes leave the mark where all that was written is in the index.
func TestFewChangesLeaveTheMark(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	i := w.instance()
	i.seed(search.Small + 1)
	w.pass(search.MarkAge + time.Second)
	i.merge(false)
	i.seed(search.Crowd)
	w.pass(2*search.SoonAge + time.Second)
	i.ok(i.page(t.Context()))
	if i.waits(false) {
		t.Error("it asks for a merge")
	}
	i.merge(false)
	if m := i.manifest(); m.Sure != 0 || w.now().Sub(time.UnixMicro(m.Mark)) < search.MarkAge {
		t.Errorf("the mark is %v old", w.now().Sub(time.UnixMicro(m.Mark)))
	}
}
