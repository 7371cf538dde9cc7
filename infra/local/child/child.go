// Package child runs helper processes that end when this process ends, even if it is killed.
//
// It starts processes, waits until they are ready, and ends them. What a process serves never goes in here.
package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

const (
	startTime = 10 * time.Second
	stopTime  = 5 * time.Second
	// lastLines is how much of a process's output is kept to explain its end.
	lastLines = 20
)

// ErrEnded is wrapped by Start's error when the process ended before it was ready. The error's text has the last lines
// that the process wrote.
var ErrEnded = errors.New("ended while starting")

// Options of Start.
type Options struct {
	Path string
	Args []string
	// Env is the whole environment; nil gives this process's own.
	Env []string
	// Dir is the working directory; empty gives this process's own.
	Dir string
	// Ready tells from a line of the process's standard error that the process is ready. Without Ready, Start doesn't
	// wait.
	Ready func(line string) bool
	// Output takes the process's output line by line; nil drops it.
	Output io.Writer
}

// Process is one running child.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
	stop sync.Once
	log  log

	outputs [2]*stream
}

// Start runs the process and returns when it is ready. It ends with Stop, with ctx, or with this process.
func Start(ctx context.Context, o Options) (*Process, error) {
	started, ready := make(chan error, 1), make(chan struct{})
	p := &Process{cmd: exec.Command(o.Path, o.Args...), done: make(chan struct{}), log: log{copy: o.Output}}
	p.cmd.Env, p.cmd.Dir, p.cmd.SysProcAttr = o.Env, o.Dir, attributes()
	p.outputs = [2]*stream{{log: &p.log}, {log: &p.log, isReady: o.Ready, ready: ready}}
	p.cmd.Stdout, p.cmd.Stderr = p.outputs[0], p.outputs[1]
	if o.Ready == nil {
		close(ready)
	}
	go p.run(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("child: start %s: %w", o.Path, err)
	}
	timeout := time.NewTimer(startTime)
	defer timeout.Stop()
	select {
	case <-ready:
	case <-p.done:
		return nil, fmt.Errorf("child: %w: %s", ErrEnded, p.Log())
	case <-timeout.C:
		p.Stop()
		return nil, fmt.Errorf("child: %s not ready after %s: %s", o.Path, startTime, p.Log())
	case <-ctx.Done():
		p.Stop()
		return nil, fmt.Errorf("child: %w", ctx.Err())
	}
	end := context.AfterFunc(ctx, p.Stop)
	go func() {
		<-p.done
		end()
	}()
	return p, nil
}

// run owns the process from its start to its end. It stays on one operating-system thread, because a child's
// parent-death signal is tied to the thread that started the child.
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.done)
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	defer watch(p.cmd.Process.Pid)()
	// The exit status adds nothing to the last lines, which Start's error already has.
	_ = p.cmd.Wait()
	for _, s := range p.outputs {
		if s.rest != "" {
			p.log.add(s.rest)
		}
	}
}

// Pid is the process's id.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Done is closed when the process has ended, for whatever reason.
func (p *Process) Done() <-chan struct{} { return p.done }

// Log returns the last lines that the process wrote. They explain why it ended by itself.
func (p *Process) Log() string { return p.log.String() }

// Stop asks the process to end, kills it if it doesn't, and returns when it has ended.
// It may be called more than once.
func (p *Process) Stop() {
	p.stop.Do(func() {
		// Windows has no interrupt signal, so the process is killed there.
		if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
			_ = p.cmd.Process.Kill()
		}
		select {
		case <-p.done:
		case <-time.After(stopTime):
			_ = p.cmd.Process.Kill()
		}
	})
	<-p.done
}

// Kill ends the process at once, as a crash would, and returns when it has ended.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// log keeps the last lines of a process.
type log struct {
	mu    sync.Mutex
	lines []string
	copy  io.Writer
}

// stream takes one of a process's outputs apart into lines.
type stream struct {
	log     *log
	rest    string // the beginning of a line
	isReady func(line string) bool
	ready   chan struct{}
}

// Write never fails: the process must not end because the reader of its output does.
func (s *stream) Write(output []byte) (int, error) {
	for line := range strings.Lines(s.rest + string(output)) {
		if s.rest = ""; !strings.HasSuffix(line, "\n") {
			s.rest = line
			break
		}
		s.log.add(line)
		if s.isReady != nil && s.isReady(strings.TrimRight(line, "\r\n")) {
			s.isReady = nil
			close(s.ready)
		}
	}
	return len(output), nil
}

func (l *log) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.copy != nil {
		_, _ = io.WriteString(l.copy, line)
	}
	if l.lines = append(l.lines, line); len(l.lines) > lastLines {
		l.lines = l.lines[1:]
	}
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.TrimSpace(strings.Join(l.lines, ""))
}
