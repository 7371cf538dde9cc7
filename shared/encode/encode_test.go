package encode_test

import (
	"testing"

	"github.com/tenantry/tenantry/shared/encode"
)

func TestJSON(t *testing.T) {
	for want, v := range map[string]any{
		`"<a href='x'>&</a>"`: "<a href='x'>&</a>",
		`"a\nb"`:              "a\nb",
		`"Договор"`:           "Договор",
		`{"a":null,"b":[1]}`:  map[string]any{"b": []int{1}, "a": nil},
	} {
		if got, err := encode.JSON(v); err != nil || string(got) != want {
			t.Errorf("%v: %s, %v", v, got, err)
		}
	}
	if got, err := encode.JSON(func() {}); err == nil {
		t.Errorf("a function became %s", got)
	}
}
