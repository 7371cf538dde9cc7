package penalties_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// TestBadPenalties: what can't be true of a penalty is refused, by each operation that takes it, and nothing is
// written.
func TestBadPenalties(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(list, `{"protocol_number":"KZ1"}`).Status(201)
	long := strings.Repeat("ж", 256)
	tooLong := `["Ensure this field has no more than 255 characters."]`
	const digits = `["Ensure that there are no more than 14 digits before the decimal point."]`
	for _, tt := range []struct{ name, body, want string }{
		{"nulls", `{"protocol_number":null,"paid":null,"noted":null}`, `{"protocol_number":["This field may not be null."],"paid":["This field may not be null."],"noted":["This field may not be null."]}`},
		{"no protocol", `{"protocol_number":" "}`, `{"protocol_number":["This field may not be blank."]}`},
		{
			"long texts", `{"protocol_number":"` + long + `","department_name":"` + long + `","punishment_main":"` + long + `","payment_kno":"` + long +
				`","payment_kbk":"` + long + `","payment_knp":"` + long + `","beneficiary_tax_office_name":"` + long + `","beneficiary_tax_iban":"` + long +
				`","beneficiary_tax_bin_number":"` + long + `"}`,
			`{"protocol_number":` + tooLong + `,"department_name":` + tooLong + `,"punishment_main":` + tooLong + `,"payment_kno":` + tooLong + `,"payment_kbk":` + tooLong +
				`,"payment_knp":` + tooLong + `,"beneficiary_tax_office_name":` + tooLong + `,"beneficiary_tax_iban":` + tooLong + `,"beneficiary_tax_bin_number":` + tooLong + `}`,
		},
		{"a negative amount", `{"amount":-1}`, `{"amount":["Ensure this value is greater than or equal to 0."]}`},
		{"a large amount", `{"amount":"100000000000000"}`, `{"amount":` + digits + `}`},
		{"a fraction of a cent", `{"amount":"1.005"}`, `{"amount":["Ensure that there are no more than 2 decimal places."]}`},
		{"no amount", `{"amount":"five"}`, `{"amount":["A valid number is required."]}`},
		{"a date that does not exist", `{"violation_date":"2026-02-29"}`, `{"violation_date":["Date has wrong format. Use one of these formats instead: YYYY-MM-DD."]}`},
		{"a time that does not exist", `{"violation_time":"24:00"}`, `{"violation_time":["Time has wrong format. Use one of these formats instead: hh:mm[:ss[.uuuuuu]]."]}`},
		{
			"moments", `{"payment_date":"2026-03-01","discount_expires_at":"soon"}`,
			`{"payment_date":["Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."],` +
				`"discount_expires_at":["Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."]}`,
		},
		{"addresses", `{"pdf":"javascript:alert(1)","photo_urls":["https://a.kz/1.jpg","1.jpg"]}`, `{"pdf":["Enter a valid URL."],"photo_urls":{"1":["Enter a valid URL."]}}`},
		{
			"long addresses", `{"photo_urls":["https://a.kz/` + strings.Repeat("x", 200) + `"]}`,
			`{"photo_urls":{"0":["Ensure this field has no more than 200 characters."]}}`,
		},
		{"many photos", `{"photo_urls":["` + strings.Repeat(`https://a.kz/1","`, 50) + `https://a.kz/1"]}`, `{"photo_urls":["Ensure this field has no more than 50 elements."]}`},
		{"a state that does not exist", `{"state":9}`, `{"state":["Invalid pk \"9\" - object does not exist."]}`},
		{"another company's state", `{"state":2}`, `{"state":["Invalid pk \"2\" - object does not exist."]}`},
		{"a number that no state has", `{"state":-1}`, `{"state":["Invalid pk \"-1\" - object does not exist."]}`},
		{"another company", `{"tenant":2}`, `{"tenant":["Invalid pk \"2\" - object does not exist."]}`},
		{"a null character", `{"description":"a\u0000b"}`, `{"description":["Null characters are not allowed."]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c.In(t).Patch(list+"1/", tt.body).Status(400).JSON(tt.want)
			full := tt.body
			if !strings.Contains(full, "protocol_number") {
				full = strings.Replace(full, "{", `{"protocol_number":"KZ2",`, 1)
			}
			c.In(t).Put(list+"1/", full).Status(400).JSON(tt.want)
			c.In(t).Post(list, full).Status(400).JSON(tt.want)
			c.In(t).Post(list, "["+full+"]").Status(200).Writes(0).Field("0.status", `"refused"`).Field("0.errors", tt.want)
		})
	}
	c.Put(list+"1/", `{}`).Status(400).JSON(`{"protocol_number":["This field is required."]}`)
	for _, tt := range []struct{ name, body, want string }{
		{"outer_id", `{"outer_id":"x"}`, `{"outer_id":["A valid integer is required."]}`},
		{"a large outer_id", `{"outer_id":9223372036854775808}`, `{"outer_id":["Ensure this value is less than or equal to 9223372036854775807."]}`},
		{"a long number", `{"car":{"number":"123456789012345678901","tech_passport":"` + long + `"}}`, `{"car":{"number":["Ensure this field has no more than 20 characters."],"tech_passport":` + tooLong + `}}`},
		{"no car", `{"car":7}`, `{"car":{"non_field_errors":["Invalid data. Expected a dictionary, but got int."]}}`},
		{"numbers of people", `{"driver":{"iin_number":"85051530001","first_name":"` + long + `"},"company":{"bin_number":"14034001030A"}}`, `{"driver":{"iin_number":["Enter 12 digits."],"first_name":` + tooLong + `},"company":{"bin_number":["Enter 12 digits."]}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := strings.Replace(tt.body, "{", `{"protocol_number":"KZ2",`, 1)
			c.In(t).Post(list, body).Status(400).JSON(tt.want)
			c.In(t).Post(list, "["+body+"]").Status(200).Writes(0).Field("0.errors", tt.want)
		})
	}
	other := api.As(webtest.Employee(2))
	other.Patch(list+"1/", `{"noted":true}`).Status(404)
	other.Put(list+"1/", `{"protocol_number":"x"}`).Status(404)
	other.Delete(list + "1/").Status(404)
	c.Get(list).Status(200).Field("count", "1")
	// What a penalty has named before stays, though it is gone.
	c.Patch(list+"1/", `{"state":1}`).Status(200)
	c.Delete(states + "1/").Status(204)
	c.Patch(list+"1/", `{"state":1,"noted":true}`).Status(200).Field("state", "1")
	c.Post(list, `{"protocol_number":"KZ2","state":1}`).Status(400)
	whole(t, api)
}

// TestMoments: the moment of a violation is that of the company's clocks.
func TestMoments(t *testing.T) {
	api, _ := newAPI(t, webtest.Setup{})
	home := table.Of(api.Env.Table, 1)
	berlin := company.Company{Item: table.At(home.Company(), company.Version), ID: 1, TimeZone: "Europe/Berlin"}
	if err := home.Put(berlin).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := api.As(webtest.Employee(1))
	const gap = `{"violation_time":["Invalid datetime for the timezone \"Europe/Berlin\"."]}`
	c.Post(list, `{"protocol_number":"KZ1","violation_date":"2026-03-29","violation_time":"02:30"}`).Writes(0).Status(400).JSON(gap)
	c.Post(list, `[{"protocol_number":"KZ1","violation_date":"2026-03-29","violation_time":"02:30"},{"protocol_number":"KZ1","violation_date":"2026-03-29"}]`).
		Status(200).Field("0.errors", gap).Field("1.status", `"created"`)
	id := list + "2/"
	c.Get(id).Field("violated_at", "null")
	c.Patch(id, `{"violation_time":"02:30"}`).Status(400).JSON(gap)
	c.Patch(id, `{"violation_time":"03:00"}`).Status(200).Field("violated_at", `"2026-03-29T01:00:00Z"`)
	c.Patch(id, `{"violation_date":"2026-10-25","violation_time":"02:30"}`).Status(200).Field("violated_at", `"2026-10-25T00:30:00Z"`) // of two the first
	c.Patch(id, `{"violation_date":"0001-01-01","violation_time":"00:00"}`).Status(400).
		JSON(`{"violation_date":["Date has wrong format. Use one of these formats instead: YYYY-MM-DD."]}`)
	c.Patch(id, `{"violation_date":"0001-01-02","violation_time":"00:00"}`).Status(200).Field("violated_at", `"0001-01-01T23:06:32Z"`)
	c.Get(list+"?violated_at__lte=2000-01-01").Status(200).Field("count", "1")
	c.Patch(id, `{"violation_date":"9999-12-31","violation_time":"23:59:59"}`).Status(200).Field("violated_at", `"9999-12-31T22:59:59Z"`)

	// A company that moves does not move what has happened.
	c.Patch(id, `{"violation_date":"2026-01-01","violation_time":"12:00"}`).Status(200).Field("violated_at", `"2026-01-01T11:00:00Z"`)
	berlin.TimeZone = "Asia/Almaty"
	if err := home.Put(berlin).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.Patch(id, `{"noted":true,"violation_time":"12:00:00"}`).Status(200).Field("violated_at", `"2026-01-01T11:00:00Z"`)
	c.Patch(id, `{"violation_time":"12:00:01"}`).Status(200).Field("violated_at", `"2026-01-01T07:00:01Z"`)
	whole(t, api)
}
