// Package standing changes how a company stands: its host suspends and resumes it, its owner closes it and takes that back.
//
// What decides about requests is a copy beside each membership, feed token and key of the company, which the authorizer reads anyway.
// A change is written in the company's record first, together with a message; then it is spread. Whoever spreads may die: the message
// does it again, and a copy that is newer is left alone. Who joins meanwhile does so on the standing that was read, or not at all.
//
// What never goes in here: HTTP, who may change a standing, and what a standing means (shared/tenant).
package standing

import (
	"context"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Spread is the message that spreads the standing of its company.
const Spread outbox.Kind = "tenants.standing"

// Standings changes how companies stand.
type Standings struct {
	conn *table.Conn
	all  crosstenant.Table
}

// Open returns the standings of all companies.
func Open(c *table.Conn) Standings { return Standings{c, crosstenant.Open(c)} }

// Scope returns the scope of a unit of work that changes the standing of a company.
func (s Standings) Scope(of record.Scope, id tenant.ID) record.Scope {
	of.Table, of.Through = table.Of(s.conn, id), s.all
	return of
}

// seen is a standing as the history of a company shows it.
type seen struct {
	State  string      `json:"state"`
	Notice say.Message `json:"notice"`
}

// Change gives a company another standing in a unit of work; it is nothing where it stands so already. What the host and an owner have
// each done is kept, whichever was last: how a company stood before it was closed, and that it was closed before it was suspended.
func Change(w *record.Work, c *company.Company, to tenant.Standing) error {
	under, was := c.Before, c.Standing
	switch {
	case to.State == tenant.Closed, to.State == tenant.Suspended && was.State == tenant.Closed:
		under = &was
	case to.State != tenant.Suspended || !c.WasClosed():
		under = nil
	}
	return change(w, c, to, under)
}

// change gives a company another standing, and notes what lies under that.
func change(w *record.Work, c *company.Company, to tenant.Standing, under *tenant.Standing) error {
	if to.Since = c.Since; to == c.Standing {
		return nil
	}
	before := *c
	// Later than any before, also where two clocks differ, because the later of two standings counts.
	to.Since = max(moment.Of(w.Scope().Now()), before.Since+1)
	c.Standing, c.Before = to, under
	c.Change(w, before,
		func(c company.Company) any { return seen{c.State.Shown(), c.Notice} },
		func(u *dynamo.Update) {
			put(u, "", c.Standing)
			unchanged(u, before.Standing) // what has no revision changes it too: Judge, and the mark of an erasing
			if c.Before == nil {
				u.Remove("stb")
			} else {
				u.Set("stb", c.Before)
			}
		})
	return w.Send(Spread, struct{}{})
}

// put writes a standing below a path of an item.
func put(u *dynamo.Update, path string, s tenant.Standing) *dynamo.Update {
	for name, value := range map[string]string{"st": string(s.State), "stt": string(s.Notice)} {
		if value == "" {
			u.Remove(path + name)
		} else {
			u.Set(path+name, value)
		}
	}
	if s.Full == 0 {
		u.Remove(path + "stf")
	} else {
		u.Set(path+"stf", s.Full)
	}
	return u.Set(path+"sta", s.Since)
}

// unchanged makes a change of a company's record depend on how it has stood. Full changes without a moment where it is closed.
func unchanged(u *dynamo.Update, was tenant.Standing) {
	if was.Since == 0 {
		u.If("attribute_not_exists(sta)")
	} else {
		u.If("sta = ?", was.Since)
	}
	if was.Full == 0 {
		u.If("attribute_not_exists(stf)")
	} else {
		u.If("stf = ?", was.Full)
	}
}

// Close closes a company in a unit of work. now says when, for what its people are told.
func Close(w *record.Work, c *company.Company) error { return Change(w, c, closed(w, c)) }

// closed is how a company stands that is closed now.
func closed(w *record.Work, c *company.Company) tenant.Standing {
	ends := w.Scope().Now().UTC().Add(company.Grace).Truncate(time.Second)
	return tenant.Standing{
		State:  tenant.Closed,
		Notice: say.CompanyClosedUntil(ends),
		Full:   c.Full,
	}
}

// Resume takes back that a company was suspended. What its owner had closed before is closed again, and the days in which that can be
// taken back begin anew: meanwhile nobody could.
func Resume(w *record.Work, c *company.Company) error {
	to := tenant.Standing{Full: c.Full}
	if c.WasClosed() {
		to = closed(w, c)
	}
	return change(w, c, to, nil)
}

// Reopen takes back that a company was closed: it stands as it did before, and is full as it is now.
func Reopen(w *record.Work, c *company.Company) error {
	var before tenant.Standing
	if c.Before != nil {
		before = *c.Before
	}
	before.Full = c.Full // its plan may have changed meanwhile; see Judge
	return Change(w, c, before)
}

// passes is how often Spread looks again for copies that changed while it wrote.
const passes = 5

// Spread gives a company's standing to all that the authorizer reads of it, and signs those out who had this company alone, where it
// is closed. It may be repeated. Where a company is changed again meanwhile, its last standing is spread.
func (s Standings) Spread(ctx context.Context, id tenant.ID) error {
	for range passes {
		var c company.Company
		if err := s.all.Get(ctx, table.Of(s.conn, id).Company(), &c); err != nil {
			return err
		}
		if c.Since == 0 {
			return nil // it has never stood otherwise
		}
		stale, err := s.stale(ctx, id, c.Since)
		if err != nil {
			return err
		}
		if len(stale) == 0 {
			return nil
		}
		if err := s.write(ctx, stale, c); err != nil {
			return err
		}
	}
	return fmt.Errorf("standing: what is known of company %d keeps changing", id)
}

// write gives copies the standing of a company. One that has changed meanwhile is left to the next pass.
func (s Standings) write(ctx context.Context, stale []stood, c company.Company) error {
	return each(ctx, stale, func(ctx context.Context, of stood) error {
		if c.State == tenant.Closed && of.alone {
			if err := s.signOut(ctx, of.user, c.Since); err != nil {
				return err
			}
		}
		since := of.path + "sta"
		u := put(s.all.Update(of.key), of.path, c.Standing).If("attribute_not_exists("+since+") OR "+since+" < ?", c.Since)
		if of.path != "" {
			u.If(of.path+"t = ?", c.ID)
		} else {
			u.If("attribute_exists(pk)")
		}
		if err := u.Run(ctx); err != nil && !dynamo.IsCondCheckFailed(err) {
			return fmt.Errorf("standing: a copy of company %d: %w", c.ID, err)
		}
		return nil
	})
}

// Judge notes whether a company has all the records that its plan allows (tenant.Standing.Full), as whoever counts them finds. It may be
// repeated, and ends what was begun.
func (s Standings) Judge(ctx context.Context, id tenant.ID, full int64, now time.Time) error {
	of := table.Of(s.conn, id)
	err := table.Anew(ctx, table.Tries, func() error {
		var c company.Company
		if err := s.all.Get(ctx, of.Company(), &c); err != nil || c.Full == full {
			return err
		}
		to := c.Standing
		to.Full = full
		switch c.State {
		case tenant.Erasing:
			return nil
		case tenant.Closed: // its days are counted from Since; nobody needs to learn of it before Reopen
		default:
			to.Since = max(moment.Of(now), c.Since+1)
		}
		u := put(s.all.Update(of.Company()), "", to).If("attribute_exists(pk)")
		unchanged(u, c.Standing)
		err := u.Run(ctx)
		if dynamo.IsCondCheckFailed(err) {
			return table.ErrRevision
		}
		return err
	}, nil)
	if err != nil {
		return fmt.Errorf("standing: records of company %d: %w", id, err)
	}
	return s.Spread(ctx, id)
}
