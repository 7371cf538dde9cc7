package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/lambdaruntime"
)

const (
	startRounds = 60
	warmRounds  = 3    // not counted: they fill the disk's cache
	quick       = 0.25 // the percentile by which starts are compared

	// plain is the program to compare functions with: it only makes a DynamoDB client, from the environment, as our functions do.
	plain = "infra/bench/testdata/plain"
)

// starter is one program whose starts are measured.
type starter struct {
	lambdaruntime.Options
	poll []time.Duration // since the start of the process
	base []time.Duration // polls of the base, each started right before this program
}

// later tells how much later than the base the program asks for work. Both are judged by their faster starts, because whatever else
// the machine does makes starts slower and never faster.
func (p *starter) later() time.Duration { return percentile(p.poll, quick) - percentile(p.base, quick) }

// starts measures how long each function takes from the start of its process to its first request for work. Each start of a
// function has a start of the base right before it, so that both meet the machine in the same state.
func (b *bench) starts(ctx context.Context, r *section) error {
	base, err := b.starter(ctx, "`plain`", plain, "documents")
	if err != nil {
		return err
	}
	var list []*starter
	invoked := groups.Invoked() // the bound is not theirs
	for _, group := range slices.Sorted(maps.Keys(b.functions)) {
		if invoked[group] != nil {
			continue
		}
		p, err := b.starter(ctx, group, mainOf(group), group)
		if err != nil {
			return err
		}
		list = append(list, p)
	}
	for round := range warmRounds + startRounds {
		for _, p := range list {
			before, err := base.start(ctx)
			if err != nil {
				return err
			}
			own, err := p.start(ctx)
			if err != nil {
				return err
			}
			if round >= warmRounds {
				p.base, p.poll = append(p.base, before), append(p.poll, own)
			}
		}
	}
	rows := [][]string{{"Program", "First poll", "later than `plain`"}}
	worst := list[0]
	for _, p := range list {
		if p.later() > worst.later() {
			worst = p
		}
		rows = append(rows, []string{p.Name, ms(percentile(p.poll, quick)), ms(p.later())})
	}
	r.judgeTime("start of each function to its first poll, against an aws-lambda-go function that only makes a DynamoDB client",
		worst.later() <= 3*time.Millisecond, "≤ 3 ms later", "%s later at most (%s)", ms(worst.later()), worst.Name)
	r.table(rows)
	return nil
}

// starter builds a program, which gets the environment of a group's function.
func (b *bench) starter(ctx context.Context, name, folder, group string) (p *starter, err error) {
	b.say("  building %s", name)
	p = &starter{}
	p.Name = name
	if p.Bootstrap, err = b.build(ctx, folder); err != nil {
		return nil, err
	}
	p.Env, err = b.stage.world.Environment(b.functions[group])
	return p, err
}

// start starts the program, and returns how long it took until it asked for work.
func (p *starter) start(ctx context.Context) (time.Duration, error) {
	runtime, err := lambdaruntime.Start(ctx, p.Options)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", p.Name, err)
	}
	defer runtime.Close()
	return runtime.InitTimes()[0], nil
}
