package listing_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/table"
)

var (
	agreeReads   = flag.Int("agree.reads", 200, "how many pages TestPagesAgreeWithTheirCount reads while others write")
	agreeWriters = flag.Int("agree.writers", 16, "how many others write meanwhile")
	agreeRest    = flag.Duration("agree.rest", 20*time.Millisecond, "how long each of them rests after a write")
)

// shown is how many records a page must hold of so many.
func shown(count, offset, size int) int { return min(size, max(0, count-offset)) }

// interrupted lets something happen before each query of a partition.
type interrupted struct {
	dynamodbiface.DynamoDBAPI
	partition string
	happens   func()
	queries   *int
}

func (i interrupted) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	for _, v := range in.ExpressionAttributeValues {
		if s, ok := v.(*types.AttributeValueMemberS); ok && s.Value == i.partition {
			i.happens()
		}
	}
	*i.queries++
	return i.DynamoDBAPI.Query(ctx, in, opts...)
}

// However often something changes between the two reads of a page, the page holds what its count
// says: live records, in order, without gaps.
func TestPagesAgreeWhateverHappensBetween(t *testing.T) {
	const n = 34
	for what, write := range map[string]func(t *testing.T, s *store, live []int64) []int64{
		"nothing": func(_ *testing.T, _ *store, live []int64) []int64 { return live },
		"a create": func(t *testing.T, s *store, live []int64) []int64 {
			return append(live, s.fill(t, 1, 0, all)...)
		},
		"a delete of the oldest": func(t *testing.T, s *store, live []int64) []int64 {
			return s.drop(t, live, 0)
		},
		"a delete of the newest": func(t *testing.T, s *store, live []int64) []int64 {
			return s.drop(t, live, len(live)-1)
		},
		"a delete in the middle": func(t *testing.T, s *store, live []int64) []int64 {
			return s.drop(t, live, len(live)/2)
		},
		"a delete and a create": func(t *testing.T, s *store, live []int64) []int64 {
			return append(s.drop(t, live, len(live)-4), s.fill(t, 1, 0, all)...)
		},
		"deletes of all but a few": func(t *testing.T, s *store, live []int64) []int64 {
			for len(live) > 3 {
				live = s.drop(t, live, 1)
			}
			return append(live, s.fill(t, n, 0, all)...)
		},
		"a commit of an import": func(t *testing.T, s *store, live []int64) []int64 {
			return append(live, s.show(t, s.hide(t, 11, 0))...)
		},
		"an import that is never committed": func(t *testing.T, s *store, live []int64) []int64 {
			s.hide(t, 5, 0)
			return append(live, s.fill(t, 1, 0, all)...)
		},
	} {
		for _, at := range []struct{ offset, size int }{{0, 100}, {0, n}, {0, 20}, {20, 20}, {17, 17}, {33, 1}, {10, 10}, {30, 2}} {
			for _, newestFirst := range []bool{false, true} {
				t.Run(fmt.Sprint(what, at, newestFirst), func(t *testing.T) {
					disturb(t, n, at.offset, at.size, newestFirst, write)
				})
			}
		}
	}
}

// drop deletes one of the live records.
func (s *store) drop(t *testing.T, live []int64, at int) []int64 {
	t.Helper()
	if err := s.delete(t.Context(), live[at]); err != nil {
		t.Fatal(err)
	}
	return slices.Delete(live, at, at+1)
}

// disturb reads a page while something is written between its reads, each time.
func disturb(t *testing.T, n, offset, size int, newestFirst bool, write func(*testing.T, *store, []int64) []int64) {
	t.Helper()
	name := enginetest.Table(t)
	sound := newStore(table.Open(enginetest.Client(t), name))
	live := sound.fill(t, n/2, 0, all)
	hidden := sound.hide(t, 13, 0)
	live = append(live, sound.fill(t, n-n/2, 0, all)...)
	var queries int
	states := [][]int64{slices.Clone(live)}
	s := newStore(table.Open(interrupted{
		DynamoDBAPI: enginetest.Client(t), partition: sound.Records(kind), queries: &queries, happens: func() {
			live = write(t, sound, live)
			states = append(states, slices.Clone(live))
		},
	}, name))
	items, count, err := page(t.Context(), s.dir, offset, size, newestFirst)
	if err != nil {
		t.Fatal(err)
	}
	if len(items) != shown(count, offset, size) {
		t.Errorf("%d rows at %d of %d", len(items), offset, count)
	}
	got := make([]int64, len(items))
	for i, it := range items {
		got[i] = it.id(t)
		if hidden.From <= got[i] && got[i] <= hidden.To {
			t.Errorf("%d is pending", got[i])
		}
	}
	if newestFirst {
		slices.Reverse(got)
	}
	if !slices.ContainsFunc(states, func(state []int64) bool {
		at := slices.Index(state, append(slices.Clone(got), 0)[0])
		return len(got) == 0 || at >= 0 && at+len(got) <= len(state) && slices.Equal(state[at:at+len(got)], got)
	}) {
		t.Errorf("%v was never a part of the list", got)
	}
	if queries > 20 {
		t.Errorf("%d queries", queries)
	}
}

// tally counts pages that were read while others wrote.
type tally struct {
	writes, contradicts atomic.Int64
	readings            [8]atomic.Int64 // pages, by how often the listing was read
}

// Pages that are read while others create, delete and import hold what their counts say. With
// -agree.reads=100000 it measures how often a page is read again. Each list is read 500 times,
// as nobody folds its counters.
func TestPagesAgreeWithTheirCount(t *testing.T) {
	const each = 500
	var sum tally
	for left := *agreeReads; left > 0; left -= each {
		sum.read(t, min(left, each))
		t.Logf("%d pages left; %d writes: %d contradict their count", max(0, left-each), sum.writes.Load(), sum.contradicts.Load())
	}
	for n := range sum.readings {
		t.Logf("%d pages took %d readings", sum.readings[n].Load(), n)
	}
	if sum.contradicts.Load() > 0 {
		t.Error("pages contradict their count")
	}
}

// read reads pages of a new list while others write.
func (y *tally) read(t *testing.T, pages int) {
	t.Helper()
	name := enginetest.Table(t)
	store := func() *store { return newStoreWith(table.Open(enginetest.Client(t), name), nil) }
	store().fill(t, 10, 0, all)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var writers, readers sync.WaitGroup
	var reads atomic.Int64
	for seed := range uint64(*agreeWriters) {
		s, random := store(), rand.New(rand.NewPCG(seed, 11))
		writers.Go(func() {
			for own := []int64(nil); ctx.Err() == nil; y.writes.Add(1) {
				own = s.change(t, random, own)
				time.Sleep(*agreeRest)
			}
		})
	}
	for seed := range uint64(4) {
		listings, queries := 0, 0
		s := newStoreWith(table.Open(interrupted{
			DynamoDBAPI: enginetest.Client(t), partition: store().Listing(kind), happens: func() { listings++ }, queries: &queries,
		}, name), nil)
		random := rand.New(rand.NewPCG(seed, uint64(pages)))
		readers.Go(func() {
			for reads.Add(1) <= int64(pages) {
				offset, size := 0, 200
				if random.IntN(2) == 0 {
					offset, size = random.IntN(45), 1+random.IntN(20)
				}
				listings = 0
				items, count, err := page(t.Context(), s.dir, offset, size, random.IntN(2) == 0)
				if err != nil {
					t.Error(err)
				}
				if len(items) != shown(count, offset, size) {
					y.contradicts.Add(1)
				}
				y.readings[listings].Add(1)
			}
		})
	}
	readers.Wait()
	cancel()
	writers.Wait()
}

// change creates, imports or deletes a record, so that a writer keeps up to four; it returns the
// writer's records. Some imports are never committed.
func (s *store) change(t *testing.T, random *rand.Rand, own []int64) []int64 {
	t.Helper()
	switch n := random.IntN(10); {
	case len(own) > 0 && (len(own) == 4 || n < 4):
		return s.drop(t, own, random.IntN(len(own)))
	case n < 9:
		return append(own, s.fill(t, 1, 0, all)...)
	}
	r := s.hide(t, 1, 0)
	if random.IntN(3) > 0 {
		return append(own, s.show(t, r)...)
	}
	s.abandon(t, r)
	return own
}
