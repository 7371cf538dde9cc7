package corpus

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/tenantry/tenantry/infra/local/gateway"
	"github.com/tenantry/tenantry/infra/local/lambdaruntime"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
	"github.com/tenantry/tenantry/infra/local/world"
)

// recorded is the time that all events have.
var recorded = time.Date(2026, time.March, 2, 9, 30, 0, 0, time.UTC)

// Maker makes the events of a group's entries: it is a gateway in front of functions that do nothing.
type Maker struct {
	group, name string
	world       *world.World
	api         http.Handler
	last        []byte
}

// NewMaker opens a gateway with the routes of a template. The authorizer is the real one, because events say what it answers.
func NewMaker(template *samtemplate.Template, w *world.World, authorizer lambdaruntime.Handler, group string) *Maker {
	m := &Maker{group: group, world: w}
	functions := map[string]*gateway.Function{}
	for id, f := range template.Functions {
		functions[id] = &gateway.Function{Name: f.Group(), Handler: silent{}}
		if f.Group() == "authorizer" {
			functions[id].Handler = authorizer
		}
	}
	var routes []gateway.Route
	for _, route := range template.Routes {
		routes = append(routes, gateway.Route{
			Method: route.Method, Path: route.Path, Function: functions[route.Function], Authorizer: functions[route.Authorizer],
		})
	}
	m.api = gateway.New(gateway.Config{
		Routes: routes,
		Now:    func() time.Time { return recorded },
		NewID:  func() string { return base64.URLEncoding.EncodeToString(m.mark()[:11]) },
		Record: func(i gateway.Invocation) {
			if i.Function == m.group {
				m.last = i.Event
			}
		},
	})
	return m
}

// mark returns the bytes that the ids of an event are made from.
func (m *Maker) mark() []byte {
	sum := sha256.Sum256([]byte(m.group + "/" + m.name))
	return sum[:]
}

// silent is a function that does nothing.
type silent struct{}

// Invoke answers 204.
func (silent) Invoke(context.Context, []byte) ([]byte, error) {
	return []byte(`{"statusCode":204}`), nil
}

// Event makes the event of an entry, as it is on any machine.
func (m *Maker) Event(ctx context.Context, e Entry) ([]byte, error) {
	m.name, m.last = e.Name, nil
	if e.Event != nil {
		text, err := json.Marshal(e.Event)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name, err)
		}
		filled, err := m.world.Fill(string(text))
		return m.world.Globalise([]byte(filled)), err
	}
	request, err := m.request(ctx, e)
	if err != nil {
		return nil, err
	}
	answer := httptest.NewRecorder()
	m.api.ServeHTTP(answer, request)
	if m.last == nil {
		return nil, fmt.Errorf("%s did not reach %s: %d %s", e.Request, m.group, answer.Code, answer.Body)
	}
	return m.world.Globalise(m.last), nil
}

func (m *Maker) request(ctx context.Context, e Entry) (*http.Request, error) {
	var wrong []error
	fill := func(text string) string {
		filled, err := m.world.Fill(text)
		wrong = append(wrong, err)
		return filled
	}
	method, target, _ := strings.Cut(fill(e.Request), " ")
	body := fill(e.Body)
	request, err := http.NewRequestWithContext(ctx, method, "https://"+cmp.Or(e.Host, world.Host)+target, strings.NewReader(body))
	if wrong = append(wrong, err); err != nil {
		return nil, errors.Join(wrong...)
	}
	request.RemoteAddr = net.JoinHostPort(cmp.Or(e.From, "203.0.113.7"), "51234")
	request.RequestURI, request.TLS = target, &tls.ConnectionState{}
	h := request.Header
	h.Set("Accept", "*/*")
	h.Set("User-Agent", "curl/8.11.0")
	h.Set("X-Amzn-Trace-Id", fmt.Sprintf("Root=1-%08x-%s", recorded.Unix(), hex.EncodeToString(m.mark()[:12])))
	if e.Type != "" || body != "" {
		h.Set("Content-Type", cmp.Or(e.Type, "application/json"))
	}
	if e.As != "" {
		h.Set("Authorization", "Bearer "+fill("${"+e.As+".access}"))
	}
	for name, value := range e.Headers {
		h.Set(name, fill(value))
	}
	return request, errors.Join(wrong...)
}
