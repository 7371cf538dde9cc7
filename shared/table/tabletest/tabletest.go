// Package tabletest gives tests the platform's table on a real engine, and
// what no local engine does by itself: conflicts of transactions, throttles,
// stale answers, lost answers and crashes.
//
// It is for tests only, and it asserts nothing about any record.
package tabletest

import (
	"testing"
	"time"

	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/table"
)

// New is a connection to an empty table, which is deleted with the test.
func New(t testing.TB) *table.Conn {
	t.Helper()
	return table.Open(enginetest.Client(t), enginetest.Table(t))
}

// NewFaulty is an empty table behind faults, and the world that injects them.
func NewFaulty(t testing.TB, faults Faults) (w *World, name string) {
	t.Helper()
	return NewWorld(enginetest.Client(t), faults), enginetest.Table(t)
}

// Faults says what goes wrong. The zero value is a perfect engine. A share is
// a probability between 0 and 1, drawn for each call.
type Faults struct {
	// Lock is how long a transaction holds its items, and Transaction how long
	// it takes; on AWS about 10 and 13 ms. Who meets a held item is refused as
	// AWS refuses it. Zero: no conflict ever.
	Lock, Transaction time.Duration
	// Call is how long each other call takes at least.
	Call time.Duration
	// Throttled is the share of calls that the engine refuses for their rate,
	// and of batches of which it does only a part.
	Throttled float64
	// Lost is the share of calls that are carried out and whose answer is lost.
	Lost float64
	// Crash is the share of calls before or after which the client dies.
	Crash float64
	// Stale is how far behind a read may lag that is not consistent. Each item
	// of an answer lags by itself, which is worse than what AWS does.
	Stale time.Duration
}

// Locks are the faults of AWS under contention alone, with its delays.
func Locks() Faults {
	return Faults{Lock: 10 * time.Millisecond, Transaction: 13 * time.Millisecond, Call: 4 * time.Millisecond}
}

// World is one engine as all its clients meet it: they share locks and the
// recent past.
type World struct {
	api    dynamodbiface.DynamoDBAPI
	faults Faults
	locks  locks
	past   past
}

// NewWorld puts faults before an engine.
func NewWorld(api dynamodbiface.DynamoDBAPI, faults Faults) *World {
	return &World{
		api: api, faults: faults,
		locks: locks{held: map[item]bool{}, done: map[string]bool{}},
		past:  past{lag: faults.Stale, items: map[item][]version{}},
	}
}

// Client is one process that uses the engine. The faults that it meets, call
// by call, follow from the seed.
func (w *World) Client(seed uint64) *Client { return newClient(w, seed) }

// Wrap is a client alone in its world.
func Wrap(api dynamodbiface.DynamoDBAPI, faults Faults, seed uint64) *Client {
	return NewWorld(api, faults).Client(seed)
}
