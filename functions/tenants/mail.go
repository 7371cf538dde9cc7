package tenants

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/export"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
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
	chosen, err := crosstenant.LanguageOf(ctx, g.store.all, invitee.Email)
	if err != nil {
		return err
	}
	letter := notify.Letter{
		Subject: say.MailInvitationSubject,
		Text:    say.MailInvitation(c.Mention(), roleNames[invitee.Role], invitee.Email, c.Moment(time.UnixMilli(i.Until))),
	}
	host := c.Host
	if !strings.HasSuffix(host, "."+g.env.Config.PlatformDomain) {
		host = "" // a mail of the platform leads no stranger to a host whose content is the company's: it might ask for the password
	}
	if link := g.env.Config.Link(host, url.Values{"invitation": {strconv.FormatInt(c.ID, 10)}}); link != "" {
		letter.After = say.MailInvitationLink(link)
	}
	return g.env.Notify.Send(ctx, letter.To(m.ID, invitee.Email, g.languageFor(chosen, c)))
}

// languageFor is the language of an e-mail about a company: the reader's own choice, else the company's, else the stage's.
func (g *group) languageFor(chosen say.Language, c company.Company) say.Language {
	return cmp.Or(chosen, c.Speaks(), g.env.Config.Language())
}

// roleNames are what an invitation calls the roles.
var roleNames = map[tenant.Role]say.Message{
	tenant.ReadOnly: say.RoleReadOnly, tenant.Employee: say.RoleEmployee, tenant.Manager: say.RoleManager, tenant.Owner: say.RoleOwner,
}

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
	letter := notify.Letter{
		Subject: say.MailExportReadySubject,
		Text:    say.MailExportReady(c.Mention(), e.Base+pathOf(c.ID)+"export/", c.Moment(e.Expires())),
	}
	return g.env.Notify.Send(ctx, letter.To(e.ID, who.Email, g.languageFor(who.Language, c)))
}
