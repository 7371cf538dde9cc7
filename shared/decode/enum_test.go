package decode_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/fault"
)

type size int64

func (size) Values() []enum.Value {
	return enum.Numbers(map[size]string{0: "small", 1: "large"})
}

type state string

func (state) Values() []enum.Value { return enum.Named[state]("open", "closed") }

type parcel struct {
	Size   decode.Optional[size]    `json:"size" required:"true" doc:"Of the parcel: {values}"`
	State  decode.Optional[state]   `json:"state" nullable:"true" anyCase:"true"`
	Sizes  decode.Optional[[]size]  `json:"sizes" maxItems:"2"`
	States decode.Optional[[]state] `json:"states"`
}

// A field whose type states its values takes these alone, exactly as one with the tag enum does.
func TestTypesThatStateTheirValues(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{`{"size":1}`, `1 "" [] []`},
		{`{"size":"0","state":"CLOSED"}`, `0 "closed" [] []`},
		{`{"size":1,"state":null,"sizes":[1,"0"],"states":["open"]}`, `1 "" [1 0] ["open"]`},
		{`{}`, `{"size":["This field is required."]}`},
		{`{"size":2}`, `{"size":["\"2\" is not a valid choice."]}`},
		{`{"size":" 1 "}`, `{"size":["\" 1 \" is not a valid choice."]}`},
		{`{"size":null}`, `{"size":["This field may not be null."]}`},
		{`{"size":1,"state":"ajar"}`, `{"state":["\"ajar\" is not a valid choice."]}`},
		{`{"size":1,"sizes":[0,3,null]}`, `{"sizes":["Ensure this field has no more than 2 elements."]}`},
		{`{"size":1,"sizes":[0,3]}`, `{"sizes":{"1":["\"3\" is not a valid choice."]}}`},
		{`{"size":1,"states":["open",1]}`, `{"states":{"1":["\"1\" is not a valid choice."]}}`},
	} {
		var p parcel
		var got string
		if err := decode.Struct(parse(t, tt.body), &p, false); err != nil {
			f, _ := fault.As(err)
			got = unescaped(t, f.Fields)
		} else {
			got = fmt.Sprintf("%d %q %d %q", p.Size.Value, p.State.Value, p.Sizes.Value, p.States.Value)
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.body, got, tt.want)
		}
	}
}

func TestDescribedValues(t *testing.T) {
	f := decode.Describe(reflect.TypeFor[parcel]())
	for i, want := range []decode.Field{
		{Type: reflect.TypeFor[int64](), Enum: []string{"0", "1"}, Doc: "Of the parcel: 0 small, 1 large"},
		{Type: reflect.TypeFor[string](), Enum: []string{"open", "closed"}},
		{Type: reflect.TypeFor[[]int64](), Enum: []string{"0", "1"}},
		{Type: reflect.TypeFor[[]string](), Enum: []string{"open", "closed"}},
	} {
		if f[i].Type != want.Type || !slices.Equal(f[i].Enum, want.Enum) || f[i].Doc != want.Doc {
			t.Errorf("%s: %s %q %q", f[i].Name, f[i].Type, f[i].Enum, f[i].Doc)
		}
	}
}
