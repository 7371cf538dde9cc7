package record_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

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
		if f, ok := fault.As(err); ok != tt.wrong ||
			ok && fmt.Sprint(f.Fields) != "map[extra:[Ensure this field has no more than 4 bytes.]]" {
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
		w.Errors("").Add("name", say.Required)
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
			errs.Add("name", say.Required)
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
			scope.Wrong = fault.FieldErrors{"name": []say.Message{"long"}, "text": []say.Message{"long"}}
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
