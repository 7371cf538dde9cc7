package tabletest_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

type thing struct {
	table.Item
	IX   string           `dynamo:"ix,omitempty"`
	XM   int64            `dynamo:"xm,omitempty"`
	X    table.Attributes `dynamo:"x,omitempty"`
	Name string           `dynamo:"name"`
}

func thingAt(t *table.Tenant, id int64, name string) thing {
	return thing{Item: table.At(t.Record(kinds.Document, id), 1), Name: name}
}

func TestTransactionsMeetHeldItems(t *testing.T) {
	world, name := tabletest.NewFaulty(t, tabletest.Locks())
	client := world.Client(1)
	tenant := table.Of(table.Open(client, name), 1)
	holds, end := client.Hang()
	defer end()
	held := make(chan error)
	go func() {
		held <- tenant.Write(t.Context(), func(tx *table.Tx, _ int) error {
			tx.Put(tenant.Create(thingAt(tenant, 1, "first")), nil)
			return nil
		})
	}()
	<-holds
	if err := tenant.Put(thingAt(tenant, 1, "single")).Run(t.Context()); err == nil || !table.Unavailable(err) {
		t.Errorf("a single write of a held item: %v", err)
	}
	if err := tenant.Put(thingAt(tenant, 2, "single")).Run(t.Context()); err != nil {
		t.Errorf("a single write of a free item: %v", err)
	}
	tries := 0
	err := tenant.Write(t.Context(), func(tx *table.Tx, conflicts int) error {
		tries++
		tx.Put(tenant.Put(thingAt(tenant, 2+int64(min(conflicts, 1)), "second")), nil)
		if conflicts == 0 {
			tx.Delete(tenant.Delete(tenant.Record(kinds.Document, 1)), nil)
		}
		return nil
	})
	if err != nil || tries != 2 {
		t.Errorf("a transaction that avoids the held item: %d tries, %v", tries, err)
	}
	end()
	if err := <-held; err != nil {
		t.Error(err)
	}
	for id, want := range map[int64]string{1: "first", 2: "single", 3: "second"} {
		var got thing
		if err := tenant.Get(t.Context(), tenant.Record(kinds.Document, id), &got); err != nil || got.Name != want {
			t.Errorf("%d: %q, %v; want %q", id, got.Name, err, want)
		}
	}
}

func TestLostAnswersHappened(t *testing.T) {
	world, name := tabletest.NewFaulty(t, tabletest.Faults{Lost: 1})
	lossy, sound := table.Of(table.Open(world.Client(1), name), 1), table.Of(table.Open(enginetest.Client(t), name), 1)
	if err := lossy.Put(thingAt(lossy, 1, "a")).Run(t.Context()); err == nil || !table.Unavailable(err) {
		t.Errorf("put: %v", err)
	}
	var got thing
	if err := sound.Get(t.Context(), sound.Record(kinds.Document, 1), &got); err != nil || got.Name != "a" {
		t.Errorf("what was put: %+v, %v", got, err)
	}
}

func TestThrottledCallsDidNotHappen(t *testing.T) {
	world, name := tabletest.NewFaulty(t, tabletest.Faults{Throttled: 1})
	client := world.Client(1)
	tenant, sound := table.Of(table.Open(client, name), 1), table.Of(table.Open(enginetest.Client(t), name), 1)
	if err := tenant.Put(thingAt(tenant, 1, "a")).Run(t.Context()); err == nil || !table.Unavailable(err) {
		t.Errorf("put: %v", err)
	}
	if err := sound.Get(t.Context(), sound.Record(kinds.Document, 1), new(thing)); !errors.Is(err, table.ErrNotFound) {
		t.Errorf("what was not put: %v", err)
	}
	if calls := client.Calls(); calls["PutItem"] != 1 || client.Writes() != 1 {
		t.Errorf("calls: %v", calls)
	}
}

func TestDeadClientsStayDead(t *testing.T) {
	world, name := tabletest.NewFaulty(t, tabletest.Faults{Crash: 0.3})
	outcomes := func(seed uint64) (s string) {
		client := world.Client(seed)
		tenant := table.Of(table.Open(client, name), 1)
		for i := range int64(30) {
			err := tenant.Put(thingAt(tenant, i, "a")).Run(t.Context())
			if errors.Is(err, tabletest.ErrCrashed) != client.Crashed() || !client.Crashed() && err != nil {
				t.Fatalf("call %d: %v, crashed %v", i, err, client.Crashed())
			}
			s += fmt.Sprint(err != nil)
		}
		return s
	}
	if a, b := outcomes(7), outcomes(7); a != b {
		t.Errorf("one seed, two fates:\n%s\n%s", a, b)
	}
	if a, b := outcomes(7), outcomes(8); a == b {
		t.Error("two seeds, one fate")
	}
}

// Reads lag, each consistent one does not, and nothing is invented: an answer
// is always something that was there.
func TestStaleReads(t *testing.T) {
	const lag = 150 * time.Millisecond
	world, name := tabletest.NewFaulty(t, tabletest.Faults{Stale: lag})
	tenant := table.Of(table.Open(world.Client(1), name), 1)
	key := tenant.Record(kinds.Document, 1)
	put := func(text string) {
		t.Helper()
		it := thingAt(tenant, 1, text)
		it.IX, it.XM, it.X = tenant.Records(kinds.Document), 1, table.Attributes{}
		it.X.SetText("t", text)
		if err := tenant.Put(it).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	reads := map[string]func() string{
		"get": func() string {
			var got thing
			err := tenant.Table().Get("pk", key.PK).Range("sk", dynamo.Equal, key.SK).One(t.Context(), &got)
			if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
				t.Fatal(err)
			}
			return got.Name
		},
		"batch": func() string {
			var got []thing
			err := tenant.Table().Batch("pk", "sk").Get(key).All(t.Context(), &got)
			if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
				t.Fatal(err)
			}
			return names(got)
		},
		"query": func() string {
			var got []thing
			if err := tenant.Table().Get("pk", key.PK).Range(
				"sk", dynamo.Between, table.SortID(1), table.SortID(9),
			).All(t.Context(), &got); err != nil {
				t.Fatal(err)
			}
			return names(got)
		},
		"index": func() string {
			var got []thing
			if err := tenant.Table().Get("ix", tenant.Records(kinds.Document)).Index("changes").All(t.Context(), &got); err != nil {
				t.Fatal(err)
			}
			if len(got) > 0 && got[0].Name != "" {
				t.Fatalf("the index projects %+v", got[0])
			}
			if len(got) > 0 {
				return got[0].X.Text("t")
			}
			return ""
		},
	}
	// soon reads what has just been changed. If the machine was so busy that the lag is over, it is done again.
	soon := func(read func() string, change, back func()) (seen map[string]int) {
		for range 100 {
			seen = map[string]int{}
			began := time.Now()
			change()
			for range 20 {
				seen[read()]++
			}
			if time.Since(began) < lag {
				return seen
			}
			back()
			time.Sleep(2 * lag)
		}
		t.Fatalf("20 reads took longer than %s, a hundred times", lag)
		return nil
	}
	put("old")
	for what, read := range reads {
		t.Run(what, func(t *testing.T) {
			time.Sleep(2 * lag)
			if got := read(); got != "old" {
				t.Fatalf("at rest: %q", got)
			}
			seen := soon(read, func() { put("new") }, func() { put("old") })
			var now thing
			if err := tenant.Get(t.Context(), key, &now); err != nil || now.Name != "new" {
				t.Errorf("consistent: %q, %v", now.Name, err)
			}
			if seen["old"] == 0 || seen["old"]+seen["new"] != 20 {
				t.Errorf("just after: %v", seen)
			}
			time.Sleep(2 * lag)
			if got := read(); got != "new" {
				t.Errorf("later: %q", got)
			}
			seen = soon(read, func() {
				if err := tenant.Delete(key).Run(t.Context()); err != nil {
					t.Fatal(err)
				}
			}, func() { put("new") })
			if seen["new"] == 0 || seen["new"]+seen[""] != 20 {
				t.Errorf("just after the deletion: %v", seen)
			}
			time.Sleep(2 * lag)
			put("old")
		})
	}
}

func names(list []thing) (s string) {
	for _, it := range list {
		s += it.Name
	}
	return s
}

// A stale query keeps the order, the limit and the position of the real one.
func TestStaleQueriesPage(t *testing.T) {
	world, name := tabletest.NewFaulty(t, tabletest.Faults{Stale: time.Millisecond})
	tenant := table.Of(table.Open(world.Client(1), name), 1)
	var wg sync.WaitGroup
	for id := range int64(10) {
		wg.Go(func() {
			if err := tenant.Put(thingAt(tenant, id, fmt.Sprint(id))).Run(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	time.Sleep(20 * time.Millisecond)
	var got []thing
	query := tenant.Table().Get("pk", tenant.Records(kinds.Document)).Order(dynamo.Descending)
	next, err := query.SearchLimit(4).AllWithLastEvaluatedKey(t.Context(), &got)
	if err != nil || names(got) != "9876" || next == nil {
		t.Fatalf("%s, %v, next %v", names(got), err, next)
	}
	got = nil
	if err := query.StartFrom(next).SearchLimit(4).All(t.Context(), &got); err != nil || names(got) != "5432" {
		t.Fatalf("%s, %v", names(got), err)
	}
}

// Keys that are numbers are ordered as numbers, and what lacks one is not in the index.
func TestStaleQueriesOfNumbers(t *testing.T) {
	world, name := tabletest.NewFaulty(t, tabletest.Faults{Stale: time.Minute})
	tenant, sound := table.Of(table.Open(world.Client(1), name), 1), table.Of(table.Open(enginetest.Client(t), name), 1)
	for id, moment := range []int64{1, 0, 10, 9, 100} {
		it := thingAt(tenant, int64(id), fmt.Sprint(moment))
		it.IX, it.XM = tenant.Records(kinds.Document), moment
		for _, by := range []*table.Tenant{sound, tenant} { // the past of what tenant writes is what was there before
			if err := by.Put(it).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	for what, of := range map[string]struct {
		query func(*dynamo.Query) *dynamo.Query
		order []int64
	}{
		"all":     {func(q *dynamo.Query) *dynamo.Query { return q }, []int64{1, 9, 10, 100}},
		"down":    {func(q *dynamo.Query) *dynamo.Query { return q.Order(dynamo.Descending) }, []int64{100, 10, 9, 1}},
		"from":    {func(q *dynamo.Query) *dynamo.Query { return q.Range("xm", dynamo.GreaterOrEqual, 9) }, []int64{9, 10, 100}},
		"between": {func(q *dynamo.Query) *dynamo.Query { return q.Range("xm", dynamo.Between, 2, 10) }, []int64{9, 10}},
	} {
		var got []thing
		query := of.query(tenant.Table().Get("ix", tenant.Records(kinds.Document)).Index("changes"))
		if err := query.All(t.Context(), &got); err != nil {
			t.Fatal(err)
		}
		var moments []int64
		for _, it := range got {
			moments = append(moments, it.XM)
		}
		if !slices.Equal(moments, of.order) {
			t.Errorf("%s: %v, want %v", what, moments, of.order)
		}
	}
}

func TestPartialBatches(t *testing.T) {
	world, name := tabletest.NewFaulty(t, tabletest.Faults{Throttled: 0.4})
	client := world.Client(2)
	tenant, sound := table.Of(table.Open(client, name), 1), table.Of(table.Open(enginetest.Client(t), name), 1)
	for id := range int64(4) {
		if err := sound.Put(thingAt(tenant, id, fmt.Sprint(id))).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	keys := []dynamo.Keyed{
		tenant.Record(kinds.Document, 0), tenant.Record(kinds.Document, 1), tenant.Record(kinds.Document, 2),
		tenant.Record(kinds.Document, 3),
	}
	var got []thing
	if err := table.Retry(t.Context(), func() error {
		got = nil
		return tenant.Table().Batch("pk", "sk").Get(keys...).All(t.Context(), &got)
	}); err != nil || len(got) != 4 {
		t.Errorf("%s, %v", names(got), err)
	}
	if err := table.Retry(t.Context(), func() error {
		_, err := tenant.Table().Batch("pk", "sk").Write().Delete(keys...).Run(t.Context())
		return err
	}); err != nil {
		t.Error(err)
	}
	got = nil
	if err := sound.Table().Get("pk", tenant.Records(kinds.Document)).All(t.Context(), &got); err != nil || len(got) != 0 {
		t.Errorf("left: %s, %v", names(got), err)
	}
	if calls := client.Calls(); calls["BatchGetItem"] < 2 || calls["BatchWriteItem"] < 2 {
		t.Errorf("nothing was left undone: %v", calls)
	}
}
