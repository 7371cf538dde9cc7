// Package clerk carries out the messages of webhooks: it disables those whose receivers are gone or have failed for long, and tells the
// company's owners. It is apart from the face so that the functions of the lanes don't link the list of all events.
//
// What never goes in here: delivering events, which functions/deliver does.
package clerk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/functions/webhooks/endpoint"
	"github.com/tenantry/tenantry/shared/app"
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

// noticeKind is the message that tells an owner that a webhook was disabled.
const noticeKind outbox.Kind = "webhooks.notice"

// Notices is the rule for these messages of a company: whoever enables what is gone again and again has everybody told of it.
func Notices() throttle.Rule {
	return throttle.Rule{Name: "webhook-notices", Limit: 50, Window: 24 * time.Hour}
}

// notice is the body of that message.
type notice struct {
	Webhook int64 `json:"webhook"`
	Staff   int64 `json:"staff"`
}

// clerk carries out the messages of the group.
type clerk struct{ env app.Env }

// Work says what the messages of webhooks mean.
func Work(env app.Env) outbox.Work {
	c := clerk{env}
	return outbox.Work{endpoint.StoppedKind: c.disable, noticeKind: c.tell}
}

// disable disables a webhook that deliveries have stopped, unless its owner was faster.
func (c clerk) disable(ctx context.Context, m outbox.Message) error {
	var stop endpoint.Stop
	scope, err := record.OpenMessage(c.env.Table, m, c.env.Now, &stop)
	if err != nil {
		return err
	}
	err = scope.Do(ctx, nil, func(w *record.Work) error {
		e, err := endpoint.Kind().Edit(ctx, w, stop.ID)
		if err != nil {
			return err
		}
		if is, err := endpoint.Stopped(ctx, w, e, stop); err != nil || !is {
			return err
		}
		owners, err := c.owners(ctx, scope.Table)
		if err != nil {
			return err
		}
		for _, id := range owners {
			if err := w.Send(noticeKind, notice{stop.ID, id}); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, fault.ErrNotFound) {
		return fmt.Errorf("%w: webhook %d was removed", outbox.ErrDrop, stop.ID)
	}
	return err
}

// owners are the staff records of a company's owners.
func (c clerk) owners(ctx context.Context, t *table.Tenant) (ids []int64, err error) {
	var members []staff.Member
	if err := t.Table().Get("pk", t.Member(0).PK).Consistent(true).All(ctx, &members); err != nil {
		return nil, fmt.Errorf("webhooks: owners: %w", err)
	}
	for _, m := range members {
		if m.Role == tenant.Owner {
			ids = append(ids, m.Staff)
		}
	}
	return ids, nil
}

// tell tells an owner that a webhook was disabled, if it still is.
func (c clerk) tell(ctx context.Context, m outbox.Message) error {
	var n notice
	scope, err := record.OpenMessage(c.env.Table, m, c.env.Now, &n)
	if err != nil {
		return err
	}
	over := fmt.Errorf("%w: there is nothing to tell any more", outbox.ErrDrop)
	e, err := endpoint.Kind().Get(ctx, scope, n.Webhook)
	if errors.Is(err, fault.ErrNotFound) || err == nil && (e.Disabled == "" || e.DisabledAt == nil) {
		return over
	}
	if err != nil {
		return err
	}
	owner, err := staff.Kind().Get(ctx, scope, n.Staff)
	if errors.Is(err, fault.ErrNotFound) || err == nil && !owner.IsActive() {
		return over
	}
	if err != nil {
		return err
	}
	of, err := company.Get(ctx, scope.Reading())
	if err != nil {
		return err
	}
	counts, own := throttle.Open(c.env.Table, c.env.Now), Notices().Of(scope.Table.ID().String())
	if err := daily.CountMail(ctx, counts, m, own, c.env.Config.MailDaily, owner.Email); err != nil {
		return err
	}
	chosen, err := staff.LanguageOf(ctx, c.env.Table, owner.User)
	if err != nil {
		return err
	}
	return c.env.Notify.Send(ctx, letter(of, e).To(m.ID, owner.Email, cmp.Or(chosen, of.Speaks(), c.env.Config.Language())))
}

// letter is the e-mail. Of the URL it tells the host alone: the rest may be a secret.
func letter(of company.Company, e *endpoint.Endpoint) notify.Letter {
	why := say.WebhookGoneReason
	if e.Disabled == endpoint.Failing {
		why = say.WebhookFailingReason
	}
	host := ""
	if u, err := url.Parse(e.URL); err == nil {
		host = u.Host
	}
	const call = "POST /v1/webhooks/{id}/recover/"
	return notify.Letter{
		Subject: say.MailWebhookDisabledSubject,
		Text:    say.MailWebhookDisabled(e.ID, of.Mention(), host, of.Moment(e.DisabledAt.Time()), why, call),
	}
}
