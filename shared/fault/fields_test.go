package fault_test

import (
	"encoding/json"
	"testing"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
)

func TestErrorsAtAPath(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(f fault.FieldErrors)
		want string
	}{
		{"a field", func(f fault.FieldErrors) { f.AddAt("name", "a") }, `{"name":["a"]}`},
		{"twice", func(f fault.FieldErrors) { f.AddAt("name", "a"); f.AddAt("name", "b") }, `{"name":["a"]}`},
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
			f.Merge("", fault.FieldErrors{"name": []say.Message{"b"}, "iin": []say.Message{"c"}})
		}, `{"iin":["c"],"name":["a"]}`},
		{"merged below", func(f fault.FieldErrors) { f.Merge("data.1", fault.FieldErrors{"name": []say.Message{"a"}}) }, `{"data":[{},{"name":["a"]}]}`},
		{"merged into what is nested", func(f fault.FieldErrors) {
			f.AddAt("extra.size", "a")
			f.Merge("extra", fault.FieldErrors{"size": []say.Message{"b"}, "deep": fault.FieldErrors{"x": []say.Message{"c"}}})
		}, `{"extra":{"deep":{"x":["c"]},"size":["a"]}}`},
		{"merged lists", func(f fault.FieldErrors) {
			f.AddAt("data.0.name", "a")
			f.Merge("", fault.FieldErrors{"data": []fault.FieldErrors{{}, {"iin": []say.Message{"b"}}, {}}})
		}, `{"data":[{"name":["a"]},{"iin":["b"]},{}]}`},
		{"merged with nothing", func(f fault.FieldErrors) { f.Merge("data.3", fault.FieldErrors{}) }, `{}`},
		{"merged below an error of the whole", func(f fault.FieldErrors) {
			f.Add("extra", "a")
			f.Merge("extra", fault.FieldErrors{"x": []say.Message{"b"}})
		}, `{"extra":["a"]}`},
		{"merged by names that look like paths", func(f fault.FieldErrors) {
			f.Merge(
				"extra",
				fault.FieldErrors{"a.-1.b": []say.Message{"a"}, "a.3000000.b": []say.Message{"b"}, "size.x": fault.FieldErrors{"..": []say.Message{"c"}}},
			)
		}, `{"extra":{"a.-1.b":["a"],"a.3000000.b":["b"],"size.x":{"..":["c"]}}}`},
		{"merged with empty parts", func(f fault.FieldErrors) {
			f.Merge("", fault.FieldErrors{"name": []say.Message{"a"}, "extra": fault.FieldErrors{}})
		}, `{"name":["a"]}`},
		{"of an object that has errors within", func(f fault.FieldErrors) { f.AddAt("legal.bin", "a"); f.Add("legal", "b") }, `{"legal":{"bin":["a"]}}`},
		{"of a list that has errors within", func(f fault.FieldErrors) { f.AddAt("data.0.name", "a"); f.Add("data", "b") }, `{"data":[{"name":["a"]}]}`},
		{"an object in a list as a whole", func(f fault.FieldErrors) { f.AddAt("data.1.non_field_errors", "a") }, `{"data":[{},{"non_field_errors":["a"]}]}`},
		{"the same by its index", func(f fault.FieldErrors) { f.AddAt("data.0.name", "b"); f.AddAt("data.1", "a") }, `{"data":[{"name":["b"]},{"non_field_errors":["a"]}]}`},
		{"the same before it is known that it is one", func(f fault.FieldErrors) { f.AddAt("data.1", "a"); f.AddAt("data.0.name", "b") }, `{"data":[{"name":["b"]},{"non_field_errors":["a"]}]}`},
		{"a whole list, merged beside rows", func(f fault.FieldErrors) {
			f.AddAt("data.0.name", "a")
			f.Merge("", fault.FieldErrors{"data": fault.FieldErrors{fault.NonField: []say.Message{"b"}}})
		}, `{"data":[{"name":["a"]}]}`},
		{"rows, merged beside a whole list", func(f fault.FieldErrors) {
			f.Nest("data", fault.FieldErrors{fault.NonField: []say.Message{"b"}})
			f.Merge("", fault.FieldErrors{"data": []fault.FieldErrors{{"name": []say.Message{"a"}}}})
		}, `{"data":{"non_field_errors":["b"]}}`},
		{"through a view", func(f fault.FieldErrors) {
			view := f.At("data.1")
			f.AddAt("data.2.name", "a")
			view.Add("name", "b")
		}, `{"data":[{},{"name":["b"]},{"name":["a"]}]}`},
		{"through a view of what has an error as a whole", func(f fault.FieldErrors) { f.Add("data", "a"); f.At("data.1").Add("name", "b") }, `{"data":["a"]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := fault.FieldErrors{}
			tt.do(f)
			if got := encoded(t, f); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// encoded is what a caller is told.
func encoded(t *testing.T, f fault.FieldErrors) string {
	t.Helper()
	told := fault.FieldErrors{}
	if e, ok := fault.As(f.Err()); ok {
		told = e.Fields
	}
	b, err := json.Marshal(told)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestErrorsInStepWithWhatWasSent(t *testing.T) {
	for _, tt := range []struct {
		name, sent, want string
		paths            []string
	}{
		{"the first of three", `{"data":[{},{},{}]}`, `{"data":[{"name":["a"]},{},{}]}`, []string{"data.0.name"}},
		{"all of two", `{"data":[{},{}]}`, `{"data":[{"name":["a"]},{"name":["a"]}]}`, []string{"data.1.name", "data.0.name"}},
		{"lists within a list", `{"data":[{"lines":[{},{}]},{"lines":[{}]}]}`, `{"data":[{"lines":[{"n":["a"]},{}]},{}]}`, []string{"data.0.lines.0.n"}},
		{"a list within an object", `{"car":{"parts":[{},{}]}}`, `{"car":{"parts":[{"n":["a"]},{}]}}`, []string{"car.parts.0.n"}},
		{"an object as a whole, by its index", `{"data":[{},{},{}]}`, `{"data":[{},{"non_field_errors":["a"]},{}]}`, []string{"data.1"}},
		{"a value in a list of scalars", `{"types":[1,2,3]}`, `{"types":{"2":["a"]}}`, []string{"types.2"}},
		{"a list that was not sent", `{}`, `{"data":[{},{"name":["a"]}]}`, []string{"data.1.name"}},
		{"something that is no list", `{"data":{"0":1}}`, `{"data":["a"]}`, []string{"data", "data.0.name"}},
		{"rows that are no objects", `{"data":[{},5,{}]}`, `{"data":[{},{"non_field_errors":["a"]},{}]}`, []string{"data.1.non_field_errors"}},
		{"a name that looks like an index", `{"extra":{"7":1}}`, `{"extra":{"7":["a"]}}`, []string{"extra.7"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, sent := fault.FieldErrors{}, map[string]any{}
			if err := json.Unmarshal([]byte(tt.sent), &sent); err != nil {
				t.Fatal(err)
			}
			for _, path := range tt.paths {
				f.AddAt(path, "a")
			}
			before := encoded(t, f)
			if got := encoded(t, f.InStep(sent)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if encoded(t, f) != before {
				t.Error("it changed what it was asked about")
			}
		})
	}
}

func TestHas(t *testing.T) {
	f := fault.FieldErrors{}
	f.Add("name", "a")
	f.AddAt("legal.bin", "a")
	f.AddAt("data.1.name", "a")
	f.AddAt("data.2.non_field_errors", "a")
	f.AddAt("types.1", "a")
	f.At("room.for")
	for path, want := range map[string]bool{
		"name": true, "name.first": true, "other": false, "legal": true, "legal.bin": true, "legal.bank": false,
		"data": true, "data.0": false, "data.0.name": false, "data.1": true, "data.1.name": true, "data.1.iin": false, "data.2.iin": true,
		"data.9.name": false, "data.x": false, "types": true, "types.1": true, "types.0": false, "room": false, "room.for": false,
	} {
		if got := f.Has(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
	if (fault.FieldErrors{}).Any() || !f.Any() {
		t.Error("any")
	}
}
