package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/infra/local/console"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/platform"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	bulkMessages = 100_000
	codes        = 10
	codePatience = 2 * time.Minute // as long as a code lives
)

// lanes has a whole local platform send codes while a company has very many merges to be made.
func (b *bench) lanes(ctx context.Context, r *section) error {
	p, err := platform.Start(ctx, platform.Options{Addr: "127.0.0.1:0", Unlimited: true, Out: io.Discard})
	if err != nil {
		return err
	}
	defer p.Close()
	calm, err := slowestCode(ctx, p, "calm")
	if err != nil {
		return err
	}
	if err := leaveMerges(ctx, table.Of(table.Open(engine.Client(p.Storage.TableEndpoint), localTable), flooder)); err != nil {
		return err
	}
	busy, err := slowestCode(ctx, p, "busy")
	if err != nil {
		return err
	}
	r.judgeTime("a code of one company behind 100,000 bulk messages of another, on the local platform",
		busy <= 2*time.Second, "≤ 2 s", "%s at most of %d, %s where nothing else waits", ms(busy), codes, ms(calm))
	r.text("On AWS urgent messages have a function of their own, and companies take turns in the queues as SQS says of fair queues: " +
		"that is its documented behaviour, and was not measured.")
	return nil
}

// leaveMerges leaves messages of a company that ask for merges, of which there is nothing to merge.
func leaveMerges(ctx context.Context, company *table.Tenant) error {
	calls, ctx := errgroup.WithContext(ctx)
	calls.SetLimit(16)
	for n := range bulkMessages {
		calls.Go(func() error {
			m := outbox.NewKeyed(company.Message, search.MergeMessage, string(kinds.Document), time.Now())
			m.SK += fmt.Sprint(n)
			return company.Put(m).Run(ctx)
		})
	}
	return calls.Wait()
}

// slowestCode asks for codes, one after the other, and returns how long it took at most until one was sent.
func slowestCode(ctx context.Context, p *platform.Platform, who string) (slowest time.Duration, err error) {
	for n := range codes {
		to, start := fmt.Sprintf("%s%d@example.com", who, n), time.Now()
		request, _ := http.NewRequestWithContext(ctx, http.MethodPost, p.URL+"/v1/tenant/register/init/", // the address is right
			strings.NewReader(fmt.Sprintf(`{"email":%q}`, to)))
		request.Header.Set("Content-Type", "application/json")
		a, err := http.DefaultClient.Do(request)
		if err != nil {
			return 0, err
		}
		_ = a.Body.Close()
		if a.StatusCode >= http.StatusMultipleChoices {
			return 0, fmt.Errorf("a code is refused: %s", a.Status)
		}
		for !slices.ContainsFunc(p.Outbox.List(), func(m console.Message) bool { return m.To == to }) {
			if time.Since(start) > codePatience {
				return codePatience, nil
			}
			time.Sleep(10 * time.Millisecond)
		}
		slowest = max(slowest, time.Since(start))
	}
	return slowest, nil
}
