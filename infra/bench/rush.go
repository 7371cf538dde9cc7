package main

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

const (
	rushers  = 16
	rushTime = 10 * time.Second
	rushed   = 1 // the company
)

// rush is many callers who send the one request of a scenario again and again.
type rush struct {
	Rate  float64 // of requests a second, at least
	Read  string  // the address that is read when all have ended
	Count string  // what its answer says of how many there are, as a pattern
}

// rush lets the callers send for a while, to a function on an engine of its own, which locks items and delays its answers as AWS does.
// What they have done is compared with what is read afterwards.
func (b *bench) rush(ctx context.Context, r *section, s scenario) error {
	e, err := engine.Start(ctx, engine.Options{})
	if err != nil {
		return err
	}
	defer e.Stop()
	calm := engine.Client(e.Endpoint())
	if err := b.makeTable(ctx, calm); err != nil {
		return err
	}
	if err := found(ctx, table.Open(calm, tableName), rushed); err != nil {
		return err
	}
	on := func(api dynamodbiface.DynamoDBAPI) (client, error) {
		server, err := b.server(s.Group, func(env *app.Env) { env.Table = table.Open(api, tableName) })
		return client{company: rushed, server: server}, err
	}
	one, err := on(calm)
	if err != nil {
		return err
	}
	if _, err := b.prepare(ctx, s, one); err != nil {
		return err
	}
	world := tabletest.NewWorld(calm, tabletest.Locks())
	var done sample
	failed := 0
	var mu sync.Mutex
	var wait sync.WaitGroup
	start := time.Now()
	for i := range uint64(rushers) {
		c, err := on(world.Client(i))
		if err != nil {
			return err
		}
		wait.Go(func() {
			for time.Since(start) < rushTime && ctx.Err() == nil {
				a, err := b.send(ctx, s.Ask[0], c, 0, nil)
				mu.Lock()
				if err == nil {
					done.add(a)
				} else {
					failed++
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	n := len(done.times)
	rate := float64(n) / time.Since(start).Seconds()
	after, err := one.send(ctx, http.MethodGet, s.Rush.Read, "")
	if err != nil {
		return err
	}
	count := 0
	if found := regexp.MustCompile(s.Rush.Count).FindSubmatch(after.body); found != nil {
		count, _ = strconv.Atoi(string(found[1])) // digits
	}
	if count < n || count > n+failed { // one that failed may have been stored
		return fmt.Errorf("%d are there after %d: %.300s", count, n, after.body)
	}
	r.judgeTime(s.What, failed == 0 && rate >= s.Rush.Rate, s.Bound, "%d failed of %s, %.0f a second", failed, thousands(n+failed), rate)
	return nil
}
