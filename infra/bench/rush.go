package main

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/web"
)

const (
	rushers  = 16
	rushTime = 10 * time.Second
)

// rushed is what came of a rush.
type rushed struct {
	done, failed int64
	rate         float64 // requests that were done, a second
	writes       int     // writing calls of the table
	times        []time.Duration
	after        answer // of the request that was sent when all had ended
}

// writesEach is how many writing calls a request took on average.
func (r rushed) writesEach() float64 { return float64(r.writes) / float64(max(r.done, 1)) }

// rush sends one request again and again, from many callers at the same time, to a function on an engine of
// its own, which locks items and delays its answers as AWS does. The function before prepares the engine;
// the request last, which reads, is sent afterwards.
func (b *bench) rush(
	ctx context.Context, on func(dynamodbiface.DynamoDBAPI) *web.Server, before func(dynamodbiface.DynamoDBAPI) error, payload, last []byte,
) (all rushed, err error) {
	e, err := engine.Start(ctx, engine.Options{})
	if err != nil {
		return all, err
	}
	defer e.Stop()
	calm := engine.Client(e.Endpoint())
	for _, name := range []string{tableName, crmTable} {
		definition, err := b.template.Table()
		if err != nil {
			return all, err
		}
		definition.TableName = aws.String(name)
		if _, err := calm.CreateTable(ctx, definition); err != nil {
			return all, err
		}
	}
	if err := before(calm); err != nil {
		return all, err
	}
	world := tabletest.NewWorld(calm, tabletest.Locks())
	var clients [rushers]*tabletest.Client
	var mu sync.Mutex
	var wait sync.WaitGroup
	start := time.Now()
	for i := range clients {
		clients[i] = world.Client(uint64(i))
		server := on(clients[i])
		wait.Go(func() {
			for time.Since(start) < rushTime && ctx.Err() == nil {
				a, err := must(ctx, server, payload, http.StatusCreated)
				mu.Lock()
				if err != nil {
					all.failed++
				} else {
					all.done++
					all.times = append(all.times, a.took)
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	all.rate = float64(all.done) / time.Since(start).Seconds()
	for _, c := range clients {
		all.writes += c.Writes()
	}
	all.after, err = must(ctx, on(calm), last, http.StatusOK)
	return all, err
}
