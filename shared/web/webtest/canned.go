package webtest

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"
)

// Canned answers calls as the engine has answered them before, so that a benchmark measures our own time and allocations. It is the
// Table of a Setup.
type Canned struct {
	dynamodbiface.DynamoDBAPI
	recording bool
	answers   map[string]*answers
}

// answers holds what one operation answers, in the order of the calls. After the last answer the first one comes again.
type answers struct {
	list []any
	next int
}

// Wrap makes c a client in front of the engine's.
func (c *Canned) Wrap(next dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
	c.DynamoDBAPI = next
	return c
}

// Bench measures a request to a group, from the gateway's event to its answer, whose status has to be as expected. The first time the
// engine answers it.
func (c *Canned) Bench(b *testing.B, a *API, group string, by *Client, method, path string, body any, status int) {
	b.Helper()
	event, err := json.Marshal(by.Event(method, path, body))
	if err != nil {
		b.Fatal(err)
	}
	env := a.Env
	env.Log = discard{}
	server := env.Server(a.Group(group))
	invoke := func() {
		var answer struct {
			Status int    `json:"statusCode"`
			Body   string `json:"body"`
		}
		out, err := server.Invoke(a.context(), event)
		if err == nil {
			err = json.Unmarshal(out, &answer)
		}
		if err != nil || answer.Status != status {
			b.Fatalf("%s %s: %v, status %d, want %d: %s", method, path, err, answer.Status, status, answer.Body)
		}
	}
	c.answers, c.recording = map[string]*answers{}, true
	invoke()
	c.recording = false
	b.ReportAllocs()
	for b.Loop() {
		invoke()
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

type clientOptions = func(*dynamodb.Options)

func can[I, O any](ctx context.Context, c *Canned, name string, in *I, o []clientOptions,
	do func(context.Context, *I, ...clientOptions) (*O, error),
) (*O, error) {
	of := c.answers[name]
	if !c.recording && of != nil {
		of.next++
		return of.list[(of.next-1)%len(of.list)].(*O), nil
	}
	out, err := do(ctx, in, o...)
	if c.recording && err == nil {
		if of == nil {
			of = &answers{}
			c.answers[name] = of
		}
		of.list = append(of.list, out)
	}
	return out, err
}

// Query and the other operations that groups use answer by what was recorded.
func (c *Canned) Query(ctx context.Context, in *dynamodb.QueryInput, o ...clientOptions) (*dynamodb.QueryOutput, error) {
	return can(ctx, c, "Query", in, o, c.DynamoDBAPI.Query)
}

// GetItem is as Query.
func (c *Canned) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...clientOptions) (*dynamodb.GetItemOutput, error) {
	return can(ctx, c, "GetItem", in, o, c.DynamoDBAPI.GetItem)
}

// BatchGetItem is as Query.
func (c *Canned) BatchGetItem(
	ctx context.Context, in *dynamodb.BatchGetItemInput, o ...clientOptions,
) (*dynamodb.BatchGetItemOutput, error) {
	return can(ctx, c, "BatchGetItem", in, o, c.DynamoDBAPI.BatchGetItem)
}

// UpdateItem is as Query.
func (c *Canned) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...clientOptions) (*dynamodb.UpdateItemOutput, error) {
	return can(ctx, c, "UpdateItem", in, o, c.DynamoDBAPI.UpdateItem)
}

// TransactWriteItems is as Query.
func (c *Canned) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...clientOptions,
) (*dynamodb.TransactWriteItemsOutput, error) {
	return can(ctx, c, "TransactWriteItems", in, o, c.DynamoDBAPI.TransactWriteItems)
}
