package tokenbucket_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/table/tokenbucket"
)

var start = time.Date(2026, time.March, 2, 9, 30, 0, 0, time.UTC)

// clock is the time of all instances, apart from what the clock of each is wrong by.
type clock struct{ now time.Time }

// instance is one instance of a function, and the table as it reaches it.
type instance struct {
	*tokenbucket.Keeper
	table  *table.Tenant
	client *tabletest.Client
}

func (c *clock) instances(t *testing.T, n int, seed uint64, wrong time.Duration, f tabletest.Faults) (all []instance) {
	t.Helper()
	world, name := tabletest.NewFaulty(t, f)
	random := rand.New(rand.NewPCG(seed, 0x77726f6e67))
	for i := range n {
		off := time.Duration(random.Int64N(int64(2*wrong+1))) - wrong
		client := world.Client(seed*1000 + uint64(i))
		all = append(all, instance{
			tokenbucket.New(func() time.Time { return c.now.Add(off) }), table.Of(table.Open(client, name), 7), client,
		})
	}
	return all
}

// requests is a bucket of so many requests a second and at once, of which an instance keeps a part to itself.
func (i instance) requests(second, burst, part float64) tokenbucket.Bucket {
	return tokenbucket.Bucket{
		Key: i.table.Allowance(), Tokens: burst, Window: time.Duration(burst / second * float64(time.Second)), Part: burst * part,
	}
}

// take tells whether a request may go on.
func (i instance) take(ctx context.Context, t *testing.T, of ...tokenbucket.Bucket) (passes bool, wait time.Duration) {
	t.Helper()
	_, wait, err := i.Take(ctx, i.table, of...)
	if err != nil {
		t.Fatal(err)
	}
	return wait == 0, wait
}

// A bucket is used up at once, then gives a request each twentieth of a second, and is whole after its window.
func TestOneInstance(t *testing.T) {
	c := &clock{start}
	i := c.instances(t, 1, 0, 0, tabletest.Faults{})[0]
	b := i.requests(20, 100, 0.05)
	burst := func() (n int) {
		for {
			if n > 1000 {
				t.Fatal("nothing is refused")
			}
			passes, wait := i.take(t.Context(), t, b)
			if !passes {
				if wait <= 0 || wait > 50*time.Millisecond {
					t.Errorf("%d passed, and the next waits %s", n, wait)
				}
				return n
			}
			n++
		}
	}
	if n := burst(); n != 100 {
		t.Errorf("%d pass at once", n)
	}
	passed := 0
	for range 100 {
		c.now = c.now.Add(10 * time.Millisecond)
		passed += burst()
	}
	if passed < 20 || passed > 21 {
		t.Errorf("%d pass within a second", passed)
	}
	c.now = c.now.Add(2500 * time.Millisecond)
	if n := burst(); n < 49 || n > 51 {
		t.Errorf("%d pass after half a window", n)
	}
	c.now = c.now.Add(time.Hour)
	if n := burst(); n != 100 {
		t.Errorf("%d pass an hour later", n)
	}
}

// A request takes a token of each bucket or of none, and is told of the one that lasts longest.
func TestOneEmptyBucketOfTwo(t *testing.T) {
	c := &clock{start}
	i := c.instances(t, 1, 0, 0, tabletest.Faults{})[0]
	small, large := i.requests(1, 2, 0.05), i.requests(10, 20, 0.05)
	small.Key = i.table.UserAllowance(1)
	for range 2 {
		if passes, _ := i.take(t.Context(), t, large, small); !passes {
			t.Fatal("refused at once")
		}
	}
	for range 50 { // a refused request takes nothing
		empty, wait, err := i.Take(t.Context(), i.table, large, small)
		if err != nil || wait != time.Second || empty.Key != small.Key {
			t.Fatalf("%v for %s, %v", empty, wait, err)
		}
	}
	if tokens, whole := i.Left(large); tokens != 18 || whole != 200*time.Millisecond {
		t.Errorf("%g are left of the other, which is whole after %s", tokens, whole)
	}
	if tokens, next := i.Left(small); tokens != 0 || next != time.Second {
		t.Errorf("%g are left, and the next one comes after %s", tokens, next)
	}
}

// Whoever sends little is written nowhere, and of a flood one request in a part is, on however many instances.
func TestWrites(t *testing.T) {
	c := &clock{start}
	all := c.instances(t, 20, 0, 0, tabletest.Faults{})
	b := all[0].requests(50, 200, 0.05)
	writes := func() (n int) {
		for _, i := range all {
			n += i.client.Writes()
		}
		return n
	}
	for n := range 2000 { // two requests a second, for a quarter of an hour
		all[n%20].take(t.Context(), t, b)
		c.now = c.now.Add(500 * time.Millisecond)
	}
	if n := writes(); n != 0 {
		t.Errorf("a quiet company was written %d times", n)
	}
	for n := range 20 { // and a page that asks ten times at once, each minute
		for range 10 {
			all[n].take(t.Context(), t, b)
		}
		c.now = c.now.Add(time.Minute)
	}
	if n := writes(); n != 0 {
		t.Errorf("pages were written %d times", n)
	}
	passed, random := 0, rand.New(rand.NewPCG(1, 2))
	const flood = 60_000 // 2,000 a second for 30 seconds
	for range flood {
		if passes, _ := all[random.IntN(20)].take(t.Context(), t, b); passes {
			passed++
		}
		c.now = c.now.Add(time.Second / 2000)
	}
	if most := 200 + 30*50 + 20*11 + 20*15; passed > most || passed < 200+30*50 {
		t.Errorf("%d of a flood pass, at most %d may", passed, most)
	}
	a1000 := float64(writes()) * 1000 / flood
	if a1000 > 3.5 {
		t.Errorf("%.1f writes for 1,000 requests of a flood", a1000)
	}
	t.Logf("%d of %d pass, %.2f writes for 1,000 requests", passed, flood, a1000)
	ctx, m := meter.Start(t.Context())
	for range 1000 {
		all[0].take(ctx, t, b)
	}
	if u := m.Usage(); u.Calls > 4 { // what is left of the bucket, at most
		t.Errorf("an instance that has heard that nothing is left makes %d calls", u.Calls)
	}
}

// Instances that know little of each other, whose clocks differ and to which answers get lost, let through a bucket, what has come
// back, and each of them one part, one request and the hundredth that it forgets.
func TestManyInstances(t *testing.T) {
	const wrong = 100 * time.Millisecond
	for seed := range uint64(6) {
		instances := []int{1, 7, 50}[seed%3]
		t.Run(fmt.Sprint(seed, " with ", instances), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 0x6275636b6574))
			c := &clock{start}
			all := c.instances(t, instances, seed, wrong, tabletest.Faults{Lost: float64(seed%2) / 20})
			second, burst := float64(10+random.IntN(50)), float64(50+random.IntN(200))
			b := all[0].requests(second, burst, 0.05)
			passed, refused, missed := 0.0, 0, 0.0
			for range 40 {
				load := []float64{0.5, 2, 5, 20}[random.IntN(4)] // of what may be sent
				for n := range random.IntN(400) {
					i := all[random.IntN(instances)]
					if n%10 == 0 { // ten are sent at once
						c.now = c.now.Add(time.Duration(10 / (load * second) * random.Float64() * 2 * float64(time.Second)))
					}
					_, wait, err := i.Take(t.Context(), i.table, b)
					if wait > 0 {
						refused++
						continue
					}
					passed++
					if err != nil { // until it writes again, it goes on by what it has used itself
						missed += second
					}
					back, n := second*(c.now.Sub(start)+2*wrong).Seconds(), float64(instances)
					if most := burst + back + n*(b.Part+1+back/100) + missed; passed > most {
						t.Fatalf("%.0f of %g a second have passed in %s, at most %.0f may", passed, second, c.now.Sub(start), most)
					}
				}
			}
			if refused == 0 || passed < burst {
				t.Errorf("%d were refused, and %.0f passed: that shows nothing", refused, passed)
			}
			t.Logf("%g a second, %g at once: %.0f passed, %d refused in %s", second, burst, passed, refused, c.now.Sub(start))
		})
	}
}

// What an instance forgets is a hundredth of what comes back, and no more: instances that each stay below their part for ever let
// through no more than that.
func TestWhatInstancesForget(t *testing.T) {
	c := &clock{start}
	all := c.instances(t, 50, 0, 0, tabletest.Faults{})
	b := all[0].requests(50, 200, 0.05)
	passed := 0
	const lasts = 60
	for range lasts * 100 { // twice what may be, evenly
		if passes, _ := all[passed%50].take(t.Context(), t, b); passes {
			passed++
		}
		c.now = c.now.Add(time.Second / 100)
	}
	if most := 200 + 50*lasts + 50*11 + 50*lasts/2; passed > most {
		t.Errorf("%d passed, at most %d may", passed, most)
	}
}

// An instance that can't write goes on by what it has used itself, and asks again after a second and not before.
func TestATableThatTakesNoWrites(t *testing.T) {
	c := &clock{start}
	i := c.instances(t, 1, 0, 0, tabletest.Faults{Throttled: 1})[0]
	b := i.requests(20, 100, 0.05)
	passed, failures := 0, 0
	for range 200 {
		_, wait, err := i.Take(t.Context(), i.table, b)
		if wait == 0 {
			passed++
		}
		if err != nil {
			failures++
		}
	}
	if passed != 100 || failures != 1 {
		t.Errorf("%d passed, %d calls failed", passed, failures)
	}
	c.now = c.now.Add(time.Second)
	for range 30 {
		_, wait, err := i.Take(t.Context(), i.table, b)
		if wait == 0 {
			passed++
		}
		if err != nil {
			failures++
		}
	}
	if passed != 120 || failures != 2 {
		t.Errorf("a second later %d passed, %d calls failed", passed, failures)
	}
}

// What was written before the table failed comes back first, and then what was not: never both at once.
func TestWhatWasWrittenComesBackFirst(t *testing.T) {
	c := &clock{start}
	i := c.instances(t, 1, 0, 0, tabletest.Faults{})[0]
	away := c.instances(t, 1, 0, 0, tabletest.Faults{Throttled: 1})[0].table
	b := i.requests(20, 100, 0.05)
	for range 200 {
		if _, _, err := i.Take(t.Context(), i.table, b); err != nil {
			t.Fatal(err)
		}
	}
	passed := 0
	for range 100 {
		c.now = c.now.Add(100 * time.Millisecond)
		for range 10 {
			if _, wait, _ := i.Take(t.Context(), away, b); wait == 0 {
				passed++
			}
		}
	}
	if passed < 190 || passed > 210 {
		t.Errorf("%d passed in ten seconds, at 20 a second", passed)
	}
}
