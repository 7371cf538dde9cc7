package tenants

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/shared/directory"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/throttle"
	"github.com/tenantry/tenantry/shared/unique"
	"github.com/tenantry/tenantry/shared/web"
)

// How many invitations are sent in a day of UTC: anybody can make a company, and
// the platform must not be what strangers' mailboxes are filled with.
const (
	invitesOfCompany = 200
	invitesOfUser    = 200 // over all companies
	invitesToAddress = 10
)

func inviteCounts(id tenant.ID, user int64, address string) []throttle.Count {
	return []throttle.Count{
		throttle.Rule{Name: "inviter", Limit: invitesOfUser, Window: 24 * time.Hour}.Of(strconv.FormatInt(user, 10)),
		throttle.Rule{Name: "invites", Limit: invitesOfCompany, Window: 24 * time.Hour}.Of(id.String()),
		throttle.Rule{Name: "invited", Limit: invitesToAddress, Window: 24 * time.Hour}.Of(address),
	}
}

// invite makes a staff record for an address, and leaves the e-mail to be sent.
func (g *group) invite(ctx context.Context, r *web.Request, in *struct{ Body staffBody }) (*web.Reply, error) {
	w, invitee, now := g.staff.Writer(r, g.env.Now), new(staff), g.env.Now()
	w.Begin(invitee)
	invitee.invite(&in.Body)
	if invitee.Email == "" {
		return nil, fault.Field("email", fault.BadEmail)
	}
	if err := mayTouch(r.Principal.Role, "", invitee.Role); err != nil {
		return nil, err
	}
	var reply *web.Reply
	err := w.Claiming(ctx, invitee, unique.Claims{}, func(claims unique.Claims) error {
		_, err := directory.Create(ctx, g.store.all, w.Directory(), func(tx *table.Tx, id int64) error {
			w.Number(invitee, id)
			if err := w.Insert(tx, invitee, id, claims); err != nil {
				return err
			}
			g.store.offer(tx, invitee.Email, invitationItem{Tenant: r.Table.ID(), Staff: id, By: r.Principal.User}, now)
			m, err := outbox.New(r.Table.Message, inviteKind, inviteBody{id}, now, now)
			if err != nil {
				return err
			}
			outbox.Send(tx, r.Table, m)
			g.throttle.With(tx, inviteCounts(r.Table.ID(), r.Principal.User, invitee.Email)...)
			reply = g.staff.Answer(invitee, http.StatusCreated)
			reply.Header["Location"] = r.BaseURL + g.staff.Path + strconv.FormatInt(id, 10) + "/"
			return r.Keep(ctx, tx, reply)
		})
		return err
	})
	return reply, err
}
