package finance_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/finance"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	accountsPath     = "/v1/finances/accounts/"
	transactionsPath = "/v1/finances/transactions/"
	exchangesPath    = "/v1/finances/exchanges/"
	refundsPath      = "/v1/finances/refunds/"
)

// newAPI serves finance and clients to two companies in Almaty, which is five hours ahead of UTC.
func newAPI(t *testing.T, s webtest.Setup) *webtest.API {
	t.Helper()
	api := s.New(t, finance.New, clients.New)
	inZone(t, api, "Asia/Almaty")
	return api
}

// inZone gives both companies a time zone.
func inZone(t *testing.T, api *webtest.API, zone string) {
	t.Helper()
	for id := int64(1); id <= 2; id++ {
		of := table.Of(api.Env.Table, tenant.ID(id))
		put := of.Put(company.Company{Item: table.At(of.Company(), company.Version), ID: id, TimeZone: zone})
		if err := table.Retry(t.Context(), func() error { return put.Run(t.Context()) }); err != nil {
			t.Fatal(err)
		}
	}
}

// account makes an account and gives its path.
func account(c *webtest.Client, body string) (path string) {
	return fmt.Sprintf("%s%d/", accountsPath, c.Post(accountsPath, body).Status(201).Int("id"))
}

// post posts an amount into an account and gives the path of the transaction.
func post(c *webtest.Client, account int64, amount string) (path string) {
	return fmt.Sprintf("%s%d/", transactionsPath, c.Post(transactionsPath, fmt.Sprintf(`{"account":%d,"amount":%q}`, account, amount)).Status(201).Int("id"))
}

// TestAccounts follows accounts through their lives.
func TestAccounts(t *testing.T) {
	api := newAPI(t, webtest.Setup{})
	c := api.As(webtest.Manager(1))
	c.Get(accountsPath).Status(200).JSON(`[]`)
	c.Post(accountsPath, `{"name":" Cash desk ","balance":"7","initial":1000.5,"types":[3,"9223372036854775807",-1],"order":-2147483648,"deleted":true,"tenant":1}`).
		Status(201).Header("ETag", `"1"`).Header("Location", webtest.BaseURL+accountsPath+"1/").JSON(`{
		"id":1,"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z","name":"Cash desk","balance":"1000.50","deleted":false,
		"deleted_at":null,"default":true,"initial":"1000.50","types":[3,9223372036854775807,-1],"order":-2147483648,"tenant":1}`)
	c.Get(accountsPath+"1/").Status(200).Field("balance", `"1000.50"`).Field("default", "true").Calls(1).Units(3, 0)
	c.Post(accountsPath, `{"name":"Bank"}`).Status(201).JSON(`{
		"id":2,"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z","name":"Bank","balance":"0.00","deleted":false,
		"deleted_at":null,"default":false,"initial":"0.00","types":[],"order":0,"tenant":1}`)
	c.Post(accountsPath, `{"name":"Safe","default":true,"order":-1}`).Status(201).Field("default", "true")
	list := c.Get(accountsPath).Status(200).Calls(2)
	for i, want := range []string{"1", "3", "2"} {
		list.Field(fmt.Sprintf("%d.id", i), want).Field(fmt.Sprintf("%d.default", i), fmt.Sprint(want == "3"))
	}

	// The default account moves, is not unset, and goes last.
	c.Patch(accountsPath+"3/", `{"default":false}`).Status(400).JSON(`{"default":["Make another account the default instead."]}`)
	c.Patch(accountsPath+"2/", `{"default":false}`).Status(200).Header("ETag", `"1"`).Writes(0)
	c.Patch(accountsPath+"2/", `{"default":true}`).Status(200).Field("default", "true").Header("ETag", `"2"`).Writes(3)
	c.Get(accountsPath+"3/").Field("default", "false")
	c.Get(accountsPath+"2/").Field("default", "true")
	c.Patch(accountsPath+"2/", `{"default":true}`).Status(200).Writes(0)
	c.Delete(accountsPath+"2/").Status(409).Field("code", `"default"`)
	c.Delete(accountsPath + "3/").Status(204)

	// The initial amount moves the balance by the difference.
	post(c.In(t), 2, "250.25")
	c.Patch(accountsPath+"2/", `{"initial":"-100"}`).Status(200).Field("balance", `"150.25"`).Field("initial", `"-100.00"`)
	c.Get(accountsPath+"2/").Field("balance", `"150.25"`)

	// What has transactions stays.
	c.Delete(accountsPath + "1/").Status(204)
	c.Delete(accountsPath+"2/").Status(409).Field("code", `"held"`).Field("held_by", `{"transaction":1}`)
	c.Delete(transactionsPath + "1/").Status(204)
	c.Delete(accountsPath + "2/").Status(204)
	c.Get(accountsPath).Status(200).JSON(`[]`)
	c.Post(accountsPath, `{"name":"New","default":false}`).Status(201).Field("id", "4").Field("default", "true")
}

func TestRefusedAccounts(t *testing.T) {
	api := newAPI(t, webtest.Setup{})
	c := api.As(webtest.Manager(1))
	c.Post(accountsPath, `{"name":"First"}`).Status(201)
	many := "0"
	for range 100 {
		many += ",0"
	}
	for body, want := range map[string]string{
		`{}`:                                     `{"name":["This field is required."]}`,
		`{"name":""}`:                            `{"name":["This field may not be blank."]}`,
		`{"name":"a","default":null}`:            `{"default":["This field may not be null."]}`,
		`{"name":"a","initial":"1.234"}`:         `{"initial":["Ensure that there are no more than 2 decimal places."]}`,
		`{"name":"a","initial":"1e3"}`:           `{"initial":["A valid number is required."]}`,
		`{"name":"a","initial":100000000000000}`: `{"initial":["Ensure that there are no more than 14 digits before the decimal point."]}`,

		`{"name":"a","types":[1,"x",9223372036854775808]}`: `{"types":{"1":["A valid integer is required."],"2":["<any>"]}}`,
		`{"name":"a","types":5}`:                           `{"types":["Expected a list of items but got type \"int\"."]}`,
		`{"name":"a","types":[` + many + `]}`:              `{"types":["Ensure this field has no more than 100 elements."]}`,
		`{"name":"a","order":2147483648}`:                  `{"order":["Ensure this value is less than or equal to 2147483647."]}`,
		`{"name":"a","tenant":2}`:                          `{"tenant":["Invalid pk \"2\" - object does not exist."]}`,
	} {
		c.Post(accountsPath, body).Status(400).JSON(want)
	}
	api.As(webtest.Employee(1)).Post(accountsPath, `{"name":"a"}`).Status(403)
	for _, path := range []string{accountsPath, accountsPath + "1/", accountsPath + "1/statement/", transactionsPath, exchangesPath} {
		api.As(webtest.Employee(1)).Get(path).Status(403)
	}
	c.Post(accountsPath, `{"name":"a","initial":"-0"}`).Status(201).Field("initial", `"0.00"`).Field("balance", `"0.00"`)
}

// TestTransactions follows a transaction through its life, with the balances that it makes.
func TestTransactions(t *testing.T) {
	api := newAPI(t, webtest.Setup{})
	c := api.As(webtest.Manager(1))
	cash, bank := account(c, `{"name":"Cash","initial":"100"}`), account(c, `{"name":"Bank","types":[7,8]}`)
	c.Post("/v1/crm/clients/", `{"name":"Ann"}`).Status(201)
	made := c.Post(transactionsPath, `{"account":1,"amount":"50.5","client":1,"comment":"Rent","kind":"payment","refunded":"9"}`).
		Status(201).Header("Location", webtest.BaseURL+transactionsPath+"1/").JSON(`{
		"id":1,"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z","account":1,"amount":"50.50","type":null,"date":"2026-03-02T09:30:00Z",
		"day":"2026-03-02","request":null,"client":1,"comment":"Rent","kind":"plain","refunded":"0.00","refund_of":null,"exchange":null,"tenant":1}`)
	// The record, its counter, its number, the audit record, the sums, the month.
	made.Calls(3).Units(3, 14).Writes(6)
	c.Get(cash).Field("balance", `"150.50"`)
	c.Post(transactionsPath, `{"account":1,"amount":-20}`).Status(201).Calls(3).Units(3, 14)
	c.Get(cash).Field("balance", `"130.50"`)

	// It moves to another account and another day, and grows.
	c.Patch(transactionsPath+"1/", `{"account":2}`).Status(400).JSON(`{"type":["This field is required."]}`)
	c.Patch(transactionsPath+"1/", `{"account":2,"type":9}`).Status(400).JSON(`{"type":["\"9\" is not a valid choice."]}`)
	c.Patch(transactionsPath+"1/", `{"account":2,"type":7,"amount":"60","date":"2026-02-27T23:59:59"}`).Status(200).Calls(4). // one for the zone of the date
																	Field("date", `"2026-02-27T18:59:59Z"`).Field("day", `"2026-02-27"`).Field("amount", `"60.00"`)
	c.Get(cash).Field("balance", `"80.00"`)
	c.Get(bank).Field("balance", `"60.00"`)
	c.Patch(bank, `{"types":[8]}`).Status(200)
	c.Patch(transactionsPath+"1/", `{"comment":"Deposit"}`).Status(200).Field("type", "7").Writes(2) // it keeps a type that its account had
	c.Put(transactionsPath+"1/", `{"account":2,"amount":"60","type":8}`).Status(200).Field("comment", `"Deposit"`).Field("client", "1")

	// Filters and orders.
	for query, want := range map[string]string{
		"": "2 1", "account=2": "1", "type=8": "1", "type=7": "", "client=1": "1", "date__gte=2026-03-02": "2", "date__lte=2026-02-27": "1", "kind=plain": "2 1",
		"kind=refund": "", "ordering=date": "1 2", "ordering=-amount": "1 2", "ordering=amount": "2 1", "search=depo": "1", "request=1": "",
	} {
		page := c.Get(transactionsPath + "?" + query).Status(200)
		got := ""
		for i := range page.Int("count") {
			if got != "" {
				got += " "
			}
			got += fmt.Sprint(page.Int(fmt.Sprintf("results.%d.id", i)))
		}
		if got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	c.Get(transactionsPath + "?kind=gift").Status(400).JSON(`{"kind":["\"gift\" is not a valid choice."]}`)

	c.Delete(transactionsPath + "1/").Status(204).Calls(3)
	c.Get(bank).Field("balance", `"0.00"`)
	c.Get(transactionsPath + "1/").Status(404)
}

func TestRefusedTransactions(t *testing.T) {
	api := newAPI(t, webtest.Setup{})
	c := api.As(webtest.Manager(1))
	account(c, `{"name":"Cash"}`)
	account(api.As(webtest.Manager(2)), `{"name":"Theirs"}`)
	account(api.As(webtest.Manager(2)), `{"name":"Theirs too"}`)
	api.As(webtest.Manager(2)).Post("/v1/crm/clients/", `{"name":"Theirs"}`).Status(201)
	none := func(field, id string) string {
		return fmt.Sprintf(`{%q:["Invalid pk \"%s\" - object does not exist."]}`, field, id)
	}
	for body, want := range map[string]string{
		`{}`:                                                     `{"account":["This field is required."],"amount":["This field is required."]}`,
		`{"account":2,"amount":5}`:                               none("account", "2"),
		`{"account":-1,"amount":5}`:                              none("account", "-1"),
		`{"account":1,"amount":5,"client":1}`:                    none("client", "1"),
		`{"account":1,"amount":5,"request":1}`:                   none("request", "1"),
		`{"account":1,"amount":0}`:                               `{"amount":["Ensure this value is not 0."]}`,
		`{"account":1,"amount":"-0.00"}`:                         `{"amount":["Ensure this value is not 0."]}`,
		`{"account":1,"amount":"0.001"}`:                         `{"amount":["Ensure that there are no more than 2 decimal places."]}`,
		`{"account":1,"amount":"1e5"}`:                           `{"amount":["A valid number is required."]}`,
		`{"account":1,"amount":"100000000000000"}`:               `{"amount":["Ensure that there are no more than 14 digits before the decimal point."]}`,
		`{"account":1,"amount":5,"type":1}`:                      `{"type":["\"1\" is not a valid choice."]}`,
		`{"account":1,"amount":5,"date":"2026-03-02"}`:           `{"date":["<any>"]}`,
		`{"account":1,"amount":5,"date":null}`:                   `{"date":["This field may not be null."]}`,
		`{"account":1,"amount":5,"date":"0001-01-01T00:00:00Z"}`: `{"date":["Ensure this value is between 1900-01-02 and 2999-12-30."]}`,
		`{"account":9,"amount":0,"client":1,"date":"9999-01-01T00:00:00Z"}`: `{"account":["Invalid pk \"9\" - object does not exist."],"amount":["Ensure this value is not 0."],
			"client":["Invalid pk \"1\" - object does not exist."],"date":["<any>"]}`,
	} {
		c.Post(transactionsPath, body).Status(400).JSON(want)
	}
	post(c, 1, "99999999999999.99")
	c.Post(transactionsPath, `{"account":1,"amount":"0.01"}`).Writes(1).Status(409).Field("code", `"sum_too_large"`)
	c.Patch(transactionsPath+"1/", `{"account":2}`).Status(400).JSON(none("account", "2"))
	c.Patch(transactionsPath+"1/", `{"amount":"-0"}`).Status(400)
	for path, body := range map[string]string{exchangesPath: `{"from":1,"to":2,"amount":1}`, refundsPath: `{"transaction":2,"amount":1}`} {
		c.Post(path, body).Status(400).NotContain("Theirs")
	}
	two := api.As(webtest.Manager(2))
	two.Post(refundsPath, `{"transaction":1,"amount":1}`).Status(400).JSON(none("transaction", "1"))
	two.Get(transactionsPath + "1/").Status(404)
	two.Delete(transactionsPath + "1/").Status(404)
	two.Get(accountsPath+"1/statement/").Status(200).Field("count", "0")
	two.Get(accountsPath + "3/statement/").Status(404)
}

// TestAhead: what is dated ahead enters the balance when its time comes, by itself.
func TestAhead(t *testing.T) {
	api := newAPI(t, webtest.Setup{})
	c := api.As(webtest.Manager(1))
	cash := account(c, `{"name":"Cash","initial":"10"}`)
	c.Post(transactionsPath, `{"account":1,"amount":"5","date":"2026-03-02T09:30:01Z"}`).Status(201).Calls(3)
	c.Post(transactionsPath, `{"account":1,"amount":"-7","date":"2026-03-03T00:00:00Z"}`).Status(201)
	c.Get(cash).Field("balance", `"10.00"`)
	api.Clock.Step(time.Second)
	c.Get(cash).Field("balance", `"15.00"`).Calls(1)
	c.Get(accountsPath).Field("0.balance", `"15.00"`)
	c.Patch(transactionsPath+"2/", `{"amount":"-8"}`).Status(200)
	c.Get(cash).Field("balance", `"15.00"`)
	c.Patch(transactionsPath+"2/", `{"date":"2026-03-01T00:00:00Z"}`).Status(200)
	c.Get(cash).Field("balance", `"7.00"`)
	c.Patch(transactionsPath+"1/", `{"date":"2026-03-09T00:00:00Z"}`).Status(200)
	c.Get(cash).Field("balance", `"2.00"`)
	api.Clock.Step(30 * 24 * time.Hour)
	c.Delete(transactionsPath + "1/").Status(204)
	c.Get(cash).Field("balance", `"2.00"`)

	for range 100 {
		c.Post(transactionsPath, `{"account":1,"amount":"1","date":"2027-01-01T00:00:00Z"}`).Status(201)
	}
	c.Post(transactionsPath, `{"account":1,"amount":"1","date":"2027-01-01T00:00:00Z"}`).Writes(1).Status(400). // its number
															JSON(`{"date":["An account can have at most 100 postings that are dated ahead."]}`)
	c.Get(cash).Field("balance", `"2.00"`)
	api.Clock.Step(365 * 24 * time.Hour)
	c.Get(cash).Field("balance", `"102.00"`)
	c.Post(transactionsPath, `{"account":1,"amount":"1","date":"2028-01-01T00:00:00Z"}`).Status(201)
	c.Get(cash).Field("balance", `"102.00"`)
}

// A refund has the client of what it refunds, who may be gone.
func TestRefundOfAClientWhoIsGone(t *testing.T) {
	api := newAPI(t, webtest.Setup{})
	c := api.As(webtest.Manager(1))
	account(c, `{"name":"Cash"}`)
	c.Post("/v1/crm/clients/", `{"name":"Assel"}`).Status(201)
	c.Post(transactionsPath, `{"account":1,"amount":"100","client":1}`).Status(201)
	c.Delete("/v1/crm/clients/1/").Status(204)
	c.Post(transactionsPath, `{"account":1,"amount":"100","client":1}`).Status(400).JSON(`{"client":["Invalid pk \"1\" - object does not exist."]}`)
	c.Post(refundsPath, `{"transaction":1,"amount":"30"}`).Status(201).Field("client", "1")
	c.Patch(transactionsPath+"2/", `{"amount":"-40"}`).Status(200)
}

// TestRefunds: what is refunded is never more than what is left.
func TestRefunds(t *testing.T) {
	api := newAPI(t, webtest.Setup{})
	c := api.As(webtest.Manager(1))
	cash := account(c, `{"name":"Cash","types":[4]}`)
	c.Post(transactionsPath, `{"account":1,"amount":"100","type":4}`).Status(201)
	c.Post(refundsPath, `{"transaction":1,"amount":"30","comment":"Late"}`).Status(201).Header("Location", webtest.BaseURL+transactionsPath+"2/").JSON(`{
		"id":2,"created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z","account":1,"amount":"-30.00","type":4,"date":"2026-03-02T09:30:00Z",
		"day":"2026-03-02","request":null,"client":null,"comment":"Late","kind":"refund","refunded":"0.00","refund_of":1,"exchange":null,"tenant":1}`)
	c.Get(transactionsPath+"1/").Field("refunded", `"30.00"`)
	c.Get(cash).Field("balance", `"70.00"`)
	for body, want := range map[string]string{
		`{}`:                                 `{"amount":["This field is required."],"transaction":["This field is required."]}`,
		`{"transaction":1,"amount":"70.01"}`: `{"amount":["At most 70.00 is left to refund."]}`,
		`{"transaction":1,"amount":"0"}`:     `{"amount":["Ensure this value is greater than 0."]}`,
		`{"transaction":1,"amount":"-5"}`:    `{"amount":["Ensure this value is greater than 0."]}`,
		`{"transaction":2,"amount":"5"}`:     `{"transaction":["A refund can't be refunded."]}`,
		`{"transaction":7,"amount":"5"}`:     `{"transaction":["Invalid pk \"7\" - object does not exist."]}`,
	} {
		c.Post(refundsPath, body).Status(400).JSON(want)
	}
	c.Delete(transactionsPath+"1/").Status(409).Field("code", `"refunded"`)
	c.Patch(transactionsPath+"1/", `{"amount":"29.99"}`).Status(400).JSON(`{"amount":["30.00 of this was refunded."]}`)
	c.Patch(transactionsPath+"1/", `{"amount":"-100"}`).Status(400)
	c.Patch(transactionsPath+"2/", `{"amount":"-100.01"}`).Status(400).JSON(`{"amount":["At most 100.00 is left to refund."]}`)
	c.Patch(transactionsPath+"2/", `{"amount":"5"}`).Status(400).JSON(`{"amount":["A refund has the opposite sign of what it refunds."]}`)
	account(c, `{"name":"Bank"}`)
	for _, id := range []string{"1/", "2/"} {
		c.Patch(transactionsPath+id, `{"account":2,"type":null}`).Status(400).JSON(`{"account":["A refund stays in the account of what it refunds."]}`)
	}
	c.Patch(transactionsPath+"2/", `{"amount":"-40"}`).Status(200)
	c.Get(transactionsPath+"1/").Field("refunded", `"40.00"`)
	c.Get(cash).Field("balance", `"60.00"`)
	c.Patch(transactionsPath+"1/", `{"amount":"40"}`).Status(200)
	c.Delete(transactionsPath + "2/").Status(204)
	c.Get(transactionsPath+"1/").Field("refunded", `"0.00"`)
	c.Delete(transactionsPath + "1/").Status(204)
	c.Get(cash).Field("balance", `"0.00"`)

	// What went out is refunded by what comes in.
	c.Post(transactionsPath, `{"account":1,"amount":"-10","type":4}`).Status(201)
	c.Post(refundsPath, `{"transaction":3,"amount":"10","date":"2026-03-01T00:00:00Z"}`).Status(201).Field("amount", `"10.00"`)
	c.With("Idempotency-Key", "once").Post(refundsPath, `{"transaction":3,"amount":"10"}`).Status(400)
}

// TestExchanges: an exchange is two transactions, which come and go with it.
func TestExchanges(t *testing.T) {
	api := newAPI(t, webtest.Setup{})
	c := api.As(webtest.Manager(1))
	cash, bank := account(c, `{"name":"Cash","types":[4]}`), account(c, `{"name":"Bank"}`)
	c.Post(exchangesPath, `{"from":1,"to":2,"amount":"25","comment":"To the bank"}`).Status(201).Calls(4).JSON(`{
		"id":1,"created_at":"2026-03-02T09:30:00Z","from":1,"to":2,"amount":"25.00","date":"2026-03-02T09:30:00Z","comment":"To the bank",
		"transaction_from":1,"transaction_to":2,"tenant":1}`)
	c.Get(cash).Field("balance", `"-25.00"`)
	c.Get(bank).Field("balance", `"25.00"`)
	c.Get(transactionsPath+"1/").Field("kind", `"exchange"`).Field("exchange", "1").Field("amount", `"-25.00"`)
	for _, id := range []string{"1/", "2/"} {
		c.Patch(transactionsPath+id, `{"comment":"x"}`).Status(409).Field("code", `"owned"`)
		c.Delete(transactionsPath+id).Status(409).Field("code", `"owned"`)
	}
	c.Post(refundsPath, `{"transaction":2,"amount":"5"}`).Status(409).Field("code", `"owned"`)
	for body, want := range map[string]string{
		`{}`:                            `{"amount":["This field is required."],"from":["This field is required."],"to":["This field is required."]}`,
		`{"from":1,"to":1,"amount":5}`:  `{"to":["This is the account that the amount comes from."]}`,
		`{"from":1,"to":9,"amount":5}`:  `{"to":["Invalid pk \"9\" - object does not exist."]}`,
		`{"from":8,"to":9,"amount":-5}`: `{"amount":["Ensure this value is greater than 0."],"from":["Invalid pk \"8\" - object does not exist."],"to":["Invalid pk \"9\" - object does not exist."]}`,
	} {
		c.Post(exchangesPath, body).Status(400).JSON(want)
	}
	c.Get(exchangesPath+"?from=1&date__gte=2026-03-02").Status(200).Field("count", "1").Field("results.0.id", "1")
	c.Get(exchangesPath+"?from=2").Status(200).Field("count", "0")
	c.Patch(exchangesPath+"1/", `{"amount":1}`).Status(405)
	c.Delete(exchangesPath + "1/").Status(204)
	c.Get(exchangesPath + "1/").Status(404)
	c.Get(transactionsPath).Field("count", "0")
	c.Get(cash).Field("balance", `"0.00"`)
	c.Get(bank).Field("balance", `"0.00"`)
	c.Delete(bank).Status(204)
}
