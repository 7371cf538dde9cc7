package webtest

import (
	"context"
	"crypto"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/keys/keystest"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/outbox/notify/smsrates"
	"github.com/tenantry/tenantry/shared/patience"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// Every scenario uses these names.
const (
	PlatformDomain = "tenantry.test"
	Host           = "api.tenantry.test" // the gateway's own host
	BaseURL        = "https://" + Host
	SMSSecret      = "a secret that the provider of SMS knows too"
)

// Start is the time at which every scenario begins.
var Start = time.Date(2026, time.March, 2, 9, 30, 0, 0, time.UTC)

// Invoker is a function as Lambda sees it.
type Invoker interface {
	Invoke(ctx context.Context, event []byte) ([]byte, error)
}

// Setup changes what a scenario runs on. New uses the zero Setup.
type Setup struct {
	// Change changes the environment before groups are made from it: lifetimes, files
	// (filestest), keys.
	Change func(*app.Env)
	// Table wraps the engine's client, to inject faults (tabletest.Wrap).
	Table func(dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI
	// Kinds are kinds of records that exist only in the test and are not registered.
	Kinds []kinds.Kind
	// Authorizer is called for every request, as the gateway calls it. Without one, the caller
	// is the one passed to As.
	Authorizer func(app.Env) Invoker
}

// API is a set of groups on one table.
type API struct {
	Env   app.Env
	Clock *Clock

	t          testing.TB
	servers    []served
	authorizer Invoker
	log        *record
	written    *atomic.Int64
	name       string // of the table
	hasty      bool
}

type served struct {
	group  app.Group
	server func() Invoker // makes it when it is first needed: most scenarios call few of the groups
}

// New makes an API of groups on a fresh table.
func New(t testing.TB, groups ...app.New) *API {
	t.Helper()
	return Setup{}.New(t, groups...)
}

// New makes an API of groups on a fresh table.
func (s Setup) New(t testing.TB, groups ...app.New) *API {
	t.Helper()
	a := &API{t: t, Clock: &Clock{now: Start}, log: new(record), written: new(atomic.Int64), name: enginetest.Table(t)}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the functions logged at the end:\n%s", a.log.tail())
		}
	})
	var client dynamodbiface.DynamoDBAPI = enginetest.Client(t)
	if s.Table != nil {
		client = s.Table(client)
	}
	a.Env = app.Env{
		Table:      table.OpenWith(counting{client}, a.name, s.Kinds...),
		Keys:       keystest.New(t),
		Now:        a.Clock.Now,
		NewUUID:    uuid.New,
		LookupTXT:  func(context.Context, string) ([]string, error) { return nil, nil },
		Log:        a.log,
		Refused:    refusals(t, groups),
		SealSigner: sealer(t),
		Config: app.Config{
			Stage: "test", PlatformDomain: PlatformDomain, Scheme: "https", MailFrom: "noreply@" + PlatformDomain,
			AccessLifetime: time.Hour, RefreshLifetime: 30 * 24 * time.Hour, LinkLife: 90 * 24 * time.Hour, ServerTiming: true,
			SMS: app.SMS{
				Provider: app.ProviderLog, Price: money.Whole(15), CallbackSecret: SMSSecret, TopUp: true, Free: 100_000, Daily: 100_000,
				Rates: smsrates.Rates{{Code: "KZ", Price: money.Whole(15), Share: 1}, {Code: "UZ", Price: money.Whole(120), Share: 8}},
			},
			MailDaily: 20_000, Languages: say.Languages(),
		},
	}
	if s.Change != nil {
		s.Change(&a.Env)
	}
	if s.Authorizer != nil {
		a.authorizer = s.Authorizer(a.Env)
	}
	env := a.Env
	for _, group := range groups {
		g := group(env)
		a.servers = append(a.servers, served{g, sync.OnceValue(func() Invoker { return env.Server(g) })})
	}
	return a
}

// In returns the same API for a subtest, which then gets the failures.
func (a *API) In(t testing.TB) *API {
	b := *a
	b.t = t
	return &b
}

// Hasty returns the same API, whose requests wait for engines that don't answer as long as on AWS. The others wait as long as a
// handler may take, because an engine of tests on a busy machine is well although it takes seconds to answer.
func (a *API) Hasty() *API {
	b := *a
	b.hasty = true
	return &b
}

// patient is longer than a handler may take.
const patient = time.Minute

// context is what requests are sent with.
func (a *API) context() context.Context {
	if a.hasty {
		return context.Background()
	}
	return patience.AtLeast(context.Background(), patient)
}

// sealer is a key that is made when it is first needed: few scenarios seal anything.
func sealer(t testing.TB) keys.Sealer {
	made := sync.OnceValue(func() keys.Sealer { return keystest.Sealer(t) })
	return func(ctx context.Context) (crypto.Signer, error) { return made()(ctx) }
}

// Group returns one of the API's groups, for its messages.
func (a *API) Group(name string) app.Group {
	a.t.Helper()
	for _, s := range a.servers {
		if s.group.Name == name {
			return s.group
		}
	}
	a.t.Fatalf("no group %q", name)
	return app.Group{}
}

// Log returns all that the groups have logged.
func (a *API) Log() string { return a.log.String() }

// route finds the server of a path, as the gateway does by prefixes: the group with the operation of which the path has most.
func (a *API) route(path string) Invoker {
	best, most := a.servers[0].server, -1
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for _, s := range a.servers {
		for _, op := range s.group.Operations {
			if n := common(op.Path, parts); n > most {
				best, most = s.server, n
			}
		}
	}
	return best()
}

// common says how much of an operation's path the parts of a path begin with: the more, the more parts they have in
// common, literals above all. If the path goes another way below a parameter, what is before the first parameter counts,
// and less than a whole path of another operation.
func common(operation string, parts []string) (n int) {
	literal, i := -1, 0
	for part := range strings.SplitSeq(strings.Trim(operation, "/"), "/") {
		parameter := strings.HasPrefix(part, "{")
		if parameter && literal < 0 {
			literal = n
		}
		switch {
		case i < len(parts) && parameter:
			n += 2
		case i < len(parts) && part == parts[i]:
			n += 4
		default:
			return literal
		}
		i++
	}
	return n + 1
}

// Clock is the time of a scenario. It stands still until Step is called.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now returns the scenario's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Step moves the time forward.
func (c *Clock) Step(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
