package platform

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/infra/local/prepared"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
)

func start(t *testing.T, o Options) *Platform {
	t.Helper()
	o.Patient = true
	return hasty(t, o)
}

// withDemo are options of a platform whose data has the demo company already, as it is after a first start.
func withDemo(t *testing.T) Options {
	t.Helper()
	if os.Getenv("DYNAMODB_ENDPOINT") != "" { // the table is not among the data
		return Options{Demo: true}
	}
	return Options{Data: demo.Copy(t), Demo: true}
}

var demo = prepared.New(PrepareDemo)

func TestMain(m *testing.M) { demo.Run(m) }

// hasty starts a platform that waits for its engines no longer than AWS's functions do.
func hasty(t *testing.T, o Options) *Platform {
	t.Helper()
	o.Addr = "127.0.0.1:0"
	if o.Out == nil {
		o.Out = t.Output()
	}
	p, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// session is a client of the platform, signed in as its demo user.
func session(t *testing.T, p *Platform) *client {
	t.Helper()
	c := &client{base: p.URL}
	var tokens struct{ Access string }
	who := map[string]string{"username": p.Demo().Username, "password": p.Demo().Password}
	for deadline := time.Now().Add(time.Minute); ; {
		status, err := c.call(t.Context(), http.MethodPost, "/v1/auth/login/", who, &tokens)
		if err == nil && status == http.StatusOK {
			break
		}
		if status != http.StatusServiceUnavailable || time.Now().After(deadline) { // as a hasty platform on a busy machine
			t.Fatalf("sign in: %d, %v", status, err)
		}
	}
	c.token = tokens.Access
	return c
}

func get(t *testing.T, c *client, path string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	if c.tenant != 0 {
		r.Header.Set("X-Tenant-Id", strconv.FormatInt(c.tenant, 10))
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(answer.Body); err != nil {
		t.Fatal(err)
	}
	return answer, body.String()
}

// While the table's engine is away, requests are told to come back; then it
// works again, with everything there.
func TestEngineGoneForAMoment(t *testing.T) {
	p := start(t, withDemo(t))
	c := session(t, p)
	p.Storage.KillTable()
	deadline := time.Now().Add(time.Minute)
	sawAway, recovered := false, false
	for time.Now().Before(deadline) && !recovered {
		answer, body := get(t, c, "/v2/documents/")
		switch answer.StatusCode {
		case http.StatusServiceUnavailable:
			sawAway = true
			if want := `{"detail":"Service temporarily unavailable."}`; body != want || answer.Header.Get("Retry-After") == "" {
				t.Fatalf("503 is %s with Retry-After %q", body, answer.Header.Get("Retry-After"))
			}
		case http.StatusOK:
			recovered = true
			if !strings.HasPrefix(body, `{"count":11,`) {
				t.Errorf("after the engine came back: %s", body)
			}
		default:
			t.Fatalf("%d %s", answer.StatusCode, body)
		}
	}
	if !recovered {
		t.Fatal("the platform did not recover")
	}
	t.Logf("a 503 in between: %v", sawAway)
}

// A platform whose engine can't come back says so and ends.
func TestEngineGoneForGood(t *testing.T) {
	p := start(t, Options{})
	p.Storage.KillTable()
	select {
	case err := <-p.Failed():
		if !strings.Contains(err.Error(), "in memory") {
			t.Errorf("it says %q", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("nobody was told")
	}
}

func TestSecondStartKeepsEverything(t *testing.T) {
	data := t.TempDir()
	first := start(t, Options{Data: data, Demo: true, Seed: 25})
	demo := *first.Demo()
	more := map[string]any{"name": "Another", "domain": "another", "address": "Here", "currency": "KZT", "timezone": "Asia/Almaty"}
	if err := session(t, first).must(t.Context(), http.MethodPost, "/v1/tenant/", more, nil); err != nil {
		t.Fatal(err)
	}
	first.Close()
	second := start(t, Options{Data: data, Demo: true, Seed: 25})
	if *second.Demo() != demo {
		t.Errorf("the demo company is %+v, was %+v", *second.Demo(), demo)
	}
	c := session(t, second)
	c.tenant = demo.Tenant
	for path, want := range map[string]int{
		"/v2/documents/": 25, "/v2/documents/?signed=true": 3, "/v2/documents/?content_type=OrderRequest": 8, "/v1/crm/rental_points/": 3, "/v1/crm/attraction_methods/": 3, "/v1/crm/clients/": 14,
		"/v1/crm/clients/?search=%D1%81%D3%99%D1%80%D1%81%D0%B5%D0%BD%D0%B1%D0%B0%D0%B5%D0%B2%D0%B0": 1, "/v1/crm/clients/?type=1": 3,
		"/v1/crm/services/": 4, "/v1/crm/groups/": 5, "/v1/crm/inventories/": 34, "/v1/crm/inventories/?car=true": 12,
		"/v1/finances/exchanges/": 1, "/v1/sales/leads/": 30, "/v1/crm/discounts/": 2,
		"/v1/crm/requests/": 95, "/v1/crm/requests/?status=0": 6, "/v1/crm/requests/?status=1": 13, "/v1/crm/requests/?status=2": 10,
		"/v1/crm/requests/exchanges/": 1, "/v1/crm/requests/?status=3": 5, "/v1/crm/requests/?status=4": 53, "/v1/crm/requests/?status=5": 8,
		"/v1/cars/penalties/": 15, "/v1/cars/penalties/?paid=true": 4, "/v1/cars/penalties/?number=550BEK05": 2, "/v1/cars/states/": 2,
	} {
		answer, body := get(t, c, path)
		var list struct{ Count int }
		if err := json.Unmarshal([]byte(body), &list); err != nil || list.Count != want {
			t.Errorf("%s: %d, a count of %d, want %d: %v", path, answer.StatusCode, list.Count, want, err)
		}
	}
	var fields []struct{ Name string }
	if _, body := get(t, c, "/v1/crm/settings/custom_fields_list/"); json.Unmarshal([]byte(body), &fields) != nil || len(fields) != 2 {
		t.Errorf("custom fields: %s", body)
	}
}

// When the platform is ready, what the demo company's orders brought in has followed them.
func TestDemoIsComplete(t *testing.T) {
	p := start(t, Options{Demo: true})
	c := session(t, p)
	list := func(path string) (results []map[string]any) {
		t.Helper()
		var page struct{ Results []map[string]any }
		if err := c.must(t.Context(), http.MethodGet, path, nil, &page); err != nil {
			t.Fatal(err)
		}
		return page.Results
	}
	same := func() bool {
		paid := map[any]any{}
		for _, row := range list("/v1/crm/metrics/general/detail/?type=request&pageSize=1000") {
			paid[row["request"]] = row["profit"]
		}
		orders := list("/v1/crm/requests/?pageSize=1000")
		differs := func(o map[string]any) bool { return paid[o["id"]] != o["paid_amount"] }
		return len(orders) > 0 && len(orders) == len(paid) && !slices.ContainsFunc(orders, differs)
	}
	if !same() {
		t.Error("the rows of the demo company are not those of its orders")
	}
	var states, sealed []string
	for _, d := range list("/v2/documents/?content_type=OrderRequest&ordering=id") {
		for _, s := range d["signs"].([]any) {
			states = append(states, fmt.Sprint(s.(map[string]any)["status"]))
		}
		for _, f := range d["files"].([]any) {
			if f.(map[string]any)["type"] == 1.0 {
				sealed = append(sealed, fmt.Sprint(d["name"]))
			}
		}
	}
	if got := strings.Join(states, " "); got != "0 1 2 3 4 5 5 5 5" || len(sealed) != 3 {
		t.Errorf("the signs of the demo company's documents are %s, sealed are %q", got, sealed)
	}
}

// The demo company is made by more requests than a user may send. From then on the template's limits hold, as on AWS.
func TestLimitsOfRequests(t *testing.T) {
	p := start(t, Options{Demo: true})
	c := session(t, p)
	var refused atomic.Int64
	var callers errgroup.Group
	for range 8 {
		callers.Go(func() error {
			for range 500 { // one is refused as soon as more than 20 a second are sent, which a busy machine does later
				if refused.Load() > 0 {
					return nil
				}
				a, err := c.once(t.Context(), http.MethodGet, "/v1/tenant/", nil)
				if err != nil {
					return err
				}
				if a.Status == http.StatusTooManyRequests && a.Header.Get("RateLimit-Policy") == `"caller-requests";q=100;w=5` {
					refused.Add(1)
				} else if a.Status != http.StatusOK {
					return errors.New(a.String())
				}
			}
			return nil
		})
	}
	if err := callers.Wait(); err != nil {
		t.Fatal(err)
	}
	if refused.Load() == 0 {
		t.Error("of 4,000 requests none is refused")
	}
}

// A start waits for what follows from its own requests, and not for a sweep that another company's message holds up.
func TestReadyWaitsForTheDemoCompanyOnly(t *testing.T) {
	p := start(t, withDemo(t))
	demo, other := session(t, p), session(t, p)
	more := map[string]any{"name": "Another", "domain": "another", "address": "Here", "currency": "KZT", "timezone": "Asia/Almaty"}
	var made struct{ ID int64 }
	if err := demo.must(t.Context(), http.MethodPost, "/v1/tenant/", more, &made); err != nil {
		t.Fatal(err)
	}
	demo.tenant, other.tenant = p.Demo().Tenant, made.ID
	waiting := func(c *client) (n int) {
		t.Helper()
		if err := outbox.EachDue(t.Context(), p.messages, time.Now(), func(k table.Key) error {
			if of, _ := table.TenantOf(k.PK); of == tenant.ID(c.tenant) {
				n++
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	p.carries.Lock() // as a sweep does that waits for a message
	defer p.carries.Unlock()
	for _, c := range []*client{demo, other} {
		if err := c.must(t.Context(), http.MethodPost, "/v1/crm/requests/", map[string]any{}, nil); err != nil {
			t.Fatal(err)
		}
		if waiting(c) == 0 {
			t.Fatalf("nothing follows from an order of company %d", c.tenant)
		}
	}
	if err := p.settle(t.Context(), tenant.ID(demo.tenant)); err != nil {
		t.Fatal(err)
	}
	if waiting(demo) != 0 || waiting(other) == 0 {
		t.Errorf("%d messages of the demo company wait, %d of another one", waiting(demo), waiting(other))
	}
}

// What the sweep claims while a start looks for messages is being carried out, and what it has just ended may have left others.
func TestSettlingSeesTheSweep(t *testing.T) {
	p := start(t, withDemo(t))
	demo := session(t, p)
	demo.tenant = p.Demo().Tenant
	p.carries.Lock()
	defer p.carries.Unlock()
	if err := demo.must(t.Context(), http.MethodPost, "/v1/crm/requests/", map[string]any{}, nil); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	var claimed []outbox.Message
	if err := outbox.EachDue(t.Context(), p.messages, now, func(k table.Key) error {
		m, ok, err := outbox.Claim(t.Context(), p.messages, k, now.Add(time.Second), p.worker.Lease) // as one a moment later
		if ok {
			claimed = append(claimed, m)
		}
		return err
	}); err != nil || len(claimed) == 0 {
		t.Fatalf("%d messages of an order are claimed: %v", len(claimed), err)
	}
	busy := func(want bool, what string) {
		t.Helper()
		if got, err := p.settleOnce(t.Context(), tenant.ID(demo.tenant), now.Add(settling)); err != nil || got != want {
			t.Errorf("%s: busy is %t (%v)", what, got, err)
		}
	}
	busy(true, "the sweep carries out messages")
	for _, m := range claimed {
		if _, err := outbox.Again(t.Context(), p.messages, m, now.Add(-time.Second), nil); err != nil {
			t.Fatal(err)
		}
	}
	busy(false, "messages are put off")
}

func TestWithoutDemo(t *testing.T) {
	p := start(t, Options{})
	answer, _ := get(t, &client{base: p.URL}, "/_local/demo/")
	if answer.StatusCode != http.StatusNotFound {
		t.Errorf("/_local/demo/ answers %d without a demo company", answer.StatusCode)
	}
}

// A platform beside another one has everything but the place where pages expect NCALayer, and says so.
func TestSecondPlatform(t *testing.T) {
	start(t, Options{}) // it takes the port, unless somebody has it already
	var out bytes.Buffer
	p := start(t, Options{Out: &out})
	if p.Layer() != "" || !strings.Contains(out.String(), "Port 13579 is taken: the eGov demo is off") {
		t.Errorf("NCALayer is expected at %q; it says %q", p.Layer(), out.String())
	}
	for accept, want := range map[string]string{"text/html": "302 /_local/", "*/*": "404 "} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", accept)
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if got := fmt.Sprintf("%d %s", answer.StatusCode, answer.Header.Get("Location")); got != want {
			t.Errorf("GET / with Accept %s is %q, want %q", accept, got, want)
		}
	}
}

func TestStartRefuses(t *testing.T) {
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "table.db"), bytes.Repeat([]byte("no database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(broken, "layout"), []byte(keyspace.Layout), 0o600); err != nil {
		t.Fatal(err)
	}
	old := t.TempDir()
	if err := os.WriteFile(filepath.Join(old, "table.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	used := t.TempDir()
	start(t, Options{Data: used})
	for name, c := range map[string]struct {
		options Options
		says    string
	}{
		"a taken port":          {Options{Addr: taken.Addr().String()}, fmt.Sprintf("Port %d is taken (choose another address with -addr", port(taken))},
		"no address":            {Options{Addr: "nowhere"}, "-addr"},
		"a file for a folder":   {Options{Data: file}, "data folder"},
		"a broken table":        {Options{Data: broken}, "table: "},
		"a folder that is used": {Options{Data: used}, "in use"},
		"a folder of old":       {Options{Data: old}, "was written by another version of the platform"},
	} {
		if c.options.Addr == "" {
			c.options.Addr = "127.0.0.1:0"
		}
		c.options.Out = t.Output()
		p, err := Start(context.Background(), c.options)
		if err == nil {
			p.Close()
			t.Errorf("%s: it starts", name)
			continue
		}
		if !strings.Contains(err.Error(), c.says) || strings.Contains(strings.TrimSpace(err.Error()), "\n") {
			t.Errorf("%s: it says %q, want one line with %q", name, err, c.says)
		}
	}
}
