// Command smoke checks a deployed stage from outside, as a client sees it: what the gateway does that AWS doesn't document,
// sign-in, redirects, the form of errors, every operation of the contract, and the whole life of a document, a rental point,
// a custom field, a client, a small import, an order and a signature. The lists beside it say what is asked and has to be answered
// (infra/local/steps). It prints one line for each step, and exits with 1 if a step fails.
//
// It signs in with SMOKE_USERNAME and SMOKE_PASSWORD; the user has to be a manager or an owner. If the user has
// several companies, SMOKE_TENANT names one of them. Rental points, clients, inventory items and orders of that company
// must have no required custom fields. On a local platform, the demo company's user will do. The command deletes what it
// makes, but for what can't be deleted: an order with its payment of 1.00, an account if there was none, and the history.
//
// It checks that the parts of a deployment work together. Checks of what one operation does never go in here: they are
// in the tests beside the code.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

func run(ctx context.Context, args []string, getenv func(string) string, out, problems io.Writer) (status int) {
	flags := flag.NewFlagSet("smoke", flag.ContinueOnError)
	flags.SetOutput(problems)
	address := flags.String("url", "", "the stage's `address`, such as https://api.example.com")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	base, err := url.Parse(strings.TrimSuffix(*address, "/"))
	if err != nil || base.Host == "" || (base.Scheme != "https" && base.Scheme != "http") || base.RawQuery != "" {
		fmt.Fprintf(problems, "smoke: -url %q is no http or https address\n", *address)
		return 2
	}
	w := newWalk(base.String(), out)
	if err := w.walk(ctx, getenv("SMOKE_USERNAME"), getenv("SMOKE_PASSWORD"), getenv("SMOKE_TENANT")); err != nil {
		fmt.Fprintf(problems, "smoke: %v\n", err)
		return 1
	}
	if w.refused > 0 {
		w.seen(fmt.Sprintf("%d requests exceeded the stage's rate, were refused with its own 429, and were sent again", w.refused))
	}
	if w.failed > 0 {
		fmt.Fprintf(out, "%d of %d steps failed\n", w.failed, w.steps)
		return 1
	}
	fmt.Fprintf(out, "%d steps, all as expected\n", w.steps)
	return 0
}
