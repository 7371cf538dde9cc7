package orders_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// meanwhile is an engine before whose next batch of reads something else happens, once.
type meanwhile struct {
	dynamodbiface.DynamoDBAPI
	mu sync.Mutex
	do func()
}

func (m *meanwhile) BatchGetItem(
	ctx context.Context, in *dynamodb.BatchGetItemInput, opts ...func(*dynamodb.Options),
) (*dynamodb.BatchGetItemOutput, error) {
	m.mu.Lock()
	do := m.do
	m.do = nil
	m.mu.Unlock()
	if do != nil {
		do()
	}
	return m.DynamoDBAPI.BatchGetItem(ctx, in, opts...)
}

// A line goes, or moves, after the order was read and before its lines are: whatever the request is, it
// is decided by what is there, and shows nothing that was never so.
func TestLinesThatGoMeanwhile(t *testing.T) {
	get := func(c *webtest.Client) *webtest.Answer { return c.Get(requests + "1/") }
	for _, tt := range []struct {
		name      string
		meanwhile func(c *webtest.Client)
		do        func(c *webtest.Client) *webtest.Answer
		status    int
	}{
		{"reading", func(c *webtest.Client) { c.Delete(lines + "2/").Status(204) }, get, 200},
		{"reading, a service", func(c *webtest.Client) { c.Delete("/v1/crm/requests/services/1/").Status(204) }, get, 200},
		{
			"reading, and it moves", func(c *webtest.Client) { c.Patch(lines+"2/", `{"end_at":"2026-03-06T10:00:00Z"}`).Status(200) },
			get, 200,
		},
		{"another client", func(c *webtest.Client) { c.Delete(lines + "2/").Status(204) }, func(c *webtest.Client) *webtest.Answer {
			return c.Patch(requests+"1/", `{"client":2}`)
		}, 200},
		{"a hand-out", func(c *webtest.Client) { c.Delete(lines + "2/").Status(204) }, func(c *webtest.Client) *webtest.Answer {
			return act(c, 1, 2)
		}, 200},
		{"a payment", func(c *webtest.Client) { c.Delete(lines + "2/").Status(204) }, func(c *webtest.Client) *webtest.Answer {
			return c.Post(requests+"1/pay/", `{"amount":5}`)
		}, 200},
		{"a change of it", func(c *webtest.Client) { c.Delete(lines + "2/").Status(204) }, func(c *webtest.Client) *webtest.Answer {
			return c.Post(requests+"1/inventories/bulk_update/", `{"inventories":[{"id":2,"extra":{}}]}`)
		}, 400},
		{"its own change", func(c *webtest.Client) { c.Delete(lines + "2/").Status(204) }, func(c *webtest.Client) *webtest.Answer {
			return c.Patch(lines+"2/", `{"extra":{"a":1}}`)
		}, 404},
		{"its own change, and its order goes", func(c *webtest.Client) {
			act(c, 1, 3).Status(200)
			c.Delete(requests + "1/").Status(204)
		}, func(c *webtest.Client) *webtest.Answer {
			return c.Patch(lines+"2/", `{"end_at":"2026-03-06T10:00:00Z"}`)
		}, 404},
		{"its own end", func(c *webtest.Client) { c.Delete(lines + "2/").Status(204) }, func(c *webtest.Client) *webtest.Answer {
			return c.Delete(lines + "2/")
		}, 404},
		{"a service, and it goes", func(c *webtest.Client) {
			c.Delete("/v1/crm/requests/services/1/").Status(204)
		}, func(c *webtest.Client) *webtest.Answer {
			return c.Patch("/v1/crm/requests/services/1/", `{"count":2}`)
		}, 404},
		{"a change to what it was", func(c *webtest.Client) {
			c.Patch(lines+"2/", `{"end_at":"2026-03-06T10:00:00Z"}`).Status(200)
		}, func(c *webtest.Client) *webtest.Answer {
			return c.Patch(lines+"2/", `{"end_at":"2026-03-05T10:00:00Z"}`)
		}, 200},
		{"a cancellation", func(c *webtest.Client) { c.Delete(lines + "2/").Status(204) }, func(c *webtest.Client) *webtest.Answer {
			return act(c, 1, 3)
		}, 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name := enginetest.Table(t)
			engine := &meanwhile{DynamoDBAPI: enginetest.Client(t)}
			of := func(client dynamodbiface.DynamoDBAPI) webtest.Setup {
				return webtest.Setup{Change: func(e *app.Env) { e.Table = table.Open(client, name) }}
			}
			api, sound := newAPI(t, of(enginetest.Client(t)))
			sound.Post(clientsPath, `{"name":"Timur"}`).Status(201)
			sound.Post(requests, `{"client":1,"status":1,`+many(1, 3)+`,"services":[{"service":1}]}`).Status(201)
			c := of(engine).New(t, groups()...).As(webtest.Employee(1))
			engine.do = func() { tt.meanwhile(sound) }
			a := tt.do(c).Status(tt.status)
			if engine.do != nil {
				t.Error("nothing happened meanwhile")
			}
			if now := sound.Get(requests + "1/"); strings.HasPrefix(tt.name, "reading") && string(now.Body()) != string(a.Body()) {
				t.Errorf("it shows %s, and the order is %s", a.Body(), now.Body())
			}
			whole(t, api)
		})
	}
}
