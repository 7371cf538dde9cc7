package tenants

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/tenantry/tenantry/shared/directory"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/notify"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/throttle"
	"github.com/tenantry/tenantry/shared/unique"
	"github.com/tenantry/tenantry/shared/web"
)

// inviteKind is the message that sends an invitation.
const inviteKind outbox.Kind = "tenants.invitation"

// inviteBody names the staff record; the company is in the message's key.
type inviteBody struct {
	Staff int64 `json:"staff"`
}

// How many invitations are sent in a day of UTC: anybody can make a company, and
// the platform must not be what strangers' mailboxes are filled with.
const (
	invitesOfCompany = 200
	invitesToAddress = 10
)

func inviteCounts(id tenant.ID, address string) []throttle.Count {
	return []throttle.Count{
		throttle.Rule{Name: "invites", Limit: invitesOfCompany, Window: 24 * time.Hour}.Of(id.String()),
		throttle.Rule{Name: "invited", Limit: invitesToAddress, Window: 24 * time.Hour}.Of(address),
	}
}

// invite makes a place for an address, and leaves the e-mail to be sent.
func (g *group) invite(ctx context.Context, r *web.Request, in *struct{ Body staffBody }) (*web.Reply, error) {
	w, place, now := g.staff.Writer(r, g.env.Now), new(staff), g.env.Now()
	w.Begin(place)
	place.invite(&in.Body)
	if place.Email == "" {
		return nil, fault.Field("email", fault.BadEmail)
	}
	if err := mayTouch(r.Principal.Role, "", place.Role); err != nil {
		return nil, err
	}
	var reply *web.Reply
	err := w.Claiming(ctx, place, unique.Claims{}, func(claims unique.Claims) error {
		_, err := directory.Create(ctx, g.store.all, w.Directory(), func(tx *table.Tx, id int64) error {
			w.Number(place, id)
			if err := w.Insert(tx, place, id, claims); err != nil {
				return err
			}
			g.store.offer(tx, place.Email, r.Table.ID(), id)
			m, err := outbox.New(r.Table.Message, inviteKind, inviteBody{id}, now, now)
			if err != nil {
				return err
			}
			outbox.Send(tx, r.Table, m)
			g.throttle.With(tx, inviteCounts(r.Table.ID(), place.Email)...)
			reply = g.staff.Answer(place, http.StatusCreated)
			reply.Header["Location"] = r.BaseURL + g.staff.Path + strconv.FormatInt(id, 10) + "/"
			return r.Keep(ctx, tx, reply)
		})
		return err
	})
	return reply, err
}

// deliverInvitation tells an address that it is invited, as long as it is.
func (g *group) deliverInvitation(ctx context.Context, m outbox.Message) error {
	var b inviteBody
	if err := m.Decode(&b); err != nil {
		return fmt.Errorf("%w: %w", outbox.ErrDrop, err)
	}
	id, ok := m.Tenant()
	if !ok {
		return fmt.Errorf("%w: of no company", outbox.ErrDrop)
	}
	r := &web.Request{Table: table.Of(g.env.Table, id)}
	place, err := g.staff.Writer(r, g.env.Now).Get(ctx, b.Staff)
	if errors.Is(err, fault.ErrNotFound) || err == nil && place.active() {
		return fmt.Errorf("%w: the invitation is over", outbox.ErrDrop)
	}
	if err != nil {
		return err
	}
	c, err := g.store.company(ctx, id)
	if err != nil {
		return err
	}
	return g.env.Notify.Send(ctx, notify.Message{
		ID: m.ID, Channel: notify.Email, To: place.Email, Subject: "You are invited",
		Text: fmt.Sprintf(invitation, oneLine(c.Name), place.Role, place.Email),
	})
}

// oneLine is a name that strangers chose, so that it can't pass for more of the
// text than it is.
func oneLine(name string) string {
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

// invitation takes the company, the role and the address.
const invitation = `The company "%s" invites you to work with it, as %s.

Sign in or register with this address (%s): the invitation is among yours, and nothing happens until you accept it.
If you don't know the company, you have nothing to do.
`
