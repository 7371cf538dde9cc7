// Package outbox is for work that a request leaves to be done after its answer: e-mails, SMS,
// the folding of counters. A message is written in the transaction of its cause, so it exists
// if and only if the cause happened. A worker (shared/outbox/worker) carries it out at least
// once.
//
// What never goes in here: the work itself. A group defines what a kind of message means
// (Work); this package defines how a message is written and found.
//
// A message holds references and never a secret: the text of a one-time code is made when it is
// delivered.
//
// # The life of a message
//
// A message is written as waiting. A worker claims it: one conditional update signs it for the
// length of a lease, so no other worker takes it meanwhile, and if the worker dies, another one
// takes it after the lease. After that there are three outcomes. The message is done (kept for a
// week, then swept). Or it waits again, with a pause that grows with each attempt. Or, after
// MaxAttempts, it has failed; or earlier, if MaxCrashes workers in a row claimed it and none came
// back. A failed message stays in the index pending, in the partition Failed, until somebody
// looks at it.
//
// # Who brings it
//
// The kind of a message names its lane (lanes.go). On AWS the table's stream brings what is urgent
// to a function that carries it out, and the key of anything else to a queue of its lane
// (functions/dispatch). The sparse index pending is the net beneath: a message stands there from
// its cause until it is done, at the time when the sweep is to look at it. That is a while after
// the stream should have brought it, or when it is due, if it waits for a time. The sweep sends
// what it finds to the queues. A claim moves nothing in the index. Locally there is no stream, and
// the index is read all the time (EachDue).
//
// A message with a key (NewKeyed, Arm) says that something has changed, no matter how often:
// while one waits, arming it again is the same message. It is due at once. If it is armed while
// a worker carries it out, it waits again, and that worker can no longer end it. A keyed
// message is deleted when it is done. Each arming resets its attempts, so a message that is
// armed again and again never fails for good; failed attempts are still counted
// (shared/outbox/worker).
package outbox

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
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

// Message is one item of the outbox.
type Message struct {
	table.Item
	ID       string    `dynamo:"id"`
	Kind     Kind      `dynamo:"k"`
	Body     string    `dynamo:"b"` // JSON; in a keyed message, the key itself
	At       time.Time `dynamo:"at"`
	Pending  string    `dynamo:"pq,omitempty"`  // its partition of the index, until it is done
	Swept    string    `dynamo:"pd,omitempty"`  // when the sweep is to look at it
	Due      string    `dynamo:"du,omitempty"`  // before that it can't be claimed; empty: it is due since it was written
	Attempts int       `dynamo:"n"`             // claims so far, unended ones too
	Claim    string    `dynamo:"c,omitempty"`   // the signature of the last claim, until that is ended
	Leased   string    `dynamo:"l,omitempty"`   // until when that claim holds
	Unended  int       `dynamo:"x,omitempty"`   // the last claims in a row from which no worker has come back, this one included
	Problem  string    `dynamo:"e,omitempty"`   // the error of the last attempt
	TTL      int64     `dynamo:"ttl,omitempty"` // Unix seconds, once it is done
}

// version 1 had no lanes, four partitions, and one time, which a claim moved on by its lease.
const version = 2

const shardsBefore = 4

const prefixBefore = "pending#"

func shardBefore(i int) string { return prefixBefore + strconv.Itoa(i) }

// Failed is the partition of the pending index that holds the messages that were given up, by
// the time when they were.
const Failed = "failed"

// DueKey is a time in the form that sorts in the pending index.
func DueKey(t time.Time) string { return t.UTC().Format(dueLayout) }

// ParseDueKey is the time in a text made by DueKey.
func ParseDueKey(text string) (time.Time, error) { return time.Parse(dueLayout, text) }

const dueLayout = "20060102T150405.000Z"

// New makes a message to be written at key(id). body is encoded as JSON.
func New(key func(id string) table.Key, kind Kind, body any, now, due time.Time) (Message, error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return Message{}, fmt.Errorf("outbox: %s: %w", kind, err)
	}
	id := ulid.MustNew(ulid.Timestamp(now), ulid.DefaultEntropy()).String()
	lane, _ := kind.Lane()
	m := Message{
		Item: table.At(key(lane.mark()+id), version), ID: id, Kind: kind, Body: string(encoded), At: now.UTC(),
		Pending: lane.shardOf(id), Swept: DueKey(now.Add(lane.Net())),
	}
	if due.After(now) {
		m.Swept, m.Due = DueKey(due), DueKey(due)
	}
	return m, nil
}

// Tenant is the company that the message belongs to, read from its key; false if it belongs to
// none.
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

// Prefix begins the sort key of every message.
const Prefix = "outbox#"

// keyed is the prefix of the ids of keyed messages.
const keyed = "k#"

// KeyedPrefix begins the sort key of every keyed message. The stream has to deliver their
// modifications too, because arming a message again does not insert a new item.
const KeyedPrefix = Prefix + keyed

// eventsPrefix begins the sort key of the events of a change (table.Tenant.Event), which wait for their place in the company's log
// (shared/record/eventlog). They come by the same ways as messages do, and nobody claims them: whoever gets the key of one
// gives all of the company's their places.
const eventsPrefix = Prefix + "e#"

// Sequence is the kind of the work that gives events their places.
const Sequence Kind = "events.sequence"

// Deliver is the kind of the message that new events of a company arm for an endpoint of its webhooks: its key is the endpoint's id
// (shared/record/eventlog arms it, functions/deliver carries it out).
const Deliver Kind = "webhooks.deliver"

// AreEvents tells whether an item with the sort key holds events.
func AreEvents(sk string) bool { return strings.HasPrefix(sk, eventsPrefix) }

// Together returns one key for all events of a company, if k is the key of some of its events, because a worker numbers all of them at
// once. It returns any other key unchanged.
func Together(k table.Key) table.Key {
	if AreEvents(k.SK) {
		k.SK = eventsPrefix
	}
	return k
}

// Place is where events that are written now stand in the index pending: its partition, and when the sweep is to look at them.
func Place(id string, now time.Time) (partition, swept string) {
	return Normal.shardOf(id), DueKey(now.Add(Normal.Net()))
}

// NewKeyed makes a message with a key: for each kind and key at most one message waits. It
// carries nothing but the key; its handler reads the current state. Its kind is not urgent: the stream
// tells dispatch of messages with a key, and not the function urgent.
func NewKeyed(of func(id string) table.Key, kind Kind, key string, now time.Time) Message {
	id := keyed + string(kind) + "#" + key
	lane, _ := kind.Lane()
	return Message{
		Item: table.At(of(id), version), ID: id, Kind: kind, Body: key, At: now.UTC(),
		Pending: lane.shardOf(id), Swept: DueKey(now.Add(lane.Net())),
	}
}

// Arm adds to a transaction that the keyed message waits. It creates the message, or, if the
// message already waits, is being carried out, or has failed, makes it be carried out once
// more. It is one operation, which never fails. It leaves Unended as it is: arming does not tell whether the worker that holds the
// message lives, and that worker sets it back when it ends.
func Arm(tx *table.Tx, through Updater, m Message) { tx.Update(Armed(through, m), nil) }

// Armed is the update by which the keyed message waits, for who arms it outside of a transaction: after its cause, and so that it is
// done again if that was not seen to have happened.
func Armed(through Updater, m Message) *dynamo.Update {
	return armed(through, m).Set("pd", m.Swept).Remove("du", "e", "c")
}

// ArmedAt is Armed for a message that is due later. Whoever holds it can't end it, as with any arming. Its condition is false where the
// message waits for an earlier time already, because it was armed meanwhile for what the caller has not seen.
func ArmedAt(through Updater, m Message, due time.Time) *dynamo.Update {
	if !due.After(m.At) {
		return Armed(through, m)
	}
	return armed(through, m).Set("pd", DueKey(due)).Set("du", DueKey(due)).Remove("e", "c").
		If("attribute_not_exists(pk) OR attribute_exists(c) OR du > ? OR pq = ?", DueKey(due), Failed)
}

func armed(through Updater, m Message) *dynamo.Update {
	return through.Update(m.Key()).Set("v", m.V).Set("id", m.ID).Set("k", m.Kind).Set("b", m.Body).Set("at", m.At).
		Set("pq", m.Pending).Set("n", 0)
}

// Updater is a handle that a message can be armed through.
type Updater interface {
	Update(k table.Key) *dynamo.Update
}

// IsKeyed tells whether the message with a sort key has a key of its own.
func IsKeyed(sk string) bool { return strings.HasPrefix(sk, KeyedPrefix) }

// isKeyed tells whether the message has a key.
func (m Message) isKeyed() bool { return strings.HasPrefix(m.ID, keyed) }

// Send adds the message to the transaction of its cause.
func Send(tx *table.Tx, through Writer, m Message) {
	tx.Put(through.Create(m), fmt.Errorf("outbox: message %s exists", m.ID))
}

// Handler carries out one message. It may be called more than once for the same message: m.ID
// is the key by which a provider recognises a repetition. An error means that it is tried again
// later; ErrDrop means that it is never tried again.
type Handler func(ctx context.Context, m Message) error

// Work says what each kind of message means.
type Work map[Kind]Handler

// Join is the work of several sets. Kinds begin with their group's name, so none occurs twice.
func Join(sets ...Work) Work {
	all := Work{}
	for _, work := range sets {
		maps.Copy(all, work)
	}
	return all
}

// Early returns a context that ends some time before ctx does, if ctx ends by itself: what is left of it is for the end of the work.
func Early(ctx context.Context, left time.Duration) (context.Context, context.CancelFunc) {
	if deadline, ok := ctx.Deadline(); ok {
		return context.WithDeadline(ctx, deadline.Add(-left))
	}
	return context.WithCancel(ctx)
}

// Later is returned by a handler that has nothing to do yet. The message waits until then, at
// least for a few seconds, and the attempt does not count.
type Later struct{ Until time.Time }

// Error is for logs.
func (l Later) Error() string { return "outbox: later, at " + l.Until.Format(time.RFC3339) }

// AtLatest is an error of a handler after which the message is tried again as after any other, but
// no later than at a time.
type AtLatest struct {
	Until time.Time
	Err   error
}

// Error is for logs.
func (a AtLatest) Error() string { return a.Err.Error() }

// Unwrap is the error itself.
func (a AtLatest) Unwrap() error { return a.Err }

// ErrDrop ends a message that can never be carried out.
var ErrDrop = fmt.Errorf("outbox: message dropped")
