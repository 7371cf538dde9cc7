// Package conn is the layer between guregu/dynamo and the DynamoDB client: it counts what each
// call consumes, converts queries to KeyConditionExpression, guards keys and runs transactions.
// It is internal to shared/table, so the table can only be reached through the handles made
// there.
package conn

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table/keyspace"
)

// Conn is a connection to the table of this deployment. It has no access to items by itself:
// handles are made from it.
type Conn struct {
	api   dynamodbiface.DynamoDBAPI
	name  string
	space *keyspace.Space
}

// New makes a connection to the table called name, whose keys are defined by space.
func New(api dynamodbiface.DynamoDBAPI, name string, space *keyspace.Space) *Conn {
	return &Conn{api: api, name: name, space: space}
}

// Space knows which keys the table can have.
func (c *Conn) Space() *keyspace.Space { return c.space }

// ErrKey is the error of a call with a key outside of its handle's reach. Such a call is never
// sent. It is a mistake in our code, so it is answered as 500.
var ErrKey = errors.New("table: key outside of the handle's reach")

// ErrNotFound says that no item has the key.
var ErrNotFound = errors.New("table: no such item")

// Keys decide what a handle may access.
type Keys interface {
	// Partition is asked for queries.
	Partition(pk string) bool
	// Item is asked for operations on one item.
	Item(pk, sk string) bool
	// Reads is asked for queries of an index.
	Reads(index, hash string) bool
	// Enters is asked for an item that would appear in an index.
	Enters(index, hash string) bool
}

// Handle is a guarded view of the table. It is cheap to make: one for each request.
type Handle struct {
	db    *dynamo.DB
	table dynamo.Table
}

// Open makes a handle that may access what keys allow.
func Open(c *Conn, keys Keys) Handle {
	db := dynamo.NewFromIface(&guard{next: &metered{next: c.api}, table: c.name, keys: keys})
	return Handle{db: db, table: db.Table(c.name)}
}

// Table is the guarded table, for queries and for the operations of a
// transaction.
func (h Handle) Table() dynamo.Table { return h.table }

// Key is the key of one item.
type Key struct{ PK, SK string }

// HashKey and RangeKey make a Key usable as a key of guregu/dynamo.
func (k Key) HashKey() any { return k.PK }

// RangeKey is the sort key.
func (k Key) RangeKey() any { return k.SK }

// Get reads one item consistently. The error is ErrNotFound if there is none.
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

// GetMany reads the items at some keys consistently, with one call for each hundred. Missing
// items are not in the result.
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

// Snapshot reads the items at some keys, at most MaxOperations, as they all were at one moment:
// GetMany may read one before and another after a transaction that writes both. It is one call,
// and costs twice the units of GetMany. It waits for transactions that are writing the items.
// Missing items are not in the result.
func (h Handle) Snapshot(ctx context.Context, keys ...Key) (map[Key]dynamo.Item, error) {
	tx := h.db.GetTx()
	for _, k := range keys {
		tx.Get(h.table.Get("pk", k.PK).Range("sk", dynamo.Equal, k.SK))
	}
	for conflicts := 1; ; conflicts++ {
		var rows []attributes
		err := tx.All(ctx, &rows)
		switch {
		case err == nil || errors.Is(err, dynamo.ErrNotFound):
			found := make(map[Key]dynamo.Item, len(rows))
			for _, row := range rows {
				found[row.key()] = dynamo.Item(row)
			}
			return found, nil
		case !contended(err):
			return nil, fmt.Errorf("table: get %d items at once: %w", len(keys), err)
		case conflicts == attempts:
			return nil, fault.ErrUnavailable.Because(err)
		}
		if err := pause(ctx, conflicts); err != nil {
			return nil, fault.ErrUnavailable.Because(err)
		}
	}
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

// Create is a put that fails if the key already exists.
func (h Handle) Create(item any) *dynamo.Put { return h.table.Put(item).If("attribute_not_exists(pk)") }

// Update changes the item at k, or creates it.
func (h Handle) Update(k Key) *dynamo.Update { return h.table.Update("pk", k.PK).Range("sk", k.SK) }

// Delete removes the item at k.
func (h Handle) Delete(k Key) *dynamo.Delete { return h.table.Delete("pk", k.PK).Range("sk", k.SK) }

// Exists is the condition, within a transaction, that there is an item at k.
func (h Handle) Exists(k Key) *dynamo.ConditionCheck {
	return h.table.Check("pk", k.PK).Range("sk", k.SK).If("attribute_exists(pk)")
}
