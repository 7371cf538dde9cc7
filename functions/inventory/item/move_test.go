package item_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/recordtest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// yard is a company with groups and items, and processes that move these.
type yard struct {
	t     *testing.T
	world *tabletest.World
	name  string
	sound *table.Conn
}

func newYard(t *testing.T, faults tabletest.Faults, items, groups int) (y *yard, ids []int64) {
	t.Helper()
	y = &yard{t: t}
	y.world, y.name = tabletest.NewFaulty(t, faults)
	y.sound = table.Open(enginetest.Client(t), y.name)
	s := y.scope(y.sound, "seed")
	do := func(decide func(w *record.Work)) {
		t.Helper()
		if err := s.Do(t.Context(), nil, func(w *record.Work) error { decide(w); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	for g := range groups {
		do(func(w *record.Work) {
			group.Kind().Create(w, "", &group.Group{Name: fmt.Sprint("Group ", g), Extra: decode.JSON("{}")})
		})
	}
	for id := range items {
		ids = append(ids, int64(id+1))
	}
	for part := range slices.Chunk(ids, 40) {
		do(func(w *record.Work) {
			for range part {
				item.Kind().Create(w, "", &item.Item{Name: "Item", Extra: decode.JSON("{}")})
			}
		})
	}
	return y, ids
}

func (y *yard) scope(c *table.Conn, request string) record.Scope {
	return record.Scope{
		Table: table.Of(c, 7), Actor: audit.Actor{User: 3, Request: request, At: recordtest.Start},
		Now: func() time.Time { return recordtest.Start },
	}
}

// deliver carries out what is due by a time, as a worker of its own process does, and leaves what fails.
func (y *yard) deliver(c *table.Conn, now time.Time) (n int, err error) {
	ctx, through, work := context.WithoutCancel(y.t.Context()), crosstenant.Open(c), item.Work(c, func() time.Time { return now })
	err = outbox.EachDue(ctx, through, now, func(k table.Key) error {
		m, ok, err := outbox.Claim(ctx, through, k, now, time.Minute)
		if err != nil || !ok {
			return err
		}
		n++
		if err := work[m.Kind](ctx, m); err != nil {
			return err
		}
		_, err = outbox.Done(ctx, through, m, now, nil)
		return err
	})
	return n, err
}

// order is what a message about a move says.
type order struct {
	Group  int64   `json:"group"`
	Items  []int64 `json:"items"`
	Number int64   `json:"number"`
}

// check checks that each item is where the latest order about it says, and that nothing is half-written.
func (y *yard) check(ids []int64) (orders int) {
	y.t.Helper()
	ctx, s := y.t.Context(), y.scope(y.sound, "check")
	var messages []outbox.Message
	if err := s.Table.Table().Get("pk", s.Table.Message("x").PK).All(ctx, &messages); err != nil {
		y.t.Fatal(err)
	}
	last := map[int64]order{}
	for _, m := range messages {
		var o order
		if err := json.Unmarshal([]byte(m.Body), &o); err != nil {
			y.t.Fatal(err)
		}
		if m.Pending != "" {
			y.t.Errorf("the order %d still waits: %s", o.Number, m.Problem)
		}
		for _, id := range o.Items {
			if o.Number > last[id].Number {
				last[id] = o
			}
		}
	}
	wrong := 0
	for _, id := range ids {
		it, err := item.Kind().Get(ctx, s, id)
		if err != nil {
			y.t.Fatal(err)
		}
		got := int64(0)
		if it.Group != nil {
			got = *it.Group
		}
		if got != last[id].Group || it.Moved != last[id].Number {
			wrong++
		}
	}
	if wrong > 0 {
		y.t.Errorf("%d of %d items are not where their last order says", wrong, len(ids))
	}
	for _, problem := range recordtest.Problems(ctx, item.Kind(), s) {
		y.t.Error(problem)
	}
	return len(messages)
}

// Moves of the same items run at the same moment, and a worker carries them out at the same moment, too. Processes
// die, answers are lost. When all is quiet, each item is in the group of the last move that was accepted.
func TestMovesAtOnce(t *testing.T) {
	harsh := tabletest.Faults{Lock: time.Millisecond, Transaction: 2 * time.Millisecond, Throttled: 0.01, Lost: 0.01, Crash: 0.03}
	for name, tt := range map[string]struct {
		faults                tabletest.Faults
		items, moves, at, few int // few: the least items of a move; 0: each moves all
	}{
		"two, of the same 1,000":   {tabletest.Faults{}, 1000, 2, 2, 0},
		"some, of the same":        {harsh, 120, 9, 3, 0},
		"many, of some that meet":  {harsh, 120, 24, 4, 50},
		"many, and nothing breaks": {tabletest.Locks(), 100, 8, 4, 50},
	} {
		t.Run(name, func(t *testing.T) {
			y, ids := newYard(t, tt.faults, tt.items, 6)
			random := rand.New(rand.NewPCG(1, 2))
			var accepted, failed int
			var mu sync.Mutex
			for from := 0; from < tt.moves; from += tt.at {
				var group sync.WaitGroup
				for n := from; n < min(from+tt.at, tt.moves); n++ {
					set, to := slices.Clone(ids), int64(n%6+1)
					random.Shuffle(len(set), func(i, j int) { set[i], set[j] = set[j], set[i] })
					if tt.few > 0 {
						set = set[:tt.few+random.IntN(len(set)-tt.few)]
					}
					group.Go(func() {
						s := y.scope(table.Open(y.world.Client(uint64(n)), y.name), fmt.Sprint("move-", n))
						err := item.MoveAll(context.WithoutCancel(t.Context()), s, nil, to, set)
						mu.Lock()
						defer mu.Unlock()
						if accepted++; err != nil {
							accepted, failed = accepted-1, failed+1
						}
					})
				}
				group.Go(func() { // a worker that does not wait until the requests are dead
					time.Sleep(5 * time.Millisecond)
					_, _ = y.deliver(table.Open(y.world.Client(uint64(1000+from)), y.name), recordtest.Start.Add(2*time.Minute))
				})
				group.Wait()
			}
			for hour := range 20 { // until nothing is left, however often a worker died before
				if n, err := y.deliver(y.sound, recordtest.Start.Add(time.Duration(hour+1)*time.Hour)); err != nil {
					t.Fatal(err)
				} else if n == 0 {
					break
				}
			}
			orders := y.check(ids)
			t.Logf("%d accepted, %d failed, %d orders", accepted, failed, orders)
			if orders < accepted || tt.faults.Crash == 0 && failed > 0 || tt.moves == 24 && failed == 0 {
				t.Errorf("%d accepted, %d failed, %d orders", accepted, failed, orders)
			}
		})
	}
}

// A move by hand of an item, and a move of many that includes it, at the same moment: the one with the higher number holds.
func TestAMoveByHandAtOnce(t *testing.T) {
	y, ids := newYard(t, tabletest.Faults{Lock: time.Millisecond, Transaction: 2 * time.Millisecond}, 60, 3)
	first, second := int64(1), int64(2)
	for round := range 20 {
		var group sync.WaitGroup
		errs := make([]error, 2)
		for i, do := range []func(s record.Scope) error{
			func(s record.Scope) error { return item.MoveAll(t.Context(), s, nil, int64(round%2)*2+1, ids) },
			func(s record.Scope) error {
				return s.Do(t.Context(), nil, func(w *record.Work) error {
					it, err := item.Kind().Edit(t.Context(), w, ids[59])
					if err != nil {
						return err
					}
					to := &first
					if it.Group != nil && *it.Group == first {
						to = &second
					}
					item.Move(w, it, to)
					return nil
				})
			},
		} {
			group.Go(func() {
				errs[i] = do(y.scope(table.Open(y.world.Client(uint64(10*round+i)), y.name), fmt.Sprint(round, " ", i)))
			})
		}
		group.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	for _, problem := range recordtest.Problems(t.Context(), item.Kind(), y.scope(y.sound, "check")) {
		t.Error(problem)
	}
	s := y.scope(y.sound, "check")
	it, err := item.Kind().Get(t.Context(), s, ids[59])
	other, otherErr := item.Kind().Get(t.Context(), s, ids[0])
	if err != nil || otherErr != nil || it.Moved < other.Moved || it.Moved == other.Moved && *it.Group != *other.Group {
		t.Errorf("%v, %v, %d and %d", err, otherErr, it.Moved, other.Moved)
	}
}

// A move by hand that loses the race takes another number, so that it is the later one.
func TestAMoveByHandThatIsOvertaken(t *testing.T) {
	y, ids := newYard(t, tabletest.Faults{}, 2, 2)
	s, overtaken := y.scope(y.sound, "by hand"), false
	to := int64(1)
	err := s.Do(t.Context(), nil, func(w *record.Work) error {
		it, err := item.Kind().Edit(t.Context(), w, ids[0])
		if err != nil {
			return err
		}
		item.Move(w, it, &to)
		w.Finally(func(ctx context.Context) error {
			if overtaken {
				return nil
			}
			overtaken = true
			return item.MoveAll(ctx, y.scope(y.sound, "faster"), nil, 2, ids)
		})
		return nil
	})
	it, getErr := item.Kind().Get(t.Context(), s, ids[0])
	if err != nil || getErr != nil || *it.Group != 1 || it.Moved != 3 {
		t.Errorf("%v, %v, %+v", err, getErr, it)
	}
}

// watched is the engine with something that happens before each transaction.
type watched struct {
	dynamodbiface.DynamoDBAPI
	before func() error
}

func (e *watched) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, opts ...func(*dynamodb.Options),
) (*dynamodb.TransactWriteItemsOutput, error) {
	if err := e.before(); err != nil {
		return nil, err
	}
	return e.DynamoDBAPI.TransactWriteItems(ctx, in, opts...)
}

// Items grow while they are moved, and a worker that overtakes the request cuts its parts differently, and dies after
// one. The request does not take the part for its own, and leaves no item behind.
func TestPartsThatAreCutDifferently(t *testing.T) {
	y, ids := newYard(t, tabletest.Faults{}, 100, 1)
	large, requests := strings.Repeat("x", 140<<10), 0
	request := &watched{enginetest.Client(t), func() error {
		if requests++; requests != 2 {
			return nil
		}
		for part := range slices.Chunk(ids[40:64], 15) { // the request's second part is 33 to 64
			if err := y.scope(y.sound, "grow").Do(t.Context(), nil, func(w *record.Work) error {
				for _, id := range part {
					it, err := item.Kind().Edit(t.Context(), w, id)
					if err != nil {
						return err
					}
					it.Comment = &large
				}
				return nil
			}); err != nil {
				return err
			}
		}
		workers, died := 0, errors.New("the worker died")
		worker := &watched{enginetest.Client(t), func() error {
			if workers++; workers > 1 {
				return died
			}
			return nil
		}}
		if _, err := y.deliver(table.Open(worker, y.name), recordtest.Start.Add(2*time.Minute)); !errors.Is(err, died) {
			return fmt.Errorf("%d transactions, %w", workers, err)
		}
		moved, err := item.Kind().Get(t.Context(), y.scope(y.sound, "look"), 40)
		rest, restErr := item.Kind().Get(t.Context(), y.scope(y.sound, "look"), 64)
		if err != nil || restErr != nil || moved.Moved == 0 || rest.Moved != 0 {
			t.Errorf("%v, %v, %d and %d", err, restErr, moved.Moved, rest.Moved)
		}
		return nil
	}}
	if err := item.MoveAll(t.Context(), y.scope(table.Open(request, y.name), "move"), nil, 1, ids); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids { // before a worker repeats everything
		if it, err := item.Kind().Get(t.Context(), y.scope(y.sound, "look"), id); err != nil || it.Moved == 0 {
			t.Fatalf("%v, item %d was left behind", err, id)
		}
	}
	if _, err := y.deliver(y.sound, recordtest.Start.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	y.check(ids)
}

func TestDistinct(t *testing.T) {
	for _, tt := range []struct{ sent, want []int64 }{
		{nil, []int64{}}, {[]int64{3, 1, 3, 2, 1}, []int64{3, 1, 2}}, {[]int64{5}, []int64{5}},
	} {
		if got := item.Distinct(tt.sent); !slices.Equal(got, tt.want) || got == nil {
			t.Errorf("%v of %v", got, tt.sent)
		}
	}
}
