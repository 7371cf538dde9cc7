package penalties_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/history"
	"github.com/tenantry/tenantry/functions/penalties"
	"github.com/tenantry/tenantry/functions/penalties/penalty"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/recordtest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	list   = "/v1/cars/penalties/"
	states = "/v1/cars/states/"
)

func groups() []app.New { return []app.New{penalties.New, history.New} }

// newAPI has the companies 1 and 2, both in Almaty. The first has the penalty state 1, the second 1 and 2.
func newAPI(t *testing.T, setup webtest.Setup) (*webtest.API, *webtest.Client) {
	t.Helper()
	api := setup.New(t, groups()...)
	for id := range tenant.ID(2) {
		of := table.Of(api.Env.Table, id+1)
		put := of.Put(company.Company{Item: table.At(of.Company(), company.Version), ID: int64(id) + 1, TimeZone: "Asia/Almaty"})
		if err := put.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	c, other := api.As(webtest.Employee(1)), api.As(webtest.Employee(2))
	c.Post(states, `{"name":"The client pays","colour":"#e53935"}`).Status(201).Field("id", "1")
	other.Post(states, `{"name":"Paid"}`).Status(201)
	other.Post(states, `{"name":"Disputed"}`).Status(201)
	return api, c
}

// whole checks that what company 1 stores of its penalties is consistent.
func whole(t *testing.T, api *webtest.API) {
	t.Helper()
	s := record.Scope{Table: table.Of(api.Env.Table, 1), Now: api.Env.Now}
	for _, problem := range recordtest.Problems(t.Context(), penalty.Kind(), s) {
		t.Error(problem)
	}
}

// TestPenalty follows one penalty that the staff writes down.
func TestPenalty(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	const sent = `{"protocol_number":"KZ2603010017","description":"Speeding","department_name":"","punishment_main":"Fine","amount":19660,` +
		`"violation_address":"Abay 1","violation_date":"2026-03-01","violation_time":"14:05","paid":"no","payment_date":null,` +
		`"discount_expires_at":"2026-03-08T00:00","payment_kno":"0101","payment_kbk":"204108","payment_knp":"911",` +
		`"beneficiary_tax_office_name":"UGD","beneficiary_tax_iban":"KZ24070105KSN0000000","beneficiary_tax_bin_number":"0",` +
		`"pdf":"https://registry.example/1.pdf","photo_urls":["https://registry.example/1.jpg"],"state":1,"noted":false,` +
		`"id":9,"inventory":"7","request":"7","client":"7","violated_at":"2020-01-01T00:00:00Z","created_at":"2020-01-01T00:00:00Z"}`
	const shown = `"id":1,"outer_id":null,"created_at":"2026-03-02T09:30:00Z","protocol_number":"KZ2603010017","description":"Speeding",` +
		`"department_name":"","punishment_main":"Fine","violation_address":"Abay 1","violation_date":"2026-03-01","paid":false,"payment_date":null,` +
		`"discount_expires_at":"2026-03-07T19:00:00Z","payment_kno":"0101","payment_kbk":"204108","payment_knp":"911",` +
		`"beneficiary_tax_office_name":"UGD","beneficiary_tax_iban":"KZ24070105KSN0000000","beneficiary_tax_bin_number":"0",` +
		`"pdf":"https://registry.example/1.pdf","photo_urls":["https://registry.example/1.jpg"],"state":1,"noted":false,` +
		`"inventory":null,"request":null,"client":null,"car":null,"driver":null,"company":null`
	c.Post(list, sent).Status(201).Header("ETag", `"1"`).Header("Location", webtest.BaseURL+list+"1/").
		JSON(`{` + shown + `,"updated_at":"2026-03-02T09:30:00Z","amount":"19660.00","violation_time":"14:05:00","violated_at":"2026-03-01T09:05:00Z"}`)
	api.Clock.Step(time.Minute)
	const changed = `{` + shown + `,"updated_at":"2026-03-02T09:31:00Z","amount":"5.50","violation_time":"23:59:59","violated_at":"2026-03-01T18:59:59Z"}`
	c.With("If-Match", `"1"`).Put(list+"1/", `{"protocol_number":"KZ2603010017","amount":"5.5","violation_time":"23:59:59.9"}`).Status(200).JSON(changed)
	c.With("If-Match", `"1"`).Patch(list+"1/", `{"noted":true}`).Status(412)
	c.Patch(list+"1/", `{}`).Status(200).Writes(0).JSON(changed)
	c.Get(list + "1/").Status(200).JSON(changed)
	c.Patch(list+"1/", `{"violation_date":null}`).Status(200).Field("violated_at", "null").Field("violation_time", `"23:59:59"`)
	c.Delete(list + "1/").Status(204).Empty()
	c.Get(list + "1/").Status(404)
	whole(t, api)
}
