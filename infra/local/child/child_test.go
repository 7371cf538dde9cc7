//go:build unix

package child_test

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/child"
)

// shell runs a script.
func shell(script string) child.Options {
	return child.Options{Path: "/bin/sh", Args: []string{"-c", script}}
}

func ready(line string) bool { return line == "ready" }

func ended(p *child.Process) bool {
	select {
	case <-p.Done():
		return true
	case <-time.After(time.Minute):
		return false
	}
}

// lines keeps what is written to it.
type lines struct {
	mu  sync.Mutex
	all string
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all += string(p)
	return len(p), nil
}

func TestStartWaitsForTheReadyLine(t *testing.T) {
	var out lines
	o := shell(`echo early >&2; echo "$GREETING in $PWD"; sleep 0.05; echo ready >&2; exec sleep 60`)
	o.Ready, o.Output, o.Env, o.Dir = ready, &out, []string{"GREETING=hello", "PATH=/usr/bin:/bin"}, "/"
	p, err := child.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	out.mu.Lock()
	defer out.mu.Unlock()
	for _, want := range []string{"early\n", "hello in /\n", "ready\n"} {
		if !strings.Contains(out.all, want) {
			t.Errorf("output %q lacks %q", out.all, want)
		}
	}
}

func TestStartFails(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name   string
		ctx    context.Context
		o      child.Options
		is     error
		within string
	}{
		{"no such file", t.Context(), child.Options{Path: "/none"}, nil, "no such file"},
		{"ends first", t.Context(), shell(`echo no disk >&2; exit 1`), child.ErrEnded, "no disk"},
		{"canceled", canceled, shell(`exec sleep 60`), context.Canceled, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Ready = ready
			_, err := child.Start(c.ctx, c.o)
			if err == nil || !strings.Contains(err.Error(), c.within) || c.is != nil && !errors.Is(err, c.is) {
				t.Fatalf("error %v", err)
			}
		})
	}
}

func TestWaysToEnd(t *testing.T) {
	for name, end := range map[string]func(p *child.Process, cancel func()){
		"Stop":      func(p *child.Process, _ func()) { p.Stop(); p.Stop() },
		"Kill":      func(p *child.Process, _ func()) { p.Kill(); p.Kill() },
		"context":   func(_ *child.Process, cancel func()) { cancel() },
		"by itself": func(p *child.Process, _ func()) { _ = syscall.Kill(p.Pid(), syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			p, err := child.Start(ctx, shell(`exec sleep 60`))
			if err != nil {
				t.Fatal(err)
			}
			end(p, cancel)
			if !ended(p) {
				t.Fatal("it did not end")
			}
			if err := syscall.Kill(p.Pid(), 0); !errors.Is(err, syscall.ESRCH) {
				t.Fatalf("process %d is still there: %v", p.Pid(), err)
			}
		})
	}
}

func TestStopLetsAProcessFinishItsWork(t *testing.T) {
	o := shell(`trap 'echo saved; exit 0' INT; echo ready >&2; while :; do sleep 0.01; done`)
	o.Ready = ready
	p, err := child.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	p.Stop()
	if !strings.HasSuffix(p.Log(), "saved") {
		t.Fatalf("log %q", p.Log())
	}
}

func TestTheLogIsShort(t *testing.T) {
	p, err := child.Start(t.Context(), shell(`for i in $(seq 1 100); do echo line $i; done`))
	if err != nil {
		t.Fatal(err)
	}
	if !ended(p) {
		t.Fatal("it did not end")
	}
	if log := p.Log(); !strings.HasSuffix(log, "line 100") || strings.Count(log, "\n") > 30 {
		t.Fatalf("log %q", log)
	}
}

func TestFreePort(t *testing.T) {
	port, err := child.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}
