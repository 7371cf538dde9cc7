// Command smoke walks a stage that is up, as a client would: sign-in, redirects, the errors' shapes, and a document, a
// rental point, a custom field, a client and a small import from their creation to their end. It prints a line a step and
// ends with 1 if a step found something else than it expects.
//
// It signs in as SMOKE_USERNAME with SMOKE_PASSWORD, a manager or an owner. On this machine it can use the demo company's user.
// SMOKE_TENANT names the company of a user who has several; its rental points and clients have no required custom fields.
// It deletes everything that it makes; only the history stays.
//
// It checks that a deployment holds together. Whether an operation does what it should is for the tests beside the code.
package main

import (
	"context"
	"encoding/json"
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
	who := signIn{Username: getenv("SMOKE_USERNAME"), Password: getenv("SMOKE_PASSWORD"), Tenant: json.Number(getenv("SMOKE_TENANT"))}
	w.walk(ctx, who)
	if w.failed > 0 {
		fmt.Fprintf(out, "%d of %d steps failed\n", w.failed, w.steps)
		return 1
	}
	fmt.Fprintf(out, "%d steps, all as expected\n", w.steps)
	return 0
}
