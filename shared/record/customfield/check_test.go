package customfield_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/fault/faulttest"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/say"
)

const (
	badColor = "Enter a valid color: #RGB or #RRGGBB."
	badNull  = "Null characters are not allowed."
)

func text(s string) string {
	encoded, _ := json.Marshal(s) // a string
	return string(encoded)
}

// cases are values of each type, as JSON, with what is wrong with them.
func cases() map[string]map[string]string {
	const tooLarge, tooSmall = "Ensure this value is less than or equal to 9223372036854775807.", "Ensure this value is greater than or equal to -9223372036854775808."
	list := map[string]map[string]string{
		"string": {
			`"a"`: "", `" Ұ "`: "", text(strings.Repeat("ұ", 10_000)): "",
			text(strings.Repeat("ұ", 10_001)): say.TooLong(10_000).Error(), `"a\u0000"`: badNull,
			`5`: say.InvalidString.Error(), `true`: say.InvalidString.Error(), `[]`: say.InvalidString.Error(), `{"a":1}`: say.InvalidString.Error(),
		},
		"html": {
			`"<b>a</b> &lt;"`: "", `"<b onclick='x'>a</b>"`: "The attribute onclick of <b> is not allowed.", text(strings.Repeat("ұ", 100_000)): "",
			text(strings.Repeat("ұ", 100_001)): say.TooLong(100_000).Error(), `"\u0000a"`: badNull, `5`: say.InvalidString.Error(),
		},
		"integer": {
			`5`: "", `-5`: "", `0`: "", `9223372036854775807`: "", `-9223372036854775808`: "",
			`9223372036854775808`: tooLarge, `-9223372036854775809`: tooSmall, `99999999999999999999999999`: tooLarge,
			`"5"`: say.InvalidInteger.Error(), `""`: say.InvalidInteger.Error(), `5.0`: say.InvalidInteger.Error(), `5e0`: say.InvalidInteger.Error(), `5E2`: say.InvalidInteger.Error(),
			`true`: say.InvalidInteger.Error(), `[5]`: say.InvalidInteger.Error(),
		},
		"decimal": {
			`5`: "", `"5"`: "", `-5.25`: "", `"5.25"`: "", `0.1`: "", `"-0.10"`: "", `99999999999999.99`: "", `"99999999999999.99"`: "",
			`100000000000000`: say.TooManyDigits.Error(), `"100000000000000.00"`: say.TooManyDigits.Error(),
			`5.255`: say.TooManyDecimals.Error(), `"5.000"`: say.TooManyDecimals.Error(),
			`"5,25"`: say.InvalidNumber.Error(), `""`: say.InvalidNumber.Error(), `"five"`: say.InvalidNumber.Error(), `"NaN"`: say.InvalidNumber.Error(), `"Infinity"`: say.InvalidNumber.Error(),
			`true`: say.InvalidNumber.Error(), `[5]`: say.InvalidNumber.Error(), `{}`: say.InvalidNumber.Error(),
		},
		"boolean": {
			`true`: "", `false`: "", `"true"`: say.InvalidBoolean.Error(), `1`: say.InvalidBoolean.Error(), `0`: say.InvalidBoolean.Error(), `""`: say.InvalidBoolean.Error(), `[]`: say.InvalidBoolean.Error(),
		},
		"date": {
			`"2026-03-02"`: "", `"2024-02-29"`: "", `"0001-01-01"`: "", `"9999-12-31"`: "",
			`"2025-02-29"`: say.InvalidDate.Error(), `"0000-01-01"`: say.InvalidDate.Error(), `"2026-3-2"`: say.InvalidDate.Error(), `"02.03.2026"`: say.InvalidDate.Error(),
			`"2026-03-02T00:00:00Z"`: say.InvalidDate.Error(), `" 2026-03-02"`: say.InvalidDate.Error(), `""`: say.InvalidDate.Error(), `20260302`: say.InvalidDate.Error(),
		},
		"datetime": {
			`"2026-03-02T09:30:00Z"`: "", `"2026-03-02T09:30Z"`: "", `"2026-03-02T09:30:00.123456Z"`: "", `"2026-03-02T09:30:00+05:00"`: "",
			`"2026-03-02T09:30-09:30"`: "", `"2026-03-02 09:30:00+0500"`: "",
			`"2026-03-02"`: say.InvalidDatetime.Error(), `"2026-03-02T09:30:00"`: say.InvalidDatetime.Error(),
			`"2026-03-02T9:30:00Z"`: say.InvalidDatetime.Error(), `"2026-03-02T24:00:00Z"`: say.InvalidDatetime.Error(), `"2026-03-02T09:60:00Z"`: say.InvalidDatetime.Error(),
			`"2026-02-30T09:30:00Z"`:  say.InvalidDatetime.Error(),
			`"2026-03-02T09:30:00+5"`: say.InvalidDatetime.Error(), `"0000-03-02T09:30:00Z"`: say.InvalidDatetime.Error(), `""`: say.InvalidDatetime.Error(), `1772443800`: say.InvalidDatetime.Error(),
		},
		"color": {
			`"#f0a"`: "", `"#FF00aa"`: "", `"#fff"`: "", `"f0a"`: badColor, `"#f0"`: badColor, `"#ff00a"`: badColor, `"#ff00aaff"`: badColor,
			`"#ggg"`: badColor, `"red"`: badColor, `""`: badColor, `0`: badColor,
		},
	}
	for _, name := range []string{
		"client", "inventory", "inventory_group", "inventory_set", "service", "workshop", "document", "template",
	} {
		good := ""
		if _, known := kinds.ByName(name); !known {
			good = say.DoesNotExist(7).Error()
		}
		list[name] = map[string]string{
			`7`: good, `0`: say.DoesNotExist(0).Error(), `-7`: say.DoesNotExist(-7).Error(), `1000000000000`: say.DoesNotExist(1_000_000_000_000).Error(),
			`99999999999999999999`: say.DoesNotExist("99999999999999999999").Error(),
			`"7"`:                  say.InvalidInteger.Error(), `""`: say.InvalidInteger.Error(), `7.0`: say.InvalidInteger.Error(), `[7]`: say.InvalidInteger.Error(), `true`: say.InvalidInteger.Error(),
		}
	}
	return list
}

func TestValues(t *testing.T) {
	all := cases()
	for _, kind := range customfield.Types() {
		if len(all[kind]) == 0 {
			t.Errorf("%s is not tried", kind)
		}
		for _, required := range []bool{false, true} {
			set := customfield.Set{List: []customfield.Definition{{Name: "Поле 1", Type: kind, Required: required}}}
			check := func(extra, want string) {
				t.Helper()
				refs, errs := set.Check(decode.JSON(extra))
				expected := fault.FieldErrors{}
				if want != "" {
					expected = fault.FieldErrors{"Поле 1": []say.Message{say.Message(want)}}
				}
				if !reflect.DeepEqual(faulttest.English(errs), expected) {
					t.Errorf("%s (required %t): %.60s: %v, want %v", kind, required, extra, errs, expected)
				}
				if k, known := kinds.ByName(kind); len(refs) > 0 &&
					(!known || refs[0] != customfield.Reference{Field: "Поле 1", Kind: k.Code, ID: 7}) ||
					known && want == "" && strings.Contains(extra, ":7") != (len(refs) == 1) {
					t.Errorf("%s: %s: refers to %v", kind, extra, refs)
				}
			}
			for value, want := range all[kind] {
				check(`{"other":[1],"Поле 1":`+value+`}`, want)
			}
			absent, null, blank := "", "", all[kind][`""`]
			if required {
				absent, null = say.Required.Error(), say.Null.Error()
				if kind == "string" || kind == "html" {
					blank = say.Blank.Error()
				}
			}
			check(`{"Поле 1":null,"other":1}`, null)
			check(`{"Поле 1":""}`, blank)
			for _, extra := range []string{``, `null`, `{}`, `{"other":1}`, `{"поле 1":5}`, `{"Поле 1 ":5}`} {
				check(extra, absent)
			}
		}
	}
}

func TestBlankTexts(t *testing.T) {
	set := customfield.Set{List: []customfield.Definition{
		{Name: "a", Type: "string", Required: true},
		{Name: "b", Type: "html", Required: true},
		{Name: "c", Type: "string"},
		{Name: "d", Type: "string", Options: `["x"]`},
	}}
	_, errs := set.Check(decode.JSON(`{"a":"","b":" \n","c":" ","d":""}`))
	if want := (fault.FieldErrors{"a": []say.Message{say.Blank}, "b": []say.Message{say.Blank}}); !reflect.DeepEqual(faulttest.English(errs), faulttest.English(want)) {
		t.Errorf("%v, want %v", errs, want)
	}
}

func TestChoices(t *testing.T) {
	for _, options := range []string{`["a","b c"]`, `[{"value":"a","label":"A"},{"value":"b c"}]`, `["a",{"value":"b c","color":"#fff"}]`} {
		set := customfield.Set{List: []customfield.Definition{{Name: "f", Type: "string", Options: options}}}
		for value, good := range map[string]bool{`"a"`: true, `"b c"`: true, `null`: true, `"A"`: false, `"b"`: false, `" a"`: false} {
			_, errs := set.Check(decode.JSON(`{"f":` + value + `}`))
			if (len(errs) == 0) != good {
				t.Errorf("%s of %s: %v", value, options, errs)
			}
		}
		long := strings.Repeat("ұ", 200)
		for value, want := range map[string]string{
			`"x"`: `"x" is not a valid choice.`, text(long): say.InvalidChoice(long[:200] + "…").Error(), `5`: say.InvalidString.Error(),
		} {
			_, errs := set.Check(decode.JSON(`{"f":` + value + `}`))
			if want := (fault.FieldErrors{"f": []say.Message{say.Message(want)}}); !reflect.DeepEqual(faulttest.English(errs), faulttest.English(want)) {
				t.Errorf("%.20s of %s: %v, want %v", value, options, errs, want)
			}
		}
	}
	for _, options := range []string{``, `null`, `[]`} {
		set := customfield.Set{List: []customfield.Definition{{Name: "f", Type: "string", Options: options}}}
		if _, errs := set.Check(decode.JSON(`{"f":"anything"}`)); len(errs) > 0 {
			t.Errorf("%s: %v", options, errs)
		}
	}
}

// TestNotAnObject: extra is an object wherever something is defined, and
// anything elsewhere.
func TestNotAnObject(t *testing.T) {
	set := customfield.Set{List: []customfield.Definition{{Name: "f", Type: "string"}}}
	for extra, want := range map[string]string{
		`[]`: say.WrongType("dictionary", "list").Error(), `"{}"`: say.WrongType("dictionary", "str").Error(), `5`: say.WrongType("dictionary", "int").Error(),
		`5.5`: say.WrongType("dictionary", "float").Error(), `false`: say.WrongType("dictionary", "bool").Error(), `{`: "Value must be valid JSON.",
	} {
		if refs, errs := (customfield.Set{}).Check(decode.JSON(extra)); refs != nil || errs == nil || len(errs) > 0 {
			t.Errorf("%s with nothing defined: %v %v", extra, refs, errs)
		}
		refs, errs := set.Check(decode.JSON(extra))
		if want := (fault.FieldErrors{fault.NonField: []say.Message{say.Message(want)}}); refs != nil || !reflect.DeepEqual(faulttest.English(errs), faulttest.English(want)) {
			t.Errorf("%s: %v %v, want %v", extra, refs, errs, want)
		}
	}
}

// TestAllAtOnce: every wrong field is named, and the good references are known
// beside them.
func TestAllAtOnce(t *testing.T) {
	var set customfield.Set
	for i, kind := range []string{"client", "document", "integer", "date", "workshop"} {
		set.List = append(set.List, customfield.Definition{Name: fmt.Sprint("f", i), Type: kind, Required: i == 3})
	}
	refs, errs := set.Check(decode.JSON(`{"f0":5,"f1":6,"f2":"x","f4":9}`))
	want := fault.FieldErrors{"f2": []say.Message{say.InvalidInteger}, "f3": []say.Message{say.Required}, "f4": []say.Message{say.DoesNotExist(9)}}
	if !reflect.DeepEqual(faulttest.English(errs), faulttest.English(want)) {
		t.Errorf("%v, want %v", errs, want)
	}
	if !slices.Equal(refs, []customfield.Reference{{"f0", kinds.Client, 5}, {"f1", kinds.Document, 6}}) {
		t.Errorf("refers to %v", refs)
	}
}
