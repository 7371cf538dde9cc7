// Package recordtest is the test suite for a kind of records. It runs against the real engine, and tests that a write
// of a record either is complete or does not happen, even if callers compete, processes die or answers are lost.
//
//	recordtest.Run(t, recordtest.Subject[Client]{Kind: client.Kind(), New: …, Change: …})
//
// It is for tests only. What a record means never goes in here.
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

// Subject is a kind of records, with what the suite needs to make some.
type Subject[T record.Stored] struct {
	Kind *record.Kind[T]
	// New makes the nth record. No two of them have a unique value in common.
	New func(n int) T
	// Change changes a record for the nth time.
	Change func(rec T, n int)
	// Seed writes the records that the kind's records refer to; nil if they refer to none.
	Seed func(t testing.TB, s record.Scope)
	// Kinds are the kinds that exist only in the test and are not registered.
	Kinds []kinds.Kind
}

// company is the company in which the suite works. Another company tests the isolation.
const company = 7

// Start is the time at which the suite begins.
var Start = time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)

// Run runs the suite.
func Run[T record.Stored](t *testing.T, s Subject[T]) {
	t.Run("is stored as it is", s.stored)
	t.Run("has columns that fit an entry", s.columned)
	t.Run("is found by each column", s.found)
	t.Run("lives and ends", s.lives)
	t.Run("belongs to its company", s.belongs)
	t.Run("is changed by many at once", s.contended)
	t.Run("is whole where answers are lost", s.lost)
	t.Run("is whole where its writer dies", s.killed)
	t.Run("is decided on what is true now", s.stale)
}

// world is an engine with a table, and the processes that use them.
type world[T record.Stored] struct {
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

// process starts a process, and returns its view of the company on behalf of a request.
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
func (w *world[T]) create(s record.Scope, n int) (rec T, err error) {
	err = s.Do(w.t.Context(), nil, func(work *record.Work) error {
		rec = w.New(n)
		w.Kind.Create(work, "", rec)
		return nil
	})
	return rec, err
}

// change changes a record the nth time.
func (w *world[T]) change(s record.Scope, id int64, n int) (rec T, err error) {
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

// must makes the nth record in a process without faults.
func (w *world[T]) must(n int) T {
	w.t.Helper()
	rec, err := w.create(w.sound, n)
	if err != nil {
		w.t.Fatalf("record %d can't be made: %v", n, err)
	}
	return rec
}

// check reports all problems in what is stored of the kind.
func (w *world[T]) check() {
	w.t.Helper()
	for _, problem := range Problems(context.WithoutCancel(w.t.Context()), w.Kind, w.sound) {
		w.t.Error(problem)
	}
}
