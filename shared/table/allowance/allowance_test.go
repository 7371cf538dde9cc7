package allowance_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/allowance"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

var start = time.Date(2026, time.March, 2, 9, 30, 0, 0, time.UTC)

// clock is the time of all instances, apart from what the clock of each is wrong by.
type clock struct{ now time.Time }

// instance is one instance of a function.
type instance struct {
	*allowance.Keeper
	table *table.Tenant
}

func (c *clock) instance(conn *table.Conn, l allowance.Limits, wrong time.Duration) instance {
	return instance{allowance.New(l, func() time.Time { return c.now.Add(wrong) }), table.Of(conn, 7)}
}

// read is a request that costs so many units. It returns the fault of one that is refused, and what its answer says of the allowances.
func (i instance) read(ctx context.Context, by allowance.Reader, units float64) (refused error, policy, limit string, paid error) {
	ctx, r := i.Begin(ctx, i.table, by)
	refused = allowance.Draw(ctx)
	paid = r.Pay(ctx, units) // which one that was refused does not
	policy, limit = r.Header()
	return refused, policy, limit, paid
}

func (i instance) mustRead(t *testing.T, by allowance.Reader, units float64) (policy, limit string) {
	t.Helper()
	refused, policy, limit, paid := i.read(t.Context(), by, units)
	if refused != nil || paid != nil {
		t.Fatalf("refused: %v; paid: %v", refused, paid)
	}
	return policy, limit
}

// mustWait checks that a request is refused for so long, and what its answer says.
func (i instance) mustWait(t *testing.T, by allowance.Reader, wait time.Duration, policy, limit string) {
	t.Helper()
	refused, p, l, _ := i.read(t.Context(), by, 1)
	f, ok := fault.As(refused)
	if !ok || f.Code != fault.Throttled || f.RetryAfter != wait || f.Members["code"] != "read_allowance" {
		t.Errorf("%v, want to wait %s", refused, wait)
	}
	if p != policy || l != limit {
		t.Errorf("the answer says %s and %s, want %s and %s", p, l, policy, limit)
	}
}

var ann, bob = allowance.Reader{User: 1}, allowance.Reader{User: 2}

// 3,600 units an hour are one a second.
var limits = allowance.Limits{User: 3600, Company: 10800}

func TestOneReader(t *testing.T) {
	c := &clock{start}
	i := c.instance(tabletest.New(t), limits, 0)
	for n := range 28 {
		if policy, limit := i.mustRead(t, ann, 100); policy != "" || limit != "" {
			t.Fatalf("after %d units: %s, %s", (n+1)*100, policy, limit)
		}
	}
	if policy, limit := i.mustRead(t, ann, 100); policy != `"user";q=3600;w=3600` || limit != `"user";r=700;t=2900` {
		t.Errorf("with less than a fifth left: %s, %s", policy, limit)
	}
	i.mustRead(t, ann, 600)
	i.mustRead(t, ann, 130.5) // the last one is let through, and leaves a debt
	i.mustWait(t, ann, 32*time.Second, `"user";q=3600;w=3600`, `"user";r=0;t=32`)
	i.mustRead(t, bob, 100) // is another user
	i.mustRead(t, allowance.Reader{Feed: 1}, 100)
	i.mustRead(t, allowance.Reader{Key: 1}, 100)
	c.now = c.now.Add(31 * time.Second)
	i.mustWait(t, ann, time.Second, `"user";q=3600;w=3600`, `"user";r=0;t=1`)
	c.now = c.now.Add(time.Second)
	i.mustRead(t, ann, 1)
	c.now = c.now.Add(2 * time.Hour)
	i.mustRead(t, ann, 2800) // all of it is there again, and no more
	i.mustRead(t, ann, 801)
	i.mustWait(t, ann, 2*time.Second, `"user";q=3600;w=3600`, `"user";r=0;t=2`)
}

func TestACompanysAllowance(t *testing.T) {
	c := &clock{start}
	conn := tabletest.New(t)
	one, other := c.instance(conn, limits, 0), c.instance(conn, limits, 0)
	for user := range 4 {
		one.mustRead(t, allowance.Reader{User: int64(user)}, 2700)
	}
	one.mustWait(t, bob, time.Second, `"company";q=10800;w=3600`, `"company";r=0;t=1`)
	other.mustRead(t, allowance.Reader{User: 9}, 109) // it has not heard of it, and hears of it now
	other.mustWait(t, bob, 37*time.Second, `"company";q=10800;w=3600`, `"company";r=0;t=37`)
	another := instance{one.Keeper, table.Of(conn, 8)}
	another.mustRead(t, ann, 100)
}

// What a quiet company reads is written nowhere, and what a busy one reads once for many requests.
func TestCalls(t *testing.T) {
	c := &clock{start}
	i := c.instance(tabletest.New(t), limits, 0)
	read := func(units float64) meter.Usage {
		ctx, m := meter.Start(t.Context())
		if refused, _, _, paid := i.read(ctx, ann, units); refused != nil || paid != nil {
			t.Fatal(refused, paid)
		}
		return m.Usage()
	}
	for range 100 {
		if u := read(30); u.Calls != 0 {
			t.Fatalf("30 units an hour take %d calls", u.Calls)
		}
		c.now = c.now.Add(time.Hour)
	}
	var busy meter.Usage
	for range 36 {
		u := read(20)
		busy.Calls, busy.WriteUnits = busy.Calls+u.Calls, busy.WriteUnits+u.WriteUnits
	}
	if busy.Calls != 18+6 || busy.WriteUnits != 18+6 { // of the user each 36 units, of the company each 108
		t.Errorf("36 requests of 20 units took %d calls and %g write units", busy.Calls, busy.WriteUnits)
	}
}

func TestWithoutLimits(t *testing.T) {
	conn := tabletest.New(t)
	for l, want := range map[allowance.Limits]string{{}: "", {User: 10}: `"user";q=10;w=3600`, {Company: 10}: `"company";q=10;w=3600`} {
		i := instance{allowance.New(l, time.Now), table.Of(conn, 7)}
		ctx, r := i.Begin(t.Context(), i.table, ann)
		if err := allowance.Draw(ctx); err != nil {
			t.Error(err)
		}
		if (r == nil) != (want == "") {
			t.Errorf("%+v: %+v", l, r)
		}
		if r == nil {
			continue
		}
		if err := r.Pay(ctx, 10); err != nil {
			t.Error(err)
		}
		if policy, _ := r.Header(); policy != want {
			t.Errorf("%+v: %s", l, policy)
		}
	}
	if err := allowance.Draw(t.Context()); err != nil {
		t.Errorf("a request that has no allowance: %v", err)
	}
}

// What a request that doesn't draw reads is free.
func TestPlainLists(t *testing.T) {
	c := &clock{start}
	i := c.instance(tabletest.New(t), limits, 0)
	for range 10 {
		ctx, r := i.Begin(t.Context(), i.table, ann)
		if err := r.Pay(ctx, 3600); err != nil {
			t.Fatal(err)
		}
		if policy, limit := r.Header(); policy+limit != "" {
			t.Fatalf("%s, %s", policy, limit)
		}
	}
	i.mustRead(t, ann, 1)
}

// Draw refuses before the first read or not at all: what a request has begun it ends.
func TestARequestIsNotRefusedHalfway(t *testing.T) {
	c := &clock{start}
	i := c.instance(tabletest.New(t), limits, 0)
	ctx, r := i.Begin(t.Context(), i.table, ann)
	if err := allowance.Draw(ctx); err != nil {
		t.Fatal(err)
	}
	i.mustRead(t, ann, 4000) // of another request of the same user
	if err := allowance.Draw(ctx); err != nil {
		t.Error(err)
	}
	if err := r.Pay(ctx, 100); err != nil {
		t.Error(err)
	}
	i.mustWait(t, ann, 501*time.Second, `"user";q=3600;w=3600`, `"user";r=0;t=501`)
}

// An instance that can't write goes on by what it has used itself, and writes later.
func TestATableThatTakesNoWrites(t *testing.T) {
	c := &clock{start}
	world, name := tabletest.NewFaulty(t, tabletest.Faults{})
	cut := &cut{DynamoDBAPI: world.Client(1)}
	i := c.instance(table.Open(cut, name), limits, 0)
	cut.off = true
	for range 4 {
		c.now = c.now.Add(time.Second) // what failed is tried again after one, in which a unit comes back
		if refused, _, _, paid := i.read(t.Context(), ann, 900.75); refused != nil || paid == nil {
			t.Errorf("refused: %v, paid: %v", refused, paid)
		}
	}
	i.mustWait(t, ann, time.Second, `"user";q=3600;w=3600`, `"user";r=0;t=1`)
	cut.off = false
	c.now = c.now.Add(time.Second)
	i.mustRead(t, bob, 1) // it pays for the company
	other := c.instance(table.Open(cut, name), limits, 0)
	other.mustRead(t, bob, 3000)
	if left := other.left(t, bob); left != `"user";r=599;t=3001` && left != `"user";r=600;t=3000` {
		t.Errorf("bob has %s left", left)
	}
}

func (i instance) left(t *testing.T, by allowance.Reader) string {
	t.Helper()
	_, limit := i.mustRead(t, by, 0)
	return limit
}

// cut is an engine that takes no updates at times.
type cut struct {
	dynamodbiface.DynamoDBAPI
	off bool
}

func (c *cut) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	if c.off {
		return nil, errOff
	}
	return c.DynamoDBAPI.UpdateItem(ctx, in, o...)
}

// errOff is the error of an update that is not taken.
var errOff = errors.New("the test takes no updates")

// Fifty instances that know little of each other, whose clocks are some seconds apart and to which answers get lost, let
// through what is allowed, and of each instance one part and one request.
func TestManyInstances(t *testing.T) {
	const (
		instances, steps, lost = 50, 700, 0.1
		wrong                  = 3 * time.Second
		dearest                = 40.0
	)
	limits := allowance.Limits{User: 1000, Company: 2500}
	for seed := range uint64(5) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 0x616c6c6f77))
			world, name := tabletest.NewFaulty(t, tabletest.Faults{Lost: lost})
			c := &clock{start}
			var all []instance
			for n := range instances {
				off := time.Duration(random.Int64N(int64(2*wrong))) - wrong
				all = append(all, c.instance(table.Open(world.Client(seed*instances+uint64(n)), name), limits, off))
			}
			used, missed := map[int64]float64{}, map[int64]float64{} // 0: the company
			refusals := 0
			for range steps {
				c.now = c.now.Add(time.Duration(random.Int64N(int64(time.Second))))
				i, user, units := all[random.IntN(instances)], 1+random.Int64N(3), 1+random.Float64()*(dearest-1)
				refused, _, _, paid := i.read(t.Context(), allowance.Reader{User: user}, units)
				if refused != nil {
					refusals++
					continue
				}
				for _, of := range []int64{0, user} {
					used[of] += units
					if paid != nil {
						missed[of] += dearest
					}
					limit := float64(limits.User)
					if of == 0 {
						limit = float64(limits.Company)
					}
					back := limit * (c.now.Sub(start) + 2*wrong).Hours()
					if most := limit + back + instances*(limit/100+dearest) + missed[of]; used[of] > most {
						t.Fatalf("%d has used %.0f units in %s, at most %.0f are allowed", of, used[of], c.now.Sub(start), most)
					}
				}
			}
			if refusals == 0 || used[0] < float64(limits.Company) {
				t.Errorf("%d requests were refused, and %.0f units used: that shows nothing", refusals, used[0])
			}
			t.Logf("%d refusals; used: %v", refusals, used)
		})
	}
}
