package orders_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// TestAllThatIsWrong: all that is wrong with a body is one answer, and nothing is written.
func TestAllThatIsWrong(t *testing.T) {
	_, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"inventories":[{"inventory":1,"start_at":"2026-03-03T10:00:00Z","end_at":"2026-03-05T10:00:00Z"}]}`).Status(201)
	const (
		reversed = `"rent_start":"2026-03-05T10:00:00Z","rent_end":"2026-03-05T10:00:00Z"`
		between  = `["Ensure this value is between 1900-01-02 and 2999-12-30."]`
		epoch    = `["Ensure this value is not 1970-01-01T00:00:00Z."]`
		fraction = `["Ensure that there are no fractions of a second."]`
		after    = `["Ensure this value is after rent_start."]`
		unknown  = `["Invalid pk \"9\" - object does not exist."]`
	)
	for name, row := range map[string]struct{ method, path, body, answer string }{
		"a new order that ends when it starts": {
			"POST", requests, `{"client":9,` + reversed + `}`, `{"rent_end":` + after + `,"client":` + unknown + `}`,
		},
		"a new order out of all time": {
			"POST", requests, `{"rent_start":"0001-01-01T00:00:00Z","rent_end":"9999-01-01T00:00:00Z"}`,
			`{"rent_start":` + between + `,"rent_end":` + between + `}`,
		},
		"an order that ends when it starts": {
			"PATCH", requests + "1/", `{"client":9,"status":4,` + reversed + `}`,
			`{"rent_end":` + after + `,"client":` + unknown + `,"status":["The status changes by POST …/action/ alone."]}`,
		},
		"a line of no order": {
			"POST", lines, `{"request":9,"inventory":9,"discount":9}`,
			`{"request":` + unknown + `,"inventory":` + unknown + `,"discount":` + unknown + `}`,
		},
		"a line that changes its order": {
			"PUT", lines + "1/", `{"request":9,"inventory":9}`, `{"request":["A line stays in its order."],"inventory":` + unknown + `}`,
		},
		"lines of a new order in 1970, and parts of seconds": {
			"POST", requests, `{"inventories":[{"inventory":1,"type":1,"start_at":"1970-01-01T00:00:00Z"},{"inventory":2,"start_at":"2026-03-03T10:00:00Z",` +
				`"end_at":"1970-01-01T00:00:00Z","tarif_duration":"0.5"}],"services":[{"service":1,"tarif_duration":"1.000001"}]}`,
			`{"inventories":[{"start_at":` + epoch + `},{"end_at":` + epoch + `,"tarif_duration":` + fraction + `}],"services":[{"tarif_duration":` + fraction + `}]}`,
		},
		"a quote in 1970":          {"POST", requests + "quote/", `{"rent_start":"1970-01-01T00:00:00Z"}`, `{"rent_start":` + epoch + `}`},
		"a line that goes to 1970": {"PATCH", lines + "1/", `{"start_at":"1970-01-01T05:00:00+05:00"}`, `{"start_at":` + epoch + `}`},
		"a service line of no order": {
			"POST", requests + "services/", `{"request":9,"service":9}`, `{"request":` + unknown + `,"service":` + unknown + `}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.In(t).Do(row.method, row.path, row.body).Status(400).JSON(row.answer).Writes(0)
		})
	}
}

// TestRowsThatAreNoObjects: of an element of a list that is no object, nothing but that is told.
func TestRowsThatAreNoObjects(t *testing.T) {
	_, c := newAPI(t, webtest.Setup{})
	c.Post(requests, `{"services":[{"service":1}]}`).Status(201)
	for _, path := range []string{"", "quote/", "1/%s/bulk_create/", "1/%s/bulk_update/"} {
		for _, list := range []string{"inventories", "services"} {
			for row, want := range map[string]string{
				`5`: "Invalid data. Expected a dictionary, but got int.", `[]`: "Invalid data. Expected a dictionary, but got list.",
				`null`: "This field may not be null.",
			} {
				c.Post(requests+strings.ReplaceAll(path, "%s", list), `{"`+list+`":[`+row+`]}`).Status(400).Writes(0).
					JSON(`{"` + list + `":[{"non_field_errors":["` + want + `"]}]}`)
			}
			c.Post(requests+"1/"+list+"/bulk_delete/", `{"`+list+`":[null]}`).Status(400).
				JSON(`{"` + list + `":{"0":["This field may not be null."]}}`)
		}
	}
}
