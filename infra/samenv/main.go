// Command samenv starts what functions need under `sam local`, and writes env.json, by which they find it. `make sam-env`
// runs it; docs/sam-local.md says the rest. Package infra/local/samenv does the work.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/samenv"
)

// desktop is the name of this machine in containers of Docker Desktop, which reach its loopback by it.
const (
	desktop  = "host.docker.internal"
	loopback = "127.0.0.1"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// options are the flags.
type options struct {
	samenv.Options
	file string // to write the variables to
}

func run(args []string, in io.Reader, out, problems io.Writer) int {
	o, err := parse(args, bridge(), problems)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	o.Out, o.Demo = out, true
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, o, in, out); err != nil && ctx.Err() == nil {
		_, _ = fmt.Fprintf(problems, "sam-env: %v\n", err)
		return 1
	}
	return 0
}

func parse(args []string, bridge string, problems io.Writer) (o options, err error) {
	f := flag.NewFlagSet("sam-env", flag.ContinueOnError)
	f.SetOutput(problems)
	f.StringVar(&o.Listen, "listen", bridge, "`address` of this machine where containers reach it: that of a bridge, or 127.0.0.1")
	f.StringVar(&o.Host, "host", "", "`name` of this machine in containers, if it is not that address ("+desktop+" with Docker Desktop)")
	f.BoolVar(&o.World, "world", false, "the data of the events in events/, instead of a demo company that is kept")
	f.StringVar(&o.Data, "data", ".local", "`folder` that keeps the demo company, as with make run; empty keeps nothing")
	f.StringVar(&o.Addr, "addr", "127.0.0.1:8000", "`host:port` of the API without SAM, with its outbox at /_local/outbox/")
	f.StringVar(&o.file, "env", "env.json", "`file` to write the variables to")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		err := fmt.Errorf("unknown argument %q", f.Arg(0))
		_, _ = fmt.Fprintf(problems, "sam-env: %v\n", err)
		return o, err
	}
	if o.Host == "" {
		o.Host = o.Listen
		if o.Listen == loopback {
			o.Host = desktop
		}
	}
	return o, nil
}

// bridge is the address of this machine on Docker's own bridge; without one, containers are behind Docker Desktop, which
// leads them to the loopback address.
func bridge() string {
	if i, err := net.InterfaceByName("docker0"); err == nil {
		addresses, _ := i.Addrs()
		for _, a := range addresses {
			if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil {
				return n.IP.String()
			}
		}
	}
	return loopback
}

func serve(ctx context.Context, o options, in io.Reader, out io.Writer) error {
	root, err := engine.ModuleRoot()
	if err != nil {
		return err
	}
	e, err := samenv.Start(ctx, o.Options)
	if err != nil {
		return err
	}
	defer e.Close()
	if err := e.Write(ctx, o.file); err != nil {
		return err
	}
	copies := filepath.Join(root, ".local", "sam", "events")
	n, err := e.WriteEvents(root, copies)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "\nWhat functions need under sam local; containers reach it at %s.\n\n"+
		"  make build                                            (once, and after each change)\n"+
		"  sam local start-api --env-vars %s\n"+
		"  sam local invoke DocumentsFunction -e events/documents/list.json --env-vars %s\n\n", o.Host, o.file, o.file)
	if !o.World {
		if demo := e.Demo(); demo != nil {
			_, _ = fmt.Fprintf(out, "  demo user  %s\n  password   %s\n  company    %d\n", demo.Username, demo.Password, demo.Tenant)
		}
		_, _ = fmt.Fprintf(out, "  outbox     http://%s/_local/outbox/\n\nCtrl-C ends it.\nready\n", o.Addr)
		<-ctx.Done()
		return nil
	}
	_, _ = fmt.Fprintf(out, "Events answer as recorded beside them. %d files name files of the bucket: take those from\n%s\n\n"+
		"Enter makes the world as it was, Ctrl-C ends it. Codes of the world live for ten minutes.\nready\n", n, copies)
	return again(ctx, e, in, out)
}

// again makes the world anew with each line that is read.
func again(ctx context.Context, e *samenv.Environment, in io.Reader, out io.Writer) error {
	lines := make(chan struct{})
	go func() {
		for s := bufio.NewScanner(in); s.Scan(); {
			select {
			case lines <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-lines:
			if err := e.Reset(ctx); err != nil {
				return err
			}
			_, _ = fmt.Fprintln(out, "as it was")
		}
	}
}
