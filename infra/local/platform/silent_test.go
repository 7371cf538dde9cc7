//go:build unix

package platform

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/engine"
)

// promised is how long a caller waits at most while the table doesn't answer, and bearable what a busy machine makes of it.
const (
	promised = 4 * time.Second
	bearable = 8 * time.Second
)

// stopTable makes the engine silent, as if it had been frozen: it takes connections and answers nothing. The function that is
// returned wakes it.
func stopTable(t *testing.T, s *Storage) (wake func()) {
	t.Helper()
	pid := s.engine().Pid()
	signal := func(what syscall.Signal) {
		if err := syscall.Kill(pid, what); err != nil {
			t.Errorf("the engine gets signal %d: %v", what, err)
		}
	}
	signal(syscall.SIGSTOP)
	once := sync.OnceFunc(func() { signal(syscall.SIGCONT) })
	t.Cleanup(once)
	return once
}

// request is a request whose answer is not decoded.
type request struct {
	method, path, body string
	header             map[string]string
	public             bool // without a token
}

func (c *client) send(ctx context.Context, q request) (*http.Response, string, error) {
	r, err := http.NewRequestWithContext(ctx, q.method, c.base+q.path, strings.NewReader(q.body))
	if err != nil {
		return nil, "", err
	}
	if q.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if !q.public {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	for name, value := range q.header {
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return answer, string(body), err
}

// Whoever calls while the table doesn't answer is told to come back, before they have waited long, and nothing is half-done.
func TestEngineSilent(t *testing.T) {
	p := start(t, Options{Demo: true})
	c := session(t, p)
	const sign = "/v2/documents/5b0c9d0e-27a6-4c1d-8f5e-0a6c2d1b7e90/"
	key := map[string]string{"Idempotency-Key": "silent"}
	create := request{method: http.MethodPost, path: "/v2/documents/", body: `{"name":"Silent","content":"<p>Text</p>"}`, header: key}
	login := fmt.Sprintf(`{"username":%q,"password":%q}`, p.Demo().Username, p.Demo().Password)
	requests := map[string]struct {
		request
		after int // the status once the table answers again
	}{
		"a list":               {request{method: http.MethodGet, path: "/v2/documents/"}, 200},
		"a search":             {request{method: http.MethodGet, path: "/v2/documents/?search=price"}, 200},
		"a create":             {create, 201},
		"a new PDF":            {request{method: http.MethodPatch, path: "/v2/documents/1/", body: `{"regenerate":true}`}, 200},
		"an export":            {request{method: http.MethodGet, path: "/v1/crm/clients/export/?format=csv"}, 200},
		"only signed in":       {request{method: http.MethodGet, path: "/v1/auth/profile/"}, 200},
		"sign-in":              {request{method: http.MethodPost, path: "/v1/auth/login/", body: login, public: true}, 200},
		"registration":         {request{method: http.MethodPost, path: "/v1/tenant/register/init/", body: `{"email":"silent@example.com"}`, public: true}, 200},
		"a link to sign":       {request{method: http.MethodGet, path: sign, public: true}, 404},
		"health":               {request{method: http.MethodGet, path: "/health/", public: true}, 200},
		"of another's page":    {request{method: http.MethodGet, path: "/v2/documents/", header: map[string]string{"Origin": "http://a.example.com"}}, 200},
		"in public, of a page": {request{method: http.MethodGet, path: sign, header: map[string]string{"Origin": "http://b.example.com"}, public: true}, 404},
	}
	wake := stopTable(t, p.Storage)
	var waiting sync.WaitGroup
	for name, q := range requests {
		waiting.Go(func() {
			began := time.Now()
			answer, body, err := c.send(t.Context(), q.request)
			took := time.Since(began)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			t.Logf("%s: %d after %s", name, answer.StatusCode, took.Round(10*time.Millisecond))
			if answer.StatusCode != http.StatusServiceUnavailable || answer.Header.Get("Retry-After") == "" ||
				body != `{"detail":"Service temporarily unavailable."}` {
				t.Errorf("%s: %d %s, Retry-After %q", name, answer.StatusCode, body, answer.Header.Get("Retry-After"))
			}
			if took > bearable {
				t.Errorf("%s: waited %s, promised are %s", name, took, promised)
			}
		})
	}
	waiting.Wait()
	wake()
	for name, q := range requests {
		answer, body, err := c.send(t.Context(), q.request)
		if err != nil || answer.StatusCode != q.after {
			t.Errorf("%s, once the table answers: %v, %v %s, want %d", name, err, answer, body, q.after)
		}
	}
	if n, err := c.count(t.Context(), "/v2/documents/?search=Silent"); err != nil || n != 1 {
		t.Errorf("%d documents were made under one key, %v", n, err)
	}
}

// An import takes as long as it takes, while the table answers.
func TestSlowEngineFinishesAnImport(t *testing.T) {
	behind, err := engine.Start(t.Context(), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(behind.Stop)
	target, err := url.Parse(behind.Endpoint())
	if err != nil {
		t.Fatal(err)
	}
	var slow atomic.Int64
	var calls atomic.Int64
	proxy := httputil.NewSingleHostReverseProxy(target)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		time.Sleep(time.Duration(slow.Load()))
		// Else an answer that is early closes the request's body, of which the proxy still reads the end, and breaks off.
		if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
			t.Error(err)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	t.Setenv("DYNAMODB_ENDPOINT", front.URL)
	p := start(t, Options{Demo: true})
	c := session(t, p)
	var rows struct {
		Data []map[string]string `json:"data"`
	}
	for i := range 1000 {
		rows.Data = append(rows.Data, map[string]string{"name": fmt.Sprintf("Slow %d", i)})
	}
	var body bytes.Buffer
	if err := json.NewEncoder(&body).Encode(rows); err != nil {
		t.Fatal(err)
	}
	slow.Store(int64(500 * time.Millisecond))
	before, began := calls.Load(), time.Now()
	answer, text, err := c.send(t.Context(), request{method: http.MethodPost, path: "/v1/crm/clients/import/individual/", body: body.String()})
	took := time.Since(began)
	slow.Store(0)
	if err != nil || answer.StatusCode != http.StatusCreated {
		t.Fatalf("after %s: %v, %v %.300s", took, err, answer, text)
	}
	if took < promised {
		t.Errorf("it took %s and shows nothing: it has to take longer than a silence may", took)
	}
	t.Logf("%d calls, %s", calls.Load()-before, took.Round(10*time.Millisecond))
	if n, err := c.count(t.Context(), "/v1/crm/clients/?search=Slow"); err != nil || n != len(rows.Data) {
		t.Errorf("%d clients, %v", n, err)
	}
}
