package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/platform"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

const (
	callers = 8
	spells  = 6 // of each side, alternately
	spell   = 2500 * time.Millisecond

	localTable = "tenantry" // the table of the local platform
)

// platform measures the whole local platform against a client that makes the
// same calls to the same engine and nothing else.
func (b *bench) platform(ctx context.Context, r *section) error {
	b.say("  starting the platform")
	p, err := platform.Start(ctx, platform.Options{Addr: "127.0.0.1:0", Demo: true, Unlimited: true, Seed: 100, Out: io.Discard})
	if err != nil {
		return err
	}
	defer p.Close()
	whole, token, err := wholePlatform(ctx, p)
	if err != nil {
		return err
	}
	bare, err := b.bareClient(ctx, p, token)
	if err != nil {
		return err
	}
	var mine, others float64
	for round := range spells + 1 {
		ours, err := answersASecond(ctx, whole)
		if err != nil {
			return fmt.Errorf("the platform: %w", err)
		}
		theirs, err := answersASecond(ctx, bare)
		if err != nil {
			return fmt.Errorf("the bare client: %w", err)
		}
		if round > 0 { // the first round only warms up
			mine, others = mine+ours/spells, others+theirs/spells
		}
	}
	r.judgeTime("the local platform against a bare client making the same table calls", mine >= 0.4*others, "≥ 40 %",
		"%.0f %% (%.0f and %.0f answers/s)", 100*mine/others, mine, others)
	return nil
}

// answersASecond is how many answers the callers together get in a second.
func answersASecond(ctx context.Context, once func(context.Context) error) (float64, error) {
	var done atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	start := time.Now()
	for range callers {
		g.Go(func() error {
			for time.Since(start) < spell {
				if err := once(ctx); err != nil {
					return err
				}
				done.Add(1)
			}
			return nil
		})
	}
	err := g.Wait()
	return float64(done.Load()) / time.Since(start).Seconds(), err
}

// wholePlatform signs in, and returns what asks for a list as any client would.
func wholePlatform(ctx context.Context, p *platform.Platform) (once func(context.Context) error, token string, err error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: callers, DisableCompression: true}}
	call := func(ctx context.Context, method, path string, body []byte) ([]byte, error) {
		request, err := http.NewRequestWithContext(ctx, method, p.URL+path, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		request.Header.Set("Content-Type", "application/json")
		if token != "" {
			request.Header.Set("Authorization", "Bearer "+token)
		}
		answer, err := client.Do(request)
		if err != nil {
			return nil, err
		}
		defer answer.Body.Close()
		content, err := io.ReadAll(answer.Body)
		if err == nil && answer.StatusCode != http.StatusOK {
			err = fmt.Errorf("%s: %d %.200s", request.URL, answer.StatusCode, content)
		}
		return content, err
	}
	credentials := fmt.Sprintf(`{"username":%q,"password":%q}`, p.Demo().Username, p.Demo().Password)
	content, err := call(ctx, http.MethodPost, "/v1/auth/login/", []byte(credentials))
	if err != nil {
		return nil, "", err
	}
	var session struct{ Access string }
	if err := json.Unmarshal(content, &session); err != nil {
		return nil, "", err
	}
	token = session.Access
	return func(ctx context.Context) error {
		content, err := call(ctx, http.MethodGet, documentsPath, nil)
		if err == nil && !bytes.HasPrefix(content, []byte(`{"count":100,`)) {
			err = fmt.Errorf("an answer of another company: %.200s", content)
		}
		return err
	}, token, nil
}

// bareClient returns what makes the same calls of the table as a request, with the SDK's client and nothing else: those that an authorizer
// and a function make for the list.
func (b *bench) bareClient(ctx context.Context, p *platform.Platform, token string) (once func(context.Context) error, err error) {
	kept := &canned{DynamoDBAPI: engine.Client(p.Storage.TableEndpoint)}
	env, _, err := b.env("authorizer", map[string]string{"KEYS_FILE": p.Storage.KeysFile()})
	if err != nil {
		return nil, err
	}
	env.Table = table.Open(kept, localTable)
	if _, err := admit(ctx, authorizerOf(env), token); err != nil {
		return nil, err
	}
	server, err := b.server("documents", func(e *app.Env) { e.Table = env.Table })
	if err != nil {
		return nil, err
	}
	if _, _, err := (client{company: tenant.ID(p.Demo().Tenant), server: server}).page(ctx, documentsPath); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		for _, call := range kept.calls {
			if err := call(ctx); err != nil {
				return err
			}
		}
		return nil
	}, nil
}
