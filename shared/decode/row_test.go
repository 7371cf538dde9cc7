package decode_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/fault/faulttest"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
)

type line struct {
	Name decode.Optional[string]      `json:"name" required:"true" maxLength:"3"`
	Day  decode.Optional[decode.Date] `json:"day" nullable:"true"`
}

type sheet struct {
	Lines decode.Optional[[]decode.Row[line]] `json:"lines" maxItems:"4" notEmpty:"true"`
	Tags  decode.Optional[[]string]           `json:"tags" maxItems:"2" notEmpty:"true"`
}

// TestRows: a bad row keeps its errors, beside the fields that are right, and
// refuses nothing.
func TestRows(t *testing.T) {
	var got sheet
	body := `{"lines":[{"name":"a","day":"2024-02-29"},{"name":"long","day":"2024-02-30"},{"day":null},5]}`
	if err := decode.Struct(parse(t, body), &got, false); err != nil {
		t.Fatal(err)
	}
	rows := got.Lines.Value
	want := []fault.FieldErrors{
		nil,
		{"name": []say.Message{say.TooLong(3)}, "day": []say.Message{say.InvalidDate}},
		{"name": []say.Message{say.Required}},
		{fault.NonField: []say.Message{say.WrongType("dictionary", "int")}},
	}
	for i, row := range rows {
		if !reflect.DeepEqual(row.Errors, want[i]) {
			t.Errorf("row %d: %v, want %v", i, row.Errors, want[i])
		}
	}
	if len(rows) != 4 || rows[0].Value.Name.Value != "a" || rows[0].Value.Day.Value != "2024-02-29" || !rows[2].Value.Day.Null ||
		rows[1].Value.Name.Set {
		t.Errorf("%+v", rows)
	}
	if f := decode.Describe(reflect.TypeFor[sheet]()); f[0].Type != reflect.TypeFor[[]line]() || f[0].MaxItems != 4 || !f[0].NotEmpty {
		t.Errorf("described as %+v", f[0])
	}
}

// What people leave empty in a row is null where it may be.
func TestEmptyCells(t *testing.T) {
	type row struct {
		Name decode.Optional[string]      `json:"name" required:"true"`
		Note decode.Optional[string]      `json:"note" nullable:"true" blank:"true"`
		Day  decode.Optional[decode.Date] `json:"day" nullable:"true"`
		Mail decode.Optional[string]      `json:"mail" nullable:"true" format:"email"`
		Free decode.Optional[decode.JSON] `json:"free" nullable:"true"`
	}
	var got struct {
		Rows decode.Optional[[]decode.Row[row]] `json:"rows"`
	}
	if err := decode.Struct(parse(t, `{"rows":[{"name":"","note":"","day":"","mail":" \t","free":""}]}`), &got, false); err != nil {
		t.Fatal(err)
	}
	r := got.Rows.Value[0]
	if v := r.Value; !v.Day.Null || !v.Mail.Null || v.Note.Null || !v.Note.Set || string(v.Free.Value) != `""` || len(r.Errors) != 1 ||
		r.Errors["name"] == nil {
		t.Errorf("%+v", r)
	}
}

func TestLengthsOfLists(t *testing.T) {
	for body, want := range map[string]string{
		`{"lines":[],"tags":[]}`: `{"lines":{"non_field_errors":["This list may not be empty."]},"tags":["This list may not be empty."]}`,
		`{"lines":[` + strings.Repeat("{},", 4) + `{}],"tags":["a","b","c"]}`: `{"lines":{"non_field_errors":["Ensure this field has no more than 4 elements."]},` +
			`"tags":["Ensure this field has no more than 2 elements."]}`,
		`{"lines":{}}`: `{"lines":{"non_field_errors":["Expected a list of items but got type \"dict\"."]}}`,
	} {
		err, ok := fault.As(decode.Struct(parse(t, body), new(sheet), false))
		if !ok {
			t.Fatalf("%s was taken", body)
		}
		if got, _ := json.Marshal(faulttest.English(err.Fields)); string(got) != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}

func parse(t *testing.T, body string) any {
	t.Helper()
	tree, err := decode.Parse(decode.TypeJSON, []byte(body), []string{decode.TypeJSON})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
