package documents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/infra/presstest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// canned answers queries as the engine has answered them before, so that what
// is measured is our own time.
type canned struct {
	dynamodbiface.DynamoDBAPI
	recording bool
	answers   []*dynamodb.QueryOutput
	next      int
}

func (c *canned) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if !c.recording {
		c.next++
		return c.answers[(c.next-1)%len(c.answers)], nil
	}
	out, err := c.DynamoDBAPI.Query(ctx, in, o...)
	c.answers = append(c.answers, out)
	return out, err
}

// BenchmarkList is a list of 20 documents with a file and a link each, from the
// gateway's event to its answer, without the engine's time. Its bound is 150 µs.
func BenchmarkList(b *testing.B) {
	engine := &canned{}
	api := webtest.Setup{
		Change: presstest.Pressing(b),
		Table: func(next dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
			engine.DynamoDBAPI = next
			return engine
		},
	}.New(b, documents.New)
	c := api.As(webtest.Employee(1))
	c.Post(all, `{"name":"Договор"}`).Status(201)
	for i := range 99 {
		c.Post(all, map[string]any{
			"name": fmt.Sprintf("Договор аренды автомобиля № %d", i+1), "content": "<p>Договор</p>",
			"content_type": "Document", "object_id": 1,
		}).Status(201)
	}
	engine.recording = true
	c.Get(all+"?pageSize=20").Status(200).Field("count", "100")
	engine.recording = false
	event, err := json.Marshal(c.Event("GET", all+"?pageSize=20", nil))
	if err != nil {
		b.Fatal(err)
	}
	env := api.Env
	env.Table, env.Log = table.Open(engine, "t"), discard{}
	server := env.Server(documents.New(env))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := server.Invoke(context.Background(), event); err != nil {
			b.Fatal(err)
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
