package finance_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// Transactions and exchanges say for themselves what becomes of them, and which accounts, orders and clients they concern.
func TestEventsOfFinance(t *testing.T) {
	api := newAPI(t, webtest.Setup{})
	c := api.As(webtest.Manager(1))
	c.Post("/v1/crm/clients/", `{"name":"Ann"}`).Status(201)
	now := func() *webtest.Client { // each at a moment of its own, which orders the events
		api.Clock.Step(time.Second)
		return c
	}
	api.Left(1, func() {
		now().Post(accountsPath, `{"name":"Desk"}`).Status(201).Happened("account.created")
		now().Post(accountsPath, `{"name":"Safe"}`).Status(201).Happened("account.created")
		now().Post(transactionsPath, `{"account":1,"amount":"50.5","client":1}`).Status(201).Happened("transaction.created")
		now().Patch(transactionsPath+"1/", `{"account":2,"comment":"Rent"}`).Status(200).Happened("transaction.updated")
		now().Delete(transactionsPath + "1/").Status(204).Happened("transaction.deleted")
		now().Post(exchangesPath, `{"from":1,"to":2,"amount":1}`).Status(201).
			Happened("exchange.created", "transaction.created", "transaction.created")
		now().Delete(exchangesPath+"1/").Status(204).Happened("exchange.deleted", "transaction.deleted", "transaction.deleted")
	},
		`account.created account:1 [] {}`,
		`account.created account:2 [] {}`,
		`transaction.created transaction:1 [client:1 account:1] {}`,
		`transaction.updated transaction:1 [client:1 account:2 account:1] {"fields":["account","comment"]}`,
		`transaction.deleted transaction:1 [client:1 account:2] {}`,
		`exchange.created exchange:1 [account:1 account:2] {}`,
		`transaction.created transaction:2 [account:1] {}`,
		`transaction.created transaction:3 [account:2] {}`,
		`exchange.deleted exchange:1 [account:1 account:2] {}`,
		`transaction.deleted transaction:2 [account:1] {}`,
		`transaction.deleted transaction:3 [account:2] {}`,
	)
}
