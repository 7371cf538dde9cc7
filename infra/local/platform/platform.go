// Package platform runs the whole of Tenantry on one machine. It reads template.yaml, makes the table and the bucket
// on local engines, mounts the functions behind a gateway, and carries out the outbox.
//
// It wires and supervises, and nothing else goes in here: the packages beside it know how a gateway, an engine or a
// page behaves, and the functions know what requests do.
package platform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tenantry/tenantry/infra/local/console"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/gateway"
	"github.com/tenantry/tenantry/infra/local/invocations"
	"github.com/tenantry/tenantry/infra/local/issuer"
	"github.com/tenantry/tenantry/infra/local/judge"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
	"github.com/tenantry/tenantry/infra/local/serve"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/worker"
	"github.com/tenantry/tenantry/shared/patience"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Options of Start.
type Options struct {
	Addr    string // host:port; for port 0 a free one is chosen
	Data    string // the folder that keeps the data; if it is empty, the data is removed at the end
	Demo    bool   // make a demo company
	Seed    int    // how many documents the demo company gets
	Verbose bool   // show every request's log line
	Origins string // origins of web clients, comma-separated; companies' own origins need not be listed
	SAM     bool   // the engines know the key with which functions under `sam local` sign
	Out     io.Writer

	// Patient makes requests wait for the engines as long as a function may take. On a busy machine an engine takes seconds to answer.
	Patient bool

	// Unlimited lets companies and callers send as many requests as they like: programs that send more than people do.
	Unlimited bool

	Judged  bool            // each function does only what the template's policies allow to its role
	Weather gateway.Weather // what AWS's gateway does on some days only, once the demo company is made

	// compileStore puts the file store's binary at a path; nil compiles the real one. Tests let it take its time.
	compileStore func(ctx context.Context, path string) error
}

// Platform is a running platform.
type Platform struct {
	// URL is its address.
	URL string
	// Storage has the addresses of the engines. Tests use it to disturb them.
	Storage *Storage
	// Issuer is the issuer of identities that stands in for Google.
	Issuer *issuer.Issuer

	// Calls is where functions call others.
	Calls *invocations.Server
	// Outbox has the messages that were delivered.
	Outbox *console.Recorder

	// Hooks is a receiver of webhooks.
	Hooks *console.Hooks

	// Judge is what stands between the functions and the engines; nil unless functions are judged.
	Judge *judge.Judge

	template      *samtemplate.Template
	parameters    map[string]string // of the template
	certification *certification

	demo      atomic.Pointer[console.Demo]
	ready     atomic.Bool
	seals     *sealing
	worker    *worker.Worker    // of all lanes but hooks
	deliverer *worker.Worker    // of that lane
	messages  crosstenant.Table // the table as dispatch sees it
	routes    []gateway.Route
	carries   sync.RWMutex // read-locked while a message is carried out; a test locks it to hold all up
	wake      map[outbox.Lane]chan struct{}
	done      sync.WaitGroup
	failed    chan error
	ends      serve.Ends
}

// Start starts everything and returns when everything runs. It tells each step with how long it took, and from when on requests are
// answered. Its error is one line that says what to do.
func Start(ctx context.Context, o Options) (_ *Platform, err error) {
	o.Out = &lines{out: o.Out}
	told := newProgress(o.Out)
	listener, err := listen(ctx, o.Addr)
	if err != nil {
		return nil, fmt.Errorf("%s (choose another address with -addr, port 0 picks one: make run RUN='-addr 127.0.0.1:9000 "+
			"-data .local/second')", unheard(o.Addr, err))
	}
	ctx, stop := context.WithCancel(ctx)
	p := &Platform{
		URL:  "http://" + listener.Addr().String(),
		wake: map[outbox.Lane]chan struct{}{}, failed: make(chan error, 1),
	}
	for _, lane := range outbox.Lanes() {
		p.wake[lane] = make(chan struct{}, 1)
	}
	p.ends.Add(stop)
	p.ends.Add(func() { _ = listener.Close() })
	defer func() {
		if err != nil {
			p.Close()
		}
	}()
	root, err := engine.ModuleRoot()
	if err != nil {
		return nil, err
	}
	forget := "" // a folder to remove at the end
	if o.Data == "" {
		if forget, err = os.MkdirTemp("", "tenantry-"); err != nil {
			return nil, err
		}
		p.ends.Add(func() { _ = os.RemoveAll(forget) })
	}
	if p.template, err = samtemplate.Load(filepath.Join(root, "template.yaml")); err != nil {
		return nil, err
	}
	if p.Storage, err = openStorage(ctx, p.template, o, forget, root, told); err != nil {
		return nil, err
	}
	p.ends.Add(p.Storage.close)
	if p.Outbox, err = console.NewRecorder(p.Storage.file("outbox.jsonl")); err != nil {
		return nil, err
	}
	p.ends.Add(func() { _ = p.Outbox.Close() }) // nothing is lost: each message was written when it came
	if p.Calls, err = invocations.Start(ctx, p.Storage.signers()); err != nil {
		return nil, err
	}
	p.ends.Add(p.Calls.Close)
	client := issuerClient(listener)
	if p.Issuer, err = startIssuer(ctx, listener, client); err != nil {
		return nil, err
	}
	p.ends.Add(p.Issuer.Close)
	if p.certification, err = startCertification(ctx, p.Storage, o.Out); err != nil {
		return nil, err
	}
	p.ends.Add(p.certification.close)
	if p.seals, err = startSealing(ctx, p.Storage); err != nil {
		return nil, err
	}
	p.ends.Add(p.seals.Close)
	p.parameters = map[string]string{
		"NcaRoots": p.certification.Roots(), "NcaOcsp": p.certification.OCSP,
		"CorsOrigins": o.Origins, "Languages": "en,ru,kk", "OidcIssuer": p.Issuer.URL,
		"OidcClientId": client.ID, "OidcClientSecret": client.Secret, "OidcRedirectUrl": client.RedirectURL,
	}
	maps.Copy(p.parameters, p.seals.parameters())
	if o.Unlimited {
		p.parameters["CompanyRequestRate"], p.parameters["CallerRequestRate"] = "0", "0"
	}
	if o.Judged {
		if err = p.openJudge(ctx); err != nil {
			return nil, err
		}
	}
	lines, requests := new(console.Lines), new(console.Requests)
	if err = p.mount(ctx, io.MultiWriter(logWriter{out: o.Out, all: o.Verbose}, lines, requests)); err != nil {
		return nil, err
	}
	p.Hooks = console.NewHooks(p.hookSecrets)
	pages, err := console.New(console.Config{
		Root: root, Outbox: p.Outbox, Hooks: p.Hooks, Demo: p.Demo, Making: o.Demo, Home: here(listener), Operator: p.Storage.Operator(),
		Lines: lines, Requests: requests,
	})
	if err != nil {
		return nil, err
	}
	p.ends.Add(func() {
		stop()
		p.done.Wait()
	})
	p.serve(listener, pages, requests.Watch(p.patiently(o, gateway.New(gateway.Config{Routes: p.routes, Weather: p.weather(o)}))))
	p.ends.Add(p.Hooks.Close) // before the server waits for what it holds
	p.carryOut(ctx, o.Out)
	p.done.Go(func() { p.Storage.supervise(ctx, o.Out, p.fail) })
	if !p.Storage.hasFiles() {
		_, _ = fmt.Fprintf(o.Out, "Requests are answered already, at %s; those for files wait for the file store.\n", p.URL)
	}
	if o.Demo {
		err = told.step("Making the demo company, or finding it", func() error { return p.makeDemo(patience.AtLeast(ctx, patient), o) })
		if err != nil {
			return nil, fmt.Errorf("the demo company: %w", err)
		}
	}
	if err = p.Storage.awaitFiles(ctx); err != nil {
		return nil, err
	}
	told.end()
	p.ready.Store(true)
	return p, nil
}

// weather is fine while the demo company is made, and what the options say from then on.
func (p *Platform) weather(o Options) func() gateway.Weather {
	return func() gateway.Weather {
		if p.ready.Load() {
			return o.Weather
		}
		return gateway.Weather{}
	}
}

// patient is longer than a function may take.
const patient = time.Minute

// patiently lets requests wait for the engines while the demo company is made, because nobody else waits for those, and from then on if
// the options say so.
func (p *Platform) patiently(o Options, api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if o.Patient || !p.ready.Load() {
			r = r.WithContext(patience.AtLeast(r.Context(), patient))
		}
		api.ServeHTTP(w, r)
	})
}

// Demo returns the demo company's sign-in, or nil if there is no demo company.
func (p *Platform) Demo() *console.Demo { return p.demo.Load() }

// Layer is where one chooses as whom to sign with NCALayer; it is empty if nothing stands in for NCALayer.
func (p *Platform) Layer() string { return p.certification.Layer }

// Failed receives the error that ends the platform while it runs.
func (p *Platform) Failed() <-chan error { return p.failed }

func (p *Platform) fail(err error) {
	select {
	case p.failed <- err:
	default:
	}
}

// serve answers requests. It finds the console's requests by their prefix, because an http.ServeMux would redirect
// paths that a gateway passes on as they are.
func (p *Platform) serve(listener net.Listener, pages, api http.Handler) {
	server := &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case console.Has(r.URL.Path):
				pages.ServeHTTP(w, r)
				return
			case console.Welcomes(r):
				w.Header().Set("Vary", "Accept")
				http.Redirect(w, r, console.Prefix, http.StatusFound)
				return
			}
			api.ServeHTTP(w, r)
			if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodOptions {
				p.wakeWorker()
			}
		}),
	}
	p.ends.Add(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = server.Shutdown(ctx) // requests that take longer than five seconds are cut off
		_ = server.Close()
	})
	p.done.Go(func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			p.fail(err)
		}
	})
}

// wakeWorker has the outbox looked at after a request that may have left a message. On AWS the table's stream tells of one, so
// requests that only read don't wake it. A search, which is a GET, may ask for a merge; that is found within a second.
func (p *Platform) wakeWorker() {
	for _, wake := range p.wake {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

// settling is how long a start waits at most for what follows from its own requests.
const settling = 10 * time.Second

// settle returns when what follows from a company's earlier requests has followed: none of its messages is due or being
// carried out. It doesn't wait for other companies, of which kept data may have many messages, or some that take long, nor for
// deliveries of webhooks, which wait for others; and not longer than settling for this one: the lanes go on with what is left.
func (p *Platform) settle(ctx context.Context, company tenant.ID) error {
	for end := time.Now().Add(settling); ; {
		busy, err := p.settleOnce(ctx, company, end)
		if err != nil || !busy || time.Now().After(end) {
			return err
		}
		if err := sleep(ctx, 10*time.Millisecond); err != nil { // a lane may be about to end one
			return err
		}
	}
}

// settleOnce carries out the messages of a company that are due, until some time. It tells whether others may have
// followed from these, or from what the lanes carry out: what is claimed there until then is due a lease later at most.
func (p *Platform) settleOnce(ctx context.Context, company tenant.ID, end time.Time) (busy bool, err error) {
	enough := errors.New("enough")
	err = outbox.EachDue(ctx, p.messages, end.Add(p.worker.Lease), func(k table.Key) error {
		if time.Now().After(end) {
			return enough
		}
		if of, ok := table.TenantOf(k.PK); !ok || of != company || outbox.LaneOf(k.SK) == outbox.Hooks {
			return nil
		}
		done, err := p.worker.Deliver(ctx, k)
		if done || err != nil {
			busy = true
			return err
		}
		var m outbox.Message
		if err := p.messages.Get(ctx, k, &m); err != nil && !errors.Is(err, table.ErrNotFound) {
			return err
		}
		busy = busy || m.Claim != "" || m.Pending == "" // not pending, it has just ended
		return nil
	})
	if errors.Is(err, enough) {
		err = nil
	}
	return busy, err
}

// Close ends everything that Start began, and returns when it has ended.
func (p *Platform) Close() { p.ends.Close() }
