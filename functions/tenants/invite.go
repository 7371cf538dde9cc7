package tenants

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/outbox/notify/daily"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/throttle"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// These limit how many invitations are sent in a day of UTC. Anybody can make a company, and the platform must not be
// used to send spam. The limit of one company for one address is much lower than the limit for the address; otherwise
// one company could prevent all others from inviting that address.
const (
	invitesOfCompany  = 200
	invitesOfUser     = 200 // in all companies together
	invitesOfOneToOne = 3   // from one company to one address
	invitesToAddress  = 50  // from all companies to one address
)

func inviteCounts(id tenant.ID, user int64, address string) []throttle.Count {
	return []throttle.Count{
		throttle.Rule{Name: "invite-user", Limit: invitesOfUser, Window: 24 * time.Hour}.Of(strconv.FormatInt(user, 10)),
		throttle.Rule{Name: "invite-company", Limit: invitesOfCompany, Window: 24 * time.Hour}.Of(id.String()),
		throttle.Rule{Name: "invite-pair", Limit: invitesOfOneToOne, Window: 24 * time.Hour}.Of(id.String(), address),
		throttle.Rule{Name: "invite-to", Limit: invitesToAddress, Window: 24 * time.Hour}.Of(address),
	}
}

// invite makes a staff record for an address, and leaves the e-mail to be sent.
func (g *group) invite(ctx context.Context, r *web.Request, in *struct{ Body staffBody }) (*web.Reply[Staff], error) {
	var of resource.Result[*staff.Staff]
	o := g.staff.Outcome(ctx, r, &of, http.StatusCreated)
	return o.After(g.scope(r, r.Table.ID()).Do(ctx, o, func(w *record.Work) error {
		invitee := new(staff.Staff)
		of = resource.Result[*staff.Staff]{Work: w, Record: invitee}
		g.staff.Kind.Create(w, "", invitee)
		in.Body.invite(invitee)
		if invitee.Email == "" {
			return fault.Field("email", say.InvalidEmail)
		}
		if err := mayTouch(w, r, invitee, ""); err != nil {
			return err
		}
		places, err := g.seatsOf(ctx, w, 1)
		if err != nil {
			return err
		}
		if err := w.Number(ctx); err != nil {
			return err
		}
		w.Also(func(tx *table.Tx) error {
			g.store.offer(tx, invitee.Email, invitationItem{Tenant: r.Table.ID(), Staff: invitee.ID, By: r.Principal.User}, g.env.Now())
			tx.Update(g.store.update(places), table.ErrRevision)
			g.throttle.With(tx, inviteCounts(r.Table.ID(), r.Principal.User, invitee.Email)...)
			g.throttle.With(tx, daily.Counts(daily.CompanyMail(g.env.Config.MailDaily), invitee.Email)...)
			return nil
		})
		return w.Send(inviteKind, inviteBody{invitee.ID})
	}))
}
