package search_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/tenant"
)

// slow is a bucket in which each load takes a second, and which knows how many loads there were, and are at a time.
type slow struct {
	mu                sync.Mutex
	loads, at         int
	bytes, most, wide int64
	fails             error // of what the next load fails
	failing           string
	whole             *segment.Segment
	cancelled         int
}

func (s *slow) load(ctx context.Context, of search.Stored) (*segment.Segment, error) {
	s.mu.Lock()
	s.loads, s.at, s.bytes = s.loads+1, s.at+1, s.bytes+of.Bytes
	s.most, s.wide = max(s.most, s.bytes), max(s.wide, int64(s.at))
	fails := s.fails
	if of.Version != s.failing {
		fails = nil
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.at, s.bytes = s.at-1, s.bytes-of.Bytes
	}()
	if fails != nil {
		time.Sleep(time.Millisecond)
		return nil, fails
	}
	select {
	case <-time.After(time.Second):
		return s.whole, nil
	case <-ctx.Done():
		s.mu.Lock()
		defer s.mu.Unlock()
		s.cancelled++
		return nil, ctx.Err()
	}
}

// slowMemory is a Memory before a slow bucket.
func slowMemory(t *testing.T, most int64) (*slow, *search.Memory) {
	t.Helper()
	s := &slow{whole: people(t, 1, 100)}
	return s, search.NewLoading(time.Now, most, s.load)
}

// people is a segment of so many rows.
func people(t testing.TB, first int64, rows int) *segment.Segment {
	t.Helper()
	data, err := segment.Build(searched().Shape, func(yield func(segment.Entry) bool) {
		for n := range rows {
			p := numbered(n)
			v := p.values()
			if !yield(segment.Entry{ID: first + int64(n), Changed: 1, Values: v}) {
				return
			}
		}
	})
	if err == nil {
		var s *segment.Segment
		if s, err = segment.Open(data); err == nil {
			return s
		}
	}
	t.Fatal(err)
	return nil
}

// named are so many files of so many bytes each.
func named(files int, bytes int64) (list []search.Stored) {
	for n := range files {
		list = append(list, search.Stored{ID: search.FileID(n), Version: strconv.Itoa(n), Rows: 1, Bytes: bytes, First: int64(n + 1)})
	}
	return list
}

// A search loads its segments side by side, as many as may be at a time, and has them in their order.
func TestLoadsSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bucket, memory := slowMemory(t, 1<<30)
		begun := time.Now()
		list := named(3*search.Wide, 1000)
		if got, err := memory.Open(t.Context(), 1, kind, list); err != nil || len(got) != len(list) || got[len(got)-1] != bucket.whole {
			t.Fatalf("%d segments, %v", len(got), err)
		}
		if took := time.Since(begun); took != 3*time.Second || bucket.wide != search.Wide || bucket.loads != len(list) {
			t.Errorf("%d loads in %v, %d at a time", bucket.loads, took, bucket.wide)
		}
		if _, err := memory.Open(t.Context(), 1, kind, list); err != nil || bucket.loads != len(list) {
			t.Errorf("kept segments were loaded again: %d loads, %v", bucket.loads, err)
		}
	})
}

// All searches of an instance together load no more bytes at a time than there is room for, and a segment that alone has more is loaded
// alone.
func TestLoadsWithinTheirRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bucket, memory := slowMemory(t, 1<<40)
		var group sync.WaitGroup
		for company := range tenant.ID(4) {
			group.Go(func() {
				list := append(named(8, search.MostLoading/5), search.Stored{ID: search.FileID(99), Version: "99", Bytes: 3 * search.MostLoading})
				if _, err := memory.Open(t.Context(), company+1, kind, list); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if bucket.loads != 36 || bucket.most != 3*search.MostLoading || bucket.wide != 5 {
			t.Errorf("%d loads, %d bytes and %d at a time", bucket.loads, bucket.most, bucket.wide)
		}
	})
}

// A segment that several searches want is loaded once. If that fails, or its search is given up, the next one loads it.
func TestOneLoadForMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bucket, memory := slowMemory(t, 1<<30)
		ctx, stop := context.WithCancel(t.Context())
		answers := make([]error, 8)
		var group sync.WaitGroup
		for n := range answers {
			group.Go(func() {
				time.Sleep(time.Duration(n) * time.Millisecond)
				ctx := ctx
				if n > 0 {
					ctx = t.Context()
				}
				_, answers[n] = memory.Open(ctx, 1, kind, named(1, 1000))
			})
		}
		time.Sleep(500 * time.Millisecond)
		stop()
		group.Wait()
		if !errors.Is(answers[0], context.Canceled) || errors.Join(answers[1:]...) != nil || bucket.loads != 2 {
			t.Errorf("%d loads, %v", bucket.loads, answers)
		}
	})
}

// A segment that can't be had ends the loads of the others, and the search gets that error, none of those that it has caused.
func TestFailedLoadEndsTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bucket, memory := slowMemory(t, 1<<30)
		bucket.fails, bucket.failing = errTaken, "7"
		begun := time.Now()
		got, err := memory.Open(t.Context(), 1, kind, named(search.Wide, 1000))
		if got != nil || !errors.Is(err, errTaken) || time.Since(begun) != time.Millisecond || bucket.cancelled != search.Wide-1 {
			t.Errorf("%v after %v, %d others ended", err, time.Since(begun), bucket.cancelled)
		}
		bucket.fails = nil
		if _, err := memory.Open(t.Context(), 1, kind, named(search.Wide, 1000)); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}

// Who waits for room, or for another's load, goes when its context ends.
func TestWaitingForALoadEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, memory := slowMemory(t, 1<<40)
		go memory.Open(t.Context(), 1, kind, named(1, search.MostLoading)) // it only takes the room
		synctest.Wait()
		for company := range tenant.ID(2) { // the first waits for that load, the second for room
			ctx, stop := context.WithTimeout(t.Context(), 10*time.Millisecond)
			begun := time.Now()
			_, err := memory.Open(ctx, company+1, kind, named(1, 1000))
			if stop(); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != 10*time.Millisecond {
				t.Errorf("company %d: %v after %v", company+1, err, time.Since(begun))
			}
		}
		time.Sleep(time.Minute)
	})
}

// The search whose load panics gets the error of a broken segment, and the next search loads again.
func TestALoadThatPanics(t *testing.T) {
	loads := 0
	m := search.NewLoading(time.Now, 1<<20, func(context.Context, search.Stored) (*segment.Segment, error) {
		loads++
		panic("at the disco")
	})
	for range 2 {
		_, err := m.Open(t.Context(), 1, kind, named(1, 1))
		if err == nil || !strings.Contains(err.Error(), "missing or broken") || !strings.Contains(err.Error(), "at the disco") {
			t.Errorf("%v", err)
		}
	}
	if loads != 2 {
		t.Errorf("%d loads", loads)
	}
}
