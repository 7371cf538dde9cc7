package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/lambdaruntime"
	"github.com/tenantry/tenantry/infra/local/world"
)

const (
	startRounds = 60
	warmRounds  = 3    // not counted: they fill the disk's cache
	quick       = 0.25 // the percentile by which starts are compared

	// startBound is how much later than plain a function may ask for its first request.
	startBound = 3 * time.Millisecond

	// The programs to compare functions with: they only make a DynamoDB client.
	plain = "infra/bench/testdata/plain" // as our functions do, from the environment: the base of the bound
	usual = "infra/bench/testdata/usual" // as the SDK's documentation does, searching for configuration
)

// firstEvent names the event that a function gets first. It is the group's list, unless another is named here.
func firstEvent(group string) string {
	switch group {
	case "authorizer":
		return "ok"
	case "fallback":
		return "health"
	case "identity":
		return "auth-profile"
	case "worker":
		return "sweep"
	case "settings":
		return "custom-fields-list"
	case "tenants":
		return "tenants-list"
	case "finance":
		return "accounts-read"
	case "metrics":
		return "detail"
	case "sales":
		return "board"
	case "signing":
		return "page"
	case "sms":
		return "account"
	default:
		return "list"
	}
}

// starter is one program whose starts are measured.
type starter struct {
	name      string
	bootstrap string
	env       []string
	event     []byte

	poll, answer []time.Duration // since the start of the process
	base         []time.Duration // polls of the base, each started right before this program
}

// later tells how much later than the base the program asks for work. Both are judged by their faster starts, because whatever else
// the machine does makes starts slower and never faster.
func (p *starter) later() time.Duration { return percentile(p.poll, quick) - percentile(p.base, quick) }

// starts measures how long each function takes from the start of its process to its first request for work. Each start of a
// function has a start of the base right before it, so that both meet the machine in the same state.
func (b *bench) starts(ctx context.Context, r *section) error {
	r.Title = "Start of a function"
	s, err := b.open(ctx)
	if err != nil {
		return err
	}
	w, err := world.New(ctx, world.Engines{
		Template: b.template, Table: s.engine.Endpoint(), Files: s.bucket, Identities: s.issuer,
	}, b.folder)
	if err != nil {
		return err
	}
	list, err := b.starters(ctx, w)
	if err != nil {
		return err
	}
	base, list := list[0], list[1:]
	for round := range warmRounds + startRounds {
		for _, p := range list {
			if err := p.pair(ctx, base, round >= warmRounds); err != nil {
				return err
			}
		}
	}
	rows := [][]string{{"Program", "First poll", "later than `plain`", "First answer"}, base.row("")}
	var worst time.Duration
	of := ""
	for i, p := range list {
		if later := p.later(); i > 0 && (of == "" || later > worst) { // the first is usual, no function
			worst, of = later, p.name
		}
		rows = append(rows, p.row(ms(p.later())))
	}
	r.judgeTime("start of each function to its first poll, against an aws-lambda-go function that only makes a DynamoDB client",
		worst <= startBound, "≤ 3 ms later", "%s later at most (%s)", ms(worst), of)
	r.table(rows)
	r.text("Real bootstraps under a Lambda Runtime API. Each of %d starts of a program comes right after a start of `plain`; told is\n"+
		"the 25th percentile of either, and the difference of these two. `plain` makes its client with credentials from the\n"+
		"environment and nothing else, as our functions do; `usual` with `config.LoadDefaultConfig`, as the SDK's documentation\n"+
		"does. Both poll without having asked anything. The first answer counts from the start of the process too: of our functions\n"+
		"that of a recorded event, of the others that of one GetItem.", startRounds)
	return nil
}

// pair starts the base and then the program.
func (p *starter) pair(ctx context.Context, base *starter, counts bool) error {
	if err := base.run(ctx, counts); err != nil {
		return err
	}
	if err := p.run(ctx, counts); err != nil {
		return err
	}
	if counts {
		p.base = append(p.base, base.poll[len(base.poll)-1])
	}
	return nil
}

// row is the program's row in the table.
func (p *starter) row(later string) []string {
	return []string{p.name, ms(percentile(p.poll, quick)), later, ms(percentile(p.answer, quick))}
}

// starters builds all programs. The base comes first, then the other one to compare with.
func (b *bench) starters(ctx context.Context, w *world.World) (list []*starter, err error) {
	add := func(name, folder string, env []string, event []byte) error {
		b.say("  building %s", name)
		path, err := b.buildHere(ctx, folder)
		list = append(list, &starter{name: name, bootstrap: path, env: env, event: event})
		return err
	}
	for id, f := range b.template.Functions {
		if f.Group() != "documents" {
			continue
		}
		env, err := w.Environment(id)
		if err != nil {
			return nil, err
		}
		if err := add("`plain`", plain, env, []byte(`{}`)); err != nil {
			return nil, err
		}
		if err := add("`usual`", usual, env, []byte(`{}`)); err != nil {
			return nil, err
		}
	}
	invoked := groups.Invoked() // no request of theirs is recorded, and the bound is not theirs
	for _, group := range b.groups() {
		if invoked[group] != nil {
			continue
		}
		for id, f := range b.template.Functions {
			if f.Group() != group {
				continue
			}
			env, err := w.Environment(id)
			if err != nil {
				return nil, err
			}
			event, err := os.ReadFile(filepath.Join(b.root, "events", group, firstEvent(group)+".json"))
			if err != nil {
				return nil, err
			}
			if err := add(group, mainOf(group), env, w.Localise(event)); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// run starts the program once and sends it one event.
func (p *starter) run(ctx context.Context, counts bool) error {
	runtime, err := lambdaruntime.Start(ctx, lambdaruntime.Options{Bootstrap: p.bootstrap, Name: p.name, Env: p.env})
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	defer runtime.Close()
	polled := runtime.InitTimes()[0]
	asked := time.Now()
	if _, err := runtime.Invoke(ctx, p.event); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	if counts {
		p.poll, p.answer = append(p.poll, polled), append(p.answer, polled+time.Since(asked))
	}
	return nil
}
