package fault_test

import (
	"encoding/json"
	"testing"

	"github.com/tenantry/tenantry/shared/fault"
)

func TestErrorsAtAPath(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(f fault.FieldErrors)
		want string
	}{
		{"a field", func(f fault.FieldErrors) { f.AddAt("name", "a") }, `{"name":["a"]}`},
		{"twice", func(f fault.FieldErrors) { f.AddAt("name", "a"); f.AddAt("name", "b") }, `{"name":["a","b"]}`},
		{"nested", func(f fault.FieldErrors) { f.AddAt("legal.bin", "a") }, `{"legal":{"bin":["a"]}}`},
		{"an element", func(f fault.FieldErrors) { f.AddAt("data.2.name", "a") }, `{"data":[{},{},{"name":["a"]}]}`},
		{"two elements", func(f fault.FieldErrors) { f.AddAt("data.1.name", "a"); f.AddAt("data.0.iin", "b") }, `{"data":[{"iin":["b"]},{"name":["a"]}]}`},
		{"within an element", func(f fault.FieldErrors) { f.AddAt("data.0.car.vin", "a") }, `{"data":[{"car":{"vin":["a"]}}]}`},
		{"a list within an element", func(f fault.FieldErrors) { f.AddAt("data.0.lines.1.price", "a") }, `{"data":[{"lines":[{},{"price":["a"]}]}]}`},
		{"an element of scalars", func(f fault.FieldErrors) { f.AddAt("types.0", "a") }, `{"types":{"0":["a"]}}`},
		{"of an object with an error of its own", func(f fault.FieldErrors) { f.Add("legal", "b"); f.AddAt("legal.bin", "a") }, `{"legal":["b"]}`},
		{"of a list with an error of its own", func(f fault.FieldErrors) { f.Add("data", "b"); f.AddAt("data.0.name", "a") }, `{"data":["b"]}`},
		{"of a list of another shape", func(f fault.FieldErrors) { f.AddAt("data.name", "b"); f.AddAt("data.0.name", "a") }, `{"data":{"name":["b"]}}`},
		{"merged", func(f fault.FieldErrors) {
			f.Add("name", "a")
			f.Merge("", fault.FieldErrors{"name": []string{"b"}, "iin": []string{"c"}})
		}, `{"iin":["c"],"name":["a","b"]}`},
		{"merged below", func(f fault.FieldErrors) { f.Merge("data.1", fault.FieldErrors{"name": []string{"a"}}) }, `{"data":[{},{"name":["a"]}]}`},
		{"merged into what is nested", func(f fault.FieldErrors) {
			f.AddAt("extra.size", "a")
			f.Merge("extra", fault.FieldErrors{"size": []string{"b"}, "deep": fault.FieldErrors{"x": []string{"c"}}})
		}, `{"extra":{"deep":{"x":["c"]},"size":["a","b"]}}`},
		{"merged lists", func(f fault.FieldErrors) {
			f.AddAt("data.0.name", "a")
			f.Merge("", fault.FieldErrors{"data": []fault.FieldErrors{{}, {"iin": []string{"b"}}, {}}})
		}, `{"data":[{"name":["a"]},{"iin":["b"]},{}]}`},
		{"merged with nothing", func(f fault.FieldErrors) { f.Merge("data.3", fault.FieldErrors{}) }, `{}`},
		{"merged below an error of the whole", func(f fault.FieldErrors) {
			f.Add("extra", "a")
			f.Merge("extra", fault.FieldErrors{"x": []string{"b"}})
		}, `{"extra":["a"]}`},
		{"merged by names that look like paths", func(f fault.FieldErrors) {
			f.Merge("extra", fault.FieldErrors{"a.-1.b": []string{"a"}, "a.3000000.b": []string{"b"}, "size.x": fault.FieldErrors{"..": []string{"c"}}})
		}, `{"extra":{"a.-1.b":["a"],"a.3000000.b":["b"],"size.x":{"..":["c"]}}}`},
		{"merged with empty parts", func(f fault.FieldErrors) {
			f.Merge("", fault.FieldErrors{"name": []string{"a"}, "extra": fault.FieldErrors{}})
		}, `{"name":["a"]}`},
		{"in step", func(f fault.FieldErrors) { f.AddAt("data.0.name", "a"); f.InStep("data", 3) }, `{"data":[{"name":["a"]},{},{}]}`},
		{"in step, nested", func(f fault.FieldErrors) { f.AddAt("a.data.0.name", "a"); f.InStep("a.data", 2) }, `{"a":{"data":[{"name":["a"]},{}]}}`},
		{"in step, without errors", func(f fault.FieldErrors) { f.InStep("data", 3); f.InStep("a.data", 3) }, `{}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := fault.FieldErrors{}
			tt.do(f)
			got, err := json.Marshal(f)
			if err != nil || string(got) != tt.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, tt.want)
			}
		})
	}
}
