// Package tabletest gives tests the platform's table on a real engine, and adds what no local engine does by itself:
// conflicts of transactions, throttles, stale answers, lost answers and crashes.
//
// It is for tests only. Assertions about records never go in here.
package tabletest

import (
	"testing"
	"time"

	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/table"
)

// New returns a connection to an empty table, which is deleted when the test ends.
func New(t testing.TB) *table.Conn {
	t.Helper()
	return table.Open(enginetest.Client(t), enginetest.Table(t))
}

// NewFaulty makes an empty table, and returns its name and the world that injects faults into calls of it.
func NewFaulty(t testing.TB, faults Faults) (w *World, name string) {
	t.Helper()
	return NewWorld(enginetest.Client(t), faults), enginetest.Table(t)
}

// Faults says what goes wrong. The zero value is an engine without faults. A share is a probability between 0 and 1;
// each call is decided by itself.
type Faults struct {
	// Lock is how long a transaction locks its items, and Transaction how long it takes; on AWS these are about 10 and
	// 13 ms. A call that needs a locked item is refused as on AWS. With zero there are no conflicts.
	Lock, Transaction time.Duration
	// Call is how long each other call takes at least.
	Call time.Duration
	// Throttled is the share of calls that are refused because there are too many, and of batches of which only a part
	// is done.
	Throttled float64
	// Lost is the share of calls that are carried out and whose answer is lost.
	Lost float64
	// Crash is the share of calls before or after which the client dies.
	Crash float64
	// Stale is the longest time by which a read that is not consistent may lag. Each item of an answer has its own
	// lag, which is worse than on AWS.
	Stale time.Duration
}

// Locks returns the faults that AWS itself causes under contention, and AWS's delays.
func Locks() Faults {
	return Faults{Lock: 10 * time.Millisecond, Transaction: 13 * time.Millisecond, Call: 4 * time.Millisecond}
}

// World is one engine as all its clients see it. They share the locks and the recent past.
type World struct {
	api    dynamodbiface.DynamoDBAPI
	faults Faults
	locks  locks
	past   past
}

// NewWorld adds faults to an engine.
func NewWorld(api dynamodbiface.DynamoDBAPI, faults Faults) *World {
	return &World{
		api: api, faults: faults,
		locks: locks{held: map[item]bool{}, done: map[string]bool{}},
		past:  past{lag: faults.Stale, items: map[item][]version{}},
	}
}

// Client returns a process that uses the engine. The seed decides which faults its calls meet.
func (w *World) Client(seed uint64) *Client { return newClient(w, seed) }

// Wrap returns the only client of a new world.
func Wrap(api dynamodbiface.DynamoDBAPI, faults Faults, seed uint64) *Client {
	return NewWorld(api, faults).Client(seed)
}
