package decode_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
)

func TestOptional(t *testing.T) {
	five, kept := int64(5), int64(7)
	p := &kept
	some, null, absent := decode.Some(five), decode.Optional[int64]{Set: true, Null: true}, decode.Optional[int64]{}
	if some.Or(1) != 5 || null.Or(1) != 1 || absent.Or(1) != 1 {
		t.Error("Or")
	}
	n := int64(7)
	null.Into(&n)
	absent.Into(&n)
	if n != 7 {
		t.Error("Into wrote what was not sent")
	}
	if some.Into(&n); n != 5 {
		t.Error("Into")
	}
	if absent.IntoNullable(&p); p != &kept {
		t.Error("IntoNullable wrote what was not sent")
	}
	if some.IntoNullable(&p); p == nil || *p != 5 {
		t.Error("IntoNullable")
	}
	if null.IntoNullable(&p); p != nil {
		t.Error("IntoNullable null")
	}
	if encoded, err := json.Marshal([]decode.JSON{nil, decode.JSON(`{"a":1}`)}); err != nil || string(encoded) != `[null,{"a":1}]` {
		t.Errorf("JSON: %s, %v", encoded, err)
	}
}

func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		name string
		of   any
	}{
		{"not Optional", struct {
			A string `json:"a"`
		}{}},
		{"no name", struct{ A decode.Optional[string] }{}},
		{"unknown type", struct {
			A decode.Optional[float64] `json:"a"`
		}{}},
		{"unknown type in a list", struct {
			A decode.Optional[[]int] `json:"a"`
		}{}},
		{"bad bound", struct {
			A decode.Optional[int64] `json:"a" maximum:"ten"`
		}{}},
		{"bad length", struct {
			A decode.Optional[string] `json:"a" maxLength:"-1"`
		}{}},
		{"bad pattern", struct {
			A decode.Optional[string] `json:"a" pattern:"("`
		}{}},
		{"no such message", struct {
			A decode.Optional[string] `json:"a" pattern:"a" patternMessage:"No phone."`
		}{}},
		{"bad object inside", struct {
			A decode.Optional[struct{ B string }] `json:"a"`
		}{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("taken")
				}
			}()
			decode.Describe(reflect.TypeOf(c.of))
		})
	}
	f := decode.Describe(reflect.TypeFor[body]())[6]
	if f.Name != "big" || *f.Minimum != 0 || f.Maximum != nil || f.Type != reflect.TypeFor[int64]() {
		t.Errorf("big: %+v", f)
	}
}

// A body has the fields of the structs that it embeds, as if they were its own.
func TestEmbeddedFields(t *testing.T) {
	type Common struct {
		Name decode.Optional[string] `json:"name" required:"true"`
		Size decode.Optional[int64]  `json:"size" maximum:"5"`
	}
	type body struct {
		Of decode.Optional[int64] `json:"of"`
		Common
		Last decode.Optional[bool] `json:"last"`
	}
	var names []string
	for _, f := range decode.Describe(reflect.TypeFor[body]()) {
		names = append(names, f.Name)
	}
	if !slices.Equal(names, []string{"of", "name", "size", "last"}) {
		t.Errorf("fields %v", names)
	}
	var in body
	if err := decode.Struct(
		map[string]any{"of": json.Number("1"), "name": "x", "size": json.Number("3"), "last": true}, &in, false,
	); err != nil {
		t.Fatal(err)
	}
	if in.Of.Value != 1 || in.Name.Value != "x" || in.Size.Value != 3 || !in.Last.Value {
		t.Errorf("decoded %+v", in)
	}
	err := decode.Struct(map[string]any{"size": json.Number("6")}, &in, false)
	f, ok := fault.As(err)
	if !ok || !f.Fields.Has("name") || !f.Fields.Has("size") {
		t.Errorf("errors %v", err)
	}
}
