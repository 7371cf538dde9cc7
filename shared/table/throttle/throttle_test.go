package throttle

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

type clock struct{ now time.Time }

func newThrottle(t *testing.T) (Throttle, *clock) {
	t.Helper()
	c := &clock{time.Date(2026, time.March, 2, 12, 0, 20, 0, time.UTC)}
	return Open(tabletest.New(t), func() time.Time { return c.now }), c
}

// refused checks that a try has to wait so long.
func refused(t *testing.T, err error, wait time.Duration) {
	t.Helper()
	f, ok := fault.As(err)
	if !ok || f.Code != fault.Throttled || f.RetryAfter != wait {
		t.Errorf("%v, want to wait %s", err, wait)
	}
}

func TestTake(t *testing.T) {
	th, clock := newThrottle(t)
	rule := Rule{"try", 3, time.Minute}
	take := func(counts ...Count) error {
		_, err := th.Take(t.Context(), counts...)
		return err
	}
	for range 3 {
		if err := take(rule.Of("a")); err != nil {
			t.Fatal(err)
		}
	}
	refused(t, take(rule.Of("a")), 40*time.Second)
	for name, c := range map[string]Count{"subject": rule.Of("b"), "rule": Rule{"other", 3, time.Minute}.Of("a")} {
		if err := take(c); err != nil {
			t.Errorf("another %s: %v", name, err)
		}
	}
	clock.now = clock.now.Add(40 * time.Second)
	if err := take(rule.Of("a")); err != nil {
		t.Errorf("the next window: %v", err)
	}
}

// Whoever is over a limit of their own does not use up what is shared.
func TestAFullCountLeavesTheLaterOnes(t *testing.T) {
	th, _ := newThrottle(t)
	own, shared := Rule{"own", 2, time.Minute}, Rule{"shared", 3, time.Minute}
	for i := range 10 {
		_, err := th.Take(t.Context(), own.Of("greedy"), shared.Of("all"))
		if (err == nil) != (i < 2) {
			t.Fatalf("try %d: %v", i, err)
		}
	}
	if _, err := th.Take(t.Context(), own.Of("another"), shared.Of("all")); err != nil {
		t.Fatal(err)
	}
	_, err := th.Take(t.Context(), own.Of("a third"), shared.Of("all"))
	refused(t, err, 40*time.Second)
}

func TestGiveBack(t *testing.T) {
	th, _ := newThrottle(t)
	rule := Rule{"try", 1, time.Minute}
	for range 5 {
		taken, err := th.Take(t.Context(), rule.Of("a"))
		if err != nil {
			t.Fatal(err)
		}
		th.GiveBack(t.Context(), taken)
		th.GiveBack(t.Context(), taken) // never below none
	}
	if _, err := th.Take(t.Context(), rule.Of("a")); err != nil {
		t.Fatal(err)
	}
	_, err := th.Take(t.Context(), rule.Of("a"))
	refused(t, err, 40*time.Second)
}

func TestWith(t *testing.T) {
	th, _ := newThrottle(t)
	rule := Rule{"try", 2, time.Minute}
	type thing struct{ table.Item }
	once := table.Key{PK: "X#thing", SK: "cross"}
	errExists := errors.New("it exists")
	write := func(k table.Key) error {
		return th.table.Write(t.Context(), func(tx *table.Tx, _ int) error {
			tx.Put(th.table.Create(thing{table.At(k, 1)}), errExists)
			th.With(tx, rule.Of("a"))
			return nil
		})
	}
	if err := write(once); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if err := write(once); !errors.Is(err, errExists) {
			t.Fatalf("%v, want that it exists: what did not happen does not count", err)
		}
	}
	if err := write(table.Key{PK: "X#second", SK: "cross"}); err != nil {
		t.Fatal(err)
	}
	refused(t, write(table.Key{PK: "X#third", SK: "cross"}), 40*time.Second)
	if err := th.table.Get(t.Context(), table.Key{PK: "X#third", SK: "cross"}, &thing{}); !errors.Is(err, table.ErrNotFound) {
		t.Errorf("what was refused happened: %v", err)
	}
}

func TestTriesAtOnce(t *testing.T) {
	th, _ := newThrottle(t)
	var wait sync.WaitGroup
	var mu sync.Mutex
	passed := 0
	for range 20 {
		wait.Go(func() {
			if _, err := th.Take(t.Context(), Rule{"try", 7, time.Minute}.Of("a")); err == nil {
				mu.Lock()
				defer mu.Unlock()
				passed++
			}
		})
	}
	wait.Wait()
	if passed != 7 {
		t.Errorf("%d passed, want 7", passed)
	}
}

// What everybody counts in is spread, and never more than the limit (rounded up to a whole number for each item).
func TestAll(t *testing.T) {
	th, _ := newThrottle(t)
	rule, passed, keys := Rule{"all", 350, time.Minute}, 0, map[string]bool{}
	for i := range 600 {
		c := rule.All(strconv.Itoa(i))
		keys[c.subject] = true
		if _, err := th.Take(t.Context(), c); err == nil {
			passed++
		}
	}
	if passed != 351 || len(keys) != 3 {
		t.Errorf("%d of 600 passed, in %d items", passed, len(keys))
	}
	if few := (Rule{"few", 2, time.Minute}); few.All("a").subject != few.All("b").subject {
		t.Error("a small limit is spread")
	}
}

// Several tries at once count as many, or none.
func TestSeveralTries(t *testing.T) {
	th, _ := newThrottle(t)
	rule := Rule{"try", 5, time.Minute}
	all := func(counts ...Count) error {
		_, err := th.TakeAll(t.Context(), counts...)
		return err
	}
	if err := all(rule.Of("a").Times(4), rule.Of("b")); err != nil {
		t.Fatal(err)
	}
	refused(t, all(rule.Of("b").Times(4), rule.Of("a").Times(2), rule.Of("c").Times(6)), 40*time.Second)
	for range 2 { // what was refused was given back, so this still has room
		refused(t, all(rule.Of("b").Times(4), rule.Of("a").Times(2)), 40*time.Second)
	}
	if err := all(rule.Of("a"), rule.Of("b").Times(4), rule.Of("c").Times(5)); err != nil {
		t.Error(err)
	}
}

func TestSubjects(t *testing.T) {
	seen := map[string]bool{}
	for _, parts := range [][]string{{"a"}, {"a", ""}, {"a", "b"}, {"ab"}, {"", "ab"}, {strings.Repeat("a", 9000)}} {
		s := Rule{}.Of(parts...).subject
		if seen[s] || len(s) != 22 {
			t.Errorf("subject %q of %q is another's, or of another length", s, parts)
		}
		seen[s] = true
	}
}

// Counts that are kept in one item are counted together, and what has no room is told without being counted.
func TestTheSameCountTwice(t *testing.T) {
	throttle, _ := newThrottle(t)
	rule := Rule{"rule", 3, time.Minute}
	take := func() error {
		_, err := throttle.TakeAll(t.Context(), rule.Of("a"), rule.Of("b"), rule.Of("a"))
		return err
	}
	if err := errors.Join(throttle.Fits(t.Context(), rule.Of("a").Times(3)), take(), throttle.Fits(t.Context(), rule.Of("a"))); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if f, ok := fault.As(throttle.Fits(t.Context(), rule.Of("a").Times(2))); !ok || f.Code != fault.Throttled {
			t.Errorf("%v", f)
		}
		if f, ok := fault.As(take()); !ok || f.Code != fault.Throttled {
			t.Errorf("%v", f)
		}
	}
	if err := throttle.Fits(t.Context(), rule.Of("b").Times(2)); err != nil {
		t.Errorf("what was refused has counted: %v", err)
	}
}
