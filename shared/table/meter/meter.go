// Package meter counts what a request consumed: calls to the table, read and
// write units, and the time they took, and calls of KMS. The table's client and the keys add, the
// web layer and the worker report. Nothing decides anything by these numbers.
package meter

import (
	"context"
	"sync"
	"time"
)

// Usage is what was consumed.
type Usage struct {
	Calls      int
	ReadUnits  float64
	WriteUnits float64
	Time       time.Duration // of calls to the table, summed, so parallel calls count each
	KMSCalls   int
}

// Meter adds up the usage of one request. It is safe for concurrent use.
type Meter struct {
	mu    sync.Mutex
	usage Usage
}

// Add counts one call.
func (m *Meter) Add(u Usage) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.usage.Calls += u.Calls
	m.usage.ReadUnits += u.ReadUnits
	m.usage.WriteUnits += u.WriteUnits
	m.usage.Time += u.Time
	m.usage.KMSCalls += u.KMSCalls
}

// Usage is the sum so far.
func (m *Meter) Usage() Usage {
	if m == nil {
		return Usage{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.usage
}

type key struct{}

// Start gives a context that carries a new meter.
func Start(ctx context.Context) (context.Context, *Meter) {
	m := new(Meter)
	return context.WithValue(ctx, key{}, m), m
}

// From returns the context's meter. Without one it returns nil, which is a meter that counts nothing.
func From(ctx context.Context) *Meter {
	m, _ := ctx.Value(key{}).(*Meter)
	return m
}

// Call is one call of the table, as its client made it.
type Call struct {
	Name string // the operation: Query
	Usage
	Failed bool
}

type watcher struct{}

// Watch gives a context whose calls of the table are told one by one, whatever meters are started within it. watch is called concurrently
// if calls are, with the context of the call. The local platform shows by it what requests do.
func Watch(ctx context.Context, watch func(context.Context, Call)) context.Context {
	return context.WithValue(ctx, watcher{}, watch)
}

// Tell adds a call to the context's meter, and tells whoever watches.
func Tell(ctx context.Context, c Call) {
	From(ctx).Add(c.Usage)
	if watch, ok := ctx.Value(watcher{}).(func(context.Context, Call)); ok {
		watch(ctx, c)
	}
}
