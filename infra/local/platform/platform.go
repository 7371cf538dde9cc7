// Package platform is the whole of Tenantry on one machine: it reads
// template.yaml, makes its table and bucket on local engines, mounts its
// functions behind a gateway, and carries out the outbox.
//
// It wires and supervises. How a gateway, an engine or a page behaves is in the
// packages beside it, and what a function does is the function's.
package platform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tenantry/tenantry/functions/worker"
	"github.com/tenantry/tenantry/infra/local/console"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/gateway"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
)

// Options of Start.
type Options struct {
	Addr    string // host:port; port 0 picks one
	Data    string // the folder that keeps everything; empty forgets at the end
	Demo    bool   // make a demo company
	Seed    int    // documents that the demo company is to have
	Verbose bool   // show every request's log line
	Origins string // of web clients, comma-separated, beside the companies' own
	Out     io.Writer
}

// Platform is a running platform.
type Platform struct {
	// URL is its address.
	URL string
	// Storage tells where its engines are, for tests that disturb them.
	Storage *Storage

	demo   atomic.Pointer[console.Demo]
	outbox *console.Recorder
	server *http.Server
	worker *worker.Worker
	wake   chan struct{}
	stop   context.CancelFunc
	done   sync.WaitGroup
	failed chan error
	forget string // a folder to remove at the end
}

// Start brings everything up and returns when it serves. The error is one line
// that says what to do.
func Start(ctx context.Context, o Options) (_ *Platform, err error) {
	listener, err := listen(ctx, o.Addr)
	if err != nil {
		return nil, fmt.Errorf("can't listen on %s (choose another with -addr, port 0 picks one): %w", o.Addr, err)
	}
	root, err := engine.ModuleRoot()
	if err != nil {
		_ = listener.Close()
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	p := &Platform{
		URL:  "http://" + listener.Addr().String(),
		wake: make(chan struct{}, 1), failed: make(chan error, 1), stop: stop,
	}
	defer func() {
		if err != nil {
			_ = listener.Close()
			p.Close()
		}
	}()
	if o.Data == "" {
		if p.forget, err = os.MkdirTemp("", "tenantry-"); err != nil {
			return nil, err
		}
	}
	template, err := samtemplate.Load(filepath.Join(root, "template.yaml"))
	if err != nil {
		return nil, err
	}
	p.Storage, err = openStorage(ctx, template, o, p.forget, root)
	if err != nil {
		return nil, err
	}
	if p.outbox, err = console.NewRecorder(p.Storage.file("outbox.jsonl")); err != nil {
		return nil, err
	}
	mounted, err := mount(template, p.Storage, p.outbox, o.Origins, logWriter{out: o.Out, all: o.Verbose})
	if err != nil {
		return nil, err
	}
	p.worker = mounted.worker
	pages, err := console.New(console.Config{Root: root, Outbox: p.outbox, Demo: p.Demo})
	if err != nil {
		return nil, err
	}
	p.serve(listener, pages, gateway.New(gateway.Config{Routes: mounted.routes, Record: p.wakeWorker}))
	p.done.Go(func() { p.sweep(ctx, o.Out) })
	p.done.Go(func() { p.Storage.supervise(ctx, o.Out, p.fail) })
	if o.Demo {
		if err = p.makeDemo(ctx, mounted.env, o); err != nil {
			return nil, fmt.Errorf("the demo company: %w", err)
		}
	}
	return p, nil
}

// Demo is the demo company's sign-in; nil where there is none.
func (p *Platform) Demo() *console.Demo { return p.demo.Load() }

// Failed tells of what ends the platform while it runs.
func (p *Platform) Failed() <-chan error { return p.failed }

func (p *Platform) fail(err error) {
	select {
	case p.failed <- err:
	default:
	}
}

// serve starts answering. Local pages are told by their prefix: a ServeMux
// would redirect paths that a gateway hands over as they are.
func (p *Platform) serve(listener net.Listener, pages, api http.Handler) {
	p.server = &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if console.Has(r.URL.Path) {
				pages.ServeHTTP(w, r)
				return
			}
			api.ServeHTTP(w, r)
		}),
	}
	p.done.Go(func() {
		if err := p.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			p.fail(err)
		}
	})
}

// wakeWorker has the outbox swept after each call of a function: locally it is
// what the table's stream is on AWS.
func (p *Platform) wakeWorker(gateway.Invocation) {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *Platform) sweep(ctx context.Context, out io.Writer) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var failing string
	for {
		// An engine that is away for a moment fails more than one sweep.
		_, err := p.worker.Sweep(ctx)
		if err == nil {
			failing = ""
		} else if ctx.Err() == nil && err.Error() != failing {
			failing = err.Error()
			_, _ = fmt.Fprintf(out, "the outbox is not carried out: %v\n", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-p.wake:
		}
	}
}

// Close ends everything that Start began, and waits for it.
func (p *Platform) Close() {
	if p.server != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = p.server.Shutdown(ctx) // after five seconds the rest is cut
		_ = p.server.Close()
	}
	p.stop()
	p.done.Wait()
	if p.outbox != nil {
		_ = p.outbox.Close() // each message was written when it came
	}
	if p.Storage != nil {
		p.Storage.close()
	}
	if p.forget != "" {
		_ = os.RemoveAll(p.forget)
	}
}
