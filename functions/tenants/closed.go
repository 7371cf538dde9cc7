package tenants

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/outbox/notify/daily"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/throttle"
	"github.com/tenantry/tenantry/shared/tenant"
)

// closedKind is the message that tells an owner that the company was closed.
const closedKind outbox.Kind = "tenants.closed"

// mostTold is how many owners are told: each is a message in the transaction that closes.
const mostTold = 40

// Closings is the rule for these messages of a company: it may be closed and taken back again and again.
func Closings() throttle.Rule {
	return throttle.Rule{Name: "closings", Limit: 2 * mostTold, Window: 24 * time.Hour}
}

// closedBody is the body of that message: who is told, and who has closed the company.
type closedBody struct {
	User int64 `json:"user"`
	By   int64 `json:"by"`
}

// tellOwners leaves a message to each owner of a company that the caller closes.
func (g *group) tellOwners(ctx context.Context, w *record.Work) error {
	var members []staff.Member
	partition := w.Scope().Table.Member(0).PK
	if err := w.Scope().Table.Table().Get("pk", partition).Consistent(true).All(ctx, &members); err != nil {
		return fmt.Errorf("tenants: owners: %w", err)
	}
	told := 0
	for _, m := range members {
		if m.Role != tenant.Owner || told == mostTold {
			continue
		}
		told++
		if err := w.Send(closedKind, closedBody{m.User, w.Scope().Actor.User}); err != nil {
			return err
		}
	}
	return nil
}

// tellClosed tells an owner that the company was closed, unless that was taken back.
func (g *group) tellClosed(ctx context.Context, m outbox.Message) error {
	var b closedBody
	scope, err := record.OpenMessage(g.env.Table, m, g.env.Now, &b)
	if err != nil {
		return err
	}
	over := fmt.Errorf("%w: there is nothing to tell any more", outbox.ErrDrop)
	c, err := g.store.company(ctx, scope.Table.ID())
	if errors.Is(err, fault.ErrNotFound) || err == nil && c.Ends() == nil {
		return over
	}
	if err != nil {
		return err
	}
	if err := g.store.all.Get(ctx, scope.Table.Member(b.User), &staff.Member{}); errors.Is(err, table.ErrNotFound) {
		return over
	} else if err != nil {
		return err
	}
	who, err := g.store.person(ctx, b.User)
	if err != nil {
		return err
	}
	by, err := g.store.person(ctx, b.By)
	if err != nil {
		return err
	}
	own := Closings().Of(scope.Table.ID().String())
	if err := daily.CountMail(ctx, g.throttle, m, own, g.env.Config.MailDaily, who.Email); err != nil {
		return err
	}
	letter := notify.Letter{
		Subject: say.MailCompanyClosedSubject, Text: say.MailCompanyClosed(c.Mention(), by.Email, c.Moment(*c.Ends())),
	}
	return g.env.Notify.Send(ctx, letter.To(m.ID, who.Email, g.languageFor(who.Language, c)))
}
