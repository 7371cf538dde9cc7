package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/infra/local/gateway"
	"github.com/tenantry/tenantry/infra/local/lambdaruntime"
	"github.com/tenantry/tenantry/infra/local/samenv"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
)

// sam is SAM's own code in a process of its own (samlocal.py), and the functions that it invokes.
type sam struct {
	env      *samenv.Environment
	template *samtemplate.Template
	root     string
	folder   string
	routes   []samRoute

	talk sync.Mutex
	in   io.Writer
	out  *bufio.Scanner

	mu        sync.Mutex
	life      context.Context                   // of the test: bootstraps outlive the call that starts them
	functions map[string]*lambdaruntime.Runtime // by logical id
}

type samRoute struct {
	Path, Function, Authorizer, Payload string
	Methods                             []string
}

// openSAM starts it over the world of the recorded events. Python is the interpreter that has SAM; without it the test is
// skipped.
func openSAM(t *testing.T) *sam {
	t.Helper()
	python := os.Getenv("SAMLOCAL")
	if python == "" {
		t.Skip("make sam-check runs it")
	}
	s := &sam{root: moduleRoot(t), folder: t.TempDir(), life: t.Context(), functions: map[string]*lambdaruntime.Runtime{}}
	var err error
	if s.template, err = samtemplate.Load(filepath.Join(s.root, "template.yaml")); err != nil {
		t.Fatal(err)
	}
	o := samenv.Options{Listen: "127.0.0.1", World: true, Out: t.Output()}
	if runtime.GOOS == "linux" {
		o.Listen = "127.0.0.2" // as if it were a bridge: functions and clients reach the bucket by different names
	}
	if s.env, err = samenv.Start(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.env.Close)
	variables := filepath.Join(s.folder, "env.json")
	if err := s.env.Write(t.Context(), variables); err != nil {
		t.Fatal(err)
	}
	helper := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(helper.Close)
	t.Cleanup(func() {
		for _, f := range s.functions {
			f.Close()
		}
	})
	command := exec.CommandContext(t.Context(), python, "samlocal.py")
	command.Stderr = t.Output()
	// Credentials that nothing may use.
	command.Env = append(os.Environ(), "AWS_ACCESS_KEY_ID=AKIACALLER", "AWS_SECRET_ACCESS_KEY=the caller's", "PYTHONDONTWRITEBYTECODE=1", "SAMROOT="+s.root)
	if s.in, err = command.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewScanner(out)
	s.out.Buffer(nil, 32<<20)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	load := map[string]any{"do": "load", "helper": helper.URL, "template": filepath.Join(s.root, "template.yaml"), "env": variables}
	var written, built struct{ Routes []samRoute }
	s.ask(t, load, &written)
	load["built"] = s.folder
	s.ask(t, load, &built) // what it reads from here on is what `sam build` writes
	s.routes = built.Routes
	for _, r := range [][]samRoute{written.Routes, built.Routes} {
		slices.SortFunc(r, func(a, b samRoute) int { return strings.Compare(a.Path, b.Path) })
	}
	if fmt.Sprint(written) != fmt.Sprint(built) {
		t.Errorf("SAM finds other routes in the template that it builds:\n%v\n%v", built, written)
	}
	return s
}

// ask sends a command and decodes its answer.
func (s *sam) ask(t *testing.T, command map[string]any, answer any) {
	t.Helper()
	if err := s.try(command, answer); err != nil {
		t.Fatal(err)
	}
}

func (s *sam) try(command map[string]any, answer any) error {
	s.talk.Lock()
	defer s.talk.Unlock()
	if err := json.NewEncoder(s.in).Encode(command); err != nil {
		return err
	}
	if !s.out.Scan() {
		return fmt.Errorf("SAM's process has ended: %w", s.out.Err())
	}
	var got struct {
		OK    json.RawMessage
		Error string
	}
	if err := json.Unmarshal(s.out.Bytes(), &got); err != nil {
		return fmt.Errorf("%s: %w", s.out.Bytes(), err)
	}
	if got.Error != "" {
		return errors.New(got.Error)
	}
	return json.Unmarshal(got.OK, answer)
}

// serve runs an invocation for SAM, and answers what its container would print.
func (s *sam) serve(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Function, Event string
		Environment     map[string]string
	}
	err := json.NewDecoder(r.Body).Decode(&asked)
	var answer []byte
	if err == nil {
		answer, err = s.invoke(r.Context(), asked.Function, asked.Environment, []byte(asked.Event))
	}
	if failed, ok := errors.AsType[*lambdaruntime.FunctionError](err); ok {
		answer, err = json.Marshal(failed)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(answer)
}

// invoke runs the function's real bootstrap with the very environment that SAM has made.
func (s *sam) invoke(ctx context.Context, id string, environment map[string]string, event []byte) ([]byte, error) {
	f, err := s.start(id, environment)
	if err != nil {
		return nil, err
	}
	return f.Invoke(ctx, event)
}

func (s *sam) start(id string, environment map[string]string) (*lambdaruntime.Runtime, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.functions[id] != nil {
		return s.functions[id], nil
	}
	f, ok := s.template.Functions[id]
	if !ok {
		return nil, fmt.Errorf("no function %s", id)
	}
	bootstrap := filepath.Join(s.folder, f.Group(), "bootstrap")
	if err := lambdaruntime.Build(s.life, bootstrap, s.root, f.CodeURI); err != nil {
		return nil, err
	}
	var variables []string
	for name, value := range environment {
		variables = append(variables, name+"="+value)
	}
	started, err := lambdaruntime.Start(s.life, lambdaruntime.Options{
		Bootstrap: bootstrap, Name: id, Env: variables, Timeout: f.Timeout, Output: complaints{os.Stderr},
	})
	if err == nil {
		s.functions[id] = started
	}
	return started, err
}

// environment is a function's, as SAM makes it from env.json.
func (s *sam) environment(t *testing.T, id string) map[string]string {
	t.Helper()
	var environment map[string]string
	s.ask(t, map[string]any{"do": "environment", "function": id}, &environment)
	return environment
}

// httpAnswer is what a gateway answers.
type httpAnswer struct {
	Status  int
	Headers map[string]string
	Body    []byte
}

// String is what of it has to be the same through any gateway.
func (a httpAnswer) String() string {
	var b strings.Builder
	fmt.Fprintln(&b, a.Status)
	for _, name := range []string{"Allow", "Content-Type", "Etag", "Location", "Retry-After", "Vary", "Www-Authenticate", "Access-Control-Allow-Origin"} {
		for own, value := range a.Headers {
			if empty := name == "Content-Type" && len(a.Body) == 0; http.CanonicalHeaderKey(own) == name && !empty {
				fmt.Fprintln(&b, name, value)
			}
		}
	}
	return changes.ReplaceAllString(b.String()+string(a.Body), "…")
}

// client sends requests through SAM's gateway, or through another one.
type client func(t *testing.T, method, path, body string, headers map[string]string) httpAnswer

func (s *sam) client(t *testing.T, method, path, body string, headers map[string]string) (a httpAnswer) {
	t.Helper()
	s.ask(t, map[string]any{"do": "request", "method": method, "path": path, "headers": headers, "body": body}, &a)
	return a
}

// own is our gateway over the same bootstraps, in the same environment.
func (s *sam) own(t *testing.T) client {
	t.Helper()
	functions := map[string]*gateway.Function{}
	var routes []gateway.Route
	for _, r := range s.template.Routes {
		for _, id := range []string{r.Function, r.Authorizer} {
			if functions[id] == nil {
				functions[id] = &gateway.Function{Name: id, Handler: handler{s, id, s.environment(t, id)}}
			}
		}
		routes = append(routes, gateway.Route{Method: r.Method, Path: r.Path, Function: functions[r.Function], Authorizer: functions[r.Authorizer]})
	}
	g := gateway.New(gateway.Config{Routes: routes})
	return func(t *testing.T, method, path, body string, headers map[string]string) httpAnswer {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), method, "http://127.0.0.1:3000"+path, strings.NewReader(body))
		r.RequestURI, r.RemoteAddr = path, "127.0.0.1:40000"
		for name, value := range headers {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		a := httpAnswer{w.Code, map[string]string{}, w.Body.Bytes()}
		for name := range w.Header() {
			a.Headers[name] = strings.Join(w.Header().Values(name), ", ")
		}
		return a
	}
}

type handler struct {
	sam         *sam
	id          string
	environment map[string]string
}

func (h handler) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	return h.sam.invoke(ctx, h.id, h.environment, payload)
}
