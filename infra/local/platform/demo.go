package platform

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/console"
	"github.com/tenantry/tenantry/infra/local/gateway"
	"github.com/tenantry/tenantry/infra/local/samples"
	"github.com/tenantry/tenantry/infra/local/steps"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/tenant"
)

const demoEmail = "demo@tenantry.localhost"

// PrepareDemo fills a folder with the data of a platform that has its demo company, for whoever starts platforms over copies of it.
func PrepareDemo(dir string) error {
	p, err := Start(context.Background(), Options{Addr: "127.0.0.1:0", Data: dir, Demo: true, Patient: true, Out: io.Discard})
	if err == nil {
		p.Close()
	}
	return err
}

// makeDemo gives the platform a company with a user. It makes them over HTTP, as any client would, and skips each step
// that an earlier start has done.
func (p *Platform) makeDemo(ctx context.Context, o Options) error {
	env, err := p.unjudged("documents", logWriter{out: o.Out, all: o.Verbose})
	if err != nil {
		return err
	}
	demo, err := p.credentials()
	if err != nil {
		return err
	}
	orders, err := p.unjudged("orders", logWriter{out: o.Out, all: o.Verbose})
	if err != nil {
		return err
	}
	c := &client{base: p.URL, out: o.Out, earlier: p.earlier(orders)}
	var session struct{ Access string }
	signIn := map[string]string{"username": demo.Username, "password": demo.Password}
	status, err := c.call(ctx, http.MethodPost, "/v1/auth/login/", signIn, &session)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		if err := c.register(ctx, demo, p.Outbox); err != nil {
			return err
		}
		if err := c.must(ctx, http.MethodPost, "/v1/auth/login/", signIn, &session); err != nil {
			return err
		}
	}
	c.token = session.Access
	var companies []struct{ ID int64 }
	if err := c.must(ctx, http.MethodGet, "/v1/tenant/", nil, &companies); err != nil {
		return err
	}
	if len(companies) == 0 {
		companies = append(companies, struct{ ID int64 }{})
		company := map[string]any{
			"name": "Demo Rentals", "domain": "demo", "address": "Abay Ave 10, Almaty", "country": "KZ",
			"currency": "KZT", "timezone": "Asia/Almaty", "bin": samples.BIN, "phone": "+77273001020",
			"email": "office@demo.example.com",
		}
		if err := c.must(ctx, http.MethodPost, "/v1/tenant/", company, &companies[0]); err != nil {
			return err
		}
	}
	demo.Tenant = companies[0].ID
	for _, company := range companies { // the user may have founded others since
		demo.Tenant = min(demo.Tenant, company.ID)
	}
	c.tenant = demo.Tenant
	if err := p.fill(ctx, c); err != nil {
		return err
	}
	if err := p.settle(ctx, tenant.ID(demo.Tenant)); err != nil {
		return err
	}
	documents, err := c.count(ctx, "/v2/documents/")
	if err != nil {
		return err
	}
	var profile struct{ ID int64 }
	if err := c.must(ctx, http.MethodGet, "/v1/auth/profile/", nil, &profile); err != nil {
		return err
	}
	p.demo.Store(demo)
	if err := seed(ctx, env, tenant.ID(demo.Tenant), profile.ID, o.Seed-documents, o.Out); err != nil {
		return err
	}
	// Whoever searches many documents first has to wait for the segments; from here on they are being made.
	_, err = c.once(ctx, http.MethodGet, "/v2/documents/?pageSize=1&search=1", nil)
	return err
}

// credentials returns the demo user's sign-in, which is made up at the first start. It is written to disk before the
// user is made, so that the next start can go on where this one was cut short.
func (p *Platform) credentials() (*console.Demo, error) {
	name := p.Storage.file("demo.json")
	demo := new(console.Demo)
	content, err := os.ReadFile(name)
	switch {
	case err == nil:
		if err := json.Unmarshal(content, demo); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return demo, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	demo.Username, demo.Password = demoEmail, "demo-"+rand.Text()[:12]
	if content, err = json.Marshal(demo); err != nil {
		return nil, err
	}
	return demo, os.WriteFile(name, content, 0o600)
}

// client calls the platform as any client would.
type client struct {
	base, token string
	tenant      int64     // 0: the only company there is
	out         io.Writer // is told what is waited for; may be nil

	earlier func(time.Time) http.Handler // is the platform as it was at a time
	through http.Handler                 // takes the requests; nil: the platform at base
}

// at is the client at an earlier time, which is now if it is zero.
func (c *client) at(when time.Time) *client {
	if when.IsZero() {
		return c
	}
	then := *c
	then.through = c.earlier(when)
	return &then
}

// earlier gives the platform as it was at a time: to the function of orders it is that time, and whoever asks is who they are now. What the
// demo company did months ago is made by it, because what happened so long ago can't be told now.
func (p *Platform) earlier(orders app.Env) func(time.Time) http.Handler {
	return func(when time.Time) http.Handler {
		env := orders
		env.Now = func() time.Time { return when }
		function := &gateway.Function{Name: "orders", Timeout: time.Minute, Handler: env.Server(groups.All()["orders"](env))}
		routes := slices.Clone(p.routes)
		for i, r := range routes {
			if r.Function != nil && r.Function.Name == function.Name {
				routes[i].Function = function
			}
		}
		return gateway.New(gateway.Config{Routes: routes})
	}
}

// preparing is how long a request is repeated: the search of a million records takes minutes until it is prepared.
const preparing = 30 * time.Minute

// call sends a value as JSON, and decodes the answer if it is a success. An error of the server is an error.
func (c *client) call(ctx context.Context, method, path string, in, out any) (int, error) {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return 0, err
		}
	}
	a, err := c.ask(ctx, method, path, body)
	switch {
	case err != nil:
		return 0, err
	case a.Status >= http.StatusInternalServerError:
		return a.Status, fmt.Errorf("%s %s: %s", method, path, a)
	case out != nil && a.Status < http.StatusMultipleChoices:
		return a.Status, json.Unmarshal(a.Body, out)
	}
	return a.Status, nil
}

// ask sends a request, and repeats it as long as the search that it needs is being prepared.
func (c *client) ask(ctx context.Context, method, path string, body []byte) (*steps.Answer, error) {
	for begun := time.Now(); ; {
		a, err := c.once(ctx, method, path, body)
		if err != nil || a.Value("code") != "search_preparing" || time.Since(begun) > preparing {
			return a, err
		}
		seconds, _ := strconv.Atoi(a.Header.Get("Retry-After"))
		later := time.Duration(max(seconds, 1)) * time.Second
		if c.out != nil {
			_, _ = fmt.Fprintf(c.out, "again in %s: %s %s: %s\n", later, method, path, a)
		}
		if err := sleep(ctx, later); err != nil {
			return nil, err
		}
	}
}

// once sends a request once.
func (c *client) once(ctx context.Context, method, path string, body []byte) (*steps.Answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.tenant != 0 {
		r.Header.Set("X-Tenant-Id", strconv.FormatInt(c.tenant, 10))
	}
	answer, err := c.do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	a := &steps.Answer{Status: answer.StatusCode, Header: answer.Header}
	a.Body, err = io.ReadAll(answer.Body)
	return a, err
}

func (c *client) do(r *http.Request) (*http.Response, error) {
	if c.through == nil {
		return http.DefaultClient.Do(r)
	}
	answer := httptest.NewRecorder()
	r.RequestURI, r.RemoteAddr = r.URL.RequestURI(), "127.0.0.1:0"
	c.through.ServeHTTP(answer, r)
	return answer.Result(), nil
}

func (c *client) must(ctx context.Context, method, path string, in, out any) error {
	status, err := c.call(ctx, method, path, in, out)
	if err == nil && status >= http.StatusMultipleChoices {
		err = fmt.Errorf("%s %s: %d", method, path, status)
	}
	return err
}

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)

// register makes the demo user with the code that the outbox delivers.
func (c *client) register(ctx context.Context, demo *console.Demo, outbox *console.Recorder) error {
	asked, err := c.askForCode(ctx, demo.Username)
	if err != nil {
		return err
	}
	code, err := awaitCode(ctx, outbox, demo.Username, asked)
	if err != nil {
		return err
	}
	return c.must(ctx, http.MethodPost, "/v1/tenant/register/confirm/", map[string]string{
		"email": demo.Username, "password": demo.Password, "otp": code, "first_name": "Demo", "phone": "+77010000000",
	}, nil)
}

// awaitCode waits for the code that somebody is sent since a time. A message that fails on a busy machine is tried again
// after some seconds, which this is longer than.
func awaitCode(ctx context.Context, outbox *console.Recorder, to string, since time.Time) (string, error) {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		for _, m := range outbox.List() {
			if code := sixDigits.FindString(m.Text); m.To == to && !m.At.Before(since) && code != "" {
				return code, nil
			}
		}
		if err := sleep(ctx, 20*time.Millisecond); err != nil {
			return "", err
		}
	}
	return "", errors.New("no code was delivered")
}

// askForCode requests a registration code and returns the time of the request. If an earlier start was killed just
// after its own request, this one is refused for a while, and is repeated until it is accepted.
func (c *client) askForCode(ctx context.Context, address string) (time.Time, error) {
	for range 40 {
		asked := time.Now()
		status, err := c.call(ctx, http.MethodPost, "/v1/tenant/register/init/", map[string]string{"email": address}, nil)
		switch {
		case err != nil:
			return asked, err
		case status == http.StatusTooManyRequests:
			if err := sleep(ctx, 2*time.Second); err != nil {
				return asked, err
			}
		case status >= http.StatusMultipleChoices:
			return asked, fmt.Errorf("a registration code is refused: %d", status)
		default:
			return asked, nil
		}
	}
	return time.Time{}, errors.New("no registration code can be had now")
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// count returns how many records a list has.
func (c *client) count(ctx context.Context, path string) (int, error) {
	var list struct{ Count int }
	err := c.must(ctx, http.MethodGet, path, nil, &list)
	return list.Count, err
}

// seed adds documents to the company through the documents' own storage.
func seed(ctx context.Context, env app.Env, id tenant.ID, user int64, n int, out io.Writer) error {
	if n <= 0 {
		return nil
	}
	start, last := time.Now(), time.Time{}
	progress := func(done int) {
		if time.Since(last) < time.Second && done < n {
			return
		}
		last = time.Now()
		_, _ = fmt.Fprintf(out, "\rseeding documents: %d of %d, %s", done, n, time.Since(start).Round(time.Second))
		if done >= n {
			_, _ = fmt.Fprintln(out)
		}
	}
	return documents.Seed(ctx, env, documents.Seeding{Company: id, User: user, N: n, Samples: samples.Documents(), Progress: progress})
}
