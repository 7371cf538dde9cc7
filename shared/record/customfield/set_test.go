package customfield_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/fault/faulttest"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

func fieldsOf(t *testing.T, err error) fault.FieldErrors {
	t.Helper()
	f, ok := fault.As(err)
	if err != nil && (!ok || f.Code != fault.Invalid) {
		t.Fatalf("not a fault: %v", err)
	}
	if !ok {
		return nil
	}
	return faulttest.English(f.Fields)
}

func TestKeysAndTypes(t *testing.T) {
	for name, list := range map[string][]string{"keys": customfield.Keys(), "types": customfield.Types()} {
		if want := map[string]int{"keys": 17, "types": 16}[name]; len(list) != want {
			t.Errorf("%d %s, want %d", len(list), name, want)
		}
		slices.Sort(list)
		if len(slices.Compact(list)) != len(list) {
			t.Errorf("%s stand twice: %v", name, list)
		}
	}
}

func TestWithAndWithout(t *testing.T) {
	var set customfield.Set
	with := func(d customfield.Definition) error {
		next, err := set.With(d)
		if err == nil {
			set = next
		}
		return err
	}
	notUnique := fault.FieldErrors{fault.NonField: []say.Message{"The fields key, name must make a unique set."}}
	for _, c := range []struct {
		definition customfield.Definition
		want       fault.FieldErrors
		ids        []int64
	}{
		{customfield.Definition{ID: 7, Name: "a"}, nil, []int64{7}},
		{customfield.Definition{ID: 3, Name: "b"}, nil, []int64{3, 7}},
		{customfield.Definition{ID: 5, Name: "a"}, notUnique, []int64{3, 7}},
		{customfield.Definition{ID: 5, Name: "A"}, nil, []int64{3, 5, 7}},
		{customfield.Definition{ID: 5, Name: "b"}, notUnique, []int64{3, 5, 7}},
		{customfield.Definition{ID: 5, Name: "A", Type: "integer"}, nil, []int64{3, 5, 7}},
		{customfield.Definition{ID: 7, Name: "c"}, nil, []int64{3, 5, 7}},
		{customfield.Definition{ID: 9, Name: "a"}, nil, []int64{3, 5, 7, 9}},
	} {
		revision, before := set.Revision, slices.Clone(set.List)
		old := set
		if got := fieldsOf(t, with(c.definition)); !reflect.DeepEqual(got, faulttest.English(c.want)) {
			t.Errorf("%+v: %v, want %v", c.definition, got, c.want)
		}
		var ids []int64
		for _, d := range set.List {
			ids = append(ids, d.ID)
		}
		if !slices.Equal(ids, c.ids) || !slices.Equal(old.List, before) || c.want == nil && set.Revision != revision+1 {
			t.Errorf("%+v: ids %v, revision %d after %d", c.definition, ids, set.Revision, revision)
		}
	}
	if d := set.Find(5); d == nil || d.Type != "integer" || set.Find(4) != nil {
		t.Errorf("found %+v", d)
	}
	next := set.Without(5)
	if next.Find(5) != nil || len(next.List) != 3 || next.Revision != set.Revision+1 || set.Find(5) == nil {
		t.Errorf("%+v without 5 is %+v", set, next)
	}
}

func TestOptions(t *testing.T) {
	shape := "Expected a list of choices: texts, or objects with a value, which is a text."
	for options, want := range map[string]string{
		``: "", `null`: "", `[]`: "", `["a"]`: "", `[{"value":"a"}]`: "", `{}`: "", `{"min":[1]}`: "", `"a"`: "", `5`: "", `true`: "", `[{"value":"a","label":"A","color":"#fff"},"b"]`: "",
		`[1]`: shape, `[null]`: shape, `[["a"]]`: shape, `[""]`: shape, `[{}]`: shape,
		`[{"value":1}]`: shape, `[{"value":""}]`: shape, `[{"label":"A"}]`: shape, `[{"value":"a","label":1}]`: shape, `[`: shape,
		`["` + strings.Repeat("a", 4092) + `"]`: "",
		`["` + strings.Repeat("a", 4093) + `"]`: "Ensure this field has no more than 4096 bytes.",
	} {
		var fields fault.FieldErrors
		if want != "" {
			fields = fault.FieldErrors{"options": []say.Message{say.Message(want)}}
		}
		_, err := customfield.Set{}.With(customfield.Definition{ID: 1, Name: "f", Type: "string", Options: options})
		if got := fieldsOf(t, err); !reflect.DeepEqual(got, faulttest.English(fields)) {
			t.Errorf("%.40s: %v, want %v", options, got, fields)
		}
		if want != shape {
			continue
		}
		for _, kind := range customfield.Types() {
			if _, err := (customfield.Set{}).With(customfield.Definition{ID: 1, Name: "f", Type: kind, Options: options}); err != nil &&
				kind != "string" {
				t.Errorf("%s: %s: %v", kind, options, err)
			}
		}
	}
}

// TestRequired: a field that no record could have is not required of any.
func TestRequired(t *testing.T) {
	for _, kind := range customfield.Types() {
		var want fault.FieldErrors
		switch kind {
		case "inventory_set", "workshop":
			want = fault.FieldErrors{
				"required": []say.Message{say.Message("There are no records of the type " + kind + " yet, so no field of it can be required.")},
			}
		}
		for required, want := range map[bool]fault.FieldErrors{true: want, false: nil} {
			_, err := customfield.Set{}.With(customfield.Definition{ID: 1, Name: "f", Type: kind, Required: required})
			if got := fieldsOf(t, err); !reflect.DeepEqual(got, faulttest.English(want)) {
				t.Errorf("%s, required %v: %v, want %v", kind, required, got, want)
			}
		}
	}
}

// TestLimits: as many definitions as there may be, and as large as they may be,
// but not both.
func TestLimits(t *testing.T) {
	many := customfield.Empty(table.Of(table.Open(nil, ""), 1), "client")
	large := many
	for i := range int64(101) {
		d := customfield.Definition{ID: i + 1, Revision: 1, Name: fmt.Sprint("поле ", i), Label: "Поле", Type: "string"}
		next, err := many.With(d)
		if i < 100 && err != nil {
			t.Fatal(err)
		}
		if i == 100 {
			want := fault.FieldErrors{fault.NonField: []say.Message{"A key can't have more than 100 custom fields."}}
			if got := fieldsOf(t, err); !reflect.DeepEqual(got, faulttest.English(want)) {
				t.Errorf("the 101st: %v", got)
			}
			break
		}
		many = next
	}
	if again, err := many.With(customfield.Definition{ID: 50, Name: "another"}); err != nil || len(again.List) != 100 {
		t.Errorf("changing one of 100: %d, %v", len(again.List), err)
	}
	item, err := many.Encode()
	if err != nil || item.Size() > customfield.MaxSize {
		t.Fatalf("100 definitions are %d bytes: %v", item.Size(), err)
	}
	for i := range int64(100) {
		large.List = append(large.List, customfield.Definition{
			ID: i + 1, Revision: 1, Name: fmt.Sprint(i), Label: "a", Type: "string", Options: `["` + strings.Repeat("a", 4000) + `"]`,
		})
		item, err := large.Encode()
		if err == nil && item.Size() > customfield.MaxSize {
			t.Fatalf("stored with %d bytes", item.Size())
		}
		if err != nil {
			want := fault.FieldErrors{fault.NonField: []say.Message{"The custom fields of one key may take 16 KB together, with their labels and options. Shorten or delete some."}}
			if got := fieldsOf(t, err); !reflect.DeepEqual(got, faulttest.English(want)) || i < 3 {
				t.Errorf("%d of 4 KB: %v", i+1, got)
			}
			return
		}
	}
	t.Error("100 definitions of 4 KB are stored")
}

// TestStored: what is read is what was written, alone and in a batch.
func TestStored(t *testing.T) {
	company := table.Of(tabletest.New(t), 1)
	key := company.Definitions("client")
	empty := customfield.Empty(company, "client")
	want := customfield.Set{Item: empty.Item, Revision: 3, List: []customfield.Definition{
		{ID: 1, Revision: 1, Name: "a", Label: "A", Type: "string"},
		{
			ID: 4, Revision: 2, Name: "б", Label: "Б", Placeholder: "в", Type: "client", Required: true, Table: true, Filter: true,
			Options: `{"x":[]}`,
		},
	}}
	for _, w := range []customfield.Set{want, {Item: empty.Item, Revision: 4}} {
		item, err := w.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := company.Put(item).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		var one, ofBatch customfield.Set
		if err := company.Get(t.Context(), key, &one); err != nil {
			t.Fatal(err)
		}
		many, err := company.GetMany(t.Context(), key, company.Definitions("order"))
		if err != nil || len(many) != 1 {
			t.Fatalf("%d items, %v", len(many), err)
		}
		if ofBatch, err = customfield.Decode(table.Attributes(many[key])); err != nil {
			t.Fatal(err)
		}
		if none, err := customfield.Decode(table.Attributes(many[company.Definitions("order")])); err != nil || len(none.List) > 0 {
			t.Errorf("decoded nothing to %+v, %v", none, err)
		}
		for _, got := range []customfield.Set{one, ofBatch} {
			if len(got.List) == 0 {
				got.List = nil
			}
			if !reflect.DeepEqual(got, w) {
				t.Errorf("read %+v, want %+v", got, w)
			}
		}
	}
}
