package conformance_test

import (
	"context"
	"net"
	"os"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// silent is an engine that answers no call from some moment on.
type silent struct {
	dynamodbiface.DynamoDBAPI
	on    *atomic.Bool
	asked *atomic.Int64
}

type options = func(*dynamodb.Options)

func heard[I, O any](s silent, do func(context.Context, *I, ...options) (*O, error)) func(context.Context, *I, []options) (*O, error) {
	return func(ctx context.Context, in *I, o []options) (*O, error) {
		if s.on.Load() {
			s.asked.Add(1)
			return nil, &net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded}
		}
		return do(ctx, in, o...)
	}
}

func (s silent) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...options) (*dynamodb.GetItemOutput, error) {
	return heard(s, s.DynamoDBAPI.GetItem)(ctx, in, o)
}

func (s silent) Query(ctx context.Context, in *dynamodb.QueryInput, o ...options) (*dynamodb.QueryOutput, error) {
	return heard(s, s.DynamoDBAPI.Query)(ctx, in, o)
}

func (s silent) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, o ...options) (*dynamodb.BatchGetItemOutput, error) {
	return heard(s, s.DynamoDBAPI.BatchGetItem)(ctx, in, o)
}

func (s silent) TransactGetItems(ctx context.Context, in *dynamodb.TransactGetItemsInput, o ...options) (*dynamodb.TransactGetItemsOutput, error) {
	return heard(s, s.DynamoDBAPI.TransactGetItems)(ctx, in, o)
}

func (s silent) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...options) (*dynamodb.PutItemOutput, error) {
	return heard(s, s.DynamoDBAPI.PutItem)(ctx, in, o)
}

func (s silent) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...options) (*dynamodb.UpdateItemOutput, error) {
	return heard(s, s.DynamoDBAPI.UpdateItem)(ctx, in, o)
}

func (s silent) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, o ...options) (*dynamodb.DeleteItemOutput, error) {
	return heard(s, s.DynamoDBAPI.DeleteItem)(ctx, in, o)
}

func (s silent) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...options) (*dynamodb.TransactWriteItemsOutput, error) {
	return heard(s, s.DynamoDBAPI.TransactWriteItems)(ctx, in, o)
}

// While the table doesn't answer, every operation that needs it is 503 and says when to come back.
func TestASilentTable(t *testing.T) {
	on, asked := new(atomic.Bool), new(atomic.Int64)
	api := over(t, func(a dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI { return silent{a, on, asked} })
	api.Join(webtest.Owner(1), webtest.Owner(2))
	on.Store(true)
	need := 0
	all := tried(t, every)
	for _, op := range all {
		t.Run(op.ID, func(t *testing.T) {
			asked.Store(0)
			a := api.As(op.caller()).In(t).Do(op.Method, op.path()+op.asked(), op.sent())
			if asked.Load() > 0 {
				need++
				a.Status(503).JSON(away).Header("Retry-After", "1")
			} else {
				t.Logf("%d without the table", a.Code())
			}
		})
	}
	if need < len(all)*9/10 {
		t.Errorf("%d of %d operations needed the table", need, len(all))
	}
}
