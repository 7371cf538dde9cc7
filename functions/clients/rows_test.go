package clients

import (
	"encoding/json"
	"testing"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/decode/kz"
)

// judged decodes the rows of a body and applies the rules that need nothing but
// the rows. It gives the errors in step with the rows, and the rows themselves.
func judged[In, Out any](t *testing.T, im importing[In, Out], data string) (errs, echo string) {
	t.Helper()
	var in struct {
		Data decode.Optional[[]decode.Row[In]] `json:"data"`
	}
	tree, err := decode.Parse(decode.TypeJSON, []byte(`{"data":`+data+`}`), []string{decode.TypeJSON})
	if err == nil {
		err = decode.Struct(tree, &in, false)
	}
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	var views []Out
	for i := range in.Data.Value {
		rows = append(rows, im.row(i+1, &in.Data.Value[i]))
		views = append(views, im.view(&rows[i]))
	}
	im.duplicates(rows)
	e, err := json.Marshal(problems(rows))
	if err != nil {
		t.Fatal(err)
	}
	v, err := json.Marshal(views)
	if err != nil {
		t.Fatal(err)
	}
	return string(e), string(v)
}

func TestIndividualRows(t *testing.T) {
	for data, want := range map[string]string{
		`[{"name":" Асель "}]`: `[{"name":"Асель","phone":null,"email":null,"document_number":null,"issue_date":null,"issue_date_end":null,"birth_date":null,"attraction_method":null,"iin":null}]`,
		`[{"name":"a","phone":"8 (701) 123-45-67","email":"a@b.kz","document_number":7,"issue_date":"2020-01-01","issue_date_end":"2030-01-01","birth_date":"1985-05-15","attraction_method":" Instagram ","iin":850515300016,"extra":{"a":[1]},"type":5,"id":9}]`: `[{"name":"a","phone":"+77011234567","email":"a@b.kz","document_number":"7","issue_date":"2020-01-01","issue_date_end":"2030-01-01","birth_date":"1985-05-15","attraction_method":"Instagram","iin":"850515300016","extra":{"a":[1]}}]`,
		`[{"name":"a","phone":null,"email":null,"iin":null,"extra":null}]`: `[{"name":"a","phone":null,"email":null,"document_number":null,"issue_date":null,"issue_date_end":null,"birth_date":null,"attraction_method":null,"iin":null,"extra":null}]`,
	} {
		if errs, got := judged(t, individuals(), data); got != want || errs != "null" {
			t.Errorf("%s: %s, want %s (%s)", data, got, want, errs)
		}
	}
}

func TestLegalRows(t *testing.T) {
	data := `[{"name":"ТОО","phone":"7011234567","email":null,"bin":"140340010302","address":"a","director":"d","bik":"kcjbkzkx","bank":"b","iban":"kz86 125K ZT50 0410 0100"}]`
	want := `[{"name":"ТОО","phone":"+77011234567","email":null,"bin":"140340010302","address":"a","director":"d","bik":"KCJBKZKX","bank":"b","iban":"KZ86125KZT5004100100"}]`
	if errs, got := judged(t, legalEntities(), data); got != want || errs != "null" {
		t.Errorf("%s, want %s (%s)", got, want, errs)
	}
}

// TestRefusedRows: everything that is wrong with every row is told at once, in
// step with the rows.
func TestRefusedRows(t *testing.T) {
	message := func(s string) string { encoded, _ := json.Marshal([]string{s}); return string(encoded) }
	individual := map[string]string{
		`[{"name":"a"},{},{"name":null},{"name":" "},5,null]`: `[{},{"name":["This field is required."]},{"name":["This field may not be null."]},{"name":["This field may not be blank."]},` +
			`{"non_field_errors":["Invalid data. Expected a dictionary, but got int."]},{"non_field_errors":["This field may not be null."]}]`,
		`[{"name":true,"phone":"12","email":"x","issue_date":"01.01.2020","iin":"850515300017"}]`: `[{"email":["Enter a valid email address."],"iin":` + message(kz.BadIIN) +
			`,"issue_date":["Date has wrong format. Use one of these formats instead: YYYY-MM-DD."],"name":["Not a valid string."],"phone":` + message(kz.BadPhone) + `}]`,
		`[{"name":"a","issue_date":"2020-01-02","issue_date_end":"2020-01-01"}]`: `[{"issue_date_end":["This date is before issue_date."]}]`,
		// The same phone, however it is written, and the same number.
		`[{"name":"a","phone":"87011234567","iin":"850515300016"},{"name":"b","phone":"+77017654321","iin":"921130401234"},{"name":"c","phone":"+7 701 123 45 67","iin":"8505 1530 0016"},{"name":"d","phone":"7011234567"}]`: `[{},{},{"iin":["This value is also in row 1."],"phone":["This value is also in row 1."]},{"phone":["This value is also in row 1."]}]`,
		// What is wrong is no duplicate.
		`[{"name":"a","iin":"1","phone":"1"},{"name":"b","iin":"1","phone":"1"}]`: `[{"iin":` + message(kz.BadIIN) + `,"phone":` + message(kz.BadPhone) + `},{"iin":` + message(kz.BadIIN) + `,"phone":` + message(kz.BadPhone) + `}]`,
	}
	for data, want := range individual {
		if got, _ := judged(t, individuals(), data); got != want {
			t.Errorf("%s:\n%s, want\n%s", data, got, want)
		}
	}
	data := `[{"name":"a","bin":"140340010302"},{"name":"b","bin":"140340010302","bik":"x","iban":"KZ00"},{"name":"c","bin":"140340010303"}]`
	want := `[{},{"bik":` + message(kz.BadBIK) + `,"bin":["This value is also in row 1."],"iban":` + message(kz.BadIBAN) + `},{"bin":` + message(kz.BadBIN) + `}]`
	if got, _ := judged(t, legalEntities(), data); got != want {
		t.Errorf("%s:\n%s, want\n%s", data, got, want)
	}
}
