// Package plan is the operator's command that shows and sets what a company may have and use.
//
// What never goes in here: how a plan is kept to (functions/tenants/company, functions/tenants/usage).
package plan

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strconv"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/standing"
	"github.com/tenantry/tenantry/functions/tenants/usage"
	"github.com/tenantry/tenantry/infra/operator/erase"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// errUnfinished refuses a company that a restore writes whole meanwhile, its plan too.
var errUnfinished = errors.New("the company is not restored or imported wholly: run that command again first, and then set its plan")

// Run shows the plan of a company, or sets all of it: a limit that is not named is none.
func Run(ctx context.Context, e *stage.Env, args []string) error {
	var to company.Plan
	flags := e.Flags("plan")
	id := flags.Int64("tenant", 0, "the `number` of the company")
	limits := map[string]*int64{"records": &to.Records, "members": &to.Members, "sms": &to.SMS, "seals": &to.Seals}
	flags.Int64Var(&to.Records, "records", 0, "the most records of all kinds; 0: no limit")
	flags.Int64Var(&to.Members, "members", 0, "the most members and invitations; 0: no limit")
	flags.Int64Var(&to.SMS, "sms", 0, "the most segments of SMS in a month; 0: no limit")
	flags.Int64Var(&to.Seals, "seals", 0, "the most sealed documents in a month; 0: no limit")
	if err := stage.Parse(flags, args); err != nil {
		return err
	}
	for name, n := range limits {
		if *n < 0 {
			return fmt.Errorf("-%s %d is no limit", name, *n)
		}
	}
	named, err := e.Company(ctx, tenant.ID(*id))
	if err != nil {
		return err
	}
	of := e.Of(tenant.ID(*id))
	var item table.Attributes
	if err := of.Get(ctx, of.Company(), &item); err != nil {
		return err
	}
	var c company.Company
	if err := item.Decode(&c); err != nil {
		return err
	}
	e.Say("Company %d, %q, has the plan: %s.", *id, named.Name, words(c.PlanOf()))
	sets := false
	flags.Visit(func(f *flag.Flag) { sets = sets || limits[f.Name] != nil })
	if !sets {
		return nil
	}
	if item.Text(erase.UnfinishedAt) != "" {
		return errUnfinished
	}
	if err := e.Ask(fmt.Sprintf("This gives it the plan: %s. What it has already stays.", words(to))); err != nil {
		return err
	}
	u := of.Update(of.Company()).If("attribute_exists(pk) AND attribute_not_exists(" + erase.UnfinishedAt + ")")
	if to == (company.Plan{}) {
		u = u.Remove("pl")
	} else {
		u = u.Set("pl", to)
	}
	err = table.Retry(ctx, func() error { return u.Run(ctx) })
	if dynamo.IsCondCheckFailed(err) {
		return errors.New("the company is gone by now, or a restore of it has begun: look at it again")
	}
	if err != nil {
		return err
	}
	c.Plan = &to
	stored, err := usage.Count(ctx, of)
	if err != nil {
		return err
	}
	if err := standing.Open(e.Conn).Judge(ctx, tenant.ID(*id), usage.Full(c, stored), e.Now()); err != nil {
		return err
	}
	e.Say("Company %d has the plan: %s. It has %s and %s.", *id, words(to),
		counted(stored.Records, "record", "records"), counted(stored.Members, "member", "members"))
	return nil
}

// words are a plan as it is printed.
func words(p company.Plan) string {
	text := ""
	for _, l := range []struct {
		of   company.Limit
		one  string
		many string
	}{
		{company.LimitRecords, "record", "records"},
		{company.LimitMembers, "member or invitation", "members and invitations"},
		{company.LimitSMS, "segment of SMS a month", "segments of SMS a month"},
		{company.LimitSeals, "sealed document a month", "sealed documents a month"},
	} {
		if n := p.Of(l.of); n > 0 {
			text += ", " + counted(n, l.one, l.many)
		}
	}
	if text == "" {
		return "no limits"
	}
	return "at most " + text[len(", "):]
}

func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + many
}
