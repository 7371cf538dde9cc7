package conn

import (
	"context"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/shared/patience"
	"github.com/tenantry/tenantry/shared/table/meter"
)

// metered requests the consumed capacity of every call and adds it to the context's meter. It
// has only the calls that a guard lets through.
type metered struct {
	next dynamodbiface.DynamoDBAPI
}

type options = func(*dynamodb.Options)

const (
	total  = types.ReturnConsumedCapacityTotal
	reads  = false
	writes = true
)

// call times one call and tells of it, failed or not. units reads the capacity
// of an answer.
func call[I, O any](ctx context.Context, name string, writing bool, in *I, opts []options,
	do func(context.Context, *I, ...options) (*O, error), units func(*O) float64,
) (*O, error) {
	if patience.Has(ctx) {
		opts = append(slices.Clip(opts), patient)
	}
	start := time.Now()
	out, err := do(ctx, in, opts...)
	used := meter.Call{Name: name, Usage: meter.Usage{Calls: 1, Time: time.Since(start)}, Failed: err != nil}
	if err == nil {
		if writing {
			used.WriteUnits = units(out)
		} else {
			used.ReadUnits = units(out)
		}
	}
	meter.Tell(ctx, used)
	return out, err
}

// patient bounds how long a call waits for the engine, by the patience of its context.
func patient(o *dynamodb.Options) {
	o.APIOptions = append(slices.Clip(o.APIOptions), patience.Attend)
	o.Retryer = patience.Retryer(o.Retryer)
}

func one(c *types.ConsumedCapacity) float64 {
	if c == nil || c.CapacityUnits == nil {
		return 0
	}
	return *c.CapacityUnits
}

func sum(list []types.ConsumedCapacity) (units float64) {
	for i := range list {
		units += one(&list[i])
	}
	return units
}

func (m *metered) GetItem(ctx context.Context, in *dynamodb.GetItemInput, opts ...options) (*dynamodb.GetItemOutput, error) {
	in.ReturnConsumedCapacity = total
	return call(ctx, "GetItem", reads, in, opts, m.next.GetItem,
		func(o *dynamodb.GetItemOutput) float64 { return one(o.ConsumedCapacity) })
}

func (m *metered) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...options) (*dynamodb.QueryOutput, error) {
	in.ReturnConsumedCapacity = total
	return call(ctx, "Query", reads, in, opts, m.next.Query,
		func(o *dynamodb.QueryOutput) float64 { return one(o.ConsumedCapacity) })
}

func (m *metered) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, opts ...options) (*dynamodb.BatchGetItemOutput, error) {
	in.ReturnConsumedCapacity = total
	return call(ctx, "BatchGetItem", reads, in, opts, m.next.BatchGetItem,
		func(o *dynamodb.BatchGetItemOutput) float64 { return sum(o.ConsumedCapacity) })
}

func (m *metered) TransactGetItems(
	ctx context.Context, in *dynamodb.TransactGetItemsInput, opts ...options,
) (*dynamodb.TransactGetItemsOutput, error) {
	in.ReturnConsumedCapacity = total
	return call(ctx, "TransactGetItems", reads, in, opts, m.next.TransactGetItems,
		func(o *dynamodb.TransactGetItemsOutput) float64 { return sum(o.ConsumedCapacity) })
}

func (m *metered) PutItem(ctx context.Context, in *dynamodb.PutItemInput, opts ...options) (*dynamodb.PutItemOutput, error) {
	in.ReturnConsumedCapacity = total
	return call(ctx, "PutItem", writes, in, opts, m.next.PutItem,
		func(o *dynamodb.PutItemOutput) float64 { return one(o.ConsumedCapacity) })
}

func (m *metered) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, opts ...options) (*dynamodb.UpdateItemOutput, error) {
	in.ReturnConsumedCapacity = total
	return call(ctx, "UpdateItem", writes, in, opts, m.next.UpdateItem,
		func(o *dynamodb.UpdateItemOutput) float64 { return one(o.ConsumedCapacity) })
}

func (m *metered) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, opts ...options) (*dynamodb.DeleteItemOutput, error) {
	in.ReturnConsumedCapacity = total
	return call(ctx, "DeleteItem", writes, in, opts, m.next.DeleteItem,
		func(o *dynamodb.DeleteItemOutput) float64 { return one(o.ConsumedCapacity) })
}

func (m *metered) BatchWriteItem(
	ctx context.Context, in *dynamodb.BatchWriteItemInput, opts ...options,
) (*dynamodb.BatchWriteItemOutput, error) {
	in.ReturnConsumedCapacity = total
	return call(ctx, "BatchWriteItem", writes, in, opts, m.next.BatchWriteItem,
		func(o *dynamodb.BatchWriteItemOutput) float64 { return sum(o.ConsumedCapacity) })
}

func (m *metered) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, opts ...options,
) (*dynamodb.TransactWriteItemsOutput, error) {
	in.ReturnConsumedCapacity = total
	return call(ctx, "TransactWriteItems", writes, in, opts, m.next.TransactWriteItems,
		func(o *dynamodb.TransactWriteItemsOutput) float64 { return sum(o.ConsumedCapacity) })
}
