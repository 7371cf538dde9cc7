package clients_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// Clients say for themselves what becomes of them. An import is one event, with the range of its ids, beside those of what it also makes.
func TestEventsOfClients(t *testing.T) {
	api := webtest.New(t, clients.New)
	c := api.As(webtest.Employee(1))
	now := func() *webtest.Client { // each at a moment of its own, which orders the events
		api.Clock.Step(time.Second)
		return c
	}
	api.Left(1, func() {
		now().Post(all, `{"name":"Before"}`).Status(201).Happened("client.created")
		now().Patch(all+"1/", `{"name":"Ann","individual":{"iin":"850515300016"},"extra":{"size":"L"}}`).Status(200).Happened("client.updated")
		now().Patch(all+"1/", `{"name":"Ann"}`).Status(200).Happened()
		now().Post(individuals, `{"data":[{"name":"Bob","attraction_method":"Instagram"},{"name":"Eve"},{"name":"Dan"}]}`).Status(201).
			Happened("attraction_method.created", "client.imported")
		now().Post(individuals, `{"data":[{"name":"Ann","iin":"850515300016"}]}`).Writes(1).Status(400).Happened()
		now().Delete(all + "1/").Status(204).Happened("client.deleted")
	},
		`client.created client:1 [] {}`,
		`client.updated client:1 [] {"fields":["extra.size","individual.iin","name"]}`,
		`attraction_method.created attraction_method:1 [] {}`,
		`client.imported client:10 [] {"first_id":10,"last_id":12,"count":3}`,
		`client.deleted client:1 [] {}`,
	)
}
