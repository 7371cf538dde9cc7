// Package outbox is what a request leaves behind to be done after its answer:
// e-mails, SMS, the folding of counters. A message is written in the
// transaction of its cause, so it exists exactly where the cause happened, and
// the worker (functions/worker) carries it out at least once.
//
// What never goes in here: the doing. A group says what a kind of message
// means (Work); this package says how one is written and found.
//
// A message holds references and never a secret: the text of a one-time code is
// made when it is delivered.
//
// # The life of a message
//
// It is written waiting, until the time it is due. A worker claims it: one
// conditional update moves the time on by a lease and signs it, so that nobody
// else takes it meanwhile and, should the worker die, somebody takes it after
// that. Then it is done (kept a week, then swept), or waits again with a growing pause,
// or, after MaxAttempts, has failed. A failed message stays in the index
// pending, in the partition Failed, until somebody looks at it.
//
// A message with a key (NewKeyed, Arm) says that something has changed, however
// often: while one waits, another is the same one. It is due at once. One that is
// armed while it is carried out waits again, and whoever carries it out then can't
// end it. When it is done it is deleted. Each arming begins its attempts anew, so
// one that is armed all the time never fails for good; the attempts that fail are
// counted all the same (functions/worker).
package outbox

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/oklog/ulid/v2"

	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Kind is a kind of message; its group prefixes it: "identity.code".
type Kind string

// Message is one item of the outbox. While it waits it is in the sparse index
// "pending", under one of Shards partitions, sorted by the time it is due.
type Message struct {
	table.Item
	ID       string    `dynamo:"id"`
	Kind     Kind      `dynamo:"k"`
	Body     string    `dynamo:"b"` // JSON; the bare key of a message that has one
	At       time.Time `dynamo:"at"`
	Pending  string    `dynamo:"pq,omitempty"`
	Due      string    `dynamo:"pd,omitempty"`
	Attempts int       `dynamo:"n"`             // claims so far, crashed ones too
	Claim    string    `dynamo:"c,omitempty"`   // signs the last of them, until it is ended
	Problem  string    `dynamo:"e,omitempty"`   // of the last attempt
	TTL      int64     `dynamo:"ttl,omitempty"` // Unix seconds, once it is done
}

const version = 1

// Shards is the number of partitions of the pending index.
const Shards = 4

// Shard names one partition of the pending index.
func Shard(i int) string { return shardPrefix + strconv.Itoa(i) }

const shardPrefix = "pending#"

// Failed is the partition of the pending index that holds, by the time of
// their end, the messages that were given up.
const Failed = "failed"

// DueKey is a time as it sorts in the pending index.
func DueKey(t time.Time) string { return t.UTC().Format("20060102T150405.000Z") }

// New makes a message to be written at key(id). body is encoded as JSON.
func New(key func(id string) table.Key, kind Kind, body any, now, due time.Time) (Message, error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return Message{}, fmt.Errorf("outbox: %s: %w", kind, err)
	}
	id := ulid.MustNew(ulid.Timestamp(now), ulid.DefaultEntropy()).String()
	return Message{
		Item: table.At(key(id), version), ID: id, Kind: kind, Body: string(encoded), At: now.UTC(),
		Pending: shardOf(id), Due: DueKey(due),
	}, nil
}

func shardOf(id string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // a hash takes everything
	return Shard(int(h.Sum32() % Shards))
}

// Tenant is the company that the message belongs to, by its key; false for a
// message of no company.
func (m Message) Tenant() (tenant.ID, bool) { return table.TenantOf(m.PK) }

// Decode reads the body of a message.
func (m Message) Decode(body any) error {
	if err := json.Unmarshal([]byte(m.Body), body); err != nil {
		return fmt.Errorf("outbox: %s %s: %w", m.Kind, m.ID, err)
	}
	return nil
}

// Writer is a handle that a message can be written through.
type Writer interface {
	Create(item any) *dynamo.Put
}

// keyed begins the ids of messages of which one waits for a key.
const keyed = "k#"

// KeyedPrefix begins the sort keys of messages of which one waits for a key. The
// stream has their changes too: one that is armed again is no new item.
const KeyedPrefix = "outbox#" + keyed

// NewKeyed makes a message of which, for its kind and a key, at most one waits.
// It carries nothing but the key: who carries it out reads what is true then.
func NewKeyed(of func(id string) table.Key, kind Kind, key string, now time.Time) Message {
	id := keyed + string(kind) + "#" + key
	return Message{
		Item: table.At(of(id), version), ID: id, Kind: kind, Body: key, At: now.UTC(), Pending: shardOf(id), Due: DueKey(now),
	}
}

// Arm adds to a transaction that the message waits: a new one, or the one that
// waits already, or is being carried out, or has failed, and is then carried out
// once more. It is one operation, which never fails.
func Arm(tx *table.Tx, through Updater, m Message) {
	tx.Update(through.Update(m.Key()).Set("v", m.V).Set("id", m.ID).Set("k", m.Kind).Set("b", m.Body).Set("at", m.At).
		Set("pq", m.Pending).Set("pd", m.Due).Set("n", 0).Remove("e", "c"), nil)
}

// Updater is a handle that a message can be armed through.
type Updater interface {
	Update(k table.Key) *dynamo.Update
}

// isKeyed tells whether at most one such message waits for its key.
func (m Message) isKeyed() bool { return strings.HasPrefix(m.ID, keyed) }

// Send adds the message to the transaction of its cause.
func Send(tx *table.Tx, through Writer, m Message) {
	tx.Put(through.Create(m), fmt.Errorf("outbox: message %s exists", m.ID))
}

// Handler carries out one message. It may be called more than once for the
// same message: m.ID is the key by which a provider recognises a repetition.
// An error means "again, later"; ErrDrop means "never again".
type Handler func(ctx context.Context, m Message) error

// Work says what each kind of message means.
type Work map[Kind]Handler

// Later is the result of a handler that has nothing to do yet: the message
// waits until then, a few seconds at least, and the attempt does not count.
type Later struct{ Until time.Time }

// Error is for logs.
func (l Later) Error() string { return "outbox: later, at " + l.Until.Format(time.RFC3339) }

// ErrDrop ends a message that can never be carried out.
var ErrDrop = fmt.Errorf("outbox: message dropped")
