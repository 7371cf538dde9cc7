package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

const (
	creators     = 16
	creatorTime  = 10 * time.Second
	createsBound = 300
)

// create measures the creation of a document without references or file.
func (b *bench) create(ctx context.Context, r *section) error {
	r.title = "Creating a document"
	s, err := b.open(ctx)
	if err != nil {
		return err
	}
	var all sample
	for i := range b.samples {
		a, err := must(
			ctx, s.server, event(creating, http.MethodPost, "/v2/documents/", fmt.Sprintf(`{"name":"Договор аренды № %d"}`, i)),
			http.StatusCreated,
		)
		if err != nil {
			return err
		}
		all.add(a)
	}
	most := all.most()
	_, write := all.average()
	r.judge(
		"create a document without references or file", most.calls <= 2 && most.write <= 8, "≤ 2 calls, ≤ 6 write units and 2 of history",
		"%d calls, %s write units at most, %.2f on average", most.calls, units(most.write), write,
	)
	r.text(
		"%d documents one after the other: p50 %s, p95 %s. The units are of the number, the record with its search entry, the\n"+
			"counter of live records, and the audit record; a transaction counts twice.",
		b.samples, ms(median(all.times)), ms(percentile(all.times, 0.95)),
	)
	return nil
}

// creators measures many callers that create documents in one company at the same time.
// The engine locks items and delays its answers as AWS does.
func (b *bench) creators(ctx context.Context, r *section) error {
	r.title = "Sixteen creators in one company"
	s, err := b.open(ctx)
	if err != nil {
		return err
	}
	e, err := engine.Start(ctx, engine.Options{})
	if err != nil {
		return err
	}
	defer e.Stop()
	definition, err := b.template.Table()
	if err != nil {
		return err
	}
	definition.TableName = aws.String(tableName)
	if _, err := engine.Client(e.Endpoint()).CreateTable(ctx, definition); err != nil {
		return err
	}
	faults := tabletest.Locks()
	world := tabletest.NewWorld(engine.Client(e.Endpoint()), faults)
	var done, failed atomic.Int64
	var clients [creators]*tabletest.Client
	payload := event(creating, http.MethodPost, "/v2/documents/", `{"name":"Договор аренды"}`)
	var mu sync.Mutex
	var times []time.Duration
	var wait sync.WaitGroup
	start := time.Now()
	for i := range clients {
		clients[i] = world.Client(uint64(i))
		server := s.with(clients[i], tableName)
		wait.Go(func() {
			for time.Since(start) < creatorTime && ctx.Err() == nil {
				a, err := must(ctx, server, payload, http.StatusCreated)
				if err != nil {
					failed.Add(1)
					continue
				}
				done.Add(1)
				mu.Lock()
				times = append(times, a.took)
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	rate := float64(done.Load()) / time.Since(start).Seconds()
	writes := 0
	for _, c := range clients {
		writes += c.Writes()
	}
	a, err := must(
		ctx, s.with(engine.Client(e.Endpoint()), tableName), event(creating, http.MethodGet, "/v2/documents/", ""), http.StatusOK,
	)
	if err != nil {
		return err
	}
	l, err := listOf(a)
	if err != nil {
		return err
	}
	if n := int64(l.Count); n < done.Load() || n > done.Load()+failed.Load() { // a create that failed may have been stored all the same
		return fmt.Errorf("the list counts %d documents after %d creates", l.Count, done.Load())
	}
	r.judgeTime("16 concurrent creators in one company", failed.Load() == 0 && rate >= createsBound, "no failed request, ≥ 300 creates/s",
		"%d failed of %s, %.0f creates/s", failed.Load(), thousands(int(done.Load()+failed.Load())), rate)
	r.text(
		"Through the documents' create operation, for %s. A transaction holds its items for %s and takes %s, any other call %s; who\n"+
			"meets a held item is refused as on AWS. %.2f writing calls a create (2 are without any conflict); p50 %s, p95 %s, longest\n"+
			"%s. The list's count afterwards is the number of creates. One after the other, a creator could make %.0f a second, so\n"+
			"sixteen %.0f.",
		creatorTime, faults.Lock, faults.Transaction, faults.Call, float64(writes)/float64(max(done.Load(), 1)), ms(median(times)),
		ms(percentile(times, 0.95)), ms(percentile(times, 1)), 1/(faults.Transaction+faults.Call).Seconds(),
		creators/(faults.Transaction+faults.Call).Seconds(),
	)
	return nil
}
