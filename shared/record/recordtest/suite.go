package recordtest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// stored checks that a record is read as it was written, and that each of its attributes has a name of its own.
func (s Subject[T]) stored(t *testing.T) {
	if _, byHand := any(s.Kind.Empty()).(dynamo.ItemMarshaler); !byHand {
		for name, fields := range attributes(reflect.TypeFor[T]().Elem()) {
			if len(fields) > 1 {
				t.Errorf("the attribute %q is that of %s", name, strings.Join(fields, " and "))
			}
			if slices.Contains(taken(), name) {
				t.Errorf("the attribute %q of %s is one by which the table finds or removes items", name, fields[0])
			}
		}
	}
	if hasAmount(reflect.TypeFor[T]().Elem()) && !s.Kind.Kind.Amounts {
		t.Error("its records hold amounts, and its row in shared/kinds does not say so")
	}
	w := s.world(t, tabletest.Faults{})
	rec := w.must(1)
	got, err := s.Kind.Get(t.Context(), w.sound, record.ID(rec))
	if err != nil || !record.Same(got, rec) || record.Revision(got) != 1 || record.ID(got) != record.ID(rec) {
		t.Errorf("%v\nread  %+v\nwrote %+v", err, got, rec)
	}
	var item table.Attributes
	if err := w.sound.Table.Get(t.Context(), s.Kind.Key(w.sound.Table, record.ID(rec)), &item); err != nil {
		t.Fatal(err)
	}
	s.entered(t, item)
}

// entered checks that the entry of a record tells the search what the record itself tells it.
func (s Subject[T]) entered(t *testing.T, item table.Attributes) {
	t.Helper()
	if !s.Kind.IsSearched() {
		if item["ix"] != nil || item["xm"] != nil || item["x"] != nil {
			t.Errorf("it has an entry, and nobody searches: %v", item)
		}
		return
	}
	of := s.Kind.Searched()
	told, ok := search.Decode(of, item.Bytes("x"))
	want, err := of.Values(item)
	want.Extra, want.Within = nil, nil // what an entry holds of them is read only with columns of custom fields
	if !ok || err != nil || !reflect.DeepEqual(told, want) {
		t.Errorf("its entry tells %+v (%t), the record %+v (%v)", told, ok, want, err)
	}
	if item.Int("xm") != item.Int("m") || item.Text("ix") != item.Text("pk") {
		t.Errorf("its entry is of %q at %d, the record of %q at %d", item.Text("ix"), item.Int("xm"), item.Text("pk"), item.Int("m"))
	}
}

// hasAmount tells whether a stored type holds an amount anywhere. A type that holds itself, which is within, is looked into once.
func hasAmount(t reflect.Type, within ...reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return hasAmount(t.Elem(), within...)
	case reflect.Struct:
		if t == reflect.TypeFor[money.Amount]() {
			return true
		}
		if slices.Contains(within, t) {
			return false
		}
		for i := range t.NumField() {
			if hasAmount(t.Field(i).Type, append(slices.Clip(within), t)...) {
				return true
			}
		}
	}
	return false
}

// taken are the names of the attributes by which other items than records stand in an index, or expire.
func taken() []string {
	names := []string{"ttl"}
	for _, index := range keyspace.Indexes() {
		names = append(append(names, index.Hash, index.Sort), index.Holds...)
	}
	of := attributes(reflect.TypeFor[record.Meta]())
	return slices.DeleteFunc(names, func(name string) bool { return of[name] != nil })
}

// attributes returns the fields of a stored struct by the names of their attributes.
func attributes(t reflect.Type) map[string][]string {
	all := map[string][]string{}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			for name, fields := range attributes(f.Type) {
				all[name] = append(all[name], fields...)
			}
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("dynamo"), ",")
		if name == "" {
			name = f.Name
		}
		all[name] = append(all[name], t.Name()+"."+f.Name)
	}
	return all
}

// lives makes, changes and removes a record. Each step has to be a revision, and the unique values have to be free at
// the end.
func (s Subject[T]) lives(t *testing.T) {
	w := s.world(t, tabletest.Faults{})
	rec := w.must(1)
	id := record.ID(rec)
	if len(s.Kind.UniqueValues(rec)) > 0 {
		if _, err := w.create(w.sound, 1); err == nil {
			t.Error("a unique value was given twice")
		}
	}
	if _, err := w.change(w.sound, id, 1); err != nil {
		t.Fatal(err)
	}
	w.check()
	again, err := w.change(w.sound, id, 1) // this changes nothing
	if err != nil || record.Revision(again) != 2 {
		t.Errorf("revision %d, %v", record.Revision(again), err)
	}
	if err := w.remove(w.sound, id); err != nil {
		t.Fatal(err)
	}
	w.check()
	if _, err := s.Kind.Get(t.Context(), w.sound, id); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("read after its end: %v", err)
	}
	for what, err := range map[string]error{"removed": w.remove(w.sound, id), "changed": second(w.change(w.sound, id, 2))} {
		if !errors.Is(err, fault.ErrNotFound) {
			t.Errorf("%s after its end: %v", what, err)
		}
	}
	next := w.must(1)
	if record.ID(next) <= id {
		t.Errorf("number %d after %d", record.ID(next), id)
	}
	w.check()
}

func second[T record.Stored](_ T, err error) error { return err }

// belongs checks that nobody finds a record of another company.
func (s Subject[T]) belongs(t *testing.T) {
	w := s.world(t, tabletest.Faults{})
	id := record.ID(w.must(1))
	neighbour := w.sound
	neighbour.Table = table.Of(table.OpenWith(w.world.Client(1), w.name, s.Kinds...), company+1)
	if _, err := s.Kind.Get(t.Context(), neighbour, id); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("read: %v", err)
	}
	if _, err := w.change(neighbour, id, 1); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("changed: %v", err)
	}
	if err := w.remove(neighbour, id); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("removed: %v", err)
	}
	w.check()
}

// contended checks that of many changes to one record at once each either succeeds or returns an error.
func (s Subject[T]) contended(t *testing.T) {
	const writers, times = 6, 3
	w := s.world(t, tabletest.Locks())
	id := record.ID(w.must(1))
	var made atomic.Int64
	var wait sync.WaitGroup
	for n := range writers {
		process, _ := w.process(uint64(n + 1))
		wait.Go(func() {
			for i := range times {
				process.Actor.Request = fmt.Sprintf("request-%d-%d", n, i)
				switch rec, err := w.change(process, id, 10+n*times+i); {
				case err == nil && !reflect.ValueOf(rec).IsNil():
					made.Add(1)
				case table.Unavailable(err):
				default:
					t.Errorf("%v", err)
				}
			}
		})
	}
	wait.Wait()
	w.check()
	rec, err := s.Kind.Get(t.Context(), w.sound, id)
	if err != nil || record.Revision(rec) != made.Load()+1 || made.Load() < writers {
		t.Errorf("revision %d after %d changes, %v", record.Revision(rec), made.Load(), err)
	}
}

// lost checks that a caller learns what happened even if the answer to its transaction is lost.
func (s Subject[T]) lost(t *testing.T) {
	for name, fails := range map[string]func(*tabletest.Client){
		"and it happened":       func(c *tabletest.Client) { c.Deafen(true) },
		"and it did not happen": func(c *tabletest.Client) { c.Deafen(false) },
		"and it is sent again":  (*tabletest.Client).Resend,
	} {
		t.Run(name, func(t *testing.T) {
			happen := name != "and it did not happen"
			w := s.world(t, tabletest.Faults{})
			old := record.ID(w.must(1))
			process, client := w.process(1)
			fails(client)
			rec, err := w.create(process, 2)
			if happened := err == nil; happened != happen || !happen && !table.Unavailable(err) {
				t.Fatalf("made: %v", err)
			}
			if there, err := w.sound.Listing(s.Kind.Kind.Code).Has(t.Context(), record.ID(rec)); there != happen || err != nil {
				t.Errorf("it is there: %t, %v", there, err)
			}
			process.Actor.Request = "a change"
			if _, err := w.change(process, old, 1); (err == nil) != happen {
				t.Errorf("changed: %v", err)
			}
			process.Actor.Request = "an end"
			if err := w.remove(process, old); (err == nil) != happen {
				t.Errorf("removed: %v", err)
			}
			w.check()
		})
	}
}

// killed checks that a process that dies at any call leaves either a complete change or none.
func (s Subject[T]) killed(t *testing.T) {
	w := s.world(t, tabletest.Faults{})
	seed := uint64(0)
	operations := map[string]func(n int) func(record.Scope) error{
		"create": func(n int) func(record.Scope) error {
			return func(p record.Scope) error { return second(w.create(p, n)) }
		},
		"change": func(n int) func(record.Scope) error {
			id := record.ID(w.must(n))
			return func(p record.Scope) error { return second(w.change(p, id, n)) }
		},
		"remove": func(n int) func(record.Scope) error {
			id := record.ID(w.must(n))
			return func(p record.Scope) error { return w.remove(p, id) }
		},
	}
	for name, prepare := range operations {
		for _, after := range []bool{false, true} {
			for call := 1; ; call++ {
				seed++
				do := prepare(int(seed))
				process, client := w.process(seed)
				client.DieAt(call, after)
				err := do(process)
				if !client.Crashed() {
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
					break
				}
				if err == nil {
					t.Errorf("%s: killed at call %d, and it went well", name, call)
				}
			}
		}
	}
	w.check()
}

// stale checks that no decision depends on a read that may be out of date.
func (s Subject[T]) stale(t *testing.T) {
	w := s.world(t, tabletest.Faults{Stale: time.Hour})
	process, _ := w.process(1)
	rec, err := w.create(process, 1)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 5 {
		process.Actor.Request = fmt.Sprintf("change-%d", n)
		if _, err := w.change(process, record.ID(rec), n+1); err != nil {
			t.Fatalf("what was just written is not seen: %v", err)
		}
	}
	if err := w.remove(process, record.ID(rec)); err != nil {
		t.Fatal(err)
	}
	w.check()
}
