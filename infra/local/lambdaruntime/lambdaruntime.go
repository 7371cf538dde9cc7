// Package lambdaruntime runs a function's bootstrap binary as Lambda does: its processes talk to a Runtime API on
// loopback, and each process runs one invocation at a time.
//
// It is used to replay events against the binary that is deployed, and to measure how long a function takes to start.
// Nothing of HTTP requests goes in here: package gateway makes the events.
package lambdaruntime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/tenantry/tenantry/infra/local/program"
)

// Tags are the build tags of functions, as the Makefile has them: the Lambda runtime without its old protocol over net/rpc, and
// net/http without HTTP/2. Functions are asked by the Runtime API and call services that all speak HTTP/1.1.
const Tags = "lambda.norpc,nethttpomithttp2"

// Build builds the function of a folder of the module at root, as SAM does but for this machine, and puts its bootstrap at out. More
// variables, such as GOARCH, build it for another.
func Build(ctx context.Context, out, root, folder string, more ...string) error {
	return program.Build(ctx, out, program.Options{
		Root: root, Package: folder, Flags: []string{"-trimpath", "-tags=" + Tags, "-ldflags=-s -w"},
		Env: append([]string{"CGO_ENABLED=0", "GOFLAGS="}, more...),
	})
}

const (
	// defaultTimeout is the timeout of a function if neither the options nor the context set one.
	defaultTimeout = 30 * time.Second
	// initLimit is how long Lambda waits for a process to ask for its first invocation.
	initLimit = 10 * time.Second
	// answerLimit is Lambda's limit for an answer, in bytes.
	answerLimit = 6<<20 + 100
)

// ErrClosed is the error of invocations after Close.
var ErrClosed = errors.New("lambdaruntime: closed")

// FunctionError is a failed invocation, as the function itself reported it.
type FunctionError struct {
	Type    string `json:"errorType"`
	Message string `json:"errorMessage"`
}

func (e *FunctionError) Error() string { return "function error: " + e.Type + ": " + e.Message }

// Options of Start.
type Options struct {
	// Bootstrap is the binary.
	Bootstrap string
	// Name is the function's name; empty is the name of the binary's folder.
	Name string
	// Env is added to the environment that Lambda sets. No other variable of this process is passed on.
	Env []string
	// Timeout is the function's timeout; zero means 30 seconds.
	Timeout time.Duration
	// Output takes what the processes print; nil drops it.
	Output io.Writer
}

// Runtime is a function that can be invoked. It has one process at a time; more invocations wait.
type Runtime struct {
	options Options
	turn    chan struct{} // holds a value while an invocation has the process

	mu     sync.Mutex
	worker *worker
	inits  []time.Duration
	closed bool
}

// Start runs the process and returns when the process asks for work. The runtime ends with Close, with ctx, or with this process.
func Start(ctx context.Context, o Options) (*Runtime, error) {
	bootstrap, err := filepath.Abs(o.Bootstrap)
	if err != nil {
		return nil, fmt.Errorf("lambdaruntime: %w", err)
	}
	o.Bootstrap = bootstrap
	if o.Name == "" {
		o.Name = filepath.Base(filepath.Dir(bootstrap))
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	r := &Runtime{options: o, turn: make(chan struct{}, 1)}
	if _, err := r.process(ctx); err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, r.Close)
	return r, nil
}

// Invoke runs one event. It waits until the process is free, and starts another if the process has ended. The error is a
// FunctionError if the function itself reported it.
func (r *Runtime) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	select {
	case r.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("lambdaruntime: waiting for the process: %w", ctx.Err())
	}
	w, err := r.process(ctx)
	if err != nil {
		<-r.turn
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, r.options.Timeout)
	defer cancel()
	result, err := w.invoke(ctx, payload)
	go func() {
		// The process is free only when it asks for work again, because it may still work after its answer.
		select {
		case <-w.asks:
		case <-w.process.Done():
		}
		<-r.turn
	}()
	return result, err
}

// Close ends the process. A running invocation fails.
func (r *Runtime) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.worker != nil {
		r.worker.end()
	}
}

// process returns the process that was used last, or starts one if that has ended.
func (r *Runtime) process(ctx context.Context) (*worker, error) {
	r.mu.Lock()
	w, closed := r.worker, r.closed
	r.mu.Unlock()
	switch {
	case closed:
		return nil, ErrClosed
	case w != nil && w.alive():
		return w, nil
	case w != nil:
		w.end()
	}
	started := time.Now()
	w, err := startWorker(ctx, r.options)
	took := time.Since(started)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		w.end()
		return nil, ErrClosed
	}
	r.worker, r.inits = w, append(r.inits, took)
	return w, nil
}

// InitTimes tells how long each process took from its start to its first request for work, in order.
func (r *Runtime) InitTimes() []time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.inits)
}

// Handler is a function: a lambda.Handler, or a Runtime.
type Handler interface {
	Invoke(ctx context.Context, payload []byte) ([]byte, error)
}

// Call runs a function until it answers or ctx ends. A panic is an error: on AWS it ends the function's process, and not its caller.
func Call(ctx context.Context, h Handler, payload []byte) ([]byte, error) {
	done := make(chan outcome, 1)
	go func() {
		defer func() {
			if cause := recover(); cause != nil {
				done <- outcome{err: &FunctionError{Type: "Runtime.ExitError", Message: fmt.Sprintf("panic: %v", cause)}}
			}
		}()
		answer, err := h.Invoke(ctx, payload)
		done <- outcome{answer, err}
	}()
	select {
	case o := <-done:
		return o.answer, o.err
	case <-ctx.Done():
		return nil, &FunctionError{Type: "Sandbox.Timedout", Message: "timed out"}
	}
}
