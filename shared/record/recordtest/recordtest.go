// Package recordtest is the suite that every kind of records runs through, against
// the real engine. It tests that a write of a record is complete or does not happen, even
// if callers compete, processes die or answers are lost.
//
//	recordtest.Run(t, recordtest.Subject[Client]{Kind: client.Kind(), New: …, Change: …})
//
// It is for tests only, and knows nothing of what a record means.
package recordtest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// Subject is a kind of records, and how the suite makes some.
type Subject[T any] struct {
	Kind record.Kind[T]
	// New is the nth record that can be written; no two have a unique value in common.
	New func(n int) *T
	// Change changes the record, for the nth time.
	Change func(rec *T, n int)
	// Seed writes what the records refer to, if they do.
	Seed func(t testing.TB, s record.Scope)
	// Kinds are kinds of a test's own, which are not registered.
	Kinds []kinds.Kind
}

// company is the company that the suite works in; a neighbour tests the isolation.
const company = 7

// Start is the time of the suite.
var Start = time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)

// Run runs the suite.
func Run[T any](t *testing.T, s Subject[T]) {
	t.Run("is stored as it is", s.stored)
	t.Run("has columns that fit an entry", s.columned)
	t.Run("lives and ends", s.lives)
	t.Run("belongs to its company", s.belongs)
	t.Run("is changed by many at once", s.contended)
	t.Run("is whole where answers are lost", s.lost)
	t.Run("is whole where its writer dies", s.killed)
	t.Run("is decided on what is true now", s.stale)
}

// world is an engine with a table, and the processes that use it.
type world[T any] struct {
	Subject[T]
	t     testing.TB
	world *tabletest.World
	name  string
	sound record.Scope // of a process without faults
}

func (s Subject[T]) world(t testing.TB, faults tabletest.Faults) *world[T] {
	t.Helper()
	w := &world[T]{Subject: s, t: t}
	w.world, w.name = tabletest.NewFaulty(t, faults)
	w.sound = w.scope(table.OpenWith(enginetest.Client(t), w.name, s.Kinds...), "seed")
	if s.Seed != nil {
		s.Seed(t, w.sound)
	}
	return w
}

// process is a new process, and what it sees of the company on behalf of a
// request.
func (w *world[T]) process(seed uint64) (record.Scope, *tabletest.Client) {
	client := w.world.Client(seed)
	return w.scope(table.OpenWith(client, w.name, w.Kinds...), fmt.Sprintf("request-%d", seed)), client
}

func (w *world[T]) scope(c *table.Conn, request string) record.Scope {
	return record.Scope{
		Table: table.Of(c, company), Actor: audit.Actor{User: 3, Request: request, At: Start}, Now: func() time.Time { return Start },
	}
}

// create makes the nth record.
func (w *world[T]) create(s record.Scope, n int) (rec *T, err error) {
	err = s.Do(w.t.Context(), nil, func(work *record.Work) error {
		rec = w.New(n)
		w.Kind.Create(work, "", rec)
		return nil
	})
	return rec, err
}

// change changes a record the nth time.
func (w *world[T]) change(s record.Scope, id int64, n int) (rec *T, err error) {
	err = s.Do(w.t.Context(), nil, func(work *record.Work) (err error) {
		if rec, err = w.Kind.Edit(w.t.Context(), work, id); err == nil {
			w.Change(rec, n)
		}
		return err
	})
	return rec, err
}

func (w *world[T]) remove(s record.Scope, id int64) error {
	return s.Do(w.t.Context(), nil, func(work *record.Work) error { return w.Kind.Remove(w.t.Context(), work, id) })
}

// must makes the nth record, by a process without faults.
func (w *world[T]) must(n int) *T {
	w.t.Helper()
	rec, err := w.create(w.sound, n)
	if err != nil {
		w.t.Fatalf("record %d can't be made: %v", n, err)
	}
	return rec
}

// check finds fault with everything that is stored of the kind.
func (w *world[T]) check() {
	w.t.Helper()
	for _, problem := range Problems(context.WithoutCancel(w.t.Context()), w.Kind, w.sound) {
		w.t.Error(problem)
	}
}
