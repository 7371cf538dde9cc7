package platform

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/tenantry/tenantry/functions/authorizer"
	"github.com/tenantry/tenantry/functions/deliver"
	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/gateway"
	"github.com/tenantry/tenantry/infra/local/invocations"
	"github.com/tenantry/tenantry/infra/local/kms"
	"github.com/tenantry/tenantry/infra/local/lambdaruntime"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/invoke/awslambda"
	"github.com/tenantry/tenantry/shared/keys/awskms"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

// platformDomain is the domain below which each company has its host. Browsers resolve every name under localhost to
// this machine.
const platformDomain = "tenantry.localhost"

// SMSSecret signs reports of a provider of SMS. The local platform has none, so only somebody who tries them makes any.
const SMSSecret = "the secret of the local provider of SMS"

// lease is how long the worker leaves a message alone that a killed run had begun to deliver. It can be this short because there is
// only one process, which has each message in its queue once.
const lease = 3 * time.Second

// mount makes each function of the template, with the environment that the template gives it, and the gateway's routes to the
// functions. Functions without routes are called over p.Calls.
func (p *Platform) mount(ctx context.Context, log io.Writer) error {
	all, invoked, handlers := groups.All(), groups.Invoked(), map[string]*gateway.Function{}
	for id, f := range p.template.Functions {
		engines, err := p.engines(ctx, f.Group())
		if err != nil {
			return err
		}
		env, err := p.environment(id, engines, log)
		if err != nil {
			return err
		}
		handler := &gateway.Function{Name: f.Group(), Timeout: f.Timeout}
		env.Config.LoopbackHooks = slices.Contains([]string{"webhooks", "deliver"}, f.Group()) // people try webhooks on this machine
		switch name := f.Group(); {
		case name == "authorizer":
			handler.Handler = p.authorizer(env)
		case name == "worker":
			env.Notify = p.Outbox
			p.worker = groups.Worker(env)
			p.worker.Lease, p.worker.Crashes = lease, outbox.MaxAttempts
		case name == "deliver":
			// Its lease is the one of AWS: a run waits for receivers for longer than the worker's.
			p.deliverer = deliver.New(env)
			p.deliverer.Crashes = outbox.MaxAttempts
		case name == "dispatch": // which alone may look for messages
			p.messages = crosstenant.Open(env.Table)
		case slices.Contains([]string{"urgent", "bulk"}, name): // here the one worker has their lanes too
		case all[name] != nil:
			handler.Handler = env.Server(all[name](env))
		case invoked[name] != nil:
			p.Calls.Add(name, invocations.Function{Handler: invoked[name](env), Timeout: f.Timeout})
		default:
			return fmt.Errorf("template.yaml has a function %q that is not in the list of groups: run `go generate ./...`", name)
		}
		handlers[id] = handler
	}
	for _, r := range p.template.Routes {
		p.routes = append(p.routes, gateway.Route{
			Method: r.Method, Path: r.Path, Function: handlers[r.Function], Authorizer: handlers[r.Authorizer],
		})
	}
	return nil
}

// authorizer is two: one that counts no requests, while the demo company is made by more than a user may send, and that of AWS from then
// on.
func (p *Platform) authorizer(env app.Env) lambdaruntime.Handler {
	of := authorizer.Config{Table: env.Table, Keys: env.Keys, Now: env.Now, Log: env.Log, Stage: env.Config.Stage}
	making := authorizer.New(of)
	of.Company, of.Caller = env.Config.CompanyRate, env.Config.CallerRate
	return byTurns{p.ready.Load, making, authorizer.New(of)}
}

// byTurns is one handler before something has happened, and another one after it.
type byTurns struct {
	happened      func() bool
	before, after lambdaruntime.Handler
}

func (b byTurns) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	if b.happened() {
		return b.after.Invoke(ctx, payload)
	}
	return b.before.Invoke(ctx, payload)
}

// Variables are what the template gives a function here.
func (p *Platform) Variables(function string) (map[string]string, error) {
	return p.template.Environment(function, p.names())
}

// names are the names of the template's resources here, and values of its parameters.
func (p *Platform) names() map[string]string {
	values := map[string]string{
		"Stage": "local", "PlatformDomain": platformDomain, "MailFrom": "noreply@" + platformDomain,
		"Table": tableName, "Bucket": bucketName,
		"SmsProvider": app.ProviderLog, "SmsTopUp": "open", "SmsCallbackSecret": SMSSecret,
		"Api": "local", "AWS::Region": "local", "AWS::URLSuffix": "localhost",
	}
	for id, f := range p.template.Functions {
		values[id] = f.Group()
	}
	maps.Copy(values, kms.Resources())
	maps.Copy(values, p.parameters)
	return values
}

func (p *Platform) environment(id string, engines map[string]string, log io.Writer) (app.Env, error) {
	variables, err := p.Variables(id)
	if err != nil {
		return app.Env{}, err
	}
	maps.Copy(variables, engines)
	options := []app.Option{app.WithCalls(awslambda.New), app.WithSealKey(awskms.New)}
	if variables["SIGNING_KEYS"] != "" { // functions that others call know no keys
		options = append(options, app.WithKeys(awskms.New))
	}
	env, err := app.FromEnvironment(func(name string) string { return variables[name] }, options...)
	if err != nil {
		return app.Env{}, fmt.Errorf("%s: %w", id, err)
	}
	env.Log = log
	env.Config.Scheme, env.Config.AnyLoopback, env.Config.ServerTiming = "http", true, true
	return env, nil
}

// logWriter passes on the functions' log lines: either all, or only errors.
type logWriter struct {
	out io.Writer
	all bool
}

func (l logWriter) Write(line []byte) (int, error) {
	if l.all || bytes.Contains(line, []byte(`"level":"error"`)) {
		return l.out.Write(line)
	}
	return len(line), nil
}
