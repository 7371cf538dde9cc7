package clients_test

import (
	"encoding/json"
	"testing"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// A row is answered in the usual spelling of its values, and what it leaves out is
// null.
func TestRows(t *testing.T) {
	c := webtest.New(t, clients.New).As(webtest.Employee(1))
	for name, tt := range map[string]struct{ path, row, want string }{
		"only a name": {
			individuals, `{"name":" Асель "}`,
			`{"name":"Асель","phone":null,"email":null,"document_number":null,"issue_date":null,"issue_date_end":null,"birth_date":null,"attraction_method":null,"iin":null}`,
		},
		"all of a person, and what rows don't have": {
			individuals,
			`{"name":"a","phone":"8 (701) 123-45-67","email":"a@b.kz","document_number":7,"issue_date":"2020-01-01","issue_date_end":"2030-01-01",
				"birth_date":"1985-05-15","attraction_method":" Instagram ","iin":850515300016,"extra":{"a":[1]},"type":5,"id":9}`,
			`{"name":"a","phone":"+77011234567","email":"a@b.kz","document_number":"7","issue_date":"2020-01-01","issue_date_end":"2030-01-01",
				"birth_date":"1985-05-15","attraction_method":"Instagram","iin":"850515300016","extra":{"a":[1]}}`,
		},
		"null is sent": {
			individuals, `{"name":"a","phone":null,"email":null,"iin":null,"extra":null}`,
			`{"name":"a","phone":null,"email":null,"document_number":null,"issue_date":null,"issue_date_end":null,"birth_date":null,"attraction_method":null,"iin":null,"extra":null}`,
		},
		"all of a company": {
			legal,
			`{"name":"ТОО","phone":"7011234567","email":null,"bin":"140340010302","address":"a","director":"d","bik":"kcjbkzkx","bank":"b","iban":"kz86 125K ZT50 0410 0100"}`,
			`{"name":"ТОО","phone":"+77011234567","email":null,"bin":"140340010302","address":"a","director":"d","bik":"KCJBKZKX","bank":"b","iban":"KZ86125KZT5004100100"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.In(t).Post(tt.path+"?dry_run", `{"data":[`+tt.row+`]}`).Status(200).Writes(0).Field("data", "["+tt.want+"]")
		})
	}
}

// Everything that is wrong with every row is told at once, in step with the rows.
func TestRefusedRows(t *testing.T) {
	c := webtest.New(t, clients.New).As(webtest.Employee(1))
	message := func(m say.Message) string { encoded, _ := json.Marshal([]string{m.Error()}); return string(encoded) }
	for name, tt := range map[string]struct{ path, rows, want, taken string }{
		"what is no row": {
			individuals, `{"name":"a"},{},{"name":null},{"name":" "},5,null`,
			`{},{"name":["This field is required."]},{"name":["This field may not be null."]},{"name":["This field may not be blank."]},` +
				`{"non_field_errors":["Invalid data. Expected a dictionary, but got int."]},{"non_field_errors":["This field may not be null."]}`, "",
		},
		"every field": {
			individuals, `{"name":true,"phone":"12","email":"x","issue_date":"01.01.2020","iin":"850515300017"}`,
			`{"email":["Enter a valid email address."],"iin":` + message(say.InvalidIIN) +
				`,"issue_date":["Date has wrong format. Use one of these formats instead: YYYY-MM-DD."],"name":["Not a valid string."],"phone":` + message(say.InvalidPhone) + `}`, "",
		},
		"two dates": {
			individuals, `{"name":"a","issue_date":"2020-01-02","issue_date_end":"2020-01-01"}`, `{"issue_date_end":["This date is before issue_date."]}`, "",
		},
		"the same phone, however it is written, and the same number": {
			individuals,
			`{"name":"a","phone":"87011234567","iin":"850515300016"},{"name":"b","phone":"+77017654321","iin":"921130401234"},` +
				`{"name":"c","phone":"+7 701 123 45 67","iin":"8505 1530 0016"},{"name":"d","phone":"7011234567"}`,
			`{},{},{"iin":["This value is also in row 1."],"phone":["This value is also in row 1."]},{"phone":["This value is also in row 1."]}`,
			`,"taken_by":[{"row":3,"field":"phone","id":null,"same_as_row":1},{"row":3,"field":"iin","id":null,"same_as_row":1},{"row":4,"field":"phone","id":null,"same_as_row":1}]`,
		},
		"what is wrong is no duplicate": {
			individuals, `{"name":"a","iin":"1","phone":"1"},{"name":"b","iin":"1","phone":"1"}`,
			`{"iin":` + message(say.InvalidIIN) + `,"phone":` + message(say.InvalidPhone) + `},{"iin":` + message(say.InvalidIIN) + `,"phone":` + message(say.InvalidPhone) + `}`, "",
		},
		"companies": {
			legal, `{"name":"a","bin":"140340010302"},{"name":"b","bin":"140340010302","bik":"x","iban":"KZ00"},{"name":"c","bin":"140340010303"}`,
			`{},{"bik":` + message(say.InvalidBIK) + `,"bin":["This value is also in row 1."],"iban":` + message(say.InvalidIBAN) + `},{"bin":` + message(say.InvalidBIN) + `}`,
			`,"taken_by":[{"row":2,"field":"bin","id":null,"same_as_row":1}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.In(t).Post(tt.path, `{"data":[`+tt.rows+`]}`).Status(400).Writes(0).JSON(`{"data":[` + tt.want + `]` + tt.taken + `}`)
		})
	}
}
