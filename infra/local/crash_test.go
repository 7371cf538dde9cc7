package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/program"
)

var crashes = flag.Int("crashes", 3, "how often the platform is killed under load")

// A platform that is killed while it works keeps every write that it
// acknowledged, counts exactly, shows nothing half-written, and delivers every
// message.
func TestKillUnderLoad(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "tenantry")
	if err := program.Build(t.Context(), binary, program.Options{Root: filepath.Join("..", ".."), Package: "infra/local"}); err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	known := &ledger{done: make(chan struct{}, 1), live: map[int64]bool{}, gone: map[int64]bool{}, maybe: map[int64]bool{}}
	for round := range *crashes {
		p := startPlatform(t, binary, data)
		known.check(t, p)
		ctx, cancel := context.WithCancel(t.Context())
		var load sync.WaitGroup
		for worker := range 6 {
			load.Go(func() { known.work(ctx, p, fmt.Sprintf("%d-%d", round, worker)) })
		}
		known.await(t)
		time.Sleep(rand.N(time.Second)) // the kill meets the load at any of its steps
		if err := p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cancel()
		load.Wait()
		_ = p.cmd.Wait() // killed: its status says nothing
	}
	p := startPlatform(t, binary, data)
	known.check(t, p)
	if len(known.live) == 0 || len(known.gone) == 0 || len(known.mails) == 0 {
		t.Fatalf("the load did nothing: %d created, %d deleted, %d messages", len(known.live), len(known.gone), len(known.mails))
	}
	t.Logf("%d kills: %d documents live, %d deleted, %d messages delivered", *crashes, len(known.live), len(known.gone), len(known.mails))
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("Ctrl-C: %v", err)
	}
}

type process struct {
	cmd        *exec.Cmd
	url, token string
}

// startPlatform runs the real program until it says that it is ready, and
// signs its demo user in.
func startPlatform(t *testing.T, binary, data string) *process {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, "-addr", "127.0.0.1:0", "-unlimited", "-data", data)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	p := &process{cmd: cmd}
	lines := bufio.NewScanner(stdout)
	for p.url == "" && lines.Scan() {
		p.url, _ = strings.CutPrefix(lines.Text(), "ready ")
		if !strings.HasPrefix(lines.Text(), "ready ") {
			p.url = ""
		}
	}
	if p.url == "" {
		_ = cmd.Wait()
		t.Fatalf("the platform did not get ready: %s", problems.String())
	}
	go func() { _, _ = io.Copy(io.Discard, stdout) }()
	var demo struct{ Username, Password string }
	if _, err := p.call(t.Context(), http.MethodGet, "/_local/demo/", nil, &demo); err != nil {
		t.Fatal(err)
	}
	var session struct{ Access string }
	status, err := p.insist(t.Context(), http.MethodPost, "/v1/auth/login/",
		map[string]string{"username": demo.Username, "password": demo.Password}, &session)
	if err != nil || status != http.StatusOK {
		t.Fatalf("sign in: %d %v", status, err)
	}
	p.token = session.Access
	return p
}

func (p *process) call(ctx context.Context, method, path string, in, out any) (int, error) {
	var body io.Reader
	if in != nil {
		encoded, err := json.Marshal(in)
		if err != nil {
			return 0, err
		}
		body = bytes.NewReader(encoded)
	}
	r, err := http.NewRequestWithContext(ctx, method, p.url+path, body)
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	if p.token != "" {
		r.Header.Set("Authorization", "Bearer "+p.token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err == nil && out != nil && answer.StatusCode < http.StatusMultipleChoices {
		err = json.Unmarshal(content, out)
	}
	return answer.StatusCode, err
}

// insist is call, repeated as long as the caller is told to come back: on a busy machine the table's engine may be silent for longer
// than a request waits.
func (p *process) insist(ctx context.Context, method, path string, in, out any) (status int, err error) {
	for limit := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		status, err = p.call(ctx, method, path, in, out)
		if err != nil || status != http.StatusServiceUnavailable || time.Now().After(limit) {
			return status, err
		}
	}
}

// ledger is what the platform acknowledged, and what was under way when it was
// killed and may have happened or not.
type ledger struct {
	done  chan struct{} // has something when one step of the load was acknowledged
	mu    sync.Mutex
	live  map[int64]bool
	gone  map[int64]bool
	maybe map[int64]bool // a delete without an answer
	mails []string
}

// await waits until the platform has acknowledged a write, a delete and a message since it was called.
func (l *ledger) await(t *testing.T) {
	t.Helper()
	sizes := func() (writes, deletes, messages int) {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.live), len(l.gone), len(l.mails)
	}
	_, deletes, messages := sizes()
	limit := time.After(2 * time.Minute)
	for {
		if w, d, m := sizes(); w > 0 && d > deletes && m > messages {
			return
		}
		select {
		case <-l.done:
		case <-limit:
			t.Fatal("the load does nothing")
		}
	}
}

// work creates and deletes documents and causes messages until it is stopped
// or the platform is gone.
func (l *ledger) work(ctx context.Context, p *process, name string) {
	for i := 0; ctx.Err() == nil; i++ {
		body := map[string]any{"name": fmt.Sprintf("crash %s %d", name, i)}
		if i%5 == 0 {
			body["content"] = "<p>a file</p>"
		}
		var made struct{ ID int64 }
		status, err := p.call(ctx, http.MethodPost, "/v2/documents/", body, &made)
		if err != nil {
			return
		}
		if status == http.StatusCreated {
			l.note(func() { l.live[made.ID] = true })
		}
		if i%3 == 0 && made.ID > 0 {
			l.note(func() { delete(l.live, made.ID); l.maybe[made.ID] = true })
			status, err := p.call(ctx, http.MethodDelete, fmt.Sprintf("/v2/documents/%d/", made.ID), nil, nil)
			if err != nil {
				return
			}
			if status == http.StatusNoContent {
				l.note(func() { delete(l.maybe, made.ID); l.gone[made.ID] = true })
			}
		}
		if i%4 == 0 {
			address := fmt.Sprintf("crash-%s-%d@example.com", name, i)
			status, err := p.call(ctx, http.MethodPost, "/v1/tenant/register/init/", map[string]string{"email": address}, nil)
			if err != nil {
				return
			}
			if status < http.StatusMultipleChoices {
				l.note(func() { l.mails = append(l.mails, address) })
			}
		}
	}
}

func (l *ledger) note(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
	select {
	case l.done <- struct{}{}:
	default:
	}
}

// check holds a freshly started platform against the ledger.
func (l *ledger) check(t *testing.T, p *process) {
	t.Helper()
	seen := map[int64]bool{}
	var count int
	for page := 1; ; page++ {
		var list struct {
			Count   int
			Next    *string
			Results []struct {
				ID      int64
				Name    string
				Created string `json:"created_at"`
				Files   []struct{ File string }
			}
		}
		status, err := p.insist(t.Context(), http.MethodGet, fmt.Sprintf("/v2/documents/?pageSize=500&page=%d", page), nil, &list)
		if err != nil || status != http.StatusOK {
			t.Fatalf("page %d: %d %v", page, status, err)
		}
		for _, d := range list.Results {
			if seen[d.ID] || d.Name == "" || d.Created == "" {
				t.Errorf("document %d stands twice or is half-written: %+v", d.ID, d)
			}
			seen[d.ID] = true
			for _, f := range d.Files {
				path := f.File[strings.Index(f.File, "/v2/"):]
				if status, err := p.insist(t.Context(), http.MethodGet, path, nil, nil); err != nil || status != http.StatusOK {
					t.Errorf("document %d: its file answers %d %v", d.ID, status, err)
				}
			}
		}
		count = list.Count
		if list.Next == nil {
			break
		}
	}
	if count != len(seen) {
		t.Errorf("count is %d, the pages hold %d documents", count, len(seen))
	}
	for id := range l.live {
		if !seen[id] {
			t.Errorf("document %d was acknowledged and is gone", id)
		}
	}
	for id := range l.gone {
		if seen[id] {
			t.Errorf("document %d was deleted and is there", id)
		}
	}
	l.delivered(t, p)
}

func (l *ledger) delivered(t *testing.T, p *process) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for {
		var messages []struct{ ID, To string }
		if _, err := p.call(t.Context(), http.MethodGet, "/_local/outbox/", nil, &messages); err != nil {
			t.Fatal(err)
		}
		to := map[string]bool{}
		for _, m := range messages {
			to[m.To] = true
		}
		missing := 0
		for _, address := range l.mails {
			if !to[address] {
				missing++
			}
		}
		if missing == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("%d of %d messages were not delivered", missing, len(l.mails))
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}
