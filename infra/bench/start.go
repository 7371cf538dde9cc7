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
	warmRounds  = 3 // not counted: they fill the disk's cache
	startBound  = 1.3

	// The programs to compare functions with: they only make a DynamoDB client.
	usual = "infra/bench/testdata/usual" // as the SDK's documentation does
	plain = "infra/bench/testdata/plain" // as our functions do, without searching for configuration
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
		return "detail-requests"
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
}

// starts measures how long each function takes from the start of its process to its first
// request for work. Programs that do almost nothing are measured alternately, to compare.
func (b *bench) starts(ctx context.Context, r *section) error {
	r.title = "Start of a function"
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
	for round := range warmRounds + startRounds {
		for _, p := range list {
			if err := p.run(ctx, round >= warmRounds); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		}
	}
	base, bare := median(list[0].poll), median(list[1].poll)
	rows := [][]string{{"Program", "First poll", "against `usual`", "against `plain`", "First answer"}}
	worst, of := 0.0, ""
	for i, p := range list {
		ratio := float64(median(p.poll)) / float64(base)
		if i > 1 && ratio > worst {
			worst, of = ratio, p.name
		}
		rows = append(rows, []string{
			p.name, ms(median(p.poll)), fmt.Sprintf("%.2f", ratio), fmt.Sprintf("%.2f", float64(median(p.poll))/float64(bare)),
			ms(median(p.answer)),
		})
	}
	r.judgeTime("start of each function to its first poll, against an aws-lambda-go function that only makes a DynamoDB client",
		worst <= startBound, "≤ 1.3 times", "%.2f times at most (%s, %s)", worst, of, ms(time.Duration(worst*float64(base))))
	r.table(rows)
	r.text("Real bootstraps under a Lambda Runtime API, medians of %d starts, all programs in turns. `usual` makes its client with\n"+
		"`config.LoadDefaultConfig`, as the SDK's documentation does; `plain` with credentials from the environment and nothing\n"+
		"else, as our functions do. The bound is against `usual`. Both poll without having asked anything. The first answer counts\n"+
		"from the start of the process too: of our functions that of a recorded event, of the others that of one GetItem.", startRounds)
	return nil
}

// starters builds all programs. The two programs to compare with come first.
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
		if err := add("`usual`", usual, env, []byte(`{}`)); err != nil {
			return nil, err
		}
		if err := add("`plain`", plain, env, []byte(`{}`)); err != nil {
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
		return err
	}
	defer runtime.Close()
	polled := runtime.InitTimes()[0]
	asked := time.Now()
	if _, err := runtime.Invoke(ctx, p.event); err != nil {
		return err
	}
	if counts {
		p.poll, p.answer = append(p.poll, polled), append(p.answer, polled+time.Since(asked))
	}
	return nil
}
