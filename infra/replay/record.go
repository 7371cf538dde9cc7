package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/infra/local/gateway"
	"github.com/tenantry/tenantry/infra/local/world"
)

// recorded is the time that all recorded events have.
var recorded = time.Date(2026, time.March, 2, 9, 30, 0, 0, time.UTC)

// record makes the events and answers of the named groups, or of all groups if none is named.
func record(ctx context.Context, root string, groups []string, out io.Writer) error {
	var err error
	if len(groups) == 0 {
		if groups, err = recordedGroups(root); err != nil {
			return err
		}
	}
	s, err := openStage(ctx, root, out)
	if err != nil {
		return err
	}
	defer s.close()
	var events []event
	for _, group := range groups {
		group = filepath.Base(group) // so that events/documents may be written for documents
		if err := s.start(ctx, group); err != nil {
			return err
		}
		made, err := s.recordGroup(ctx, group)
		if err != nil {
			return fmt.Errorf("%s: %w", group, err)
		}
		events = append(events, made...)
		fmt.Fprintf(out, "%s: %d events\n", group, len(made))
	}
	// Ask again in another world: values that differ between the two were generated.
	if err := s.world.Renew(ctx); err != nil {
		return err
	}
	for _, e := range events {
		if err := s.recordAnswer(ctx, e); err != nil {
			return fmt.Errorf("%s: %w", e.path, err)
		}
	}
	return nil
}

// recordGroup makes a group's events, each with the answer that it gets in this world.
func (s *stage) recordGroup(ctx context.Context, group string) ([]event, error) {
	list, err := requestsOf(s.root, group)
	if err != nil {
		return nil, err
	}
	g, err := s.gateway(ctx, group)
	if err != nil {
		return nil, err
	}
	var events []event
	for _, a := range list {
		payload, err := g.event(ctx, a)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.Name, err)
		}
		if _, err := s.world.Reset(ctx); err != nil {
			return nil, err
		}
		e := event{path: filepath.Join(s.root, folder, group, a.Name+suffix), payload: payload}
		if e.want, err = s.answer(ctx, e); err != nil {
			return nil, fmt.Errorf("%s: %w", a.Name, err)
		}
		if err := writeJSON(e.path, s.world.Globalise(payload)); err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, s.sweep(group, events)
}

// recordAnswer writes the answer to an event. Values that differ in another world's answer are replaced by matchers.
func (s *stage) recordAnswer(ctx context.Context, e event) error {
	again, err := s.answer(ctx, e)
	if err != nil {
		return err
	}
	first, ok := e.want.(reply)
	if !ok {
		return errors.New("it had no answer")
	}
	want := generalise(map[string]any(first), map[string]any(again))
	return writeJSON(answerOf(e.path), []byte(pretty(want)))
}

// answer returns the answer to an event, in a world that nothing has changed.
func (s *stage) answer(ctx context.Context, e event) (reply, error) {
	got, err := s.send(ctx, e)
	if err != nil {
		return nil, err
	}
	if s.works {
		if err := s.carryOut(ctx, e.name()); err != nil {
			return nil, err
		}
	}
	_, err = s.world.Reset(ctx)
	return got, err
}

// sweep removes the files of events that requests.yaml no longer asks for.
func (s *stage) sweep(group string, events []event) error {
	there, err := eventsOf(s.root, group)
	if err != nil {
		return err
	}
	for _, path := range there {
		if slices.ContainsFunc(events, func(e event) bool { return e.path == path }) {
			continue
		}
		if err := os.Remove(path); err != nil {
			return err
		}
		if err := os.Remove(answerOf(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// recorder is a gateway in front of functions that do nothing. It keeps the last event that it made.
type recorder struct {
	*stage
	api   http.Handler
	group string
	name  string // of the entry that is being recorded
	last  []byte
}

func (s *stage) gateway(ctx context.Context, group string) (*recorder, error) {
	r := &recorder{stage: s, group: group}
	functions := map[string]*gateway.Function{}
	for id, f := range s.template.Functions {
		// The event needs the authorizer's answer, but not the function's, which is asked for later.
		functions[id] = &gateway.Function{Name: f.Group(), Handler: silent{}}
		if f.Group() == "authorizer" {
			if err := s.start(ctx, f.Group()); err != nil {
				return nil, err
			}
			functions[id].Handler = s.functions[f.Group()]
		}
	}
	var routes []gateway.Route
	for _, route := range s.template.Routes {
		routes = append(routes, gateway.Route{
			Method: route.Method, Path: route.Path, Function: functions[route.Function], Authorizer: functions[route.Authorizer],
		})
	}
	r.api = gateway.New(gateway.Config{
		Routes: routes,
		Now:    func() time.Time { return recorded },
		NewID:  func() string { return base64.URLEncoding.EncodeToString(r.mark()[:11]) },
		Record: func(i gateway.Invocation) {
			if i.Function == r.group {
				r.last = i.Event
			}
		},
	})
	return r, nil
}

// mark returns the bytes that the ids of an event are made from.
func (r *recorder) mark() []byte {
	sum := sha256.Sum256([]byte(r.group + "/" + r.name))
	return sum[:]
}

// silent is a function that does nothing.
type silent struct{}

// Invoke answers 204.
func (silent) Invoke(context.Context, []byte) ([]byte, error) {
	return []byte(`{"statusCode":204}`), nil
}

// event sends a request through the gateway and returns the event that the gateway made of it.
func (r *recorder) event(ctx context.Context, a asked) ([]byte, error) {
	r.name, r.last = a.Name, nil
	if a.Event != nil {
		payload, err := a.payload()
		if err != nil {
			return nil, err
		}
		filled, err := r.world.Fill(string(payload))
		return []byte(filled), err
	}
	request, err := r.request(ctx, a)
	if err != nil {
		return nil, err
	}
	answer := httptest.NewRecorder()
	r.judge.Event("the authorizer of " + r.group + "/" + a.Name)
	r.api.ServeHTTP(answer, request)
	if denied := r.denied(); denied != nil {
		return nil, denied
	}
	if r.last == nil {
		return nil, fmt.Errorf("%s did not reach %s: %d %s", a.Request, r.group, answer.Code, answer.Body)
	}
	return r.last, nil
}

func (r *recorder) request(ctx context.Context, a asked) (*http.Request, error) {
	filled, err := r.world.Fill(a.Request)
	if err != nil {
		return nil, err
	}
	body, err := r.world.Fill(a.Body)
	if err != nil {
		return nil, err
	}
	method, target, _ := strings.Cut(filled, " ")
	host := a.Host
	if host == "" {
		host = world.Host
	}
	request, err := http.NewRequestWithContext(ctx, method, "https://"+host+target, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	from := a.From
	if from == "" {
		from = "203.0.113.7"
	}
	request.RemoteAddr, request.RequestURI, request.TLS = net.JoinHostPort(from, "51234"), target, &tls.ConnectionState{}
	h := request.Header
	h.Set("Accept", "*/*")
	h.Set("User-Agent", "curl/8.11.0")
	h.Set("X-Amzn-Trace-Id", fmt.Sprintf("Root=1-%08x-%s", recorded.Unix(), hex.EncodeToString(r.mark()[:12])))
	switch {
	case a.Type != "":
		h.Set("Content-Type", a.Type)
	case body != "":
		h.Set("Content-Type", "application/json")
	}
	if a.As != "" {
		token, err := r.world.Fill("${" + a.As + ".access}")
		if err != nil {
			return nil, err
		}
		h.Set("Authorization", "Bearer "+token)
	}
	for name, value := range a.Headers {
		if value, err = r.world.Fill(value); err != nil {
			return nil, err
		}
		h.Set(name, value)
	}
	return request, nil
}

// writeJSON writes a document indented, with its fields in the order that they have.
func writeJSON(path string, content []byte) error {
	text, err := indented(content)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644) //nolint:gosec // events are the project's files, for everybody to read
}

func indented(content []byte) ([]byte, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, content, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
