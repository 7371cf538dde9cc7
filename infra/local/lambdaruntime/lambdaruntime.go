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
	// Workers is how many processes may run at once; zero means one. More invocations wait.
	Workers int
	// Timeout is the function's timeout; zero means 30 seconds.
	Timeout time.Duration
	// Output takes what the processes print; nil drops it.
	Output io.Writer
}

// Runtime is a function that can be invoked.
type Runtime struct {
	options Options
	// turns holds one place for each process that may run. An invocation takes a place before it takes or starts a
	// process.
	turns chan struct{}

	mu     sync.Mutex
	idle   []*worker
	live   map[*worker]struct{}
	inits  []time.Duration
	closed bool
}

// Start runs the first process and returns when the process asks for work. The runtime ends with Close, with ctx, or
// with this process.
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
	r := &Runtime{options: o, turns: make(chan struct{}, max(o.Workers, 1)), live: map[*worker]struct{}{}}
	w, err := r.start(ctx)
	if err != nil {
		return nil, err
	}
	r.giveBack(w)
	context.AfterFunc(ctx, r.Close)
	return r, nil
}

// Invoke runs one event. It waits for a free process, or starts one if another is allowed. The error is a
// FunctionError if the function itself reported it.
func (r *Runtime) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	select {
	case r.turns <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("lambdaruntime: waiting for a process: %w", ctx.Err())
	}
	w, err := r.take()
	if err == nil && w == nil {
		w, err = r.start(ctx)
	}
	if err != nil {
		<-r.turns
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, r.options.Timeout)
	defer cancel()
	result, err := w.invoke(ctx, payload)
	go func() {
		// The process is free only when it asks for work again, because it may still work after its answer.
		if w.wait() {
			r.giveBack(w)
		}
		<-r.turns
	}()
	return result, err
}

// InitTimes tells how long each process took from its start to its first request for work, in the order in which they
// were started.
func (r *Runtime) InitTimes() []time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]time.Duration(nil), r.inits...)
}

// Close ends all processes. Running invocations fail.
func (r *Runtime) Close() {
	r.mu.Lock()
	r.closed = true
	workers := r.live
	r.live, r.idle = map[*worker]struct{}{}, nil
	r.mu.Unlock()
	var ended sync.WaitGroup
	for w := range workers {
		ended.Go(w.end)
	}
	ended.Wait()
}

// take returns the process that was used last, so that the others stay idle, as on Lambda. It returns nil if none is
// free.
func (r *Runtime) take() (*worker, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, ErrClosed
	}
	for len(r.idle) > 0 {
		w := r.idle[len(r.idle)-1]
		r.idle = r.idle[:len(r.idle)-1]
		if w.alive() {
			return w, nil
		}
	}
	return nil, nil
}

func (r *Runtime) giveBack(w *worker) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.idle = append(r.idle, w)
	}
}

func (r *Runtime) start(ctx context.Context) (*worker, error) {
	w, took, err := startWorker(ctx, r.options)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		go w.end()
		return nil, ErrClosed
	}
	r.inits = append(r.inits, took)
	r.live[w] = struct{}{}
	go func() {
		<-w.process.Done()
		w.end()
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.live, w)
	}()
	return w, nil
}
