// Package samenv is what functions need that `sam local` runs in containers: engines with data, and the variables by which
// the functions find them.
//
// SAM stands in for the gateway and for Lambda, and for nothing else. Here are the table, the bucket, KMS, SES, SNS, SQS and
// Lambda's Invoke, and a worker, because SAM runs neither streams nor schedules. The servers listen on this machine only;
// to let containers in, forwarders listen on the address of a bridge.
//
// How a server behaves, and what the data are, never goes in here: that is in the packages beside it.
package samenv

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/tenantry/tenantry/infra/local/awsapi"
	"github.com/tenantry/tenantry/infra/local/console"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/forward"
	"github.com/tenantry/tenantry/infra/local/kms"
	"github.com/tenantry/tenantry/infra/local/mail"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
	"github.com/tenantry/tenantry/infra/local/serve"
	"github.com/tenantry/tenantry/infra/local/sns"
	"github.com/tenantry/tenantry/infra/local/sqs"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox/notify"
)

// Options of Start.
type Options struct {
	// Listen is the address of this machine on a bridge of containers, where the servers are reached too. With 127.0.0.1
	// they are reached there only, which is enough for containers of Docker Desktop.
	Listen string
	// Host is the name by which containers reach this machine; empty is Listen.
	Host string
	// World gives the functions the data of the recorded events (infra/local/world) instead of those of the local platform.
	World bool
	// Data and Addr are the folder and the address of the local platform, which has a demo company if Demo says so.
	Data, Addr string
	Demo       bool
	Out        io.Writer
}

// Environment is what runs.
type Environment struct {
	// Mail, SMS and Queues were sent by functions; what the worker here sent is in Outbox.
	Mail   *mail.Server
	SMS    *sns.Server
	Queues *sqs.Server
	// Outbox has all messages that were delivered.
	Outbox *console.Recorder

	source   source
	template *samtemplate.Template
	host     string
	listen   string
	out      io.Writer
	kms      *kms.Server
	forwards map[string]bool // ports that are passed on
	ends     serve.Ends
}

// Start starts everything, and returns when functions can run.
func Start(ctx context.Context, o Options) (_ *Environment, err error) {
	if err := checkListen(o.Listen); err != nil {
		return nil, err
	}
	root, err := engine.ModuleRoot()
	if err != nil {
		return nil, err
	}
	e := &Environment{host: cmp.Or(o.Host, o.Listen), listen: o.Listen, out: o.Out, forwards: map[string]bool{}}
	if e.out == nil {
		e.out = io.Discard
	}
	if e.template, err = samtemplate.Load(filepath.Join(root, "template.yaml")); err != nil {
		return nil, err
	}
	if o.World {
		err = e.openWorld(ctx)
	} else {
		err = e.openPlatform(ctx, o)
	}
	if err == nil {
		err = e.serve(ctx)
	}
	if err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// serve starts the servers that neither the platform nor a world has.
func (e *Environment) serve(ctx context.Context) error {
	signed := awsapi.Options{Keys: map[string]string{app.SAMKey: app.SAMKey}}
	names, err := kms.OfFile(e.source.keysFile)
	if err != nil {
		return err
	}
	if e.kms, err = kms.Start(ctx, kms.Options{Options: signed, Names: names}); err != nil {
		return err
	}
	e.ends.Add(e.kms.Close)
	if e.Mail, err = mail.Start(ctx, mail.Options{Options: signed, Deliver: func(ctx context.Context, m mail.Email) error {
		for _, to := range m.To {
			if err := e.Outbox.Send(ctx, notify.Message{
				ID: m.ID + to, Channel: notify.Email, To: to, Subject: m.Subject, Text: m.Text,
			}); err != nil {
				return err
			}
		}
		return nil
	}}); err != nil {
		return err
	}
	e.ends.Add(e.Mail.Close)
	if e.SMS, err = sns.Start(ctx, sns.Options{Options: signed, Deliver: func(ctx context.Context, m sns.SMS) error {
		return e.Outbox.Send(ctx, notify.Message{ID: m.ID, Channel: notify.SMS, To: m.To, Text: m.Text})
	}}); err != nil {
		return err
	}
	e.ends.Add(e.SMS.Close)
	// Nothing takes keys out of queues here, so they are shown: an event for worker, bulk or deliver is made of them.
	if e.Queues, err = sqs.Start(ctx, sqs.Options{Options: signed, Deliver: func(_ context.Context, m sqs.Message) error {
		_, err := fmt.Fprintf(e.out, "dispatch has sent %s to %s\n", m.Body, path.Base(m.Queue))
		return err
	}}); err == nil {
		e.ends.Add(e.Queues.Close)
	}
	return err
}

// checkListen refuses an address at which others than this machine and its containers would reach the servers: they give
// their data to everybody.
func checkListen(address string) error {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return fmt.Errorf("%q is no address to listen on; the bridge of Docker is 172.17.0.1 mostly", address)
	}
	if !ip.IsLoopback() && !ip.IsPrivate() {
		return fmt.Errorf("%s is not an address of a bridge: from anywhere else anybody could read and write all data", address)
	}
	return nil
}

// Variables returns the variables of each function by its logical id. They are all that the function needs: `sam local`
// sets those that the template declares for it, and drops any other.
func (e *Environment) Variables(ctx context.Context) (map[string]map[string]string, error) {
	endpoints, err := e.endpoints(ctx)
	if err != nil {
		return nil, err
	}
	all := map[string]map[string]string{}
	for id := range e.template.Functions {
		variables, err := e.source.variables(id)
		if err != nil {
			return nil, err
		}
		maps.Copy(variables, endpoints)
		for _, name := range []string{"TIME_STAMP_URL", "NCA_OCSP"} {
			if variables[name] == "" {
				continue
			}
			if variables[name], err = e.reach(ctx, variables[name]); err != nil {
				return nil, err
			}
		}
		if variables["SMS_PROVIDER"] == app.ProviderLog {
			variables["SMS_PROVIDER"] = app.ProviderSNS
		}
		if _, signsIn := variables["OIDC_CLIENT_ID"]; signsIn && e.host != loopback {
			// An issuer's name is its address, and the one here is found on this machine only, not in containers.
			variables["OIDC_CLIENT_ID"] = ""
		}
		all[id] = variables
	}
	return all, nil
}

// endpoints are the variables of app.Endpoints.
func (e *Environment) endpoints(ctx context.Context) (map[string]string, error) {
	found := map[string]string{"S3_PUBLIC_ENDPOINT": e.source.files}
	for name, address := range map[string]string{
		"DYNAMODB_ENDPOINT": e.source.table, "S3_ENDPOINT": e.source.files, "LAMBDA_ENDPOINT": e.source.calls,
		"KMS_ENDPOINT": e.kms.URL, "SES_ENDPOINT": e.Mail.URL, "SNS_ENDPOINT": e.SMS.URL,
		"SQS_ENDPOINT": e.Queues.URL,
	} {
		reached, err := e.reach(ctx, address)
		if err != nil {
			return nil, err
		}
		found[name] = reached
	}
	return found, nil
}

// Write writes the variables for the flag --env-vars of SAM. Secrets of this machine are among them.
func (e *Environment) Write(ctx context.Context, file string) error {
	variables, err := e.Variables(ctx)
	if err != nil {
		return err
	}
	content, err := json.MarshalIndent(variables, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, append(content, '\n'), 0o600)
}

// Close ends everything.
func (e *Environment) Close() {
	e.ends.Close()
	if e.source.close != nil {
		e.source.close()
	}
}

const loopback = "127.0.0.1"

// reach returns the address by which containers reach a server of this machine, and lets them in.
func (e *Environment) reach(ctx context.Context, address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("samenv: %w", err)
	}
	if u.Hostname() != loopback {
		return address, nil // somebody's own server, wherever it is
	}
	if e.listen != loopback {
		if err := e.forward(ctx, u.Port()); err != nil {
			return "", err
		}
	}
	u.Host = net.JoinHostPort(strings.Trim(e.host, "[]"), u.Port())
	return u.String(), nil
}

// forward passes connections on from the bridge to the same port of this machine. The servers see the request as it was
// signed, with the host that the function called.
func (e *Environment) forward(ctx context.Context, port string) error {
	if e.forwards[port] {
		return nil
	}
	f, err := forward.Listen(ctx, net.JoinHostPort(e.listen, port), nil)
	if err != nil {
		return fmt.Errorf("can't listen on the bridge (has this machine the address %s?): %w", e.listen, err)
	}
	f.To(net.JoinHostPort(loopback, port))
	e.forwards[port] = true
	e.ends.Add(f.Close)
	return nil
}
