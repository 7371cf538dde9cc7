package world

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync"
	"time"

	"github.com/tenantry/tenantry/functions/authorizer"
	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/gateway"
	"github.com/tenantry/tenantry/infra/local/steps"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/outbox/worker"
	"github.com/tenantry/tenantry/shared/patience"
)

// caller sends requests to the platform's functions in this process, and keeps the codes in the messages that they
// send.
type caller struct {
	api    http.Handler
	worker *worker.Worker

	mu    sync.Mutex
	codes map[string]string // the last code that was sent to each address
}

func (w *World) caller() *caller {
	c := &caller{codes: map[string]string{}}
	env := w.env
	env.Notify = c
	groups.Link(&env)
	c.api, c.worker = w.api(env), groups.Worker(env)
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

// patient is longer than a function may take: no caller waits for the story, and an engine on a busy machine takes seconds to answer.
const patient = time.Minute

// send sends one request.
func (c *caller) send(ctx context.Context, token string, of steps.Request) (*steps.Answer, error) {
	r, err := http.NewRequestWithContext(
		patience.AtLeast(ctx, patient), of.Method, "https://"+Host+of.Path, bytes.NewReader(of.Body),
	)
	if err != nil {
		return nil, err
	}
	r.RemoteAddr, r.TLS, r.RequestURI = "198.51.100.1:40000", &tls.ConnectionState{}, of.Path
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for name, value := range of.Headers {
		r.Header.Set(name, value)
	}
	answer := httptest.NewRecorder()
	c.api.ServeHTTP(answer, r)
	return &steps.Answer{Status: answer.Code, Header: answer.Header(), Body: answer.Body.Bytes()}, nil
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
