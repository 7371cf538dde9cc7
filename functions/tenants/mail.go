package tenants

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/export"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// inviteKind is the message that sends an invitation.
const inviteKind outbox.Kind = "tenants.invitation"

// inviteBody names the staff record; the company is in the message's key.
type inviteBody struct {
	Staff int64 `json:"staff"`
}

// deliverInvitation tells an address that it is invited, if the invitation is still open.
func (g *group) deliverInvitation(ctx context.Context, m outbox.Message) error {
	var b inviteBody
	scope, err := record.OpenMessage(g.env.Table, m, g.env.Now, &b)
	if err != nil {
		return err
	}
	id := scope.Table.ID()
	over := fmt.Errorf("%w: the invitation is over", outbox.ErrDrop)
	invitee, err := g.staff.Kind.Get(ctx, scope, b.Staff)
	if errors.Is(err, fault.ErrNotFound) || err == nil && invitee.IsActive() {
		return over
	}
	if err != nil {
		return err
	}
	i, err := g.store.invitation(ctx, invitee.Email, id)
	if errors.Is(err, fault.ErrNotFound) || err == nil && (i.Staff != b.Staff || !i.open(g.env.Now())) {
		return over
	}
	if err != nil {
		return err
	}
	c, err := g.store.company(ctx, id)
	if err != nil {
		return err
	}
	until := time.UnixMilli(i.Until).UTC().Format("2 January 2006, 15:04")
	return g.env.Notify.Send(ctx, notify.Message{
		ID: m.ID, Channel: notify.Email, To: invitee.Email, Subject: "You are invited",
		Text: fmt.Sprintf(invitation, mention(c), invitee.Role, invitee.Email, until),
	})
}

// mention returns the name by which a mail to strangers calls the company. If it contains an address, the mail shows the company's
// host instead, which belongs to the platform or is proven.
func mention(i company.Company) string {
	name, whole := notify.MailName(i.Name)
	switch {
	case name != "" && whole:
		return `"` + name + `"`
	case i.Host != "":
		return i.Host
	}
	return fmt.Sprintf("number %d", i.ID)
}

// invitation is the text of the mail. Its places are for the company, the role, the address and the time.
const invitation = `The company %s invites you to work with it, as %s.

Sign in or register with this address (%s): the invitation is among yours, and nothing happens until you accept it.
It can be accepted until %s (UTC). If you don't know the company, you have nothing to do.
`

// tellExported tells whoever asked for an export that it is there.
func (g *group) tellExported(ctx context.Context, m outbox.Message) error {
	scope, err := record.ForMessage(g.env.Table, m, g.env.Now)
	if err != nil {
		return err
	}
	e, err := export.Last(ctx, scope)
	if err != nil || e.Ended == 0 {
		return err // another one was begun
	}
	var member staff.Member
	err = g.store.all.Get(ctx, scope.Table.Member(e.By), &member)
	if errors.Is(err, table.ErrNotFound) {
		return fmt.Errorf("%w: who asked is no member any more", outbox.ErrDrop)
	}
	if err != nil {
		return err
	}
	who, err := g.store.person(ctx, e.By)
	if err != nil {
		return err
	}
	c, err := g.store.company(ctx, scope.Table.ID())
	if err != nil {
		return err
	}
	return g.env.Notify.Send(ctx, notify.Message{
		ID: e.ID, Channel: notify.Email, To: who.Email, Subject: "Your export is ready",
		Text: fmt.Sprintf(exportText, mention(c), e.Base+pathOf(c.ID)+"export/", e.Expires().Format("2 January 2006, 15:04")),
	})
}

// exportText is the text of the mail. Its places are for the company, the address and the time.
const exportText = `The export of the company %s that you asked for is ready.

An owner who is signed in gets the list of its files at %s, until %s (UTC).
If you didn't ask for it, somebody else has used your sign-in: change your password.
`
