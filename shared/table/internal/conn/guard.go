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

// Names of the key attributes.
const (
	hash = "pk"
	sort = "sk"
)

// The most bytes that the engine accepts in each; a sort key must not be empty. The local
// engine accepts more.
const (
	maxHash = 2048
	maxSort = 1024
)

// guard refuses, before anything is sent, each call with a key that is outside of its handle's
// reach or not registered, and each call that it does not know.
type guard struct {
	next  *metered
	table string
	keys  Keys
}

// If the interface gets an operation that this package does not define, this must not compile.
var _ dynamodbiface.DynamoDBAPI = (*guard)(nil)

type key = map[string]types.AttributeValue

// named refuses any table but the handle's.
func (g *guard) named(table *string, where string) error {
	if aws.ToString(table) != g.table {
		return fmt.Errorf("%w: %s: table %q", ErrKey, where, aws.ToString(table))
	}
	return nil
}

// key checks the key of one item.
func (g *guard) key(table *string, k key, where string) error {
	if err := g.named(table, where); err != nil {
		return err
	}
	pk, ok := k[hash].(*types.AttributeValueMemberS)
	sk, also := k[sort].(*types.AttributeValueMemberS)
	if !ok || !also {
		return fmt.Errorf("%w: %s without a key", ErrKey, where)
	}
	if len(pk.Value) > maxHash || len(sk.Value) > maxSort || sk.Value == "" {
		return fmt.Errorf("%w: %s of a key of %d and %d bytes", ErrKey, where, len(pk.Value), len(sk.Value))
	}
	if !g.keys.Item(pk.Value, sk.Value) {
		return fmt.Errorf("%w: %s of %s", ErrKey, where, shown(pk.Value))
	}
	return nil
}

// shown is what a log may contain of a partition: all of a company's partition, but only the
// kind of any other, as these contain addresses.
func shown(pk string) string {
	if kind, _, _ := strings.Cut(pk, "#"); kind != "T" {
		return kind + "#…"
	}
	return pk
}

// item checks a whole item: its key, its size, and the partitions of the indexes in which it
// would appear.
func (g *guard) item(table *string, item key, where string) error {
	if err := g.key(table, item, where); err != nil {
		return err
	}
	if Size(item) > maxItem {
		return ErrItemTooLarge
	}
	for name, attribute := range indexes {
		if v, in := item[attribute]; in {
			if s, ok := v.(*types.AttributeValueMemberS); !ok || !g.keys.Enters(name, s.Value) {
				return fmt.Errorf("%w: %s (index %s)", ErrKey, where, name)
			}
		}
	}
	return nil
}

// update refuses to change key attributes, except the keys of the index of waiting messages. To move an item between
// the partitions of another index, the whole item has to be put, so that item can check it.
func (g *guard) update(table *string, k key, expression *string, names map[string]string, where string) error {
	if err := g.key(table, k, where); err != nil {
		return err
	}
	refused := []string{hash, sort}
	for name, attribute := range indexes {
		if name != pending {
			refused = append(refused, attribute)
		}
	}
	for _, attribute := range refused {
		if slices.Contains(slices.Collect(maps.Values(names)), attribute) || mentions(aws.ToString(expression), attribute) {
			return fmt.Errorf("%w: %s sets %s", ErrKey, where, attribute)
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

// Query takes the KeyConditions that guregu/dynamo sends, checks the partition, and sends them
// as a KeyConditionExpression, which every engine accepts together with filters and
// projections.
func (g *guard) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...options) (*dynamodb.QueryOutput, error) {
	if in.KeyConditionExpression != nil {
		return nil, fmt.Errorf("%w: Query by expression", ErrKey)
	}
	name, allowed := hash, g.keys.Partition
	if in.IndexName != nil {
		index := *in.IndexName
		if name = indexes[index]; name == "" {
			return nil, fmt.Errorf("%w: Query of index %q", ErrKey, index)
		}
		allowed = func(partition string) bool { return g.keys.Reads(index, partition) }
	}
	c, ok := in.KeyConditions[name]
	if !ok || c.ComparisonOperator != types.ComparisonOperatorEq || len(c.AttributeValueList) != 1 {
		return nil, fmt.Errorf("%w: Query without a partition", ErrKey)
	}
	if err := g.named(in.TableName, "Query"); err != nil {
		return nil, err
	}
	partition, ok := c.AttributeValueList[0].(*types.AttributeValueMemberS)
	if !ok {
		return nil, fmt.Errorf("%w: Query of no text", ErrKey)
	}
	if !allowed(partition.Value) {
		return nil, fmt.Errorf("%w: Query of %s", ErrKey, shown(partition.Value))
	}
	// An engine may accept a start key of another partition and read on there.
	if start := in.ExclusiveStartKey; start != nil {
		if err := g.key(in.TableName, start, "Query (start key)"); err != nil {
			return nil, err
		}
		if at, ok := start[name].(*types.AttributeValueMemberS); !ok || at.Value != partition.Value {
			return nil, fmt.Errorf("%w: Query (start key)", ErrKey)
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

func (g *guard) TransactGetItems(
	ctx context.Context, in *dynamodb.TransactGetItemsInput, opts ...options,
) (*dynamodb.TransactGetItemsOutput, error) {
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

func (g *guard) BatchWriteItem(
	ctx context.Context, in *dynamodb.BatchWriteItemInput, opts ...options,
) (*dynamodb.BatchWriteItemOutput, error) {
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

// TransactWriteItems repeats a transaction that got no answer. The repetition is done here,
// with exactly the same input: a token is valid only with the same parameters, and
// guregu/dynamo writes the terms of an update in a different order each time. After a lost
// answer, a conflict or a throttle says nothing about the first try; only the token can tell,
// so the transaction is repeated until it does. The SDK must not repeat it by itself, because
// it would report only the error of the last try.
func (g *guard) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, opts ...options,
) (*dynamodb.TransactWriteItemsOutput, error) {
	size := 0
	for _, it := range in.TransactItems {
		var errs []error
		if p := it.Put; p != nil {
			size += Size(p.Item)
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
	if size > MaxBytes {
		return nil, ErrTooLarge
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

// once turns off the SDK's own retries.
func once(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }
