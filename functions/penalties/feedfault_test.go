package penalties_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// TestCostOfFeed holds a feed of 500 new rows to its bounds, and the same rows again to none.
func TestCostOfFeed(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	feed := api.As(webtest.Feed(4, 1)).With("Idempotency-Key", "k")
	body := several(500, "1")
	begun := time.Now()
	made := feed.Post(list, body).Status(200).Field("499.status", `"created"`)
	t.Log("500 new rows: ", time.Since(begun), made.Cost())
	// A row takes 8 units: 2 each for the record, its history and its outer_id, 1 each for its entry in the index of changes and
	// for its place, by which its car finds it.
	// A call and a unit of each request are for the count of what the feed has sent.
	made.Calls(37).Units(520, 8.5*500)
	c.Get(list).Field("count", "500")

	begun = time.Now()
	same := feed.With("Idempotency-Key", "").Post(list, body).Status(200).Writes(1).Field("499.status", `"unchanged"`)
	t.Log("the same rows: ", time.Since(begun), same.Cost())
	same.Calls(12)

	begun = time.Now()
	changed := feed.With("Idempotency-Key", "").Post(list, strings.ReplaceAll(body, "19660.00", "9830.00")).Status(200).Field("0.status", `"updated"`)
	t.Log("all rows changed: ", time.Since(begun), changed.Cost())
	changed.Calls(38)
	whole(t, api)
}

// TestCostOfOne says what single penalties cost.
func TestCostOfOne(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	feed := api.As(webtest.Feed(4, 1))
	one := strings.Trim(several(1, "1"), "[]")
	// A read unit and a call are for the tech passport, and a write unit and a call for the count of what the feed has sent. What a row takes, its number, its counter, and the message to metrics.
	feed.Post(list, one).Status(201).Calls(5).Units(4, 15)
	feed.Post(list, one).Status(200).Calls(3).Units(4, 1)
	feed.Post(list, strings.Replace(one, "19660", "9830", 1)).Status(200).Calls(4).Units(4, 15)
	put := c.Put(list+"1/", `{"protocol_number":"KZ1","violation_time":"10:00","noted":true,"state":1}`).Status(200)
	t.Log("PUT: ", put.Cost())
	put.Calls(4).Units(4, 14)
}

// mortal is a table behind a process that can be made to die.
func mortal(t *testing.T) (*webtest.API, *process, *tabletest.World) {
	t.Helper()
	var world *tabletest.World
	p := &process{}
	api, _ := newAPI(t, webtest.Setup{Table: func(engine dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
		world = tabletest.NewWorld(engine, tabletest.Faults{})
		p.DynamoDBAPI = world.Client(0)
		return p
	}})
	return api, p, world
}

// process is the client of the process that runs now.
type process struct{ dynamodbiface.DynamoDBAPI }

// TestAFeedThatIsKilled: wherever a feed is killed, what is stored is whole, and the same feed again ends it.
func TestAFeedThatIsKilled(t *testing.T) {
	api, p, world := mortal(t)
	const rows = 45 // three transactions
	for round, call := 0, 1; ; call++ {
		for _, after := range []bool{false, true} {
			round++
			client := world.Client(uint64(round))
			client.DieAt(call, after)
			body := several(rows, fmt.Sprint(round))
			p.DynamoDBAPI = client
			code := api.As(webtest.Feed(4, 1)).Post(list, body).Code()
			died := client.Crashed()
			p.DynamoDBAPI = world.Client(0)
			if code != 200 && !died {
				t.Fatalf("call %d: %d", call, code)
			}
			whole(t, api)
			again := api.As(webtest.Feed(4, 1)).Post(list, body).Status(200)
			states := map[string]int{}
			for i := range rows {
				states[again.Text(fmt.Sprintf("%d.status", i))]++
			}
			if states["created"]+states["unchanged"] != rows || states["created"]%20 != 0 && states["created"]%20 != 5 {
				t.Errorf("call %d, after %t: %v", call, after, states)
			}
			api.As(webtest.Employee(1)).Get(list).Field("count", fmt.Sprint(round*rows))
			whole(t, api)
			if !died {
				if call < 6 {
					t.Errorf("%d calls", call)
				}
				return
			}
		}
	}
}

// TestLostAnswers: a feed whose transactions are carried out, and whose answers are lost, is answered as if they
// were not.
func TestLostAnswers(t *testing.T) {
	for _, happen := range []bool{true, false} {
		t.Run(fmt.Sprint(happen), func(t *testing.T) {
			api, p, world := mortal(t)
			client := world.Client(1)
			client.Deafen(happen)
			p.DynamoDBAPI = client
			code := api.As(webtest.Feed(4, 1)).Post(list, several(45, "1")).Code()
			one := api.As(webtest.Feed(4, 1)).Post(list, `{"outer_id":1,"protocol_number":"KZ1"}`).Code()
			p.DynamoDBAPI = world.Client(0)
			want, count := 200, "46"
			if !happen {
				want, count = 503, "0"
			}
			if code != want || one != map[bool]int{true: 201, false: 503}[happen] {
				t.Errorf("%d and %d", code, one)
			}
			api.As(webtest.Employee(1)).Get(list).Field("count", count)
			whole(t, api)
		})
	}
}

// contended is a setup with locks as AWS has them.
func contended() webtest.Setup {
	return webtest.Setup{Table: func(engine dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
		return tabletest.Wrap(engine, tabletest.Locks(), 1)
	}}
}

// TestTwoFeeds: of feeds that send the same new rows at the same moment each row becomes one penalty; and what the
// staff changes meanwhile is not lost.
func TestTwoFeeds(t *testing.T) {
	api, c := newAPI(t, contended())
	feed := api.As(webtest.Feed(4, 1))
	var wait sync.WaitGroup
	for n := range 4 {
		wait.Go(func() {
			if got := feed.Post(list, several(45, "1")); got.Code() != 200 || strings.Contains(string(got.Body()), `"refused"`) {
				t.Errorf("feed %d: %d %s", n, got.Code(), got.Body())
			}
		})
		wait.Go(func() {
			if got := feed.Post(list, `{"outer_id":7,"protocol_number":"KZ7"}`); got.Code() != 200 && got.Code() != 201 {
				t.Errorf("one %d: %d %s", n, got.Code(), got.Body())
			}
		})
	}
	wait.Wait()
	c.Get(list).Field("count", "46")
	whole(t, api)

	// The registry changes the amounts while the staff notes each penalty.
	wait.Go(func() {
		feed.Post(list, strings.ReplaceAll(several(45, "1"), "19660.00", "9830.00")).Status(200)
	})
	wait.Go(func() {
		for _, id := range c.Get(list + "?pageSize=100").Value("results").([]any) {
			c.Patch(fmt.Sprintf("%s%v/", list, id.(map[string]any)["id"]), `{"noted":true}`).Status(200)
		}
	})
	wait.Wait()
	c.Get(list+"?noted=true").Field("count", "46")
	c.Get(list+"?amount__lte=9830").Field("count", "45")
	feed.Post(list, several(45, "1")).Status(200)
	c.Get(list+"?noted=true").Field("count", "46")
	whole(t, api)
}
