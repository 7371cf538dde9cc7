package record_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/recordtest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// A box has a tag that is unique, may be in another box, which it holds, and has
// sums beside it. A note is appended and never changed.
type box struct {
	record.Meta
	Name string `dynamo:"n"`
	Tag  string `dynamo:"t,omitempty"`
	In   int64  `dynamo:"i,omitempty"`
	Text string `dynamo:"tx,omitempty"`
}

type note struct {
	record.Meta
	Text string `dynamo:"t"`
}

var (
	boxKind = kinds.Kind{
		Code: "zb", Name: "test_box", Label: "Box", Many: "boxes", Unique: []string{"tag"}, Sums: []string{"a", "b"}, Held: true, Entries: 4,
	}
	noteKind = kinds.Kind{Code: "zn", Name: "test_note", Label: "Note", Many: "notes"}
)

func boxes() *record.Kind[*box] {
	return &record.Kind[*box]{
		Kind: boxKind, Name: func(b *box) string { return b.Name },
		Shown:  func(b *box) any { return map[string]any{"name": b.Name, "tag": b.Tag, "in": b.In} },
		Unique: func(b *box) []record.Unique { return []record.Unique{{Name: "tag", Value: b.Tag, Field: "tag"}} },
		References: func(b *box) []record.Reference {
			if b.In == 0 {
				return nil
			}
			return []record.Reference{{Field: "in", Kind: "zb", ID: b.In, Hold: true}}
		},
	}
}

func notes() *record.Kind[*note] { return &record.Kind[*note]{Kind: noteKind, AppendOnly: true} }

// shelf is a company with boxes, and processes that work on it.
type shelf struct {
	t     testing.TB
	world *tabletest.World
	name  string
	clock time.Time
}

func newShelf(t testing.TB, faults tabletest.Faults) *shelf {
	t.Helper()
	s := &shelf{t: t, clock: recordtest.Start}
	s.world, s.name = tabletest.NewFaulty(t, faults)
	return s
}

// scope is a process's view of the company, on behalf of a request.
func (s *shelf) scope(request string) record.Scope {
	c := table.OpenWith(enginetest.Client(s.t), s.name, boxKind, noteKind)
	return record.Scope{
		Table: table.Of(c, 7), Actor: audit.Actor{User: 1, Request: request, At: s.clock}, Now: func() time.Time { return s.clock },
	}
}

func (s *shelf) process(seed uint64) (record.Scope, *tabletest.Client) {
	client, scope := s.world.Client(seed), s.scope(fmt.Sprint("request-", seed))
	scope.Table = table.Of(table.OpenWith(client, s.name, boxKind, noteKind), 7)
	return scope, client
}

func (s *shelf) do(scope record.Scope, decide func(w *record.Work) error) error {
	return scope.Do(s.t.Context(), nil, decide)
}

func (s *shelf) put(b ...*box) {
	s.t.Helper()
	if err := s.do(s.scope("put"), func(w *record.Work) error { boxes().Create(w, "", b...); return nil }); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shelf) check() {
	s.t.Helper()
	for _, problem := range recordtest.Problems(context.Background(), boxes(), s.scope("check")) {
		s.t.Error(problem)
	}
}

func edit(ctx context.Context, w *record.Work, id int64, change func(b *box)) error {
	b, err := boxes().Edit(ctx, w, id)
	if err == nil {
		change(b)
	}
	return err
}

// add adds to sums beside a box that is there.
func add(ctx context.Context, w *record.Work, id int64, sums ...record.Addition) error {
	_, err := boxes().Read(ctx, w, id)
	boxes().AddToSums(w, id, sums...)
	return err
}
