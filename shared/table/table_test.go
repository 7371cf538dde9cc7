package table_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

type thing struct {
	table.Item
	Name  string `dynamo:"name"`
	Count int64  `dynamo:"count,omitempty"`
}

func at(t *table.Tenant, id int64, name string) thing {
	return thing{Item: table.At(t.Record(kinds.Document, id), 1), Name: name}
}

func get(t *testing.T, h *table.Tenant, id int64) (thing, error) {
	t.Helper()
	var got thing
	err := h.Get(t.Context(), h.Record(kinds.Document, id), &got)
	return got, err
}

// The same query, with and without a filter and a projection, by guregu's
// conditions that the handle spells as an expression.
func TestQueries(t *testing.T) {
	h := table.Of(tabletest.New(t), 1)
	for id := range int64(10) {
		if err := h.Put(at(h, id, []string{"even", "odd"}[id%2])).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s := table.SortID
	for _, tt := range []struct {
		operator dynamo.Operator
		values   []any
		want     []string
	}{
		{dynamo.Equal, []any{s(4)}, []string{s(4)}},
		{dynamo.Less, []any{s(2)}, []string{s(0), s(1)}},
		{dynamo.LessOrEqual, []any{s(2)}, []string{s(0), s(1), s(2)}},
		{dynamo.Greater, []any{s(7)}, []string{s(8), s(9)}},
		{dynamo.GreaterOrEqual, []any{s(7)}, []string{s(7), s(8), s(9)}},
		{dynamo.Between, []any{s(3), s(5)}, []string{s(3), s(4), s(5)}},
		{dynamo.BeginsWith, []any{"00000000000"}, []string{s(0), s(1), s(2), s(3), s(4), s(5), s(6), s(7), s(8), s(9)}},
	} {
		query := func() *dynamo.Query {
			return h.Table().Get("pk", h.Records(kinds.Document)).Range("sk", tt.operator, tt.values...)
		}
		var got, odd []thing
		if err := query().Order(dynamo.Ascending).All(t.Context(), &got); err != nil {
			t.Fatalf("%s: %v", tt.operator, err)
		}
		if keys := sorts(got); !slices.Equal(keys, tt.want) {
			t.Errorf("%s: %v, want %v", tt.operator, keys, tt.want)
		}
		if err := query().Filter("'name' = ?", "odd").Project("pk", "sk").All(t.Context(), &odd); err != nil {
			t.Fatalf("%s with a filter: %v", tt.operator, err)
		}
		want := slices.DeleteFunc(slices.Clone(got), func(it thing) bool { return it.Name != "odd" })
		if keys := sorts(odd); !slices.Equal(keys, sorts(want)) || len(odd) > 0 && odd[0].Name != "" {
			t.Errorf("%s with a filter and a projection: %v", tt.operator, odd)
		}
	}
}

func sorts(list []thing) (keys []string) {
	for _, it := range list {
		keys = append(keys, it.SK)
	}
	return keys
}

func TestATenantSeesItsOwn(t *testing.T) {
	c := tabletest.New(t)
	one, two := table.Of(c, 1), table.Of(c, 12)
	if err := two.Put(at(two, 5, "secret")).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := get(t, one, 5); !errors.Is(err, table.ErrNotFound) {
		t.Errorf("the same number: %v", err)
	}
	if err := one.Get(t.Context(), two.Record(kinds.Document, 5), new(thing)); !errors.Is(err, table.ErrKey) {
		t.Errorf("get: %v", err)
	}
	if err := one.Put(at(two, 6, "x")).Run(t.Context()); !errors.Is(err, table.ErrKey) {
		t.Errorf("put: %v", err)
	}
	if err := one.Write(t.Context(), func(tx *table.Tx, _ int) error {
		tx.Put(one.Put(at(one, 7, "x")), nil)
		tx.Delete(one.Delete(two.Record(kinds.Document, 5)), nil)
		return nil
	}); !errors.Is(err, table.ErrKey) {
		t.Errorf("transaction: %v", err)
	}
	if _, err := get(t, one, 7); !errors.Is(err, table.ErrNotFound) {
		t.Errorf("half of a refused transaction: %v", err)
	}
	nobody := table.Of(c, 0)
	if err := nobody.Put(at(nobody, 1, "x")).Run(t.Context()); !errors.Is(err, table.ErrKey) {
		t.Errorf("no tenant: %v", err)
	}
}

// An index has the items of all companies: of it, too, a company reads its own partitions and no others, and enters no others.
// Its messages enter the partitions of all that wait, which it can't read.
func TestATenantSeesItsOwnInIndexes(t *testing.T) {
	c := tabletest.New(t)
	one, two := table.Of(c, 1), table.Of(c, 12)
	for _, of := range []struct{ name, attribute, partition, others string }{
		{"changes", "ix", one.Records(kinds.Document), two.Records(kinds.Document)},
		{"children", "by", one.Children(kinds.OrderInventory, kinds.Order, 1), two.Children(kinds.OrderInventory, kinds.Order, 1)},
		{"pending", "pq", "", "pending#0"},
	} {
		read := func(partition string) error {
			return one.Table().Get(of.attribute, partition).Index(of.name).All(t.Context(), new([]thing))
		}
		if err := read(of.others); !errors.Is(err, table.ErrKey) {
			t.Errorf("%s of %s: %v", of.name, of.others, err)
		}
		if of.partition == "" {
			continue
		}
		if err := read(of.partition); err != nil && !errors.Is(err, dynamo.ErrNotFound) {
			t.Errorf("%s of %s: %v", of.name, of.partition, err)
		}
		if err := one.Put(table.Attributes{
			"pk": &types.AttributeValueMemberS{Value: one.Records(kinds.Document)},
			"sk": &types.AttributeValueMemberS{Value: table.SortID(1)}, of.attribute: &types.AttributeValueMemberS{Value: of.others},
		}).Run(t.Context()); !errors.Is(err, table.ErrKey) {
			t.Errorf("put into %s of %s: %v", of.name, of.others, err)
		}
	}
}

func TestFailedConditionsSpeak(t *testing.T) {
	h := table.Of(tabletest.New(t), 1)
	if err := h.Put(at(h, 1, "there")).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	taken, missing := errors.New("taken"), errors.New("missing")
	write := func(build func(tx *table.Tx)) error {
		calls := 0
		err := h.Write(t.Context(), func(tx *table.Tx, _ int) error {
			calls++
			build(tx)
			return nil
		})
		if calls != 1 {
			t.Errorf("built %d times", calls)
		}
		return err
	}
	if err := write(func(tx *table.Tx) {
		tx.Put(h.Create(at(h, 2, "new")), taken)
		tx.Check(h.Exists(h.Record(kinds.Document, 9)), missing)
	}); !errors.Is(err, missing) {
		t.Errorf("check: %v", err)
	}
	if err := write(func(tx *table.Tx) {
		tx.Put(h.Create(at(h, 1, "new")), taken)
		tx.Check(h.Exists(h.Record(kinds.Document, 9)), missing)
		if tx.Len() != 2 {
			t.Errorf("%d operations", tx.Len())
		}
	}); !errors.Is(err, taken) {
		t.Errorf("the first that failed: %v", err)
	}
	if err := write(func(tx *table.Tx) { tx.Put(h.Create(at(h, 1, "new")), nil) }); err == nil || table.Unavailable(err) {
		t.Errorf("a condition without an error of its own: %v", err)
	}
	refused := errors.New("refused")
	if err := h.Write(t.Context(), func(*table.Tx, int) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("build: %v", err)
	}
	if _, err := get(t, h, 2); !errors.Is(err, table.ErrNotFound) {
		t.Errorf("a cancelled transaction wrote: %v", err)
	}
	if got, err := get(t, h, 1); err != nil || got.Name != "there" {
		t.Errorf("a cancelled transaction wrote: %+v, %v", got, err)
	}
}

// Sixteen writers of one item under AWS's locks: each change is there once.
func TestContention(t *testing.T) {
	faults := tabletest.Faults{Lock: 4 * time.Millisecond, Transaction: 5 * time.Millisecond, Lost: 0.1, Throttled: 0.05}
	world, name := tabletest.NewFaulty(t, faults)
	var wg sync.WaitGroup
	var done, unknown atomic.Int64
	for seed := range uint64(16) {
		h := table.Of(table.Open(world.Client(seed), name), 1)
		wg.Go(func() {
			for range 4 {
				switch err := h.Write(t.Context(), func(tx *table.Tx, _ int) error {
					tx.Update(h.Update(h.Record(kinds.Document, 1)).Add("count", 1).Add("other", 2).Set("name", "n"), nil)
					return nil
				}); {
				case err == nil:
					done.Add(1)
				case table.Unavailable(err):
					unknown.Add(1)
				default:
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got, err := get(t, table.Of(table.Open(enginetest.Client(t), name), 1), 1)
	if err != nil || got.Count < done.Load() || got.Count > done.Load()+unknown.Load() {
		t.Errorf("%d done, %d unknown, count %d, %v", done.Load(), unknown.Load(), got.Count, err)
	}
	if done.Load() < 32 {
		t.Errorf("only %d of 64 were done", done.Load())
	}
}

// scripted answers transactions as a script says: nil carries it out.
type scripted struct {
	dynamodbiface.DynamoDBAPI
	script []answer
	tokens []string
}

type answer struct {
	happens bool
	err     error
}

func (s *scripted) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, opts ...func(*dynamodb.Options),
) (*dynamodb.TransactWriteItemsOutput, error) {
	next := answer{happens: true}
	if n := len(s.tokens); n < len(s.script) {
		next = s.script[n]
	}
	s.tokens = append(s.tokens, *in.ClientRequestToken)
	if next.happens {
		if out, err := s.DynamoDBAPI.TransactWriteItems(ctx, in, opts...); err != nil || next.err == nil {
			return out, err
		}
	}
	return nil, next.err
}

func TestRepetitions(t *testing.T) {
	cancelled := func(code string) error {
		return &types.TransactionCanceledException{CancellationReasons: []types.CancellationReason{{Code: aws.String(code)}}}
	}
	lost := &net.OpError{Op: "read", Err: errors.New("reset")}
	conflict, throttled := cancelled("TransactionConflict"), cancelled("ThrottlingError")
	taken := errors.New("taken")
	for _, tt := range []struct {
		name   string
		script []answer
		calls  int
		tokens int // different ones
		want   error
	}{
		{"at once", nil, 1, 1, nil},
		{"after a conflict another token", []answer{{false, conflict}}, 2, 2, nil},
		{"after a throttle another token", []answer{{false, throttled}, {false, conflict}}, 3, 3, nil},
		{"after a lost answer the same", []answer{{true, lost}}, 2, 1, nil},
		{"after a lost request the same", []answer{{false, lost}}, 2, 1, nil},
		{"in progress", []answer{{true, &types.TransactionInProgressException{}}}, 2, 1, nil},
		{"after a lost answer a conflict decides nothing", []answer{{true, lost}, {false, conflict}, {false, throttled}}, 4, 1, nil},
		{"the whole call throttled", []answer{{false, &types.ProvisionedThroughputExceededException{}}}, 2, 1, nil},
		{"a condition", []answer{{false, cancelled("ConditionalCheckFailed")}}, 1, 1, taken},
		{"a conflict, then a condition", []answer{{false, conflict}, {false, cancelled("ConditionalCheckFailed")}}, 2, 2, taken},
	} {
		t.Run(tt.name, func(t *testing.T) {
			api := &scripted{DynamoDBAPI: enginetest.Client(t), script: tt.script}
			h := table.Of(table.Open(api, enginetest.Table(t)), 1)
			builds := 0
			err := h.Write(t.Context(), func(tx *table.Tx, conflicts int) error {
				if conflicts != builds {
					t.Errorf("build %d is told of %d conflicts", builds, conflicts)
				}
				builds++
				tx.Put(h.Create(at(h, 1, "x")), taken)
				return nil
			})
			if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
				t.Errorf("%v, want %v", err, tt.want)
			}
			different := slices.Compact(slices.Clone(api.tokens))
			if len(api.tokens) != tt.calls || len(different) != tt.tokens || builds != tt.tokens {
				t.Errorf("%d calls, %d tokens, %d builds; want %d, %d", len(api.tokens), len(different), builds, tt.calls, tt.tokens)
			}
			if _, err := get(t, h, 1); (err == nil) != (tt.want == nil) {
				t.Errorf("the item: %v", err)
			}
		})
	}
}

func TestExhaustionIsUnavailable(t *testing.T) {
	for name, faults := range map[string]tabletest.Faults{
		"throttled": {Throttled: 1}, "lost": {Lost: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			world, name := tabletest.NewFaulty(t, faults)
			h := table.Of(table.Open(world.Client(1), name), 1)
			err := h.Write(t.Context(), func(tx *table.Tx, _ int) error {
				tx.Put(h.Create(at(h, 1, "x")), fault.ErrNotFound)
				return nil
			})
			if f, ok := fault.As(err); !ok || f.Code != fault.Unavailable || f.RetryAfter == 0 || !table.Unavailable(err) {
				t.Errorf("%v", err)
			}
		})
	}
	t.Run("out of time", func(t *testing.T) {
		t.Parallel()
		world, name := tabletest.NewFaulty(t, tabletest.Faults{Throttled: 1})
		h := table.Of(table.Open(world.Client(1), name), 1)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if err := table.Retry(ctx, func() error { return h.Put(at(h, 1, "x")).Run(ctx) }); !table.Unavailable(err) {
			t.Errorf("%v", err)
		}
	})
}

func TestCallsAreMetered(t *testing.T) {
	h := table.Of(tabletest.New(t), 1)
	var calls []meter.Call
	ctx, m := meter.Start(meter.Watch(t.Context(), func(_ context.Context, c meter.Call) { calls = append(calls, c) }))
	big := at(h, 1, strings.Repeat("x", 5000))
	if err := h.Put(big).Run(ctx); err != nil {
		t.Fatal(err)
	}
	if err := h.Get(ctx, big.Key(), new(thing)); err != nil {
		t.Fatal(err)
	}
	if err := h.Write(ctx, func(tx *table.Tx, _ int) error {
		tx.Put(h.Put(at(h, 2, "x")), nil)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	used := m.Usage()
	if used.Calls != 3 || used.ReadUnits != 2 || used.WriteUnits != 5+2 || used.Time <= 0 {
		t.Errorf("%+v", used)
	}
	if err := h.Put(big).If("attribute_not_exists(pk)").Run(ctx); err == nil {
		t.Error("it is put twice")
	}
	var told []string
	for _, c := range calls {
		told = append(told, fmt.Sprintf("%s %v %v %v", c.Name, c.ReadUnits, c.WriteUnits, c.Failed))
	}
	want := []string{"PutItem 0 5 false", "GetItem 2 0 false", "TransactWriteItems 0 2 false", "PutItem 0 0 true"}
	if !slices.Equal(told, want) {
		t.Errorf("told is %q, want %q", told, want)
	}
}
