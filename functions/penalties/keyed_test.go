package penalties_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// TestAKeyedFeedThatIsKilled: wherever a feed with an Idempotency-Key is killed, it is in progress for at most a minute;
// what is sent with its key after that makes the rows that are missing, and is answered once for all.
func TestAKeyedFeedThatIsKilled(t *testing.T) {
	api, p, world := mortal(t)
	held := 0
	for round, call := 0, 1; ; call++ {
		round++
		client := world.Client(uint64(round))
		client.DieAt(call, call%2 == 0)
		p.DynamoDBAPI = client
		feed := api.As(webtest.Feed(4, 1)).With("Idempotency-Key", fmt.Sprint("key-", round))
		body := several(45, fmt.Sprint(round))
		code := feed.Post(list, body).Code()
		died := client.Crashed()
		p.DynamoDBAPI = world.Client(0)
		if code != 200 && !died {
			t.Fatalf("call %d: %d", call, code)
		}
		if again := feed.Post(list, body); again.Code() != 200 {
			again.Status(409).Field("code", `"in_progress"`)
			held++
			api.Clock.Step(time.Minute)
			feed.Post(list, body).Status(200)
		}
		first := feed.Post(list, body).Status(200).Writes(0).Header("Idempotent-Replayed", "true")
		if second := feed.Post(list, body); string(second.Body()) != string(first.Body()) {
			t.Errorf("call %d: another answer", call)
		}
		api.As(webtest.Employee(1)).Get(list).Field("count", fmt.Sprint(45*round))
		whole(t, api)
		if !died {
			if held == 0 {
				t.Error("it was never in progress")
			}
			return
		}
	}
}

// meddler lets something happen before the next read of a single item.
type meddler struct {
	dynamodbiface.DynamoDBAPI
	before func()
}

func (m *meddler) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if happen := m.before; happen != nil {
		m.before = nil
		happen()
	}
	return m.DynamoDBAPI.GetItem(ctx, in, o...)
}

// TestGoneInBetween: a penalty that is deleted after its outer_id was looked up is made anew.
func TestGoneInBetween(t *testing.T) {
	m := &meddler{}
	api, c := newAPI(t, webtest.Setup{Table: func(engine dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
		m.DynamoDBAPI = engine
		return m
	}})
	feed := api.As(webtest.Feed(4, 1))
	one := strings.Trim(several(1, "1"), "[]")
	feed.Post(list, one).Status(201).Field("id", "1")
	m.before = func() { c.Delete(list + "1/").Status(204) }
	feed.Post(list, one).Status(201).Field("id", "2")
	c.Get(list).Field("count", "1")
	whole(t, api)
}

// TestStaleReads: no feed and no change is decided on what a read that may lag shows.
func TestStaleReads(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{Table: func(engine dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
		return tabletest.Wrap(engine, tabletest.Faults{Stale: time.Hour}, 1)
	}})
	feed := api.As(webtest.Feed(4, 1))
	feed.Post(list, several(3, "1")).Status(200).Field("2.status", `"created"`)
	feed.Post(list, several(3, "1")).Status(200).Field("2.status", `"unchanged"`)
	c.Patch(list+"3/", `{"noted":true,"amount":1,"state":1}`).Status(200)
	feed.Post(list, several(4, "1")).Status(200).JSON(`[{"id":1,"outer_id":11000,"status":"unchanged","errors":{}},` +
		`{"id":2,"outer_id":11001,"status":"unchanged","errors":{}},{"id":3,"outer_id":11002,"status":"unchanged","errors":{}},` +
		`{"id":4,"outer_id":11003,"status":"created","errors":{}}]`)
	c.Get(list+"3/").Status(200).Field("noted", "true").Field("amount", `"1.00"`)
	c.Delete(list + "1/").Status(204)
	feed.Post(list, several(1, "1")).Status(200).Field("0.status", `"created"`).Field("0.id", "5")
	c.Delete(states + "1/").Status(204)
	feed.Post(list, `[{"outer_id":5,"protocol_number":"KZ5","state":1}]`).Status(200).Field("0.errors.state.0", `"Invalid pk \"1\" - object does not exist."`)
	whole(t, api)
}
