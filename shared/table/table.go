package table

import (
	"context"
	"strings"

	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table/internal/conn"
	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Conn is a connection to the table of this deployment. It has no access to items by itself: Of
// binds it to a tenant, shared/table/crosstenant to the platform.
type Conn = conn.Conn

// Key is the key of one item.
type Key = conn.Key

// Tx is a transaction being built; see Tenant.Write.
type Tx = conn.Tx

// Errors that callers may check for.
var (
	// ErrNotFound says that no item has the key.
	ErrNotFound = conn.ErrNotFound
	// ErrKey says that our code used a key outside of its handle's reach.
	ErrKey = conn.ErrKey
	// ErrTooLarge is the fault of a change that does not fit into one transaction.
	ErrTooLarge = conn.ErrTooLarge
	// ErrItemTooLarge is the fault of a record that does not fit into one item.
	ErrItemTooLarge = conn.ErrItemTooLarge
)

// Open connects to the table called name through a DynamoDB client.
func Open(api dynamodbiface.DynamoDBAPI, name string) *Conn {
	return conn.New(api, name, keyspace.New())
}

// OpenWith is Open for a table with additional kinds, besides the registered ones: for tests,
// which define their own.
func OpenWith(api dynamodbiface.DynamoDBAPI, name string, more ...kinds.Kind) *Conn {
	return conn.New(api, name, keyspace.New(more...))
}

// Unavailable tells whether an error means that the engine did not take a call
// or that its answer was lost.
func Unavailable(err error) bool { return conn.Unavailable(err) }

// Refused tells whether a condition of a transaction failed. The reason may be that the same
// transaction has already taken place.
func Refused(err error) bool { return conn.Refused(err) }

// Retry repeats a call of one operation until it is answered. The operation must be a write
// that may safely happen twice, or whose condition prevents that.
func Retry(ctx context.Context, do func() error) error { return conn.Retry(ctx, do) }

// Tenant is the table as one company sees it. An operation on a partition that is not the
// company's own is refused before it is sent.
type Tenant struct {
	conn.Handle
	id     tenant.ID
	prefix string
	space  *keyspace.Space
}

// Of binds the table to a company.
func Of(c *Conn, id tenant.ID) *Tenant {
	prefix := Prefix(id)
	own := prefix
	if id <= 0 {
		own = "\x00" // no key begins with this
	}
	return &Tenant{Handle: conn.Open(c, ownKeys{c.Space(), own}), id: id, prefix: prefix, space: c.Space()}
}

// ownKeys are the keys of one company.
type ownKeys struct {
	space  *keyspace.Space
	prefix string
}

func (o ownKeys) Partition(pk string) bool {
	return strings.HasPrefix(pk, o.prefix) && o.space.Partition(pk)
}

func (o ownKeys) Item(pk, sk string) bool {
	return strings.HasPrefix(pk, o.prefix) && o.space.Item(pk, sk)
}

func (o ownKeys) Reads(index, hash string) bool {
	return strings.HasPrefix(hash, o.prefix) && o.space.Index(index, hash)
}

// Enters also allows a company's messages to enter the index of all waiting messages.
func (o ownKeys) Enters(index, hash string) bool {
	return (strings.HasPrefix(hash, o.prefix) || !strings.HasPrefix(hash, "T#")) && o.space.Index(index, hash)
}

// Kind is the kind with a code, if the table knows it.
func (t *Tenant) Kind(c kinds.Code) (kinds.Kind, bool) { return t.space.Kind(c) }

// Kinds are all kinds that the table knows, ordered by code.
func (t *Tenant) Kinds() []kinds.Kind { return t.space.Kinds() }

// ID is the company.
func (t *Tenant) ID() tenant.ID { return t.id }

// Item is what every item carries; a stored struct embeds it.
type Item struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
	V  int    `dynamo:"v"` // schema version; readers accept their own and the one before
}

// At is the Item with a key and a schema version.
func At(k Key, version int) Item { return Item{PK: k.PK, SK: k.SK, V: version} }

// Key is the item's key.
func (i Item) Key() Key { return Key{PK: i.PK, SK: i.SK} }
