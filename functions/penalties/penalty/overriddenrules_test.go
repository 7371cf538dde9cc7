package penalty

import (
	"reflect"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/nullable"
)

func to[T any](v T) *T { return &v }

// TestMerge: what a registry says again is no news, and what it says anew is; both in each field by itself.
func TestMerge(t *testing.T) {
	// A step is a registry's row (said), or a change by the staff. The field is the description.
	type step struct {
		said bool
		text *string
	}
	said := func(text string) step { return step{true, &text} }
	ours := func(text string) step { return step{false, &text} }
	for _, tt := range []struct {
		name  string
		steps []step
		want  *string
		keeps bool // what the registry said is remembered beside it
	}{
		{"nothing was said", nil, nil, false},
		{"said", []step{said("a")}, to("a"), false},
		{"said twice", []step{said("a"), said("b")}, to("b"), false},
		{"ours stays", []step{said("a"), ours("x"), said("a")}, to("x"), true},
		{"ours stays for long", []step{said("a"), ours("x"), said("a"), ours("y"), said("a")}, to("y"), true},
		{"news wins", []step{said("a"), ours("x"), said("b")}, to("b"), false},
		{"news that is ours", []step{said("a"), ours("x"), said("x")}, to("x"), false},
		{"news that is ours, and taken back", []step{said("a"), ours("x"), said("x"), said("a")}, to("a"), false},
		{"ours is taken back", []step{said("a"), ours("x"), ours("a"), said("a")}, to("a"), false},
		{"ours before anything was said", []step{ours("x"), said("a")}, to("a"), false},
		{"null is a value", []step{said("a"), {true, nil}}, nil, false},
		{"ours over null", []step{{true, nil}, ours("x"), {true, nil}}, to("x"), true},
		{"an empty text is no null", []step{said(""), {false, nil}, said("")}, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &Penalty{OuterID: to[int64](1)}
			p.Protocol = "KZ1"
			for _, s := range tt.steps {
				if s.said {
					p.Feed(func(f *Fields) { f.Description = s.text })
					continue
				}
				before := *p
				p.Description = s.text
				p.RememberOverridden(&before)
			}
			if !nullable.Same(p.Description, tt.want) || p.Protocol != "KZ1" {
				t.Errorf("%v, want %v", p.Description, tt.want)
			}
			if keeps := p.Overridden != nil && slices.Equal(p.Overridden.Of, []string{"de"}); keeps != tt.keeps || !keeps && p.Overridden != nil {
				t.Errorf("remembered: %+v", p.Overridden)
			}
		})
	}
}

// A penalty that no registry knows can't be sent again, so nothing is remembered of it.
func TestTouchWithoutARegistry(t *testing.T) {
	before, p := &Penalty{}, &Penalty{Fields: Fields{Noted: true}}
	if p.RememberOverridden(before); p.Overridden != nil {
		t.Errorf("%+v", p.Overridden)
	}
}

// Every field that registry and staff may write is merged: it is noticed where it differs, and copied alone.
func TestEveryFieldIsMerged(t *testing.T) {
	full := Fields{
		Protocol: "a", Description: to("b"), Department: to("c"), Punishment: to("d"), Amount: to(money.Whole(1)), Address: to("e"),
		Date: to(decode.Date("2026-03-01")), Time: to(decode.Time("10:00:00")), Paid: true, PaymentDate: to[moment.Micros](1), DiscountEnds: to[moment.Micros](2),
		KNO: to("f"), KBK: to("g"), KNP: to("h"), TaxOffice: to("i"), TaxIBAN: to("j"), TaxBIN: to("k"), PDF: to("l"), Photos: []string{"m"},
		State: to[int64](3), Noted: true,
	}
	all, of := fields(), reflect.TypeFor[Fields]()
	if len(all) != of.NumField() {
		t.Fatalf("%d fields are merged, of %d", len(all), of.NumField())
	}
	letters := map[string]bool{}
	for i, f := range all {
		letters[f.letter] = true
		var none, one Fields
		if reflect.ValueOf(full).Field(i).IsZero() || f.same(&none, &full) || !f.same(&full, &full) {
			t.Errorf("%s: a difference is not noticed", of.Field(i).Name)
		}
		f.copy(&one, &full)
		for j := range all {
			if want := j == i; reflect.ValueOf(one).Field(j).IsZero() == want {
				t.Errorf("%s copies %s", of.Field(i).Name, of.Field(j).Name)
			}
		}
	}
	if len(letters) != len(all) {
		t.Errorf("letters %v", letters)
	}
}
