package record_test

import (
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

const told outbox.Kind = "record.told"

// telling boxes leave a message with their id and what became of their name.
func telling() *record.Kind[*box] {
	k := boxes()
	k.Arms = func(before, after *box) []record.Message {
		name := func(b *box) string {
			if b == nil {
				return "none"
			}
			return b.Name
		}
		of := after
		if of == nil {
			of = before
		}
		return []record.Message{{Kind: told, Key: strconv.FormatInt(of.ID, 10) + "." + name(before) + "." + name(after)}}
	}
	return k
}

// Each write of a record leaves its kind's messages, with what it was and what it is; what is only
// read leaves none.
func TestArms(t *testing.T) {
	s, k := newShelf(t, tabletest.Faults{}), telling()
	for i, step := range []struct {
		name string
		do   func(w *record.Work) error
		want string
	}{
		{"create", func(w *record.Work) error { k.Create(w, "", &box{Name: "a"}); return nil }, "1.none.a"},
		{"edit", func(w *record.Work) error {
			b, err := k.Edit(t.Context(), w, 1)
			if err == nil {
				b.Name = "b"
			}
			return err
		}, "1.a.b"},
		{"edit nothing", func(w *record.Work) error { _, err := k.Edit(t.Context(), w, 1); return err }, ""},
		{"rely", func(w *record.Work) error { _, err := k.Rely(t.Context(), w, 1); return err }, ""},
		{"remove", func(w *record.Work) error { return k.Remove(t.Context(), w, 1) }, "1.b.none"},
	} {
		t.Run(step.name, func(t *testing.T) {
			sc := s.scope("tell" + strconv.Itoa(i))
			if err := s.do(sc, step.do); err != nil {
				t.Fatal(err)
			}
			for _, key := range []string{"1.none.a", "1.a.b", "1.b.none"} {
				m := outbox.NewKeyed(sc.Table.Message, told, key, s.clock)
				var found outbox.Message
				err := sc.Table.Get(t.Context(), m.Key(), &found)
				if (err == nil) != (key == step.want) {
					t.Errorf("the message %q: %v", key, err)
				}
				if err == nil {
					if err := sc.Table.Delete(m.Key()).Run(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

// An import leaves one message about all its records, in the transaction that commits them.
func TestArmsOfAnImport(t *testing.T) {
	s, k := newShelf(t, tabletest.Faults{}), telling()
	k.ArmsImport = func(recs []*box) []record.Message {
		return []record.Message{{Kind: told, Key: strconv.Itoa(len(recs))}}
	}
	sc := s.scope("import")
	if err := k.Import(t.Context(), sc, "box.import", noAnswer{}, func(*record.Work, []record.TakenRow) (rows []*box, err error) {
		for i := range 120 {
			rows = append(rows, &box{Name: fmt.Sprint("b", i)})
		}
		return rows, nil
	}); err != nil {
		t.Fatal(err)
	}
	m := outbox.NewKeyed(sc.Table.Message, told, "120", s.clock)
	if err := sc.Table.Get(t.Context(), m.Key(), new(outbox.Message)); err != nil {
		t.Error(err)
	}
}

// Records without history are created, changed and removed without audit records. If the answer to
// their transaction is lost, the decision is safe to repeat.
func TestUnaudited(t *testing.T) {
	s, k := newShelf(t, tabletest.Faults{}), boxes()
	k.Unaudited, k.Shown = true, nil
	name := func(to string) func(w *record.Work) error {
		return func(w *record.Work) error {
			b, err := k.Edit(t.Context(), w, 1)
			if err == nil {
				b.Name = to
			}
			return err
		}
	}
	if err := s.do(s.scope("create"), func(w *record.Work) error { k.Create(w, "", &box{Name: "a"}); return nil }); err != nil {
		t.Fatal(err)
	}
	scope, client := s.process(3)
	for i, happen := range []bool{true, false} {
		to := fmt.Sprint("b", i)
		client.Deafen(happen)
		err := s.do(scope, name(to))
		if f, ok := fault.As(err); !ok || f.Code != fault.Unavailable {
			t.Errorf("an answer was lost: %v", err)
		}
		if err := s.do(s.scope("repeat"+to), name(to)); err != nil {
			t.Error(err)
		}
		if b, err := k.Get(t.Context(), scope, 1); err != nil || b.Name != to || b.Revision != int64(i)+2 {
			t.Errorf("%v, %+v", err, b)
		}
	}
	scope = s.scope("remove")
	if err := s.do(scope, func(w *record.Work) error { return k.Remove(t.Context(), w, 1) }); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Get(t.Context(), scope, 1); !errors.Is(err, fault.ErrNotFound) {
		t.Error(err)
	}
	if entries, count, err := audit.Page(t.Context(), scope.Table, k.Kind, 1, 0, 10); err != nil || count != 0 || len(entries) != 0 {
		t.Errorf("%v, a history of %d: %v", err, count, entries)
	}
}
