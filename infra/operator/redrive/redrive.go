// Package redrive is the operator's command that tells which messages of the outbox were given up, and puts back those that are chosen.
//
// What never goes in here: what a message means, and how it is carried out.
package redrive

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// choice is which messages are put back.
type choice struct {
	kind   string
	tenant int64
	all    bool
}

func (c choice) any() bool { return c.all || c.kind != "" || c.tenant != 0 }

func (c choice) has(kind outbox.Kind, company tenant.ID) bool {
	return (c.kind == "" || c.kind == string(kind)) && (c.tenant == 0 || tenant.ID(c.tenant) == company)
}

// group are the messages of a kind and a company.
type group struct {
	kind    outbox.Kind
	company tenant.ID // 0: of none
}

// failures are messages of a group that were given up.
type failures struct {
	group

	messages []outbox.Message
}

// Run lists the messages that were given up, and puts back those that the flags choose.
func Run(ctx context.Context, e *stage.Env, args []string) error {
	var chosen choice
	flags := e.Flags("redrive")
	flags.StringVar(&chosen.kind, "kind", "", "put back messages of this `kind`, such as documents.seal")
	flags.Int64Var(&chosen.tenant, "tenant", 0, "put back messages of the company with this `number`")
	flags.BoolVar(&chosen.all, "all", false, "put back all messages")
	if err := stage.Parse(flags, args); err != nil {
		return err
	}
	switch {
	case chosen.all && (chosen.kind != "" || chosen.tenant != 0):
		return fmt.Errorf("-all is every message: leave out -kind and -tenant")
	case chosen.tenant < 0:
		return fmt.Errorf("-tenant %d is no company", chosen.tenant)
	}
	of := crosstenant.Open(e.Conn)
	failed, err := list(ctx, of)
	if err != nil {
		return err
	}
	tell(e, failed)
	letters, err := readLetters(ctx, e, of)
	if err != nil {
		return err
	}
	letters.tell(e)
	if !chosen.any() {
		if len(failed) > 0 || letters.any() {
			e.Say("Nothing was changed. -kind, -tenant or -all puts messages back.")
		}
		return nil
	}
	return putBack(ctx, e, of, chosen, failed, letters)
}

// putBack puts back the messages that are chosen.
func putBack(ctx context.Context, e *stage.Env, of crosstenant.Table, chosen choice, failed []failures, letters letters) error {
	var messages []outbox.Message
	for _, f := range failed {
		if chosen.has(f.kind, f.company) {
			messages = append(messages, f.messages...)
		}
	}
	taken := letters.chosen(chosen)
	if len(messages) == 0 && len(taken) == 0 {
		e.Say("There is no such message: nothing was done.")
		return nil
	}
	var what []string
	if len(messages) > 0 {
		what = append(what, fmt.Sprintf("This puts back %d messages that were given up: the next sweep brings them.", len(messages)))
	}
	if len(taken) > 0 {
		what = append(what, fmt.Sprintf("This removes %d letters from the queues: the next sweep brings what still waits.", len(taken)))
	}
	if err := e.Ask(what...); err != nil {
		return err
	}
	done := 0
	for _, m := range messages {
		ok, err := outbox.PutBack(ctx, of, m, e.Now())
		if err != nil {
			return fmt.Errorf("after %d of %d messages; run it again: %w", done, len(messages), err)
		}
		if ok {
			done++
		}
	}
	removed, err := letters.remove(ctx, e, of, taken)
	if err != nil {
		return fmt.Errorf("after %d of %d letters; run it again: %w", removed, len(taken), err)
	}
	e.Say("%d messages were put back, %d letters removed.", done, removed)
	return nil
}

// list returns the messages that were given up, by kind and company.
func list(ctx context.Context, of crosstenant.Table) ([]failures, error) {
	by := map[group][]outbox.Message{}
	if err := outbox.EachFailed(ctx, of, func(m outbox.Message) error {
		company, _ := m.Tenant()
		g := group{m.Kind, company}
		by[g] = append(by[g], m)
		return nil
	}); err != nil {
		return nil, err
	}
	var all []failures
	for g, messages := range by {
		all = append(all, failures{g, messages})
	}
	slices.SortFunc(all, func(a, b failures) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.company, b.company))
	})
	return all, nil
}

// tell prints the messages that were given up: for each kind and company how many, since when, and why the last one was.
func tell(e *stage.Env, all []failures) {
	if len(all) == 0 {
		e.Say("No message was given up.")
		return
	}
	for _, f := range all {
		last := f.messages[len(f.messages)-1]
		e.Say("%-20s %-14s %5d given up, from %s to %s: %s", f.kind, of(f.company), len(f.messages),
			when(f.messages[0]), when(last), cmp.Or(last.Problem, "each process that tried it ended"))
	}
}

func of(company tenant.ID) string {
	if company == 0 {
		return "of no company"
	}
	return "company " + company.String()
}

// when a message was given up.
func when(m outbox.Message) string {
	at, err := outbox.ParseDueKey(m.Swept)
	if err != nil {
		return m.Swept
	}
	return at.Format(time.RFC3339)
}
