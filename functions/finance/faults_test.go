package finance_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// contended is a setup with locks as AWS has them.
func contended() webtest.Setup {
	return webtest.Setup{Table: func(engine dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
		return tabletest.Wrap(engine, tabletest.Locks(), 1)
	}}
}

// TestSixteenAtOnce: sixteen requests at the same moment are all answered, and the balance is
// exact: of those that post, of those that refund, and of those that take an exchange back.
func TestSixteenAtOnce(t *testing.T) {
	api := newAPI(t, contended())
	c := api.As(webtest.Manager(1))
	cash := account(c, `{"name":"Cash"}`)
	account(c, `{"name":"Bank"}`)
	at := func(do func(n int) *webtest.Answer, statuses ...int) (first int64) {
		t.Helper()
		var count atomic.Int64
		var wait sync.WaitGroup
		for n := range 16 {
			wait.Go(func() {
				switch got := do(n).Code(); {
				case got == statuses[0]:
					count.Add(1)
				case len(statuses) < 2 || got != statuses[1]:
					t.Errorf("status %d", got)
				}
			})
		}
		wait.Wait()
		return count.Load()
	}
	at(func(n int) *webtest.Answer {
		return c.Post(transactionsPath, fmt.Sprintf(`{"account":1,"amount":"%d.50"}`, n))
	}, 201)
	c.Get(cash).Field("balance", `"128.00"`)
	post(c, 1, "72")
	made := at(func(int) *webtest.Answer { return c.Post(refundsPath, `{"transaction":17,"amount":"7"}`) }, 201, 400)
	if made != 10 {
		t.Errorf("%d refunds of 7.00 each of 72.00", made)
	}
	c.Get(cash).Field("balance", `"130.00"`)
	c.Get(transactionsPath+"17/").Field("refunded", `"70.00"`)
	c.Post(exchangesPath, `{"from":1,"to":2,"amount":"30"}`).Status(201)
	if gone := at(func(int) *webtest.Answer { return c.Delete(exchangesPath + "1/") }, 204, 404); gone != 1 {
		t.Errorf("an exchange was deleted %d times", gone)
	}
	c.Get(cash).Field("balance", `"130.00"`)
	c.Get(cash+"statement/").Field("closing", `"130.00"`).Field("count", "27")
}

// TestTwoDefaults: of two requests that make their accounts the default at the same moment, both
// are answered, and one account is the default.
func TestTwoDefaults(t *testing.T) {
	api := newAPI(t, contended())
	c := api.As(webtest.Manager(1))
	for range 2 {
		account(c, `{"name":"One of two"}`)
	}
	for round := range 50 {
		var wait sync.WaitGroup
		for id := range 2 {
			wait.Go(func() {
				if got := c.Put(fmt.Sprintf("%s%d/", accountsPath, id+1), `{"name":"One of two","default":true}`); got.Code() != 200 {
					t.Errorf("round %d: status %d %s", round, got.Code(), got.Body())
				}
			})
		}
		wait.Wait()
		list := c.Get(accountsPath).Status(200)
		if list.Value("0.default") == list.Value("1.default") {
			t.Fatalf("round %d: %s", round, list.Body())
		}
	}
}
