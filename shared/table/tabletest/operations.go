package tabletest

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

type options = func(*dynamodb.Options)

// stale tells whether a read may be answered from the past.
func (c *Client) stale(consistent *bool) bool { return c.world.past.lag > 0 && !aws.ToBool(consistent) }

// GetItem reads one item.
func (c *Client) GetItem(ctx context.Context, in *dynamodb.GetItemInput, opts ...options) (*dynamodb.GetItemOutput, error) {
	return read(ctx, c, "GetItem", func(f fate) (*dynamodb.GetItemOutput, error) {
		out, err := c.world.api.GetItem(ctx, in, opts...)
		if err == nil && c.stale(in.ConsistentRead) && in.ProjectionExpression == nil {
			out.Item = c.world.past.get(itemOf(in.TableName, in.Key), out.Item, f.random)
		}
		return out, err
	})
}

// BatchGetItem reads items. A throttled call leaves some of them unread.
func (c *Client) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, opts ...options) (*dynamodb.BatchGetItemOutput, error) {
	return read(ctx, c, "BatchGetItem", func(f fate) (*dynamodb.BatchGetItemOutput, error) {
		request, undone := *in, map[string]types.KeysAndAttributes{}
		request.RequestItems = map[string]types.KeysAndAttributes{}
		for table, keys := range in.RequestItems {
			if n := len(keys.Keys); f.part && n > 1 {
				rest := keys
				rest.Keys, keys.Keys = keys.Keys[n/2:], keys.Keys[:n/2]
				undone[table] = rest
			}
			request.RequestItems[table] = keys
		}
		out, err := c.world.api.BatchGetItem(ctx, &request, opts...)
		if err != nil {
			return nil, err
		}
		for table, keys := range undone {
			if out.UnprocessedKeys == nil {
				out.UnprocessedKeys = map[string]types.KeysAndAttributes{}
			}
			keys.Keys = append(keys.Keys, out.UnprocessedKeys[table].Keys...)
			out.UnprocessedKeys[table] = keys
		}
		for table, keys := range request.RequestItems {
			if c.stale(keys.ConsistentRead) && keys.ProjectionExpression == nil {
				out.Responses[table] = c.staleBatch(table, keys.Keys, out.Responses[table], f)
			}
		}
		return out, nil
	})
}

func (c *Client) staleBatch(table string, keys, found []attributes, f fate) (answered []attributes) {
	images := map[item]attributes{}
	for _, image := range found {
		images[itemOf(&table, image)] = image
	}
	for _, key := range keys {
		it := itemOf(&table, key)
		if image := c.world.past.get(it, images[it], f.random); image != nil {
			answered = append(answered, image)
		}
	}
	return answered
}

// Query reads a range of a partition.
func (c *Client) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...options) (*dynamodb.QueryOutput, error) {
	return read(ctx, c, "Query", func(f fate) (*dynamodb.QueryOutput, error) {
		if c.stale(in.ConsistentRead) && in.FilterExpression == nil && in.ProjectionExpression == nil && in.Select == "" {
			return c.world.past.query(ctx, c.world.api, in, f.random)
		}
		return c.world.api.Query(ctx, in, opts...)
	})
}

// TransactGetItems reads items, and is refused if a transaction locks one of them.
func (c *Client) TransactGetItems(
	ctx context.Context, in *dynamodb.TransactGetItemsInput, opts ...options,
) (*dynamodb.TransactGetItemsOutput, error) {
	return read(ctx, c, "TransactGetItems", func(fate) (*dynamodb.TransactGetItemsOutput, error) {
		var held []int
		for i, it := range in.TransactItems {
			if c.world.locks.isHeld(itemOf(it.Get.TableName, it.Get.Key)) {
				held = append(held, i)
			}
		}
		if held != nil {
			return nil, cancelled(len(in.TransactItems), held, "TransactionConflict")
		}
		return c.world.api.TransactGetItems(ctx, in, opts...)
	})
}

// PutItem writes one item.
func (c *Client) PutItem(ctx context.Context, in *dynamodb.PutItemInput, opts ...options) (*dynamodb.PutItemOutput, error) {
	return single(ctx, c, "PutItem", itemOf(in.TableName, in.Item), func() (*dynamodb.PutItemOutput, error) {
		return c.world.api.PutItem(ctx, in, opts...)
	})
}

// UpdateItem changes one item.
func (c *Client) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, opts ...options) (*dynamodb.UpdateItemOutput, error) {
	return single(ctx, c, "UpdateItem", itemOf(in.TableName, in.Key), func() (*dynamodb.UpdateItemOutput, error) {
		return c.world.api.UpdateItem(ctx, in, opts...)
	})
}

// DeleteItem removes one item.
func (c *Client) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, opts ...options) (*dynamodb.DeleteItemOutput, error) {
	return single(ctx, c, "DeleteItem", itemOf(in.TableName, in.Key), func() (*dynamodb.DeleteItemOutput, error) {
		return c.world.api.DeleteItem(ctx, in, opts...)
	})
}

// BatchWriteItem writes items. Items that are locked or throttled are left undone.
func (c *Client) BatchWriteItem(
	ctx context.Context, in *dynamodb.BatchWriteItemInput, opts ...options,
) (*dynamodb.BatchWriteItemOutput, error) {
	request, undone := *in, map[string][]types.WriteRequest{}
	request.RequestItems = map[string][]types.WriteRequest{}
	var items []item
	n := 0
	for table, writes := range in.RequestItems {
		for _, w := range writes {
			it := item{}
			if w.PutRequest != nil {
				it = itemOf(&table, w.PutRequest.Item)
			} else if w.DeleteRequest != nil {
				it = itemOf(&table, w.DeleteRequest.Key)
			}
			if c.world.locks.isHeld(it) {
				undone[table] = append(undone[table], w)
				continue
			}
			items = append(items, it)
			request.RequestItems[table] = append(request.RequestItems[table], w)
			n++
		}
	}
	return write(ctx, c, "BatchWriteItem", items, func(f fate) (*dynamodb.BatchWriteItemOutput, error) {
		for table, writes := range request.RequestItems {
			if half := len(writes) / 2; f.part && half > 0 {
				undone[table] = append(undone[table], writes[half:]...)
				request.RequestItems[table] = writes[:half]
			}
		}
		if n == 0 {
			return &dynamodb.BatchWriteItemOutput{UnprocessedItems: undone}, nil
		}
		out, err := c.world.api.BatchWriteItem(ctx, &request, opts...)
		if err != nil {
			return nil, err
		}
		if out.UnprocessedItems == nil {
			out.UnprocessedItems = map[string][]types.WriteRequest{}
		}
		for table, writes := range undone {
			out.UnprocessedItems[table] = append(out.UnprocessedItems[table], writes...)
		}
		return out, nil
	})
}

// TransactWriteItems writes all items, or none.
func (c *Client) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, opts ...options,
) (*dynamodb.TransactWriteItemsOutput, error) {
	items := make([]item, 0, len(in.TransactItems))
	for _, it := range in.TransactItems {
		switch {
		case it.Put != nil:
			items = append(items, itemOf(it.Put.TableName, it.Put.Item))
		case it.Update != nil:
			items = append(items, itemOf(it.Update.TableName, it.Update.Key))
		case it.Delete != nil:
			items = append(items, itemOf(it.Delete.TableName, it.Delete.Key))
		case it.ConditionCheck != nil:
			items = append(items, itemOf(it.ConditionCheck.TableName, it.ConditionCheck.Key))
		}
	}
	return c.transact(ctx, in, items, func() (*dynamodb.TransactWriteItemsOutput, error) {
		return c.world.api.TransactWriteItems(ctx, in, opts...)
	})
}
