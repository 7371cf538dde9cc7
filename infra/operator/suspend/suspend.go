// Package suspend has the operator's commands that suspend a company and resume it.
//
// What never goes in here: what a suspended company may still do (shared/tenant), and how its people learn of it
// (functions/tenants/standing).
package suspend

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/standing"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// maxNotice is how many characters a notice has at most: it lies beside each membership.
const maxNotice = 200

// unfinished is the attribute of a company that a restore or an import has not ended (infra/operator/restore).
const unfinished = "rst"

// Run suspends a company.
func Run(ctx context.Context, e *stage.Env, args []string) error {
	flags := e.Flags("suspend")
	id := flags.Int64("tenant", 0, "the `number` of the company")
	reads := flags.Bool("reads", false, "leave it what only reads")
	notice := flags.String("notice", "", "the `text` that whoever is refused reads, at most 200 characters")
	if err := stage.Parse(flags, args); err != nil {
		return err
	}
	text := strings.TrimSpace(*notice)
	if len([]rune(text)) > maxNotice {
		return fmt.Errorf("-notice has more than %d characters", maxNotice)
	}
	if err := stage.Printable("-notice", text); err != nil {
		return err
	}
	to, what := tenant.Suspended, "From then on its people, programs and signers are refused, 403"
	if *reads {
		to, what = tenant.OnlyRead, "From then on what changes anything is refused, 403"
	}
	return change(ctx, e, *id, to, text, "This suspends", what+" with the code suspended; what it has already begun goes on.")
}

// Resume resumes a company, also one that its owner has closed.
func Resume(ctx context.Context, e *stage.Env, args []string) error {
	flags := e.Flags("resume")
	id := flags.Int64("tenant", 0, "the `number` of the company")
	if err := stage.Parse(flags, args); err != nil {
		return err
	}
	return change(ctx, e, *id, tenant.Active, "", "This resumes", "Its people can use it as their roles allow.")
}

func change(ctx context.Context, e *stage.Env, number int64, to tenant.State, notice, does, what string) error {
	if number <= 0 {
		return errors.New("name the company with -tenant")
	}
	id := tenant.ID(number)
	named, err := e.Company(ctx, id)
	if err != nil {
		return err
	}
	if err := e.Ask(fmt.Sprintf("%s company %d, %q. %s", does, id, named.Name, what)); err != nil {
		return err
	}
	s, at := standing.Open(e.Conn), e.Now()
	scope := s.Scope(record.Scope{Now: e.Now, Actor: audit.Actor{Request: uuid.NewString(), At: at}}, id)
	if err := scope.Do(ctx, nil, func(w *record.Work) error {
		item, err := w.Item(ctx, table.Of(e.Conn, id).Company())
		if err != nil {
			return err
		}
		if item.Text(unfinished) != "" {
			return errors.New("the company is not restored or imported wholly: run that command again first")
		}
		c, err := company.Get(ctx, w)
		if err != nil {
			return err
		}
		if c.State == tenant.Erasing || c.State == tenant.Closed && to == tenant.OnlyRead {
			return fmt.Errorf("the company is %s", c.State.Shown())
		}
		return standing.Change(w, &c, tenant.Standing{State: to, Notice: notice, Full: c.Full})
	}); err != nil {
		return err
	}
	if err := s.Spread(ctx, id); err != nil {
		return err
	}
	e.Say("Company %d is %s.", id, to.Shown())
	return nil
}
