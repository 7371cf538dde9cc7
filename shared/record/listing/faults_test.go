package listing_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// deaf hears no answer to a transaction, though each is carried out.
type deaf struct {
	dynamodbiface.DynamoDBAPI
	before bool // the request doesn't even arrive
}

func (d deaf) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, opts ...func(*dynamodb.Options),
) (*dynamodb.TransactWriteItemsOutput, error) {
	if !d.before {
		if _, err := d.DynamoDBAPI.TransactWriteItems(ctx, in, opts...); err != nil {
			return nil, err
		}
	}
	return nil, &net.OpError{Op: "read", Net: "tcp", Err: errors.New("reset by the test")}
}

func TestWhoHearsNoAnswerLooks(t *testing.T) {
	name := enginetest.Table(t)
	sound := newStore(table.Open(enginetest.Client(t), name))
	happens := newStore(table.Open(deaf{DynamoDBAPI: enginetest.Client(t)}, name))
	never := newStore(table.Open(deaf{DynamoDBAPI: enginetest.Client(t), before: true}, name))

	id, err := happens.create(t.Context(), 0)
	if err != nil || id != 1 {
		t.Fatalf("created %d, %v", id, err)
	}
	sound.check(t, []int64{1}, 10)
	if _, err := never.create(t.Context(), 0); !table.Unavailable(err) {
		t.Errorf("a create that did not happen: %v", err)
	}
	if err := never.delete(t.Context(), 1); !table.Unavailable(err) {
		t.Errorf("a delete that did not happen: %v", err)
	}
	sound.check(t, []int64{1}, 10)
	if err := happens.delete(t.Context(), 1); err != nil {
		t.Errorf("delete: %v", err)
	}
	sound.check(t, nil, 10)
}

// A delete that can't get at the base goes to a stripe, and where the bucket was
// folded asks to fold it again.
func TestADeleteAvoidsABusyBase(t *testing.T) {
	world, name := tabletest.NewFaulty(t, tabletest.Locks())
	sound := newStore(table.Open(enginetest.Client(t), name))
	live := sound.fill(t, 50, 0, all)
	sound.reserve(t, listing.Bucket)
	if _, err := sound.dir.Fold(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	busy := world.Client(1)
	holds, end := busy.Hang()
	defer end()
	first, second := newStore(table.Open(busy, name)), newStore(table.Open(world.Client(2), name))
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := first.delete(t.Context(), 10); err != nil {
			t.Error(err)
		}
	})
	<-holds
	if err := second.delete(t.Context(), 20); err != nil {
		t.Error(err)
	}
	end()
	wg.Wait()
	if first.asks[0] != 0 || second.asks[0] != 1 {
		t.Errorf("asked to fold %d and %d times", first.asks[0], second.asks[0])
	}
	live = slices.DeleteFunc(live, func(id int64) bool { return id == 10 || id == 20 })
	sound.check(t, live, 20)
	if below, err := sound.dir.Fold(t.Context(), 0); err != nil || below != 2 {
		t.Errorf("fold: %d, %v", below, err)
	}
	sound.check(t, live, 20)
}

// meddled runs something before the nth call of an operation.
type meddled struct {
	dynamodbiface.DynamoDBAPI
	update, transact func(n int64)
	updates          *atomic.Int64
	transacts        *atomic.Int64
}

func meddle(t testing.TB, name string, update, transact func(n int64)) *store {
	t.Helper()
	return newStore(table.Open(meddled{
		DynamoDBAPI: enginetest.Client(t), update: update, transact: transact,
		updates: new(atomic.Int64), transacts: new(atomic.Int64),
	}, name))
}

func (m meddled) UpdateItem(
	ctx context.Context, in *dynamodb.UpdateItemInput, opts ...func(*dynamodb.Options),
) (*dynamodb.UpdateItemOutput, error) {
	m.update(m.updates.Add(1))
	return m.DynamoDBAPI.UpdateItem(ctx, in, opts...)
}

func (m meddled) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, opts ...func(*dynamodb.Options),
) (*dynamodb.TransactWriteItemsOutput, error) {
	m.transact(m.transacts.Add(1))
	return m.DynamoDBAPI.TransactWriteItems(ctx, in, opts...)
}

// A fold that was overtaken by another must not absorb the generation that it
// did not seal: a create may be on its way there.
func TestAnOvertakenFold(t *testing.T) {
	name := enginetest.Table(t)
	sound := newStore(table.Open(enginetest.Client(t), name))
	late := sound.reserve(t, 10)
	live := sound.fill(t, 40, 0, all)
	sound.reserve(t, listing.Bucket)
	none := func(int64) {}
	begun, proceed, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	slow := meddle(t, name, func(n int64) {
		if n == 1 {
			close(begun)
			<-proceed
		}
	}, none)
	go func() {
		defer close(ended)
		if _, err := slow.dir.Fold(t.Context(), 0); err != nil {
			t.Error(err)
		}
	}()
	<-begun // it has seen generation 0, and sealed nothing
	if _, err := sound.dir.Fold(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	creator := meddle(t, name, none, func(n int64) {
		if n == 2 { // to generation 1, as generation 0 is sealed
			close(proceed)
			<-ended
		}
	})
	live = slices.Insert(live, 0, creator.fillFrom(t, late, 1, 0, all)...)
	sound.check(t, live, 20)
}

// Everything here reads a past of an hour where it does not ask for the
// present, and still decides rightly.
func TestNoRuleDependsOnEventualReads(t *testing.T) {
	world, name := tabletest.NewFaulty(t, tabletest.Faults{Stale: time.Hour})
	s, sound := newStore(table.Open(world.Client(1), name)), newStore(table.Open(enginetest.Client(t), name))
	late := s.reserve(t, 10)
	live := s.fill(t, 60, 0, func(id int64) bool { return id%4 != 0 })
	s.reserve(t, listing.Bucket)
	remove := func(id int64) {
		t.Helper()
		if err := s.delete(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		live = slices.DeleteFunc(live, func(l int64) bool { return l == id })
	}
	for round := range int64(3) {
		remove(13 + 4*round)
		if below, err := s.dir.Fold(t.Context(), 0); err != nil || below != round+1 {
			t.Fatalf("fold: %d, %v", below, err)
		}
		remove(14 + 4*round)
		live = slices.Insert(live, int(round), s.fillFrom(t, late+round, 1, 0, all)...)
		sound.check(t, live, 20)
	}
	if err := s.dir.Sweep(t.Context(), 0, 3); err != nil {
		t.Fatal(err)
	}
	remove(41)
	sound.check(t, live, 20)
	stale := 0
	for range 10 {
		if count, err := s.dir.Count(t.Context()); err != nil || count != len(live) {
			stale++
		}
	}
	if stale == 0 {
		t.Error("no read was stale, so nothing was shown")
	}
}

// forgetful leaves items out of the first query that is not consistent, and
// remembers one that is no more.
type forgetful struct {
	dynamodbiface.DynamoDBAPI
	forgets   func(sk string) bool
	remembers map[string]types.AttributeValue
	always    bool // forgets in every query
	queries   *atomic.Int64
}

func (f forgetful) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	out, err := f.DynamoDBAPI.Query(ctx, in, opts...)
	if err == nil && (f.queries.Add(1) == 1 && !aws.ToBool(in.ConsistentRead) || f.always) {
		out.Items = slices.DeleteFunc(out.Items, func(item map[string]types.AttributeValue) bool {
			sk, ok := item["sk"].(*types.AttributeValueMemberS)
			return ok && f.forgets(sk.Value)
		})
		if f.remembers != nil {
			out.Items = append(out.Items, f.remembers)
		}
	}
	return out, err
}

// A listing that shows the end of a record and not its beginning is torn: it
// is read again, whatever was asked.
func TestATornDirectoryIsReadAgain(t *testing.T) {
	name := enginetest.Table(t)
	sound := newStore(table.Open(enginetest.Client(t), name))
	live := sound.fill(t, 18, 0, all) // one stripe
	sound.fill(t, 1, 0, all)          // another, in a group of its own
	sound.reserve(t, 8)
	live = append(live, sound.fill(t, 20, 0, all)...)
	if err := sound.delete(t.Context(), 19); err != nil {
		t.Fatal(err)
	}
	for what, ask := range map[string]func(s *store) (int, error){
		"count": func(s *store) (int, error) { return s.dir.Count(t.Context()) },
		"page": func(s *store) (int, error) {
			items, count, err := page(t.Context(), s.dir, 0, 50, true)
			if len(items) != len(live) {
				t.Errorf("page of %d rows", len(items))
			}
			return count, err
		},
		"past the end": func(s *store) (int, error) {
			_, count, err := page(t.Context(), s.dir, 38, 10, true)
			return count, err
		},
		"split": func(s *store) (int, error) {
			parts, err := s.dir.Split(t.Context(), false, func(int) int { return 1 })
			return parts.Count, err
		},
	} {
		var queries atomic.Int64
		s := newStore(table.Open(forgetful{
			DynamoDBAPI: enginetest.Client(t), queries: &queries,
			forgets: func(sk string) bool { return sk == "000000#0#19" }, // of the record that was deleted
		}, name))
		if count, err := ask(s); err != nil || count != len(live) || queries.Load() < 2 {
			t.Errorf("%s: %d, %v after %d queries; want %d", what, count, err, queries.Load(), len(live))
		}
	}
}

// A page that its listing contradicts is read again, consistently.
func TestAContradictedPageIsReadAgain(t *testing.T) {
	world, name := tabletest.NewFaulty(t, tabletest.Faults{Stale: 300 * time.Millisecond})
	client := world.Client(1)
	s := newStore(table.Open(client, name))
	live := s.fill(t, 60, 0, all)
	time.Sleep(time.Second)
	again := 0
	for id := int64(1); id <= 20; id++ {
		if err := s.delete(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		before := client.Calls()["Query"]
		items, count, err := page(t.Context(), s.dir, 0, 100, false)
		if err != nil {
			t.Fatal(err)
		}
		if len(items) != count {
			t.Errorf("%d rows of %d", len(items), count)
		}
		if client.Calls()["Query"] > before+2 {
			again++
		}
	}
	if again == 0 {
		t.Error("no page was read again")
	}
	newStore(table.Open(enginetest.Client(t), name)).check(t, live[20:], 100)
}

// Sixteen creators of one company under the locks and delays of AWS.
func BenchmarkCreators(b *testing.B) {
	world, name := tabletest.NewFaulty(b, tabletest.Locks())
	var next, failed, calls atomic.Int64
	var wg sync.WaitGroup
	for seed := range uint64(16) {
		client := world.Client(seed)
		s := newStore(table.Open(client, name))
		wg.Go(func() {
			for next.Add(1) <= int64(b.N) {
				if _, err := s.create(b.Context(), 0); err != nil {
					failed.Add(1)
				}
			}
			calls.Add(int64(client.Writes()))
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "creates/s")
	b.ReportMetric(float64(failed.Load()), "failed")
	b.ReportMetric(float64(calls.Load())/float64(b.N), "writes/create")
}

// A page of 20 of a company with 100 records, and of one with 50 full buckets.
func BenchmarkPage(b *testing.B) {
	s := newStore(tabletest.New(b))
	for range 100 {
		if _, err := s.create(b.Context(), 1000); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, _, err := page(b.Context(), s.dir, 40, 20, true); err != nil {
			b.Fatal(err)
		}
	}
}
