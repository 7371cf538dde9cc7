package fault_test

import (
	"encoding/json"
	"testing"

	"github.com/tenantry/tenantry/shared/fault"
)

func TestErrorsAtAPath(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(f fault.Fields)
		want string
	}{
		{"a field", func(f fault.Fields) { f.AddAt("name", "a") }, `{"name":["a"]}`},
		{"twice", func(f fault.Fields) { f.AddAt("name", "a"); f.AddAt("name", "b") }, `{"name":["a","b"]}`},
		{"nested", func(f fault.Fields) { f.AddAt("legal.bin", "a") }, `{"legal":{"bin":["a"]}}`},
		{"an element", func(f fault.Fields) { f.AddAt("data.2.name", "a") }, `{"data":[{},{},{"name":["a"]}]}`},
		{"two elements", func(f fault.Fields) { f.AddAt("data.1.name", "a"); f.AddAt("data.0.iin", "b") }, `{"data":[{"iin":["b"]},{"name":["a"]}]}`},
		{"within an element", func(f fault.Fields) { f.AddAt("data.0.car.vin", "a") }, `{"data":[{"car":{"vin":["a"]}}]}`},
		{"a list within an element", func(f fault.Fields) { f.AddAt("data.0.lines.1.price", "a") }, `{"data":[{"lines":[{},{"price":["a"]}]}]}`},
		{"an element of scalars", func(f fault.Fields) { f.AddAt("types.0", "a") }, `{"types":{"0":["a"]}}`},
		{"of an object with an error of its own", func(f fault.Fields) { f.Add("legal", "b"); f.AddAt("legal.bin", "a") }, `{"legal":["b"]}`},
		{"of a list with an error of its own", func(f fault.Fields) { f.Add("data", "b"); f.AddAt("data.0.name", "a") }, `{"data":["b"]}`},
		{"of a list of another shape", func(f fault.Fields) { f.AddAt("data.name", "b"); f.AddAt("data.0.name", "a") }, `{"data":{"name":["b"]}}`},
		{"merged", func(f fault.Fields) {
			f.Add("name", "a")
			f.Merge("", fault.Fields{"name": []string{"b"}, "iin": []string{"c"}})
		}, `{"iin":["c"],"name":["a","b"]}`},
		{"merged below", func(f fault.Fields) { f.Merge("data.1", fault.Fields{"name": []string{"a"}}) }, `{"data":[{},{"name":["a"]}]}`},
		{"merged into what is nested", func(f fault.Fields) {
			f.AddAt("extra.size", "a")
			f.Merge("extra", fault.Fields{"size": []string{"b"}, "deep": fault.Fields{"x": []string{"c"}}})
		}, `{"extra":{"deep":{"x":["c"]},"size":["a","b"]}}`},
		{"merged lists", func(f fault.Fields) {
			f.AddAt("data.0.name", "a")
			f.Merge("", fault.Fields{"data": []fault.Fields{{}, {"iin": []string{"b"}}, {}}})
		}, `{"data":[{"name":["a"]},{"iin":["b"]},{}]}`},
		{"merged with nothing", func(f fault.Fields) { f.Merge("data.3", fault.Fields{}) }, `{}`},
		{"merged below an error of the whole", func(f fault.Fields) { f.Add("extra", "a"); f.Merge("extra", fault.Fields{"x": []string{"b"}}) }, `{"extra":["a"]}`},
		{"merged by names that look like paths", func(f fault.Fields) {
			f.Merge("extra", fault.Fields{"a.-1.b": []string{"a"}, "a.3000000.b": []string{"b"}, "size.x": fault.Fields{"..": []string{"c"}}})
		}, `{"extra":{"a.-1.b":["a"],"a.3000000.b":["b"],"size.x":{"..":["c"]}}}`},
		{"merged with empty parts", func(f fault.Fields) { f.Merge("", fault.Fields{"name": []string{"a"}, "extra": fault.Fields{}}) }, `{"name":["a"]}`},
		{"in step", func(f fault.Fields) { f.AddAt("data.0.name", "a"); f.InStep("data", 3) }, `{"data":[{"name":["a"]},{},{}]}`},
		{"in step, nested", func(f fault.Fields) { f.AddAt("a.data.0.name", "a"); f.InStep("a.data", 2) }, `{"a":{"data":[{"name":["a"]},{}]}}`},
		{"in step, without errors", func(f fault.Fields) { f.InStep("data", 3); f.InStep("a.data", 3) }, `{}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := fault.Fields{}
			tt.do(f)
			got, err := json.Marshal(f)
			if err != nil || string(got) != tt.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, tt.want)
			}
		})
	}
}
