package enum_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/shared/enum"
)

type size int64

const (
	small size = 0
	large size = 10
	huge  size = 9
)

func (size) Values() []enum.Value {
	return enum.Numbers(map[size]string{small: "small", large: "large", huge: "huge"})
}

type state string

const (
	open   state = "open"
	closed state = "closed"
)

func (state) Values() []enum.Value { return enum.Named(open, closed) }

// whole states values, but is neither an integer nor a text.
type whole struct{}

func (whole) Values() []enum.Value { return enum.Named(open) }

func TestValues(t *testing.T) {
	for _, tt := range []struct {
		of   reflect.Type
		want []enum.Value
	}{
		{reflect.TypeFor[size](), []enum.Value{{Text: "0", Name: "small"}, {Text: "9", Name: "huge"}, {Text: "10", Name: "large"}}},
		{reflect.TypeFor[state](), []enum.Value{{Text: "open"}, {Text: "closed"}}},
		{reflect.TypeFor[whole](), nil},
		{reflect.TypeFor[int64](), nil},
		{reflect.TypeFor[string](), nil},
		{reflect.TypeFor[*size](), nil},
	} {
		if got := enum.Of(tt.of); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.of, got, tt.want)
		}
	}
	if got := enum.Texts(enum.Of(reflect.TypeFor[size]())); !slices.Equal(got, []string{"0", "9", "10"}) {
		t.Errorf("got %q", got)
	}
	if got := enum.Texts(nil); got != nil {
		t.Errorf("no values: %q", got)
	}
}

func TestDescribe(t *testing.T) {
	numbers, texts := enum.Of(reflect.TypeFor[size]()), enum.Of(reflect.TypeFor[state]())
	numbers[2].Meaning = "of two persons"
	for _, tt := range []struct {
		text   string
		values []enum.Value
		want   string
	}{
		{"{values}", numbers, "0 small, 9 huge, 10 large"},
		{"As sold: {meanings}; null if unknown", numbers, "As sold: 0 small, 9 huge, 10 large: of two persons; null if unknown"},
		{"{values}", texts, "open, closed"},
		{"{value} of {id}", numbers, "{value} of {id}"},
		{"{values}", nil, "{values}"},
		{"", numbers, ""},
	} {
		if got := enum.Describe(tt.text, tt.values); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}
