package tenants

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/tenantry/tenantry/functions/tenants/company"
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
	if err := m.Decode(&b); err != nil {
		return fmt.Errorf("%w: %w", outbox.ErrDrop, err)
	}
	id, ok := m.Tenant()
	if !ok {
		return fmt.Errorf("%w: of no company", outbox.ErrDrop)
	}
	over := fmt.Errorf("%w: the invitation is over", outbox.ErrDrop)
	invitee, err := g.staff.Kind.Get(ctx, record.Scope{Table: table.Of(g.env.Table, id), Now: g.env.Now}, b.Staff)
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

// maxMention is how many characters of a company's name a mail shows.
const maxMention = 100

// mention returns the name by which a mail to strangers calls the company. The company chose
// its name freely, so the name must neither pass for other text of the mail nor become a link.
// If it contains an address, the mail shows the company's host instead, which belongs to the
// platform or is proven.
func mention(i company.Company) string {
	name := strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case !unicode.IsGraphic(r): // invisible characters, and those that change the direction of text
			return -1
		}
		return r
	}, i.Name)), " ")
	switch {
	case name != "" && !hasAddress(name):
		if long := []rune(name); len(long) > maxMention {
			name = strings.TrimSpace(string(long[:maxMention])) + "…"
		}
		return `"` + name + `"`
	case i.Host != "":
		return i.Host
	}
	return fmt.Sprintf("number %d", i.ID)
}

// hasAddress tells whether a text has something that a mail program may turn into a link: a
// URL, a host or an e-mail address, with any character that browsers treat as a dot.
func hasAddress(text string) bool {
	address := regexp.MustCompile(`//|(?i:\bwww\b)|[\pL\pN-][.\x{2024}\x{3002}\x{ff0e}\x{ff61}]([\pL\pM]{2}|xn--|[0-9])`)
	return address.MatchString(text)
}

// invitation is the text of the mail. Its places are for the company, the role, the address and the time.
const invitation = `The company %s invites you to work with it, as %s.

Sign in or register with this address (%s): the invitation is among yours, and nothing happens until you accept it.
It can be accepted until %s (UTC). If you don't know the company, you have nothing to do.
`
