package world

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/tenantry/tenantry/functions/authorizer"
	"github.com/tenantry/tenantry/functions/worker"
	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/gateway"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/patience"
)

// caller sends requests to the platform's functions in this process, and keeps the codes in the messages that they
// send.
type caller struct {
	api    http.Handler
	worker *worker.Worker
	key    string // the Idempotency-Key to send with each request
	tenant string // the X-Tenant-Id to send with each request

	mu    sync.Mutex
	codes map[string]string // the last code that was sent to each address
}

func (w *World) caller() *caller {
	c := &caller{codes: map[string]string{}}
	env := w.env
	env.Notify = c
	groups.Link(&env)
	c.api, c.worker = w.api(env), worker.New(env)
	return c
}

// at returns a caller to whose functions it is another time, as it was to those that served requests then.
func (w *World) at(then time.Time) *caller {
	env := w.env
	env.Now = func() time.Time { return then }
	groups.Link(&env)
	return &caller{api: w.api(env)}
}

// api is the gateway before the functions of an environment. Who calls is found out now, whatever time it is to the functions.
func (w *World) api(env app.Env) http.Handler {
	all, handlers := groups.All(), map[string]*gateway.Function{}
	for id, f := range w.engines.Template.Functions {
		name := f.Group()
		switch {
		case name == "authorizer":
			handlers[id] = &gateway.Function{Name: name, Handler: authorizer.New(authorizer.Config{
				Table: env.Table, Keys: env.Keys, Now: w.env.Now, Log: env.Log,
			})}
		case all[name] != nil:
			handlers[id] = &gateway.Function{Name: name, Handler: env.Server(all[name](env))}
		}
	}
	var routes []gateway.Route
	for _, r := range w.engines.Template.Routes {
		if handlers[r.Function] == nil {
			continue // the story calls only functions that are groups
		}
		routes = append(routes, gateway.Route{
			Method: r.Method, Path: r.Path, Function: handlers[r.Function], Authorizer: handlers[r.Authorizer],
		})
	}
	return gateway.New(gateway.Config{Routes: routes, Now: w.env.Now})
}

// keyed returns a caller that sends an Idempotency-Key with each request.
func (c *caller) keyed(key string) *caller { return &caller{api: c.api, key: key} }

// of returns a caller that names a company in each request.
func (c *caller) of(tenant string) *caller { return &caller{api: c.api, tenant: tenant} }

// call sends one request and decodes its answer into out. An answer that is not a success is an error.
func (c *caller) call(ctx context.Context, token, method, path, body string, out any) error {
	answer, err := c.send(ctx, token, method, path, body)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(answer.Body.Bytes(), out); err != nil {
		return fmt.Errorf("%s %s: %w in %s", method, path, err, answer.Body)
	}
	return nil
}

// patient is longer than a function may take: no caller waits for the story, and an engine on a busy machine takes seconds to answer.
const patient = time.Minute

// send sends one request. An answer that is not a success is an error.
func (c *caller) send(ctx context.Context, token, method, path, body string) (*httptest.ResponseRecorder, error) {
	r, err := http.NewRequestWithContext(patience.AtLeast(ctx, patient), method, "https://"+Host+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.RemoteAddr, r.TLS, r.RequestURI = "198.51.100.1:40000", &tls.ConnectionState{}, path
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if c.key != "" {
		r.Header.Set("Idempotency-Key", c.key)
	}
	if c.tenant != "" {
		r.Header.Set("X-Tenant-Id", c.tenant)
	}
	answer := httptest.NewRecorder()
	c.api.ServeHTTP(answer, r)
	if answer.Code >= http.StatusMultipleChoices {
		return nil, fmt.Errorf("%s %s: %d %s", method, path, answer.Code, answer.Body)
	}
	return answer, nil
}

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)

// Send keeps the code in a message, instead of sending the message.
func (c *caller) Send(_ context.Context, m notify.Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.codes[m.To] = sixDigits.FindString(m.Text)
	return nil
}

// deliver carries out the messages in the outbox, and returns the code that was sent to an address.
func (c *caller) deliver(ctx context.Context, address string) (string, error) {
	if _, err := c.worker.Sweep(ctx); err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.codes[address] == "" {
		return "", fmt.Errorf("%s was sent no code", address)
	}
	return c.codes[address], nil
}
