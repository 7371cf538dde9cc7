package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/record/bulk"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// What happens to one call of a process.
const (
	diesBefore = "dies before call"
	diesAfter  = "dies after call"
	hearsNot   = "never hears of call"    // which is carried out
	neverSends = "gets no answer to call" // which never arrives
)

// fateful is a process before the engine: something happens to one of its
// calls, and to each repetition of that.
type fateful struct {
	dynamodbiface.DynamoDBAPI
	fate  string
	at    int
	mu    sync.Mutex
	calls int
	dead  bool
	token string // of the transaction that it happens to
	after int    // calls after it that never arrive either
}

type options = func(*dynamodb.Options)

var errReset = &net.OpError{Op: "read", Net: "tcp", Err: errors.New("reset by the test")}

// before says what happens to a call: whether it is carried out, and the error
// that is answered, or nil for the engine's own answer.
func (f *fateful) before(token string) (happens bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dead {
		return false, tabletest.ErrCrashed
	}
	struck := token != "" && token == f.token
	if !struck {
		f.calls++
		struck = f.calls == f.at
		if f.calls > f.at && f.calls <= f.at+f.after {
			return false, errReset
		}
	}
	if !struck {
		return true, nil
	}
	f.token = token
	switch f.fate {
	case diesBefore:
		f.dead = true
		return false, tabletest.ErrCrashed
	case diesAfter:
		f.dead = true
		return true, tabletest.ErrCrashed
	case hearsNot:
		return true, errReset
	default:
		return false, errReset
	}
}

func strike[I, O any](
	ctx context.Context, f *fateful, token string, in *I, opts []options, do func(context.Context, *I, ...options) (*O, error),
) (*O, error) {
	happens, fate := f.before(token)
	if !happens {
		return nil, fate
	}
	out, err := do(ctx, in, opts...)
	if fate != nil {
		return nil, fate
	}
	return out, err
}

func (f *fateful) GetItem(ctx context.Context, in *dynamodb.GetItemInput, opts ...options) (*dynamodb.GetItemOutput, error) {
	return strike(ctx, f, "", in, opts, f.DynamoDBAPI.GetItem)
}

func (f *fateful) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...options) (*dynamodb.QueryOutput, error) {
	return strike(ctx, f, "", in, opts, f.DynamoDBAPI.Query)
}

func (f *fateful) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, opts ...options) (*dynamodb.BatchGetItemOutput, error) {
	return strike(ctx, f, "", in, opts, f.DynamoDBAPI.BatchGetItem)
}

func (f *fateful) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, opts ...options) (*dynamodb.UpdateItemOutput, error) {
	return strike(ctx, f, "", in, opts, f.DynamoDBAPI.UpdateItem)
}

func (f *fateful) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, opts ...options) (*dynamodb.DeleteItemOutput, error) {
	return strike(ctx, f, "", in, opts, f.DynamoDBAPI.DeleteItem)
}

func (f *fateful) BatchWriteItem(
	ctx context.Context, in *dynamodb.BatchWriteItemInput, opts ...options,
) (*dynamodb.BatchWriteItemOutput, error) {
	return strike(ctx, f, "", in, opts, f.DynamoDBAPI.BatchWriteItem)
}

func (f *fateful) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, opts ...options,
) (*dynamodb.TransactWriteItemsOutput, error) {
	return strike(ctx, f, aws.ToString(in.ClientRequestToken), in, opts, f.DynamoDBAPI.TransactWriteItems)
}

// again imports the same people, as a caller does who repeats what failed, until
// they are there.
func (o office) again(n int, iin func(i int) string) {
	o.t.Helper()
	abandoned := unique.Abandoned{}
	for range 4 {
		_, err := imports().Run(o.t.Context(), o.Tenant, o.listing(), o.now, bulk.Plan{Rows: o.rows(n, abandoned, iin, true)}, nil)
		if err == nil {
			return
		}
		if !errors.As(err, new(*unique.TakenError)) {
			o.t.Fatal(err)
		}
		found, err := unique.Look(o.t.Context(), o.Tenant, values(n, iin), o.now())
		switch {
		case err != nil:
			o.t.Fatal(err)
		case len(found.Taken) == n:
			return // they are there
		case len(found.Taken) > 0:
			o.t.Fatalf("%d of %d are there", len(found.Taken), n)
		case found.Busy != nil:
			o.pass(found.Busy.RetryAfter + time.Millisecond)
		}
		abandoned = found.Abandoned
	}
	o.t.Fatal("the import never succeeds")
}

// At whatever call an import fails, either none or all of it is visible. Its process, if it is
// alive, knows which. Repeating the import creates each person once, and nothing else is left.
func TestStruckAnywhere(t *testing.T) {
	const n = 110 // four transactions
	iin := numbered("a")
	for _, fate := range []string{diesBefore, diesAfter, hearsNot, neverSends} {
		for at := 1; at <= 6; at++ {
			t.Run(fmt.Sprint(fate, " ", at), func(t *testing.T) {
				t.Parallel()
				name := enginetest.Table(t)
				sound := newOffice(t, table.Open(enginetest.Client(t), name), nil)
				client := &fateful{DynamoDBAPI: enginetest.Client(t), fate: fate, at: at}
				o := newOffice(t, table.Open(client, name), sound.clock)
				_, err := o.run(t.Context(), n, iin)
				seen := sound.seen()
				if len(seen) != 0 && len(seen) != n || !client.dead && (err == nil) != (len(seen) == n) || fate == hearsNot && err != nil {
					t.Fatalf("%d are seen, %v", len(seen), err)
				}
				if at <= 5 && client.calls < at {
					t.Fatalf("only %d calls", client.calls)
				}
				if at%2 == 0 { // the worker comes before the caller
					sound.pass(bulk.Lease + 2*time.Second)
					sound.deliver()
					sound.clean(seen, iin, n)
				}
				sound.again(n, iin)
				if got := sound.seen(); !slices.Equal(got, all(n, iin)) {
					t.Fatalf("%d are seen", len(got))
				}
				for range 2 {
					sound.pass(bulk.Lease + 2*time.Second)
					sound.deliver()
				}
				sound.clean(all(n, iin), iin, n)
				if sound.waiting() != 0 {
					t.Errorf("%d rows wait", sound.waiting())
				}
			})
		}
	}
}

// A caller that gets no answer to the commit, nor to the look-up after it, still learns the
// outcome.
func TestAnUnknownCommit(t *testing.T) {
	const n = 20 // call 3 commits
	iin := numbered("a")
	for fate, want := range map[string]int{hearsNot: n, neverSends: 0} {
		name := enginetest.Table(t)
		sound := newOffice(t, table.Open(enginetest.Client(t), name), nil)
		client := &fateful{DynamoDBAPI: enginetest.Client(t), fate: fate, at: 3, after: 1}
		o := newOffice(t, table.Open(client, name), sound.clock)
		im, err := o.run(t.Context(), n, iin)
		if seen := sound.seen(); len(seen) != want || (err == nil) != (want == n) || (im == 1) != (want == n) {
			t.Errorf("%s: %d are seen, import %d, %v", fate, len(seen), im, err)
		}
	}
}

// The sweep may be interrupted at any point; a record that has taken over a value keeps it.
func TestTheSweepIsInterrupted(t *testing.T) {
	const n = 40
	iin := numbered("a")
	for at := 1; ; at += 1 + at/4 {
		name := enginetest.Table(t)
		o := newOffice(t, table.Open(enginetest.Client(t), name), nil)
		i, err := imports().Begin(t.Context(), o.Tenant, o.listing(), o.now, bulk.Plan{Rows: o.rows(n, unique.Abandoned{}, iin, true)})
		if err != nil {
			t.Fatal(err)
		}
		o.pass(bulk.Lease + 2*time.Second)
		found, err := unique.Look(t.Context(), o.Tenant, values(n, iin), o.now())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := o.create(t.Context(), iin(7), found.Abandoned); err != nil {
			t.Fatal(err)
		}
		client := &fateful{DynamoDBAPI: enginetest.Client(t), fate: diesAfter, at: at}
		struck := newOffice(t, table.Open(client, name), o.clock)
		err = imports().End(t.Context(), struck.Tenant, i.ID(), o.now())
		if client.dead == (err == nil) {
			t.Fatalf("struck at %d: %v", at, err)
		}
		if got := o.seen(); len(got) != 1 {
			t.Fatalf("%v are seen", got)
		}
		o.deliver()
		o.clean([]string{iin(7)}, iin, n)
		if !client.dead {
			return
		}
	}
}

// If imports and creates want one value at the same moment, exactly one gets it.
func TestOneOfManyAtOnce(t *testing.T) {
	world, name := tabletest.NewFaulty(t, tabletest.Locks())
	sound := newOffice(t, table.Open(enginetest.Client(t), name), nil)
	iin := numbered("a")
	var mu sync.Mutex
	var wg sync.WaitGroup
	imported, created := 0, 0
	for p := range 6 {
		o := newOffice(t, table.Open(world.Client(uint64(p)), name), sound.clock)
		wg.Go(func() {
			var err error
			made := &imported
			if p < 4 {
				_, err = o.run(t.Context(), 60, func(i int) string { return iin((i + 13*p) % 60) })
			} else {
				made = &created
				_, err = o.create(t.Context(), iin(25), unique.Abandoned{})
			}
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				*made++
			} else if !errors.As(err, new(*unique.TakenError)) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if imported+created > 1 {
		t.Fatalf("%d imports and %d creates have succeeded", imported, created)
	}
	if got := sound.seen(); len(got) != 60*imported+created {
		t.Errorf("%d are seen", len(got))
	}
	sound.deliver()
	if created == 1 {
		sound.clean([]string{iin(25)}, iin, 60)
		return
	}
	sound.again(60, iin)
	sound.clean(all(60, iin), iin, 60)
}
