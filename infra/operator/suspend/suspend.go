// Package suspend has the operator's commands that suspend a company and resume it.
//
// What never goes in here: what a suspended company may still do (shared/tenant), and how its people learn of it
// (functions/tenants/standing).
package suspend

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/standing"
	"github.com/tenantry/tenantry/infra/operator/erase"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// maxNotice is how many characters a notice has at most: it lies beside each membership.
const maxNotice = 200

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
	of, err := look(ctx, e, *id)
	if err != nil {
		return err
	}
	asks := []string{fmt.Sprintf("This suspends company %d, %q. %s with the code suspended; what it has already begun goes on.",
		*id, of.Name, what)}
	if slices.Contains(of.Layers(), tenant.Closed) {
		asks = append(asks, "Its owner has closed it: it is kept, and not erased, while it is suspended.")
	}
	return change(ctx, e, asks, tenant.ID(*id), func(w *record.Work, c *company.Company) error {
		if c.State == tenant.Erasing || to == tenant.OnlyRead && slices.Contains(c.Layers(), tenant.Closed) {
			return fmt.Errorf("the company is %s", States(*c))
		}
		return standing.Change(w, c, tenant.Standing{State: to, Notice: say.Message(text), Full: c.Full})
	})
}

// Resume resumes a company. One that its owner has closed stays closed, or is closed again, unless that is to be taken back too.
func Resume(ctx context.Context, e *stage.Env, args []string) error {
	flags := e.Flags("resume")
	id := flags.Int64("tenant", 0, "the `number` of the company")
	reopen := flags.Bool("reopen", false, "take back too that its owner has closed it")
	if err := stage.Parse(flags, args); err != nil {
		return err
	}
	of, err := look(ctx, e, *id)
	if err != nil {
		return err
	}
	may := func(c company.Company) error {
		switch {
		case c.State == tenant.Erasing:
			return fmt.Errorf("the company is %s", c.State.Shown())
		case c.State == tenant.Closed && !*reopen:
			return fmt.Errorf("the company is %s: what its owner has closed stays closed unless -reopen is given", States(c))
		}
		return nil
	}
	if err := may(of); err != nil { // before anybody is asked
		return err
	}
	asks := []string{fmt.Sprintf("This resumes company %d, %q, which is %s.", *id, of.Name, States(of))}
	closed := slices.Contains(of.Layers(), tenant.Closed)
	if closed && !*reopen {
		asks = append(asks, "It is closed again then, and erased in 14 days unless an owner takes that back; -reopen takes it back now.")
	} else {
		asks = append(asks, "Its people can use it as their roles allow.")
	}
	if closed && *reopen {
		asks = append(asks, "It takes back that its owner has closed it: nothing of it is erased.")
	}
	return change(ctx, e, asks, tenant.ID(*id), func(w *record.Work, c *company.Company) error {
		if err := may(*c); err != nil {
			return err
		}
		if *reopen {
			return standing.Change(w, c, tenant.Standing{Full: c.Full})
		}
		return standing.Resume(w, c)
	})
}

// States are the states of a company in words: the host and an owner may each have done something.
func States(c company.Company) string {
	words := ""
	for _, s := range c.Layers() {
		words += ", and before that " + says(s)
	}
	return strings.TrimPrefix(words, ", and before that ")
}

func says(s tenant.State) string {
	switch s {
	case tenant.OnlyRead:
		return "suspended for all but reading"
	case tenant.Erasing:
		return "being erased"
	}
	return s.Shown()
}

// look reads the company of a number.
func look(ctx context.Context, e *stage.Env, number int64) (c company.Company, err error) {
	if number <= 0 {
		return c, errors.New("name the company with -tenant")
	}
	of := e.Of(tenant.ID(number))
	err = of.Get(ctx, of.Company(), &c)
	if errors.Is(err, table.ErrNotFound) {
		err = fmt.Errorf("there is no company %d", number)
	}
	return c, err
}

// change asks, has a company get another standing, and spreads it.
func change(ctx context.Context, e *stage.Env, asks []string, id tenant.ID, do func(w *record.Work, c *company.Company) error) error {
	if err := e.Ask(asks...); err != nil {
		return err
	}
	var is string
	s, at := standing.Open(e.Conn), e.Now()
	scope := s.Scope(record.Scope{Now: e.Now, Actor: audit.Actor{Request: uuid.NewString(), At: at}}, id)
	if err := scope.Do(ctx, nil, func(w *record.Work) error {
		item, err := w.Item(ctx, table.Of(e.Conn, id).Company())
		if err != nil {
			return err
		}
		if item.Text(erase.UnfinishedAt) != "" {
			return errors.New("the company is not restored or imported wholly: run that command again first, or erase -unfinished")
		}
		c, err := company.Get(ctx, w)
		if err != nil {
			return err
		}
		if err := do(w, &c); err != nil {
			return err
		}
		is = States(c)
		return nil
	}); err != nil {
		return err
	}
	if err := s.Spread(ctx, id); err != nil {
		return err
	}
	e.Say("Company %d is %s.", id, is)
	return nil
}
