package tenants

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/tenant"
)

// seats is what becomes of the number of a company's members and invitations, which is on the company's own item: so whoever invites,
// removes or declines at the same moment as others counts exactly.
type seats struct {
	company company.Company
	counted bool // the company has the number already
	was, by int64
}

// seats finds out how many seats there are. It is a fault with the code plan if the plan has no room for more.
func (g *group) seats(ctx context.Context, w *record.Work, c company.Company, by int64) (seats, error) {
	s := seats{company: c, by: by}
	if s.counted = c.Seats != nil; s.counted {
		s.was = *c.Seats
	} else {
		n, err := w.Scope().Listing(kinds.Staff).CountNow(ctx)
		if err != nil {
			return s, err
		}
		s.was = int64(n)
	}
	if by >= 0 && !c.PlanOf().Allows(company.LimitMembers, s.was+by) {
		return s, c.PlanOf().Refuses(company.LimitMembers)
	}
	return s, nil
}

// on adds the change to an update of the company. Where the condition fails, others have changed the number meanwhile.
func (s seats) on(u *dynamo.Update) *dynamo.Update {
	if !s.counted {
		return u.Set("mn", s.was+s.by).If("attribute_exists(pk) AND attribute_not_exists(mn)")
	}
	u = u.Add("mn", s.by).If("attribute_exists(pk)")
	if most := s.company.PlanOf().Members; most > 0 && s.by >= 0 {
		u = u.If("mn <= ?", most-s.by)
	}
	return u
}

// seatsOf reads the company of a unit of work, and how many seats it has.
func (g *group) seatsOf(ctx context.Context, w *record.Work, by int64) (seats, error) {
	item, err := w.Item(ctx, w.Scope().Table.Company())
	if err != nil {
		return seats{}, err
	}
	if item == nil {
		return seats{}, fault.ErrNotFound // it is being erased
	}
	c, err := company.Get(ctx, w)
	if err != nil {
		return seats{}, err
	}
	return g.seats(ctx, w, c, by)
}

// update begins the one change of the company that a transaction has room for.
func (s store) update(at seats) *dynamo.Update {
	return at.on(s.all.Update(at.company.Key()))
}

// vacates tells whether the last owner would go.
func (s seats) vacates(role tenant.Role) bool { return role == tenant.Owner && s.company.Owners <= 1 }
