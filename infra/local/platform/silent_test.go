//go:build unix

package platform

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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
	awaitStop(t, pid)
	once := sync.OnceFunc(func() { signal(syscall.SIGCONT) })
	t.Cleanup(once)
	return once
}

// awaitStop waits until every thread of a process stands still. The signal only asks for it: a thread that runs, or that waits for a core,
// goes on until it is next in the kernel, and may answer a request.
func awaitStop(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		running, err := moving(pid)
		if err != nil {
			t.Fatal(err)
		}
		if running == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d threads of process %d have not stopped", running, pid)
		}
	}
}

// moving counts the threads of a process that are not stopped. Where there is no /proc it tells of the process as a whole.
func moving(pid int) (n int, err error) {
	states, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if err != nil || len(states) == 0 {
		out, err := exec.Command("ps", "-o", "state=", "-p", strconv.Itoa(pid)).Output()
		if strings.HasPrefix(string(out), "T") {
			return 0, err
		}
		return 1, err
	}
	for _, name := range states {
		stat, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // it has ended
		}
		if err != nil {
			return 0, err
		}
		// The state follows the name of the program, which is in parentheses and may have some itself.
		_, state, _ := strings.Cut(string(stat[bytes.LastIndexByte(stat, ')'):]), " ")
		if !strings.HasPrefix(state, "T") {
			n++
		}
	}
	return n, nil
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

// insist sends a request as often as it is told to come back, for a minute.
func (c *client) insist(ctx context.Context, q request) (answer *http.Response, body string, err error) {
	for deadline := time.Now().Add(time.Minute); ; {
		answer, body, err = c.send(ctx, q)
		if err != nil || answer.StatusCode != http.StatusServiceUnavailable || time.Now().After(deadline) {
			return answer, body, err
		}
	}
}

// Whoever calls while the table doesn't answer is told to come back, before they have waited long, and nothing is half-done.
func TestEngineSilent(t *testing.T) {
	p := hasty(t, withDemo(t))
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
		answer, body, err := c.insist(t.Context(), q.request)
		if err != nil || answer.StatusCode != q.after {
			t.Errorf("%s, once the table answers: %v, %v %s, want %d", name, err, answer, body, q.after)
		}
	}
	_, made, err := c.insist(t.Context(), request{method: http.MethodGet, path: "/v2/documents/?search=Silent"})
	if err != nil || !strings.HasPrefix(made, `{"count":1,`) {
		t.Errorf("under one key there is not one document: %s, %v", made, err)
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
	var slow, calls atomic.Int64
	var mu sync.Mutex
	var longest time.Duration // that a call has taken
	proxy := httputil.NewSingleHostReverseProxy(target)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		began := time.Now()
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			longest = max(longest, time.Since(began))
		}()
		time.Sleep(time.Duration(slow.Load()))
		// Else an answer that is early closes the request's body, of which the proxy still reads the end, and breaks off.
		if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
			t.Error(err)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	t.Setenv("DYNAMODB_ENDPOINT", front.URL)
	p := hasty(t, Options{Demo: true})
	c := session(t, p)
	const rows = 1000
	var answer *http.Response
	var text, name string
	var took time.Duration
	for try := range 9 { // on a busy machine the engine may be silent indeed: then the import is rightly refused, and is tried with others
		name = fmt.Sprint("Slow", try)
		slow.Store(int64(500 * time.Millisecond))
		before, began := calls.Load(), time.Now()
		answer, text, err = c.send(t.Context(), request{
			method: http.MethodPost, path: "/v1/crm/clients/import/individual/", body: individuals(t, name, rows),
		})
		took = time.Since(began)
		slow.Store(0)
		mu.Lock()
		silent := longest
		longest = 0
		mu.Unlock()
		t.Logf("%d calls, %s, an answer after %s at most", calls.Load()-before, took, silent)
		if err != nil || answer.StatusCode != http.StatusServiceUnavailable || silent < time.Second {
			break
		}
	}
	if err != nil || answer.StatusCode != http.StatusCreated {
		t.Fatalf("after %s: %v, %v %.300s", took, err, answer, text)
	}
	if took < promised {
		t.Errorf("it took %s and shows nothing: it has to take longer than a silence may", took)
	}
	_, found, err := c.insist(t.Context(), request{method: http.MethodGet, path: "/v1/crm/clients/?search=" + name})
	if err != nil || !strings.HasPrefix(found, fmt.Sprintf(`{"count":%d,`, rows)) {
		t.Errorf("clients: %.300s, %v", found, err)
	}
}

// individuals is the body of an import of people whose names begin with a word.
func individuals(t *testing.T, name string, n int) string {
	t.Helper()
	var rows struct {
		Data []map[string]string `json:"data"`
	}
	for i := range n {
		rows.Data = append(rows.Data, map[string]string{"name": fmt.Sprint(name, " ", i)})
	}
	body, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
