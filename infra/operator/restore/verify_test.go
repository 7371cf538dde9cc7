package restore

import (
	"testing"

	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/shared/table"
)

// What is compared with the copy may differ where a number is the company's or a user's, and nowhere else.
func TestUntouched(t *testing.T) {
	of := estate.Open(table.Open(nil, ""), estate.Bucket{})
	r := &run{Restorer: &Restorer{From: of, To: of, Users: map[int64]int64{1: 501}}, was: 8, is: 32, versions: map[string]string{"v1": "v2"}}
	type item = func(a table.Attributes)
	texts := func(name, value string) item { return func(a table.Attributes) { a.SetText(name, value) } }
	ints := func(name string, value int64) item { return func(a table.Attributes) { a.SetInt(name, value) } }
	bytes := func(name, value string) item { return func(a table.Attributes) { a.SetBytes(name, []byte(value)) } }
	for name, c := range map[string]struct {
		pk       string
		was, is  item
		accepted bool
	}{
		"an index":       {"led", texts("ix", "T#8#led#18"), texts("ix", "T#32#led#18"), true},
		"another index":  {"led", texts("ix", "T#8#led#18"), texts("ix", "T#32#led#28"), false},
		"another kind":   {"led", texts("ix", "T#8#led#18"), texts("ix", "T#32#lad#18"), false},
		"a longer one":   {"led", texts("ix", "T#18#led"), texts("ix", "T#132#led"), false},
		"a name":         {"led", texts("n", "T#8#hello"), texts("n", "T#32#hello"), false},
		"a free part":    {"led", bytes("e", `{"tenant":8}`), bytes("e", `{"tenant":32}`), false},
		"a manager":      {"led", ints("ma", 1), ints("ma", 501), true},
		"a manager gone": {"led", ints("ma", 2), func(table.Attributes) {}, true},
		"another kind's": {"cli", ints("ma", 1), ints("ma", 501), false},
		"an avatar": {
			"cli", func(a table.Attributes) { a.SetMap("av", table.Attributes{}); texts("v", "v1")(a.Map("av")) },
			func(a table.Attributes) { a.SetMap("av", table.Attributes{}); texts("v", "v2")(a.Map("av")) }, true,
		},
		"another avatar": {
			"cli", func(a table.Attributes) { a.SetMap("av", table.Attributes{}); texts("v", "v1")(a.Map("av")) },
			func(a table.Attributes) { a.SetMap("av", table.Attributes{}); texts("v", "v3")(a.Map("av")) }, false,
		},
		"a history": {
			"led#log#000000000001", bytes("c", `[{"field":"tenant","from":null,"to":8},{"field":"manager","from":1,"to":2}]`),
			bytes("c", `[{"field":"tenant","from":null,"to":32},{"field":"manager","from":501,"to":null}]`), true,
		},
		"a free part in a history": {
			"led#log#000000000001", bytes("c", `[{"field":"extra.a.manager","from":1,"to":2}]`),
			bytes("c", `[{"field":"extra.a.manager","from":501,"to":null}]`), false,
		},
		"a part of an order": {
			"ord#log#000000000001", bytes("c", `[{"field":"services.3","from":null,"to":{"extra":1,"created_by":1}}]`),
			bytes("c", `[{"field":"services.3","from":null,"to":{"extra":1,"created_by":501}}]`), true,
		},
		"a free part of a part of an order": {
			"ord#log#000000000001", bytes("c", `[{"field":"services.3","from":null,"to":{"extra":1,"created_by":1}}]`),
			bytes("c", `[{"field":"services.3","from":null,"to":{"extra":501,"created_by":1}}]`), false,
		},
		"a change less": {"led#log#000000000001", bytes("c", `[{"field":"a","from":1,"to":2}]`), bytes("c", `[]`), false},
	} {
		copied, live := table.Attributes{}, table.Attributes{}
		copied.SetText("pk", "T#8#"+c.pk)
		copied.SetText("sk", "000000000001")
		live.SetText("pk", "T#32#"+c.pk)
		live.SetText("sk", "000000000001")
		c.was(copied)
		c.is(live)
		if err := r.untouched(copied, live); (err == nil) != c.accepted {
			t.Errorf("%s: %v", name, err)
		}
	}
}
