// Package conn is what stands between guregu/dynamo and the DynamoDB client:
// it counts what each call consumed, speaks KeyConditionExpression, guards
// keys and runs transactions. It is internal to shared/table, so that the only
// ways to the table are the handles made there.
package conn

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/shared/table/keyspace"
)

// Conn is a connection to the table of this deployment. It reaches nothing by
// itself: handles are made of it.
type Conn struct {
	api   dynamodbiface.DynamoDBAPI
	name  string
	space *keyspace.Space
}

// New makes a connection to the table called name, in which there are the keys
// of a space.
func New(api dynamodbiface.DynamoDBAPI, name string, space *keyspace.Space) *Conn {
	return &Conn{api: api, name: name, space: space}
}

// Space knows which keys the table can have.
func (c *Conn) Space() *keyspace.Space { return c.space }

// ErrKey is what a call outside its handle's keys gets. It never reaches the
// engine, and it is a mistake in our code, so it is answered as 500.
var ErrKey = errors.New("table: key outside of the handle's reach")

// ErrNotFound says that no item has the key.
var ErrNotFound = errors.New("table: no such item")

// Keys decide what a handle may touch.
type Keys interface {
	// Partition is for queries.
	Partition(pk string) bool
	// Item is for what names one item.
	Item(pk, sk string) bool
	// Reads is for queries of an index.
	Reads(index, hash string) bool
	// Enters is for an item that would appear in an index.
	Enters(index, hash string) bool
}

// Handle is a guarded view of the table. It is cheap to make: one a request.
type Handle struct {
	db    *dynamo.DB
	table dynamo.Table
}

// Open gives a handle that reaches what some keys decide.
func Open(c *Conn, keys Keys) Handle {
	db := dynamo.NewFromIface(&guard{next: &metered{next: c.api}, table: c.name, keys: keys})
	return Handle{db: db, table: db.Table(c.name)}
}

// Table is the guarded table, for queries and for the operations of a
// transaction.
func (h Handle) Table() dynamo.Table { return h.table }

// Key is the key of one item.
type Key struct{ PK, SK string }

// HashKey and RangeKey make a Key one of guregu's keys.
func (k Key) HashKey() any { return k.PK }

// RangeKey is the sort key.
func (k Key) RangeKey() any { return k.SK }

// Get reads one item, consistently. ErrNotFound where there is none.
func (h Handle) Get(ctx context.Context, k Key, out any) error {
	err := h.table.Get("pk", k.PK).Range("sk", dynamo.Equal, k.SK).Consistent(true).One(ctx, out)
	if errors.Is(err, dynamo.ErrNotFound) {
		return ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("table: get %s: %w", k.PK, err)
	}
	return nil
}

// GetMany reads the items at some keys, consistently, a call for each hundred of
// them. What is not there is not in the result.
func (h Handle) GetMany(ctx context.Context, keys ...Key) (map[Key]dynamo.Item, error) {
	asked := make([]dynamo.Keyed, 0, len(keys))
	seen := make(map[Key]bool, len(keys))
	for _, k := range keys {
		if !seen[k] {
			seen[k] = true
			asked = append(asked, k)
		}
	}
	found := make(map[Key]dynamo.Item, len(asked))
	if len(asked) == 0 {
		return found, nil
	}
	it := h.table.Batch("pk", "sk").Get(asked...).Consistent(true).Iter()
	for {
		var row attributes
		if !it.Next(ctx, &row) {
			break
		}
		found[row.key()] = dynamo.Item(row)
	}
	if err := it.Err(); err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		return nil, fmt.Errorf("table: get %d items: %w", len(asked), err)
	}
	return found, nil
}

// attributes is an item as it is read.
type attributes dynamo.Item

// UnmarshalDynamoItem takes the item as it is.
func (a *attributes) UnmarshalDynamoItem(item dynamo.Item) error {
	*a = attributes(item)
	return nil
}

func (a attributes) key() Key {
	text := func(name string) string {
		if s, ok := a[name].(*types.AttributeValueMemberS); ok {
			return s.Value
		}
		return ""
	}
	return Key{PK: text("pk"), SK: text("sk")}
}

// Put is an unconditional put of an item with the attributes pk and sk.
func (h Handle) Put(item any) *dynamo.Put { return h.table.Put(item) }

// Create is a put that fails where the key is taken.
func (h Handle) Create(item any) *dynamo.Put { return h.table.Put(item).If("attribute_not_exists(pk)") }

// Update changes the item at k, or makes it.
func (h Handle) Update(k Key) *dynamo.Update { return h.table.Update("pk", k.PK).Range("sk", k.SK) }

// Delete removes the item at k.
func (h Handle) Delete(k Key) *dynamo.Delete { return h.table.Delete("pk", k.PK).Range("sk", k.SK) }

// Exists is the check, within a transaction, that k is there.
func (h Handle) Exists(k Key) *dynamo.ConditionCheck {
	return h.table.Check("pk", k.PK).Range("sk", k.SK).If("attribute_exists(pk)")
}
