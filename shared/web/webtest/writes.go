package webtest

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/table"
)

// Written returns how many items all requests have written, without events.
func (a *API) Written() int64 { return a.written.Load() }

// Keys reads the keys of all items of the table from the engine, past every client that a Setup has wrapped.
func (a *API) Keys() (keys []table.Key) {
	a.t.Helper()
	pages := dynamodb.NewScanPaginator(enginetest.Client(a.t), &dynamodb.ScanInput{
		TableName: aws.String(a.name), ProjectionExpression: aws.String("pk, sk"),
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(context.Background())
		if err != nil {
			a.t.Fatal(err)
		}
		for _, raw := range page.Items {
			var item table.Item
			if err := dynamo.UnmarshalItem(raw, &item); err != nil {
				a.t.Fatal(err)
			}
			keys = append(keys, table.Key{PK: item.PK, SK: item.SK})
		}
	}
	return keys
}

// counting counts the items that each request has written. It counts what the engine has
// acknowledged, not what was tried.
type counting struct{ dynamodbiface.DynamoDBAPI }

type writesKey struct{}

// writes are what a request has written. Events that it left in the company's inbox are counted apart, because they come by themselves
// with every change.
type writes struct {
	items  atomic.Int64
	mu     sync.Mutex
	events [][]string // the names of each change
}

// countWrites gives a context whose writes are counted.
func countWrites(ctx context.Context) (context.Context, *writes) {
	n := new(writes)
	return context.WithValue(ctx, writesKey{}, n), n
}

func wrote(ctx context.Context, items int, err error) {
	if n, ok := ctx.Value(writesKey{}).(*writes); ok && err == nil {
		n.items.Add(int64(items))
	}
}

// happened takes note of the events of a transaction.
func happened(ctx context.Context, events [][]string, err error) {
	if n, ok := ctx.Value(writesKey{}).(*writes); ok && err == nil {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.events = append(n.events, events...)
	}
}

// eventsOf are the names of the events in an item of the inbox; ok is false for any other item.
func eventsOf(item table.Attributes) (names []string, ok bool) {
	if !strings.HasSuffix(item.Text("pk"), "#inbox") {
		return nil, false
	}
	for _, e := range item.List("ev") {
		names = append(names, e.Text("n"))
	}
	return names, true
}

type options = func(*dynamodb.Options)

func (c counting) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...options) (*dynamodb.PutItemOutput, error) {
	out, err := c.DynamoDBAPI.PutItem(ctx, in, o...)
	wrote(ctx, 1, err)
	return out, err
}

func (c counting) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...options) (*dynamodb.UpdateItemOutput, error) {
	out, err := c.DynamoDBAPI.UpdateItem(ctx, in, o...)
	wrote(ctx, 1, err)
	return out, err
}

func (c counting) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, o ...options) (*dynamodb.DeleteItemOutput, error) {
	out, err := c.DynamoDBAPI.DeleteItem(ctx, in, o...)
	wrote(ctx, 1, err)
	return out, err
}

func (c counting) BatchWriteItem(
	ctx context.Context, in *dynamodb.BatchWriteItemInput, o ...options,
) (*dynamodb.BatchWriteItemOutput, error) {
	items := 0
	for _, requests := range in.RequestItems {
		items += len(requests)
	}
	out, err := c.DynamoDBAPI.BatchWriteItem(ctx, in, o...)
	if err == nil {
		for _, left := range out.UnprocessedItems {
			items -= len(left)
		}
	}
	wrote(ctx, items, err)
	return out, err
}

func (c counting) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...options,
) (*dynamodb.TransactWriteItemsOutput, error) {
	items, said := 0, [][]string(nil)
	for _, it := range in.TransactItems {
		if it.Put != nil {
			if names, ok := eventsOf(it.Put.Item); ok {
				said = append(said, names)
				continue
			}
		}
		if it.ConditionCheck == nil {
			items++
		}
	}
	out, err := c.DynamoDBAPI.TransactWriteItems(ctx, in, o...)
	wrote(ctx, items, err)
	happened(ctx, said, err)
	return out, err
}
