package console

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/webhooks/signature"
)

const ofAnEvent = `{"id":"evt_7_1","type":"order.completed","data":{"name":"Айгүл <b>"}}`

func secretOf(n byte) []byte { return bytes.Repeat([]byte{n}, 32) }

// listener serves a console whose receiver is h.
func listener(t *testing.T, h *Hooks) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(handler(t, Config{Hooks: h}))
	t.Cleanup(s.Close)
	t.Cleanup(h.Close)
	return s
}

// deliver sends a delivery and returns the status of the answer. It returns 0 if the connection was closed instead.
func deliver(ctx context.Context, t *testing.T, s *httptest.Server, headers map[string]string, body []byte) int {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/_local/hooks/receive", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	got, err := s.Client().Do(r)
	if err != nil {
		return 0
	}
	got.Body.Close()
	return got.StatusCode
}

// tell tells the receiver something, as a program does, and returns the answer.
func tell(t *testing.T, s *httptest.Server, what string) (status int, said string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/_local/hooks/", strings.NewReader(what))
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return got.StatusCode, string(text)
}

// state is what the receiver says.
func state(t *testing.T, s *httptest.Server, query string) (list received) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/_local/hooks/"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if err := json.NewDecoder(got.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestReceiverVerifies(t *testing.T) {
	now := time.Now()
	pasted, known, other := secretOf(1), secretOf(2), secretOf(3)
	by := func(at time.Time, secrets ...[]byte) map[string]string {
		return signature.Headers(secrets, "evt_7_1", at, []byte(ofAnEvent))
	}
	without := by(now, pasted)
	delete(without, signature.Timestamp)
	const strange = "no known secret has signed it"
	for name, tt := range map[string]struct {
		none    bool // no secret is known
		headers map[string]string
		body    []byte
		problem string
	}{
		"by a pasted secret":             {headers: by(now, pasted)},
		"by a secret that is known":      {headers: by(now, known)},
		"by another one and a right one": {headers: by(now, other, pasted)},
		"by another one":                 {headers: by(now, other), problem: strange},
		"unsigned":                       {headers: without, problem: "the time of the attempt is no number"},
		"with another body":              {headers: by(now, pasted), body: []byte("{}"), problem: strange},
		"no secret is known":             {none: true, headers: by(now, pasted), problem: "no secret is known"},
		"old": {
			headers: by(now.Add(-6*time.Minute), pasted),
			problem: "the attempt was signed for " + now.Add(-6*time.Minute).UTC().Format(time.RFC3339),
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := NewHooks(nil)
			if !tt.none {
				h = NewHooks(func(_ context.Context, id string) []string {
					if id != "evt_7_1" {
						t.Errorf("asked for the secrets of %q", id)
					}
					return []string{signature.Secret(secretOf(9)), signature.Secret(known)}
				})
			}
			h.now = func() time.Time { return now }
			s := listener(t, h)
			if !tt.none {
				if status, said := tell(t, s, `{"secrets":["`+signature.Secret(pasted)+`"]}`); status != http.StatusOK || strings.Contains(said, "whsec_") {
					t.Fatalf("%d %s", status, said)
				}
			}
			if tt.body == nil {
				tt.body = []byte(ofAnEvent)
			}
			if got := deliver(t.Context(), t, s, tt.headers, tt.body); got != http.StatusNoContent {
				t.Errorf("status %d", got)
			}
			list := state(t, s, "").Deliveries
			if len(list) != 1 || list[0].Verified != (tt.problem == "") || list[0].Problem != tt.problem {
				t.Fatalf("%+v", list)
			}
			got := list[0]
			if got.Body != string(tt.body) || !strings.Contains(got.Headers, "Webhook-Id: evt_7_1\n") || got.ID != "evt_7_1" {
				t.Errorf("%+v", got)
			}
			if tt.problem == "" && got.Type != "order.completed" {
				t.Errorf("type %q", got.Type)
			}
		})
	}
}

func TestReceiverAnswersAsTold(t *testing.T) {
	h := NewHooks(nil)
	s := listener(t, h)
	for _, tt := range []struct {
		does   string
		status int // 0: none
	}{{"204", 204}, {"500", 500}, {"410", 410}, {"vanish", 0}, {"204", 204}} {
		if status, said := tell(t, s, `{"answer":"`+tt.does+`"}`); status != http.StatusOK {
			t.Fatalf("%d %s", status, said)
		}
		if got := deliver(t.Context(), t, s, nil, []byte(ofAnEvent)); got != tt.status {
			t.Errorf("%s: status %d", tt.does, got)
		}
		if got := state(t, s, ""); got.Answer != tt.does || got.Deliveries[0].Answer != tt.does {
			t.Errorf("%s: %+v", tt.does, got)
		}
	}
}

// What hangs is let go of when its sender gives up, and when the platform ends, without an answer. Other requests are answered meanwhile.
func TestReceiverHangs(t *testing.T) {
	h, released := NewHooks(nil), make(chan struct{}, 2)
	k := handler(t, Config{Hooks: h})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/_local/hooks/receive" {
			defer func() { released <- struct{}{} }()
		}
		k.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	t.Cleanup(h.Close)
	if status, said := tell(t, s, `{"answer":"hang"}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, said)
	}
	impatient, giveUp := context.WithCancelCause(t.Context())
	defer giveUp(nil)
	for i, end := range []func(){func() { giveUp(errors.New("enough")) }, h.Close} {
		status := make(chan int, 1)
		go func() { status <- deliver(impatient, t, s, nil, []byte(ofAnEvent)) }()
		for state(t, s, "").Newest != i+1 {
			select {
			case got := <-status:
				t.Fatalf("it answered %d", got)
			case <-time.After(5 * time.Millisecond): // it has not come
			}
		}
		end()
		if got := <-status; got != 0 {
			t.Errorf("it answered %d", got)
		}
		<-released
		impatient = t.Context()
	}
}

func TestReceiverKeepsTheLast(t *testing.T) {
	h := NewHooks(nil)
	s := listener(t, h)
	for i := range kept + 5 {
		id := fmt.Sprintf("evt_7_%d", i)
		if i == kept+2 {
			id = "evt_7_50"
		}
		deliver(t.Context(), t, s, map[string]string{signature.ID: id}, nil)
	}
	list := state(t, s, "").Deliveries
	if len(list) != kept || list[0].Number != kept+5 || list[kept-1].ID != "evt_7_5" {
		t.Errorf("%d deliveries, from %+v to %+v", len(list), list[0], list[len(list)-1])
	}
	for _, d := range list {
		if again := d.Number == kept+3; (d.Times == 2) != again || d.Times < 1 {
			t.Errorf("%s came %d times", d.ID, d.Times)
		}
	}
	if fresh := state(t, s, fmt.Sprint("?after=", kept+3)).Deliveries; len(fresh) != 2 || fresh[1].Number != kept+4 {
		t.Errorf("after %d: %+v", kept+3, fresh)
	}
}

func TestReceiverRefuses(t *testing.T) {
	h := NewHooks(nil)
	k := handler(t, Config{Hooks: h})
	for name, tt := range map[string]struct {
		method, path, body string
		header             [2]string
		status             int
	}{
		"another answer":                {"POST", "/_local/hooks/", `{"answer":"200"}`, [2]string{}, 400},
		"what is no secret":             {"POST", "/_local/hooks/", `{"secrets":["secret"]}`, [2]string{}, 400},
		"an empty secret":               {"POST", "/_local/hooks/", `{"secrets":["whsec_"]}`, [2]string{}, 400},
		"what it doesn't know":          {"POST", "/_local/hooks/", `{"anwser":"500"}`, [2]string{}, 400},
		"no JSON":                       {"POST", "/_local/hooks/", `answer=500`, [2]string{}, 400},
		"a page of another site":        {"POST", "/_local/hooks/", `{"answer":"500"}`, [2]string{"Sec-Fetch-Site", "cross-site"}, 403},
		"a page of another port":        {"POST", "/_local/hooks/", `{"answer":"500"}`, [2]string{"Sec-Fetch-Site", "same-site"}, 403},
		"an older browser's other site": {"POST", "/_local/hooks/", `{"answer":"500"}`, [2]string{"Origin", "https://evil.example"}, 403},
		"what another site delivers":    {"POST", "/_local/hooks/receive", `{}`, [2]string{"Sec-Fetch-Site", "cross-site"}, 403},
		"a proxy's delivery":            {"POST", "/_local/hooks/receive", `{}`, [2]string{"X-Forwarded-For", "203.0.113.7"}, 403},
		"a large body":                  {"POST", "/_local/hooks/receive", strings.Repeat("x", largest+1), [2]string{}, 413},
		"reading the receiver":          {"GET", "/_local/hooks/receive", "", [2]string{}, 405},
		"another method":                {"DELETE", "/_local/hooks/", "", [2]string{}, 405},
	} {
		r := request(tt.method, tt.path)
		r.Body = io.NopCloser(strings.NewReader(tt.body))
		if tt.header[0] != "" {
			r.Header.Set(tt.header[0], tt.header[1])
		}
		if got := serve(k, r); got.StatusCode != tt.status {
			t.Errorf("%s: status %d", name, got.StatusCode)
		}
	}
	if got := h.list(0); got.Newest != 0 || got.Answer != "204" || got.Secrets != 0 {
		t.Errorf("%+v", got)
	}
}

// What the receiver says that it can be told, a page of the console can tell it.
func TestHooksOfThePage(t *testing.T) {
	h := NewHooks(nil)
	k := handler(t, Config{Hooks: h})
	var can received
	if err := json.Unmarshal([]byte(body(t, serve(k, request("GET", "/_local/hooks/")))), &can); err != nil || len(can.Answers) < 5 {
		t.Fatalf("%+v, %v", can, err)
	}
	for _, does := range can.Answers {
		r := request("POST", "/_local/hooks/")
		r.Body = io.NopCloser(strings.NewReader(`{"answer":"` + does + `"}`))
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		if got := serve(k, r); got.StatusCode != http.StatusOK || h.list(0).Answer != does {
			t.Errorf("%s: status %d, and it does %s", does, got.StatusCode, h.list(0).Answer)
		}
	}
}
