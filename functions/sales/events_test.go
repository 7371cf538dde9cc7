package sales_test

import (
	"testing"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// A lead that comes into another stage says so, and what else the request has changed comes beside it.
func TestEventsOfLeads(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(clientsPath, `{"name":"Assel"}`).Status(201).Happened("client.created")
	api.Left(1, func() {
		c.Post(leads, `{"stage":1,"funnel":1,"client":1}`).Status(201).Happened("lead.created")
		c.Patch(leads+"1/", `{"stage":2}`).Status(200).Happened("lead.moved")
		c.Patch(leads+"1/", `{"stage":2}`).Status(200).Happened()
		c.Patch(leads+"1/", `{"stage":3}`).Status(400).Happened() // it wants a reason
		c.Patch(leads+"1/", `{"stage":3,"cancel_reason":"Too dear"}`).Status(200).Happened("lead.updated", "lead.moved")
		c.Patch(leads+"1/", `{"price":5,"client":null}`).Status(200).Happened("lead.updated")
		c.Patch(leads+"1/", `{"stage":4,"funnel":2,"cancel_reason":"Too dear"}`).Status(200).Happened("lead.moved")
		c.Delete(leads + "1/").Status(204).Happened("lead.deleted")
	},
		`lead.created lead:1 [client:1] {}`,
		`lead.moved lead:1 [client:1] {"from":1,"to":2,"funnel":1}`,
		`lead.updated lead:1 [client:1] {"fields":["cancel_reason"]}`,
		`lead.moved lead:1 [client:1] {"from":2,"to":3,"funnel":1}`,
		`lead.updated lead:1 [client:1] {"fields":["client","price"]}`,
		`lead.moved lead:1 [] {"from":3,"to":4,"funnel":2}`,
		`lead.deleted lead:1 [] {}`,
	)
}
