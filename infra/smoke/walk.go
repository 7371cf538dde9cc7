package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/infra/local/steps"
)

//go:embed *.yaml
var lists embed.FS

// told is what a list may name without having kept it.
func told() []string {
	return []string{"local", "username", "password", "tenant", "access", "refresh", "order"}
}

// walk is one walk through a stage.
type walk struct {
	base          string
	client        *http.Client
	out           io.Writer
	values        steps.Values // of the list that is walked
	steps, failed int
	refused       int    // requests that the gateway itself refused, and that were sent again
	renames       bool   // the gateway gives WWW-Authenticate another name
	file          []byte // what was downloaded last
}

// patience is longer than the gateway's limit of 30 seconds.
const patience = 35 * time.Second

func newWalk(base string, out io.Writer) *walk {
	return &walk{base: base, out: out, values: steps.Values{}, client: &http.Client{
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// walk walks through the lists. It ends where nobody can sign in.
func (w *walk) walk(ctx context.Context, username, password, tenant string) error {
	for name, value := range map[string]string{"username": username, "password": password, "tenant": tenant} {
		if value != "" {
			w.values[name] = value
		}
	}
	for _, list := range []string{
		"stage", "signin", "documents", "google", "crm", "contract", "rental", "signing", "sms", "penalties", "metrics", "signout",
	} {
		if err := w.list(ctx, list); err != nil {
			return err
		}
		if list == "signin" && w.values["username"] == nil {
			fmt.Fprintln(w.out, "     no sign-in: set SMOKE_USERNAME and SMOKE_PASSWORD")
		}
		if list == "signin" && (w.values["access"] == nil || w.values["tenant"] == nil) {
			return nil
		}
	}
	return nil
}

// list walks through one list. What it keeps is its own, but for what all may name.
func (w *walk) list(ctx context.Context, name string) error {
	content, err := lists.ReadFile(name + ".yaml")
	if err != nil {
		return err
	}
	list, err := steps.Parse(content)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	values := given()
	for _, name := range told() {
		if value := w.values[name]; value != nil {
			values[name] = value
		}
	}
	w.values = values
	runner := steps.Runner{Values: values, Send: w.insist, Told: w.tell}
	return runner.Run(ctx, list)
}

// tooLarge is one byte more than a body may have.
const tooLarge = 4<<20 + 1

// given are the values that each list begins with.
func given() steps.Values {
	now := time.Now().UTC()
	unique := strconv.FormatInt(now.UnixMicro(), 10)
	verifier := rand.Text() + rand.Text()
	sum := sha256.Sum256([]byte(verifier))
	return steps.Values{
		"now": now, "unique": unique, "digits": unique[len(unique)-7:], "large": strings.Repeat(" ", tooLarge),
		"verifier": verifier, "challenge": base64.RawURLEncoding.EncodeToString(sum[:]),
	}
}

// tell writes a line for each step, and what a stage was seen to do where both is right.
func (w *walk) tell(o steps.Outcome) {
	w.steps++
	if o.Err != nil {
		w.failed++
		fmt.Fprintf(w.out, "FAIL %-34s %s %s: %v\n", o.Do, o.Request.Method, o.Request.Path, o.Err)
		return
	}
	fmt.Fprintf(w.out, "ok   %-34s %s %s %d, %d ms\n", o.Do, o.Request.Method, o.Request.Path, o.Answer.Status, o.Took.Milliseconds())
	switch {
	case o.Do == "a slash at the end":
		w.seen("the slash at the end of a path reaches the functions")
	case o.Do == "who has to sign in" && w.renames:
		w.seen("the gateway renames WWW-Authenticate to " + renamed + "; clients read that one, or the status")
	case o.Do == "who has to sign in":
		w.seen("WWW-Authenticate keeps its name")
	}
}

func (w *walk) seen(what string) { fmt.Fprintf(w.out, "     seen: %s\n", what) }
