// Command local runs the whole platform on this machine. `make run` starts it; package platform has the rest.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/tenantry/tenantry/infra/local/gateway"
	"github.com/tenantry/tenantry/infra/local/platform"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, out, problems io.Writer) int {
	o, err := options(args, out, problems)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p, err := platform.Start(ctx, o)
	if err != nil {
		if ctx.Err() == nil {
			_, _ = fmt.Fprintf(problems, "tenantry: %v\n", err)
		}
		return 1
	}
	defer p.Close()
	greet(out, p)
	select {
	case <-ctx.Done():
		return 0
	case err := <-p.Failed():
		_, _ = fmt.Fprintf(problems, "tenantry: %v\n", err)
		return 1
	}
}

func options(args []string, out, problems io.Writer) (platform.Options, error) {
	f := flag.NewFlagSet("tenantry", flag.ContinueOnError)
	f.SetOutput(problems)
	o := platform.Options{Out: out}
	f.StringVar(&o.Addr, "addr", "127.0.0.1:8000", "`host:port` to listen on; port 0 picks one")
	f.StringVar(&o.Data, "data", ".local", "`folder` that keeps everything")
	memory := f.Bool("memory", false, "keep nothing: everything is forgotten at the end")
	f.BoolVar(&o.Demo, "demo", true, "make a demo company")
	f.IntVar(&o.Seed, "seed-documents", 0, "`number` of documents that the demo company is to have")
	f.BoolVar(&o.Unlimited, "unlimited", false, "let companies and callers send as many requests as they like, as programs do that test it")
	f.BoolVar(&o.Verbose, "v", false, "show a log line for each request")
	f.StringVar(&o.Origins, "origins", "", "`origins` of web clients on other machines that may call the API, besides those of this one")
	f.Func("weather", "`what` AWS's gateway does on some days: renames (WWW-Authenticate), throttles=N (each Nth request), "+
		"starves=N (each Nth authorizer)", func(text string) (err error) {
		o.Weather, err = gateway.ParseWeather(text)
		return err
	})
	if err := f.Parse(args); err != nil {
		return o, err
	}
	var wrong string
	switch {
	case f.NArg() > 0:
		wrong = fmt.Sprintf("unknown argument %q", f.Arg(0))
	case o.Seed < 0:
		wrong = "-seed-documents must not be negative"
	case o.Seed > 0 && !o.Demo:
		wrong = "-seed-documents needs the demo company"
	case o.Data == "" && !*memory:
		wrong = "-data must name a folder (or use -memory)"
	}
	if wrong != "" {
		_, _ = fmt.Fprintf(problems, "tenantry: %s\n", wrong)
		return o, errors.New(wrong)
	}
	if *memory {
		o.Data = ""
	}
	return o, nil
}

func greet(out io.Writer, p *platform.Platform) {
	_, _ = fmt.Fprintf(out, "\nTenantry, on this machine\n\n  API        %s\n", p.URL)
	if demo := p.Demo(); demo != nil {
		_, _ = fmt.Fprintf(out, "  demo user  %s\n  password   %s\n  company    %d\n", demo.Username, demo.Password, demo.Tenant)
	}
	_, _ = fmt.Fprintf(
		out, "  console    %s/   (in a browser: records, schedule, metrics, outbox, webhooks, requests)\n  reference  %s/_local/docs\n"+
			"  prices     %s/_local/prices   (what a rental would cost, step by step)\n"+
			"  events     %s/_local/events   (what happens in it, live)\n"+
			"  outbox     %s/_local/outbox/   (e-mails and SMS, with their codes)\n"+
			"  google     %s/_local/google/   (signing in with an identity of %s)\n",
		p.URL, p.URL, p.URL, p.URL, p.URL, p.URL, p.Issuer.URL,
	)
	if layer := p.Layer(); layer != "" {
		_, _ = fmt.Fprintf(out, "  ncalayer   %s/   (as whom to sign; open it once, and go on past the warning)\n", layer)
	}
	_, _ = fmt.Fprintf(out, "\nCtrl-C ends it.\nready %s\n", p.URL)
}
