package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	patience = 35 * time.Second // longer than the gateway's limit of 30 seconds
	pause    = 200 * time.Millisecond
	maxShown = 400 // bytes of an unexpected body that are shown

	insistence = 5 // times that a request is sent which the gateway itself refuses
)

// walk is one walk through a stage.
type walk struct {
	base            string
	client          *http.Client
	out             io.Writer
	access, refresh string
	tenant          string
	local           bool // the stage is on this machine
	steps, failed   int
	refused         int // requests that the gateway itself refused, and that were sent again
}

func newWalk(base string, out io.Writer) *walk {
	return &walk{base: base, out: out, client: &http.Client{
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// request is one request. A path may be a whole address, but only of the stage, because the token must not be sent elsewhere.
type request struct {
	method, path string
	body         []byte
	header       [2]string
}

func get(path string) request { return request{method: http.MethodGet, path: path} }

func post(path, body string) request {
	return request{method: http.MethodPost, path: path, body: []byte(body)}
}

func (r request) with(name, value string) request {
	r.header = [2]string{name, value}
	return r
}

type answer struct {
	*http.Response
	body []byte
}

// check returns what is wrong with an answer, or nil.
type check func(a *answer) error

// step sends a request and checks the answer. It returns the answer if all checks pass, or else nil.
func (w *walk) step(ctx context.Context, name string, r request, checks ...check) *answer {
	return w.until(ctx, 0, name, r, checks...)
}

// until repeats a step until its checks pass or the time is over.
func (w *walk) until(ctx context.Context, most time.Duration, name string, r request, checks ...check) *answer {
	w.steps++
	end := time.Now().Add(most)
	for {
		started := time.Now()
		a, err := w.insist(ctx, r)
		for _, c := range checks {
			if err == nil {
				err = c(a)
			}
		}
		if err == nil {
			fmt.Fprintf(w.out, "ok   %-34s %s %s %d, %d ms\n", name, r.method, r.path, a.StatusCode, time.Since(started).Milliseconds())
			return a
		}
		if ctx.Err() != nil || time.Now().After(end) {
			w.failed++
			fmt.Fprintf(w.out, "FAIL %-34s %s %s: %v\n", name, r.method, r.path, err)
			return nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// seen says what a stage was seen to do where both is right.
func (w *walk) seen(what string) { fmt.Fprintf(w.out, "     seen: %s\n", what) }

// fail reports a step that failed before its answer could be checked.
func (w *walk) fail(name string, err error) bool {
	w.failed++
	fmt.Fprintf(w.out, "FAIL %s: %v\n", name, err)
	return false
}

// insist sends a request, and sends it again while the gateway refuses it by itself, because the stage's rate is exceeded:
// no function has seen it then.
func (w *walk) insist(ctx context.Context, r request) (*answer, error) {
	for i := 1; ; i++ {
		a, err := w.send(ctx, r)
		if a == nil || a.StatusCode != http.StatusTooManyRequests || !a.gateways() || i == insistence {
			return a, err
		}
		w.refused++
		select {
		case <-ctx.Done():
			return a, err
		case <-time.After(pause):
		}
	}
}

func (w *walk) send(ctx context.Context, r request) (*answer, error) {
	address := r.path
	if strings.HasPrefix(address, "/") {
		address = w.base + address
	}
	if !strings.HasPrefix(address, w.base+"/") {
		return nil, fmt.Errorf("expected an address of %s", w.base)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if w.access != "" {
		req.Header.Set("Authorization", "Bearer "+w.access)
	}
	if w.tenant != "" {
		req.Header.Set("X-Tenant-Id", w.tenant)
	}
	if r.header[0] != "" {
		req.Header.Set(r.header[0], r.header[1])
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	a := &answer{resp, body}
	if a.gateways() {
		return a, fmt.Errorf("expected an answer of the platform, got the gateway's own: %s%s", a, gatewayHint(a.StatusCode))
	}
	if resp.Header.Get("X-Request-Id") == "" && !strings.HasPrefix(r.path, "/_local/") {
		return a, fmt.Errorf("expected an X-Request-Id, got none: %s", a)
	}
	return a, nil
}

// gateways tells whether the gateway made the answer by itself: it has a message and no id of the platform.
func (a *answer) gateways() bool {
	return a.Header.Get("X-Request-Id") == "" && a.StatusCode >= 400 && a.text("message") != "" && a.text("detail") == ""
}

// gatewayHint says what an answer of the gateway's own comes from.
func gatewayHint(status int) string {
	switch status {
	case http.StatusTooManyRequests:
		return " (ApiRateLimit or ApiBurstLimit is exceeded)"
	case http.StatusInternalServerError:
		return " (the authorizer or the function failed, or was throttled: see the alarm FunctionThrottlesAlarm)"
	case http.StatusServiceUnavailable:
		return " (the function took longer than 30 seconds, or was throttled)"
	}
	return ""
}

func (a *answer) String() string {
	return a.Status + " " + string(a.body[:min(maxShown, len(a.body))])
}

// text returns a value of the body by its path, such as results.0.id. It returns "" if there is no such value,
// or no answer.
func (a *answer) text(path string) string {
	if a == nil {
		return ""
	}
	decoder := json.NewDecoder(bytes.NewReader(a.body))
	decoder.UseNumber()
	var v any
	if decoder.Decode(&v) != nil {
		return ""
	}
	for name := range strings.SplitSeq(path, ".") {
		switch node := v.(type) {
		case map[string]any:
			v = node[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(node) {
				return ""
			}
			v = node[i]
		default:
			return ""
		}
	}
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// status expects one of some statuses; the first is named where it is another.
func status(want ...int) check {
	return func(a *answer) error {
		if !slices.Contains(want, a.StatusCode) {
			return fmt.Errorf("expected status %d, got %s", want[0], a)
		}
		return nil
	}
}

func header(name, want string) check {
	return func(a *answer) error {
		if got := a.Header.Get(name); got != want {
			return fmt.Errorf("expected %s: %s, got %q", name, want, got)
		}
		return nil
	}
}

const (
	asked   = "Www-Authenticate"
	renamed = "X-Amzn-Remapped-Www-Authenticate"
)

// challenge checks that a 401 says how to authenticate, by either of the names that the header may have.
func challenge(a *answer) error {
	if a.Header.Get(renamed) != "" {
		return header(renamed, realm)(a)
	}
	return header(asked, realm)(a)
}

func headerSet(name string) check {
	return func(a *answer) error {
		if a.Header.Get(name) == "" {
			return fmt.Errorf("expected a header %s", name)
		}
		return nil
	}
}

func field(path, want string) check {
	return func(a *answer) error {
		if got := a.text(path); got != want {
			return fmt.Errorf("expected %s to be %q, got %q in %s", path, want, got, a)
		}
		return nil
	}
}

// has checks that the body is an object with these members.
func has(names ...string) check {
	return func(a *answer) error {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(a.body, &object); err != nil {
			return fmt.Errorf("expected a JSON object, got %s", a)
		}
		for _, name := range names {
			if _, ok := object[name]; !ok {
				return fmt.Errorf("expected %s in the body, got %s", name, a)
			}
		}
		return nil
	}
}

func empty(a *answer) error {
	if len(a.body) > 0 {
		return fmt.Errorf("expected no body, got %s", a)
	}
	return nil
}
