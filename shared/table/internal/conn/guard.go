package conn

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"
)

// Names of the key attributes. A partition of the slim index holds records of
// one tenant, so its hash is guarded like the table's own.
const (
	hash      = "pk"
	sort      = "sk"
	indexHash = "ix"
)

// guard refuses, before anything is sent, each call that names a partition
// outside of its handle's reach, and each call that it does not know.
type guard struct {
	next  *metered
	table string
	allow Allow
}

// An operation that this package does not name must not compile.
var _ dynamodbiface.DynamoDBAPI = (*guard)(nil)

type key = map[string]types.AttributeValue

func (g *guard) partition(table *string, v types.AttributeValue, where string) error {
	if aws.ToString(table) != g.table {
		return fmt.Errorf("%w: %s: table %q", ErrKey, where, aws.ToString(table))
	}
	s, ok := v.(*types.AttributeValueMemberS)
	if !ok || !g.allow(s.Value) {
		return fmt.Errorf("%w: %s", ErrKey, where)
	}
	return nil
}

func (g *guard) key(table *string, k key, where string) error {
	return g.partition(table, k[hash], where)
}

// item checks a whole item: its partition, and the partition of the slim index
// in which it would appear.
func (g *guard) item(table *string, item key, where string) error {
	if err := g.partition(table, item[hash], where); err != nil {
		return err
	}
	if ix, ok := item[indexHash]; ok {
		return g.partition(table, ix, where+" (index)")
	}
	return nil
}

// update refuses to touch a key attribute: moving an item between partitions
// of an index is done by putting the whole item, where item can see it.
func (g *guard) update(table *string, k key, expression *string, names map[string]string, where string) error {
	if err := g.key(table, k, where); err != nil {
		return err
	}
	for _, keyAttribute := range []string{hash, sort, indexHash} {
		if slices.Contains(slices.Collect(maps.Values(names)), keyAttribute) || mentions(aws.ToString(expression), keyAttribute) {
			return fmt.Errorf("%w: %s sets %s", ErrKey, where, keyAttribute)
		}
	}
	return nil
}

func mentions(expression, name string) bool {
	return slices.Contains(strings.FieldsFunc(expression, func(r rune) bool {
		return !(r == '_' || r == '#' || r == ':' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	}), name)
}

func (g *guard) GetItem(ctx context.Context, in *dynamodb.GetItemInput, opts ...options) (*dynamodb.GetItemOutput, error) {
	if err := g.key(in.TableName, in.Key, "GetItem"); err != nil {
		return nil, err
	}
	return g.next.GetItem(ctx, in, opts...)
}

// Query takes what guregu sends (KeyConditions), checks its partition, and
// passes it on as a KeyConditionExpression, which every engine accepts beside
// filters and projections.
func (g *guard) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...options) (*dynamodb.QueryOutput, error) {
	if in.KeyConditionExpression != nil {
		return nil, fmt.Errorf("%w: Query by expression", ErrKey)
	}
	name := hash
	if in.IndexName != nil {
		if name = indexes[*in.IndexName]; name == "" {
			return nil, fmt.Errorf("%w: Query of index %q", ErrKey, *in.IndexName)
		}
	}
	c, ok := in.KeyConditions[name]
	if !ok || c.ComparisonOperator != types.ComparisonOperatorEq || len(c.AttributeValueList) != 1 {
		return nil, fmt.Errorf("%w: Query without a partition", ErrKey)
	}
	if err := g.partition(in.TableName, c.AttributeValueList[0], "Query"); err != nil {
		return nil, err
	}
	// An engine may accept a start key of another partition and read on there.
	for _, attribute := range []string{hash, name} {
		if start, ok := in.ExclusiveStartKey[attribute]; ok {
			if err := g.partition(in.TableName, start, "Query (start key)"); err != nil {
				return nil, err
			}
		}
	}
	rewritten, err := byExpression(in)
	if err != nil {
		return nil, err
	}
	return g.next.Query(ctx, rewritten, opts...)
}

func (g *guard) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, opts ...options) (*dynamodb.BatchGetItemOutput, error) {
	for table, request := range in.RequestItems {
		for _, k := range request.Keys {
			if err := g.key(&table, k, "BatchGetItem"); err != nil {
				return nil, err
			}
		}
	}
	return g.next.BatchGetItem(ctx, in, opts...)
}

func (g *guard) TransactGetItems(ctx context.Context, in *dynamodb.TransactGetItemsInput, opts ...options) (*dynamodb.TransactGetItemsOutput, error) {
	for _, it := range in.TransactItems {
		if it.Get == nil {
			return nil, fmt.Errorf("%w: TransactGetItems without a Get", ErrKey)
		}
		if err := g.key(it.Get.TableName, it.Get.Key, "TransactGetItems"); err != nil {
			return nil, err
		}
	}
	return g.next.TransactGetItems(ctx, in, opts...)
}

func (g *guard) PutItem(ctx context.Context, in *dynamodb.PutItemInput, opts ...options) (*dynamodb.PutItemOutput, error) {
	if err := g.item(in.TableName, in.Item, "PutItem"); err != nil {
		return nil, err
	}
	return g.next.PutItem(ctx, in, opts...)
}

func (g *guard) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, opts ...options) (*dynamodb.UpdateItemOutput, error) {
	if in.AttributeUpdates != nil {
		return nil, fmt.Errorf("%w: UpdateItem without an expression", ErrKey)
	}
	if err := g.update(in.TableName, in.Key, in.UpdateExpression, in.ExpressionAttributeNames, "UpdateItem"); err != nil {
		return nil, err
	}
	return g.next.UpdateItem(ctx, in, opts...)
}

func (g *guard) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, opts ...options) (*dynamodb.DeleteItemOutput, error) {
	if err := g.key(in.TableName, in.Key, "DeleteItem"); err != nil {
		return nil, err
	}
	return g.next.DeleteItem(ctx, in, opts...)
}

func (g *guard) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, opts ...options) (*dynamodb.BatchWriteItemOutput, error) {
	for table, requests := range in.RequestItems {
		for _, r := range requests {
			var err error
			switch {
			case r.PutRequest != nil && r.DeleteRequest == nil:
				err = g.item(&table, r.PutRequest.Item, "BatchWriteItem")
			case r.DeleteRequest != nil && r.PutRequest == nil:
				err = g.key(&table, r.DeleteRequest.Key, "BatchWriteItem")
			default:
				err = fmt.Errorf("%w: BatchWriteItem of another kind", ErrKey)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return g.next.BatchWriteItem(ctx, in, opts...)
}

// TransactWriteItems is sent again where no answer came. That happens here, with
// the very same input: a token must come with the same parameters, and guregu
// writes the terms of an update in another order each time. After a lost answer
// a conflict or a throttle says nothing of the first try, so only the token can
// tell, and it is sent until it does. The SDK must not send it again by itself:
// of several tries it would show the last one's error alone.
func (g *guard) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, opts ...options) (*dynamodb.TransactWriteItemsOutput, error) {
	for _, it := range in.TransactItems {
		var errs []error
		if p := it.Put; p != nil {
			errs = append(errs, g.item(p.TableName, p.Item, "TransactWriteItems put"))
		}
		if u := it.Update; u != nil {
			errs = append(errs, g.update(u.TableName, u.Key, u.UpdateExpression, u.ExpressionAttributeNames, "TransactWriteItems update"))
		}
		if d := it.Delete; d != nil {
			errs = append(errs, g.key(d.TableName, d.Key, "TransactWriteItems delete"))
		}
		if c := it.ConditionCheck; c != nil {
			errs = append(errs, g.key(c.TableName, c.Key, "TransactWriteItems check"))
		}
		if len(errs) != 1 {
			return nil, fmt.Errorf("%w: TransactWriteItems of another kind", ErrKey)
		}
		if errs[0] != nil {
			return nil, errs[0]
		}
	}
	var out *dynamodb.TransactWriteItemsOutput
	lost := false
	opts = append(slices.Clip(opts), once)
	err := retryWhile(ctx, func() (err error) {
		out, err = g.next.TransactWriteItems(ctx, in, opts...)
		return err
	}, func(err error) bool {
		lost = lost || Unavailable(err)
		return lost && (Unavailable(err) || contended(err))
	})
	return out, err
}

// once leaves every repetition to us.
func once(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }
