package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/platform"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

const (
	floodRate    = 400 // requests a second that one user sends: as many as two cores bear that send them too
	floodSenders = 32
	floodTime    = 30 * time.Second
	calmTime     = 15 * time.Second
	patientRate  = 10 // of the other company
	flooder      = 9001
)

// flood lets one company send far more than it may to a whole local platform, and another one what people send. Both platforms are
// measured: one without limits, and that of the template.
func (b *bench) flood(ctx context.Context, r *section) error {
	rows := [][]string{{"Limits", "Company A sent", "of these passed", "Company B alone, p50, p99", "meanwhile", "not 200"}}
	for _, unlimited := range []bool{true, false} {
		one, err := b.flooded(ctx, unlimited)
		if err != nil {
			return err
		}
		name := map[bool]string{true: "none", false: "50 and 20 a second"}[unlimited]
		rows = append(rows, []string{
			name, fmt.Sprintf("%.0f a second", one.sent), fmt.Sprintf("%.0f a second", one.passed),
			ms(median(one.calm)) + ", " + ms(percentile(one.calm, 0.99)), ms(median(one.during)) + ", " + ms(percentile(one.during, 0.99)),
			fmt.Sprintf("%d of %d", one.failed, len(one.during)),
		})
		if before, during := percentile(one.calm, 0.99), percentile(one.during, 0.99); !unlimited {
			r.judgeTime("company A sends 400 requests a second for 30 s: company B", one.failed == 0 && during <= 2*before,
				"no 429, no 503, p99 ≤ twice", "%d of %d not 200; p99 %s, %s alone; A sent %.0f a second, of which %.0f passed",
				one.failed, len(one.during), ms(during), ms(before), one.sent, one.passed)
		}
	}
	r.text("The callers, the gateway, the functions and the engines share the cores of one machine, so what is refused still takes time " +
		"from company B, which it does not on AWS: there each request has an instance of its own. Where fewer than 400 were sent in a " +
		"second, the machine was full. What becomes of 2,000 a second on 20 instances is counted by the tests of shared/table/tokenbucket.")
	r.table(rows)
	return nil
}

// floods is what a flood did.
type floods struct {
	sent, passed float64         // a second
	calm, during []time.Duration // of the other company's answers, without and with it
	failed       int             // of its answers during the flood, those that are not 200
}

// flooded measures a platform.
func (b *bench) flooded(ctx context.Context, unlimited bool) (all floods, err error) {
	p, err := platform.Start(ctx, platform.Options{Addr: "127.0.0.1:0", Demo: true, Unlimited: unlimited, Seed: 100, Out: io.Discard})
	if err != nil {
		return all, err
	}
	defer p.Close()
	env, _, err := b.env("authorizer", map[string]string{"KEYS_FILE": p.Storage.KeysFile()})
	if err != nil {
		return all, err
	}
	env.Table = table.Open(engine.Client(p.Storage.TableEndpoint), localTable)
	if err := found(ctx, env.Table, flooder); err != nil {
		return all, err
	}
	token, err := signIn(ctx, env, flooder, []tenant.Membership{{Tenant: flooder, Role: tenant.Owner}})
	if err != nil {
		return all, err
	}
	_, other, err := wholePlatform(ctx, p)
	if err != nil {
		return all, err
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: floodSenders + 1, DisableCompression: true}}
	ask := func(token string) (int, time.Duration) {
		start := time.Now()
		request, _ := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+documentsPath, nil) // the address is right
		request.Header.Set("Authorization", "Bearer "+token)
		a, err := client.Do(request)
		if err != nil {
			return 0, time.Since(start)
		}
		defer a.Body.Close()
		_, _ = io.Copy(io.Discard, a.Body)
		return a.StatusCode, time.Since(start)
	}
	calmly := func(lasts time.Duration) (times []time.Duration, failed int) {
		tick := time.NewTicker(time.Second / patientRate)
		defer tick.Stop()
		for end := time.Now().Add(lasts); time.Now().Before(end) && ctx.Err() == nil; <-tick.C {
			status, took := ask(other)
			if times = append(times, took); status != http.StatusOK {
				failed++
			}
		}
		return times, failed
	}
	_, _ = calmly(time.Second) // warms up
	all.calm, _ = calmly(calmTime)
	var mu sync.Mutex
	sent, passed, start := 0, 0, time.Now()
	var senders sync.WaitGroup
	for range floodSenders {
		senders.Go(func() {
			tick := time.NewTicker(time.Second * floodSenders / floodRate)
			defer tick.Stop()
			for time.Since(start) < floodTime && ctx.Err() == nil {
				status, _ := ask(token)
				mu.Lock()
				if sent++; status == http.StatusOK {
					passed++
				}
				mu.Unlock()
				<-tick.C
			}
		})
	}
	all.during, all.failed = calmly(floodTime)
	senders.Wait()
	took := time.Since(start).Seconds()
	all.sent, all.passed = float64(sent)/took, float64(passed)/took
	return all, ctx.Err()
}
