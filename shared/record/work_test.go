package record_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/record/recordtest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// A box has a tag that is unique, may be in another box, which it holds, and has
// sums beside it. A note is appended and never changed.
type box struct {
	record.Meta
	Name string `dynamo:"n"`
	Tag  string `dynamo:"t,omitempty"`
	In   int64  `dynamo:"i,omitempty"`
	Text string `dynamo:"tx,omitempty"`
}

type note struct {
	record.Meta
	Text string `dynamo:"t"`
}

var (
	boxKind  = kinds.Kind{Code: "zb", Name: "test_box", Label: "Box", Many: "boxes", Unique: []string{"tag"}, Sums: []string{"a", "b"}, Held: true}
	noteKind = kinds.Kind{Code: "zn", Name: "test_note", Label: "Note", Many: "notes"}
)

func boxes() record.Kind[box] {
	return record.Kind[box]{
		Kind: boxKind, Name: func(b *box) string { return b.Name },
		Shown:  func(b *box) any { return map[string]any{"name": b.Name, "tag": b.Tag, "in": b.In} },
		Unique: func(b *box) []record.Unique { return []record.Unique{{Name: "tag", Value: b.Tag, Field: "tag"}} },
		References: func(b *box) []record.Reference {
			if b.In == 0 {
				return nil
			}
			return []record.Reference{{Field: "in", Kind: "zb", ID: b.In, Hold: true}}
		},
	}
}

func notes() record.Kind[note] { return record.Kind[note]{Kind: noteKind, AppendOnly: true} }

func TestBoxes(t *testing.T) {
	recordtest.Run(t, recordtest.Subject[box]{
		Kind: boxes(), Kinds: []kinds.Kind{boxKind},
		New:    func(n int) *box { return &box{Name: "box", Tag: fmt.Sprint("tag", n)} },
		Change: func(b *box, n int) { b.Tag = fmt.Sprint("other", n, b.ID) },
	})
}

// shelf is a company with boxes, and processes that work on it.
type shelf struct {
	t     testing.TB
	world *tabletest.World
	name  string
	clock time.Time
}

func newShelf(t testing.TB, faults tabletest.Faults) *shelf {
	t.Helper()
	s := &shelf{t: t, clock: recordtest.Start}
	s.world, s.name = tabletest.NewFaulty(t, faults)
	return s
}

// scope is a process's view of the company, on behalf of a request.
func (s *shelf) scope(request string) record.Scope {
	c := table.OpenWith(enginetest.Client(s.t), s.name, boxKind, noteKind)
	return record.Scope{
		Table: table.Of(c, 7), Actor: audit.Actor{User: 1, Request: request, At: s.clock}, Now: func() time.Time { return s.clock },
	}
}

func (s *shelf) process(seed uint64) (record.Scope, *tabletest.Client) {
	client, scope := s.world.Client(seed), s.scope(fmt.Sprint("request-", seed))
	scope.Table = table.Of(table.OpenWith(client, s.name, boxKind, noteKind), 7)
	return scope, client
}

func (s *shelf) do(scope record.Scope, decide func(w *record.Work) error) error {
	return scope.Do(s.t.Context(), nil, decide)
}

func (s *shelf) put(b ...*box) {
	s.t.Helper()
	if err := s.do(s.scope("put"), func(w *record.Work) error { boxes().Create(w, "", b...); return nil }); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shelf) check() {
	s.t.Helper()
	for _, problem := range recordtest.Problems(context.Background(), boxes(), s.scope("check")) {
		s.t.Error(problem)
	}
}

func edit(ctx context.Context, w *record.Work, id int64, change func(b *box)) error {
	b, err := boxes().Edit(ctx, w, id)
	if err == nil {
		change(b)
	}
	return err
}

// add adds to sums beside a box that is there.
func add(ctx context.Context, w *record.Work, id int64, sums ...record.Sum) error {
	_, err := boxes().Read(ctx, w, id)
	boxes().Add(w, id, sums...)
	return err
}

// Two records swap a unique value: what one leaves and the other takes is one
// operation.
func TestValuesMoveWithinAUnitOfWork(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{Tag: "a"}, &box{Tag: "b"}, &box{Tag: "c"})
	err := s.do(s.scope("swap"), func(w *record.Work) error {
		boxes().Create(w, "", &box{In: 2}) // so that there is something to look up
		return errors.Join(
			edit(t.Context(), w, 1, func(b *box) { b.Tag = "b" }), edit(t.Context(), w, 2, func(b *box) { b.Tag = "a" }), boxes().Remove(t.Context(), w, 3))
	})
	if err != nil {
		t.Fatal(err)
	}
	s.check()
	err = s.do(s.scope("take"), func(w *record.Work) error {
		boxes().Create(w, "", &box{Tag: "c"})
		return nil
	})
	if err != nil {
		t.Errorf("a value that was left: %v", err)
	}
	s.check()
}

// A value has one owner, whenever in a decision its records get it.
func TestOneOwnerWithinAUnitOfWork(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{Tag: "z"})
	err := s.do(s.scope("a"), func(w *record.Work) error {
		b, err := boxes().Edit(t.Context(), w, 1)
		if err != nil {
			return err
		}
		boxes().Create(w, "data", &box{Tag: "x"})
		if err := w.Number(t.Context()); err != nil {
			return err
		}
		b.Tag = "x"
		return nil
	})
	if f, ok := fault.As(err); !ok || fmt.Sprint(f.Fields) != "map[data:map[tag:[This field must be unique.]]]" {
		t.Errorf("%v", err)
	}
	s.check()
}

// A value that is released after ids were given out is free, at the first try and after a lost
// race.
func TestAValueIsFreeAtTheEnd(t *testing.T) {
	for _, race := range []bool{false, true} {
		s := newShelf(t, tabletest.Faults{})
		s.put(&box{Tag: "t"}, &box{})
		tries := 0
		err := s.do(s.scope("a"), func(w *record.Work) error {
			tries++
			boxes().Create(w, "", &box{Tag: "t", In: 2})
			if err := w.Number(t.Context()); err != nil {
				return err
			}
			if err := edit(t.Context(), w, 2, func(b *box) { b.Name += "x" }); err != nil {
				return err
			}
			if race && tries == 1 {
				if err := s.do(s.scope("b"), func(w *record.Work) error { return edit(t.Context(), w, 2, func(b *box) { b.Name = "y" }) }); err != nil {
					return err
				}
			}
			return boxes().Remove(t.Context(), w, 1)
		})
		if err != nil || (tries == 2) != race {
			t.Errorf("%d tries, %v", tries, err)
		}
		s.check()
	}
}

// The limit on the number of records is checked when everything is decided.
func TestMost(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	k := boxes()
	k.Most = 2
	err := s.do(s.scope("a"), func(w *record.Work) error {
		for range 3 {
			k.Create(w, "", &box{})
			if err := w.Number(t.Context()); err != nil {
				return err
			}
		}
		return nil
	})
	if f, ok := fault.As(err); !ok || fmt.Sprint(f.Fields) != "map[non_field_errors:[There can be at most 2 boxes.]]" {
		t.Errorf("three of two: %v", err)
	}
	s.put(&box{}, &box{})
	err = s.do(s.scope("b"), func(w *record.Work) error {
		k.Create(w, "", &box{})
		return k.Remove(t.Context(), w, 4)
	})
	if err != nil {
		t.Errorf("one for another: %v", err)
	}
	s.check()
}

// A free part is held to definitions where it is new, changed or sent.
func TestFreePartsAreCheckedWhereTheyAreSent(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	k := boxes()
	k.Extras = record.Free("", func(b *box) decode.JSON { return decode.JSON(b.Text) })
	k.MaxExtra = 4
	s.put(&box{Text: `"longer"`})
	for name, tt := range map[string]struct {
		change func(b *box)
		wrong  bool
	}{
		"another field": {func(b *box) { b.Name = "a" }, false},
		"another value": {func(b *box) { b.Text = `"as long"` }, true},
		"a good one":    {func(b *box) { b.Text = `{}` }, false},
		"as it was, sent": {func(b *box) {
			var to decode.JSON
			record.ExtraInto(b, decode.Optional[decode.JSON]{Set: true, Value: decode.JSON(b.Text)}, &to)
		}, true},
	} {
		if name == "a good one" {
			s.put(&box{Text: `"longer"`})
		}
		err := s.do(s.scope("a"), func(w *record.Work) error {
			b, err := k.Edit(t.Context(), w, map[bool]int64{true: 2, false: 1}[name == "a good one"])
			if err == nil {
				tt.change(b)
			}
			return err
		})
		if f, ok := fault.As(err); ok != tt.wrong || ok && fmt.Sprint(f.Fields) != "map[extra:[Ensure this field has no more than 4 bytes.]]" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A record may have several free parts, each held to the custom fields of its own key,
// and each where it was sent alone.
func TestTwoFreeParts(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	k := boxes()
	k.Extras = func(b *box) []record.Extra {
		return []record.Extra{
			{Field: "extra", Key: "box", JSON: decode.JSON(b.Name)}, {Field: "lid.extra", Key: "lid", JSON: decode.JSON(b.Text)},
		}
	}
	s.put(&box{Name: "{}", Text: "{}"})
	company := s.scope("a").Table
	for _, key := range []string{"box", "lid"} {
		set := customfield.Empty(company, key)
		set.List = []customfield.Definition{{ID: 1, Name: key + "_size", Label: "Size", Type: "integer", Required: true}}
		if err := company.Put(set).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	send := func(b *box, field, json string) {
		to := &b.Name
		if field != "extra" {
			to = &b.Text
		}
		var sent decode.JSON
		record.ExtraAt(b, field, decode.Optional[decode.JSON]{Set: true, Value: decode.JSON(json)}, &sent)
		*to = string(sent)
	}
	for _, tt := range []struct {
		name   string
		change func(b *box)
		want   string
	}{
		{"neither is sent", func(b *box) { b.Tag = "a" }, ""},
		{"one is sent", func(b *box) { send(b, "extra", "{}") }, "map[extra:map[box_size:[This field is required.]]]"},
		{"the other is sent", func(b *box) { send(b, "lid.extra", `{"lid_size":"x"}`) }, "map[lid:map[extra:map[lid_size:[A valid integer is required.]]]]"},
		{
			"both are sent", func(b *box) { send(b, "extra", "{}"); send(b, "lid.extra", "{}") },
			"map[extra:map[box_size:[This field is required.]] lid:map[extra:map[lid_size:[This field is required.]]]]",
		},
		{"one is good", func(b *box) { send(b, "lid.extra", `{"lid_size":3}`) }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := s.do(s.scope(tt.name), func(w *record.Work) error {
				b, err := k.Edit(t.Context(), w, 1)
				if err == nil {
					tt.change(b)
				}
				return err
			})
			if f, ok := fault.As(err); ok != (tt.want != "") || ok && fmt.Sprint(f.Fields) != tt.want {
				t.Errorf("%v; want %s", err, tt.want)
			}
		})
	}
}

// What is wrong stands where it was sent, all of it in one fault.
func TestWhatIsWrongIsSaidAtOnce(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{Tag: "a"})
	err := s.do(s.scope("bad"), func(w *record.Work) error {
		w.Errors("").Add("name", fault.Required)
		boxes().Create(w, "data.1", &box{Tag: "a", In: 9})
		boxes().Create(w, "data.2", &box{Tag: "x"})
		boxes().Create(w, "data.3", &box{Tag: "x"})
		return nil
	})
	f, ok := fault.As(err)
	want := `map[data:[map[] map[in:[Invalid pk "9" - object does not exist.] tag:[This field must be unique.]] map[] ` +
		`map[tag:[This field must be unique.]]] name:[This field is required.]]`
	if !ok || fmt.Sprint(f.Fields) != want {
		t.Errorf("got  %v\nwant %s", f.Fields, want)
	}
	b := &box{Tag: "b"}
	s.put(b)
	if b.ID != 2 {
		t.Errorf("what was refused took a number: the next is %d", b.ID)
	}
}

// A body that is wrong already is refused with what the rules find wrong with the
// rest of it. Nothing more is said of what the decoder has refused, nothing is
// written, and no number is taken.
func TestWhatTheDecoderRefusedIsSaidWithWhatIsWrongBeside(t *testing.T) {
	for name, tt := range map[string]struct {
		decide func(w *record.Work) error
		want   string
	}{
		"nothing more": {func(w *record.Work) error {
			boxes().Create(w, "", &box{Tag: "free", In: 1})
			return nil
		}, `map[name:[long] text:[long]]`},
		"what the checks find": {func(w *record.Work) error {
			boxes().Create(w, "", &box{Tag: "a", In: 9})
			return nil
		}, `map[in:[Invalid pk "9" - object does not exist.] name:[long] tag:[This field must be unique.] text:[long]]`},
		"what a rule finds": {func(w *record.Work) error {
			errs := w.Errors("")
			if !errs.Has("name") || errs.Has("tag") {
				t.Error("a rule does not learn what was refused")
			}
			errs.Add("name", fault.Required)
			errs.Add("tag", "bad")
			return nil
		}, `map[name:[long] tag:[bad] text:[long]]`},
		"what ends the matter": {func(w *record.Work) error {
			w.Errors("").Add("tag", "bad")
			return fault.Field("in", "bad")
		}, `map[in:[bad] name:[long] tag:[bad] text:[long]]`},
		"what needs a number": {func(w *record.Work) error {
			boxes().Create(w, "", &box{In: 9})
			return w.Number(t.Context())
		}, `map[in:[Invalid pk "9" - object does not exist.] name:[long] text:[long]]`},
		"nothing to do": {func(*record.Work) error { return nil }, `map[name:[long] text:[long]]`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t, tabletest.Faults{})
			s.put(&box{Tag: "a"})
			scope := s.scope("bad")
			scope.Wrong = fault.FieldErrors{"name": []string{"long"}, "text": []string{"long"}}
			err := s.do(scope, tt.decide)
			f, ok := fault.As(err)
			if !ok || f.Code != fault.Invalid || fmt.Sprint(f.Fields) != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
			if fmt.Sprint(scope.Wrong) != "map[name:[long] text:[long]]" {
				t.Errorf("the request's own errors became %v", scope.Wrong)
			}
			b := &box{Tag: "b"}
			s.put(b)
			if b.ID != 2 {
				t.Errorf("what was refused took a number: the next is %d", b.ID)
			}
			s.check()
		})
	}
}

// A number that a lost race left is used by the next try.
func TestNumbersAreKeptFromTryToTry(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{})
	made, tries := &box{}, 0
	err := s.do(s.scope("a"), func(w *record.Work) error {
		tries++
		if w.Try() != tries {
			t.Errorf("try %d calls itself %d", tries, w.Try())
		}
		if err := edit(t.Context(), w, 1, func(b *box) { b.Name += "x" }); err != nil {
			return err
		}
		made = &box{}
		boxes().Create(w, "", made)
		if tries == 1 { // another is faster
			return s.do(s.scope("b"), func(w *record.Work) error { return edit(t.Context(), w, 1, func(b *box) { b.Name = "b" }) })
		}
		return nil
	})
	if err != nil || tries != 2 || made.ID != 2 {
		t.Errorf("%d tries, number %d, %v", tries, made.ID, err)
	}
	b, err := boxes().Get(t.Context(), s.scope("read"), 1)
	if err != nil || b.Name != "bx" {
		t.Errorf("%q, %v: decided on what was not there any more", b.Name, err)
	}
	s.check()
}

// What a decision needs next is read in the call that checks what it has done so far.
func TestCheckReadsWhatIsNeededNext(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{Name: "outer"}, &box{Name: "other"})
	scope, client := s.process(1)
	err := s.do(scope, func(w *record.Work) error {
		other := boxes().Key(w.Scope().Table, 2)
		boxes().Create(w, "", &box{Name: "inner", In: 1})
		if err := w.Check(t.Context(), other); err != nil {
			return err
		}
		item, err := w.Item(t.Context(), other)
		if calls := client.Calls(); calls["BatchGetItem"] != 1 || calls["GetItem"] != 0 || item.Text("n") != "other" {
			t.Errorf("the calls %v read %v", calls, item)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	s.check()
}

// A record that a decision relies on is unchanged when the transaction runs.
func TestRely(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{Name: "open"}, &box{})
	tries := 0
	err := s.do(s.scope("a"), func(w *record.Work) error {
		tries++
		lid, err := boxes().Rely(t.Context(), w, 1)
		if err != nil {
			return err
		}
		if lid.Name != "open" {
			return fault.New(fault.Conflict, "It is shut.")
		}
		if err := s.do(s.scope("b"), func(w *record.Work) error { return edit(t.Context(), w, 1, func(b *box) { b.Name = "shut" }) }); err != nil {
			return err
		}
		return edit(t.Context(), w, 2, func(b *box) { b.Name = "put into 1" })
	})
	if f, ok := fault.As(err); !ok || f.Code != fault.Conflict || tries != 2 {
		t.Errorf("%d tries, %v", tries, err)
	}
}

// A record that a decision relies on, and edits without changing it, is checked all the same.
func TestRelyOnWhatIsEditedInVain(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{Name: "open"}, &box{})
	tries := 0
	err := s.do(s.scope("a"), func(w *record.Work) error {
		tries++
		lid, err := boxes().Rely(t.Context(), w, 1)
		if err != nil {
			return err
		}
		if lid.Name != "open" {
			return fault.New(fault.Conflict, "It is shut.")
		}
		if err := s.do(s.scope("b"), func(w *record.Work) error { return edit(t.Context(), w, 1, func(b *box) { b.Name = "shut" }) }); err != nil {
			return err
		}
		if err := edit(t.Context(), w, 1, func(b *box) { b.Name = "open" }); err != nil {
			return err
		}
		return edit(t.Context(), w, 2, func(b *box) { b.Name = "put into 1" })
	})
	if f, ok := fault.As(err); !ok || f.Code != fault.Conflict || tries != 2 {
		t.Errorf("%d tries, %v", tries, err)
	}
	// A change to a record that is relied on but not edited would be lost.
	err = s.do(s.scope("c"), func(w *record.Work) error {
		b, err := boxes().Rely(t.Context(), w, 2)
		if err == nil {
			b.Name = "lost"
		}
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "only relied on") {
		t.Errorf("changed what it relies on: %v", err)
	}
}

// A request that loses every race is told to try again, and never that something is wrong with
// it.
func TestLastingContentionIsUnavailable(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{})
	n := 0
	err := s.do(s.scope("slow"), func(w *record.Work) error {
		if err := edit(t.Context(), w, 1, func(b *box) { b.Name = "slow" }); err != nil {
			return err
		}
		n++
		return s.do(s.scope(fmt.Sprint("fast", n)), func(w *record.Work) error {
			return edit(t.Context(), w, 1, func(b *box) { b.Name = fmt.Sprint("fast", n) })
		})
	})
	if f, ok := fault.As(err); !ok || f.Code != fault.Unavailable || f.RetryAfter <= 0 || n < 5 {
		t.Errorf("%d tries, %v", n, err)
	}
	s.check()
}

// A clock that is behind does not take a record back in time.
func TestClocksThatAreBehind(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{})
	s.clock = s.clock.Add(-time.Minute)
	if err := s.do(s.scope("late"), func(w *record.Work) error { return edit(t.Context(), w, 1, func(b *box) { b.Name = "a" }) }); err != nil {
		t.Fatal(err)
	}
	b, err := boxes().Get(t.Context(), s.scope("read"), 1)
	if err != nil || b.Updated != recordtest.Start.UnixMicro() || b.Created != b.Updated {
		t.Errorf("changed at %s, made at %s, %v", b.UpdatedAt(), b.CreatedAt(), err)
	}
}

// What does not fit a transaction is refused before it is sent.
func TestTooMuchForOneTransaction(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	scope, client := s.process(1)
	for name, fill := range map[string]func(w *record.Work){
		"too many": func(w *record.Work) {
			for n := range 34 {
				boxes().Create(w, "", &box{Tag: fmt.Sprint(n)})
			}
		},
		"too large": func(w *record.Work) {
			for range 14 {
				boxes().Create(w, "", &box{Text: strings.Repeat("x", 380<<10)})
			}
		},
	} {
		err := s.do(scope, func(w *record.Work) error { fill(w); return nil })
		if !errors.Is(err, table.ErrTooLarge) || client.Calls()["TransactWriteItems"] != 0 {
			t.Errorf("%s: %v, %v", name, err, client.Calls())
		}
	}
	err := s.do(scope, func(w *record.Work) error {
		for n := range 33 {
			boxes().Create(w, "", &box{Tag: fmt.Sprint(n)})
		}
		return nil
	})
	if err != nil {
		t.Errorf("what just fits: %v", err)
	}
	s.check()
}

// A unit of work that could not be found to have happened is a mistake, which
// shows before anything is written.
func TestEveryUnitOfWorkCanBeProven(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{})
	scope, client := s.process(1)
	err := s.do(scope, func(w *record.Work) error {
		return add(t.Context(), w, 1, record.Sum{Name: "a", By: money.Whole(1)})
	})
	if err == nil || !strings.Contains(err.Error(), "could not be found to have happened") || client.Writes() != 0 {
		t.Errorf("%v, %v", err, client.Calls())
	}
	// A record that only this request can have appended is proof.
	for _, happen := range []bool{true, false} {
		scope, client = s.process(2)
		scope.Actor.Request = fmt.Sprint("deaf", happen)
		client.Deafen(happen)
		err = s.do(scope, func(w *record.Work) error {
			notes().Create(w, "", &note{Text: "a"})
			return add(t.Context(), w, 1, record.Sum{Name: "a", By: money.Whole(1)})
		})
		if (err == nil) != happen {
			t.Errorf("appended: %v, told: %v", happen, err)
		}
	}
	if sums, err := boxes().Sums(t.Context(), s.scope("read").Reading(), 1); err != nil || fmt.Sprint(sums) != "map[a:1.00]" {
		t.Errorf("%v, %v", sums, err)
	}
	if _, err := notes().Edit(t.Context(), s.scope("edit").Reading(), 1); err == nil {
		t.Error("a record that is only appended was changed")
	}
}

// A record that was edited before it goes is archived as it was: nothing tells of the
// edit.
func TestEditedAndThenRemoved(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{Name: "a", Tag: "t"})
	err := s.do(s.scope("end"), func(w *record.Work) error {
		return errors.Join(edit(t.Context(), w, 1, func(b *box) { b.Name, b.Tag = "b", "u" }), boxes().Remove(t.Context(), w, 1))
	})
	var b box
	sc := s.scope("read")
	if gone := sc.Table.Get(t.Context(), sc.Table.Archive("zb", 1), &b); err != nil || gone != nil || b.Name != "a" || b.Tag != "t" {
		t.Errorf("%v, %v, archived %+v", err, gone, b)
	}
	s.check()
}

// Two Go types for one record within a unit of work would write it twice.
func TestTwoTypesOfOneRecord(t *testing.T) {
	type other struct {
		record.Meta
		Name string `dynamo:"n"`
	}
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{})
	others := record.Kind[other]{Kind: boxKind}
	err := s.do(s.scope("a"), func(w *record.Work) error {
		if err := edit(t.Context(), w, 1, func(b *box) { b.Name = "b" }); err != nil {
			return err
		}
		_, err := others.Edit(t.Context(), w, 1)
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "is there as a") {
		t.Errorf("%v", err)
	}
	// And a kind that shows nothing would have an empty history.
	err = s.do(s.scope("b"), func(w *record.Work) error {
		o, err := others.Edit(t.Context(), w, 1)
		if err == nil {
			o.Name = "c"
		}
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "shows nothing") {
		t.Errorf("%v", err)
	}
}

// A message alone needs no proof, and whoever carries it out leaves it no more.
func TestArm(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	scope := s.scope("a")
	armed := func(request string) bool {
		t.Helper()
		scope.Actor.Request = request
		if err := s.do(scope, func(w *record.Work) error { w.Arm("record.test", "1"); return nil }); err != nil {
			t.Fatal(err)
		}
		k := scope.Table.Message("k#record.test#1")
		err := scope.Table.Get(t.Context(), k, &outbox.Message{})
		if err == nil {
			err = scope.Table.Delete(k).Run(t.Context())
		}
		if err != nil && !errors.Is(err, table.ErrNotFound) {
			t.Fatal(err)
		}
		return err == nil
	}
	if !armed("a") || armed("k#record.test#1") || !armed("k#record.test#2") {
		t.Error("a message is armed by whoever carries it out, or by nobody")
	}
}

// A record of another version than its readers know is not guessed at.
func TestVersions(t *testing.T) {
	s := newShelf(t, tabletest.Faults{})
	s.put(&box{})
	scope := s.scope("read")
	for v, readable := range map[int]bool{0: true, 1: true, 2: false} {
		u := scope.Table.Update(boxes().Key(scope.Table, 1)).Set("v", v)
		if err := u.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := boxes().Get(t.Context(), scope, 1); (err == nil) != readable {
			t.Errorf("version %d: %v", v, err)
		}
	}
}
