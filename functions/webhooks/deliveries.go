package webhooks

import (
	"context"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/functions/webhooks/endpoint"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/record/eventlog"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// Delivery is an attempt to deliver something, as the owner sees it.
type Delivery struct {
	ID            int64          `json:"id" doc:"Counts the webhook's attempts, in the order of their ends."`
	WebhookID     string         `json:"webhook_id" doc:"The webhook-id that it was sent with: the same in each attempt to deliver the same thing."`
	Event         *int64         `json:"event" doc:"Id of the event, as GET /v1/events/ has it; null of a test."`
	Type          event.Name     `json:"type"`
	Cause         endpoint.Cause `json:"cause" doc:"Why it was sent: {values}."`
	Attempt       int            `json:"attempt" doc:"Which attempt to deliver the event it was, from 1. After 10 failures of the webhook in a row attempts are not counted, and what somebody asks for has 1."`
	CreatedAt     string         `json:"created_at" format:"date-time" doc:"When it was sent."`
	Milliseconds  int64          `json:"milliseconds" doc:"How long the receiver took."`
	Succeeded     bool           `json:"succeeded" doc:"The receiver answered in time, with a status from 200 to 299."`
	Status        *int           `json:"status" doc:"The receiver's HTTP status; null if there was no answer."`
	Answer        string         `json:"answer" doc:"The first 1 KB of what it said."`
	Problem       *say.Message   `json:"problem" doc:"Why there was no answer, or why it does not count."`
	NextAttemptAt *string        `json:"next_attempt_at" format:"date-time" doc:"When the event was to be tried again after this attempt; null if it was not."`
}

type recoverBody struct {
	Since decode.Optional[decode.DateTime] `json:"since" required:"true" example:"2026-03-02T09:30:00Z" doc:"What has happened since then is delivered once more: at most 30 days back."`
}

type onWebhook struct {
	ID int64 `path:"id"`
}

type onDelivery struct {
	ID       int64 `path:"id"`
	Delivery int64 `path:"delivery_id"`
}

// deliveries are the operations on what is delivered.
func (s *service) deliveries() []web.Operation {
	path := s.of.Path() + "{id}/"
	all := path + "deliveries/"
	asks := []fault.Code{fault.Conflict}
	return []web.Operation{
		web.Op(web.Operation{
			ID: "webhooks-recover", Method: http.MethodPost, Path: path + "recover/", Role: tenant.Owner, Thorough: true, Idempotent: true,
			Faults: []fault.Code{fault.Conflict, fault.Invalid}, Summary: "Deliver once more what has happened since a time",
			Doc: "All events since then that the webhook wants are delivered, with the webhook-id that they had before; what waits to be " +
				"tried again is tried at once. Clocks differ, so the first ones may be from up to a minute before. " +
				"A webhook that is disabled has to be enabled first: 409. Events from before what is kept: 400.",
		}, s.recover),
		web.Op(web.Operation{
			ID: "webhooks-test", Method: http.MethodPost, Path: path + "test/", Role: tenant.Owner, Status: http.StatusAccepted,
			Idempotent: true, Faults: asks, Summary: "Send a test to a webhook",
			Doc: "A message of the type webhook.test, which is about no event, is sent once, within a second or so, also where the " +
				"webhook is disabled. The answer has its webhook-id, by which it is among the deliveries then.",
		}, s.test),
		web.Op(web.Operation{
			ID: "webhooks-deliveries-list", Method: http.MethodGet, Path: all, Role: tenant.Owner,
			Summary: "List the deliveries of a webhook",
			Doc:     "All attempts of the last 30 days, the newest first. They are there within a second or two after they ended.",
		}, s.list),
		web.Op(web.Operation{
			ID: "webhooks-deliveries-read", Method: http.MethodGet, Path: all + "{delivery_id}/", Role: tenant.Owner,
			Summary: "Read a delivery",
		}, s.read),
		web.Op(web.Operation{
			ID: "webhooks-deliveries-resend", Method: http.MethodPost, Path: all + "{delivery_id}/resend/", Role: tenant.Owner,
			Status: http.StatusAccepted, Idempotent: true, Faults: append(asks, fault.Gone), Summary: "Deliver an event once more",
			Doc: "The event is sent once, within a second or so, with the webhook-id that it had, also where the webhook is disabled. " +
				"Of a test another one is sent. An event that is not kept any more is 410.",
		}, s.resend),
	}
}

// Asked is a delivery that was asked for.
type Asked struct {
	WebhookID string `json:"webhook_id" doc:"The webhook-id that it is sent with."`
}

// recover goes back in the log.
func (s *service) recover(ctx context.Context, r *web.Request, in *struct {
	ID   int64 `path:"id"`
	Body recoverBody
},
) (*web.Reply[Webhook], error) {
	var v Webhook
	o := web.OutcomeOf(r, func() (*web.Reply[Webhook], error) { return &web.Reply[Webhook]{Body: &v}, nil })
	return o.After(s.changeState(ctx, r, in.ID, o, func(e *endpoint.Endpoint, state *endpoint.State) error {
		if err := r.Wrong.Err(); err != nil {
			return err
		}
		cursor, err := s.before(ctx, r, in.Body.Since.Value.Time)
		if err != nil {
			return err
		}
		if !e.Enabled {
			return fault.New(fault.Conflict, say.WebhookDisabled).Coded()
		}
		state.Recover(cursor, moment.Of(s.env.Now()))
		v = view(e, resource.Viewer{})
		v.add(e, *state, s.env.Now())
		return nil
	}))
}

// before is the event of the log behind which everything is that has happened since a time.
func (s *service) before(ctx context.Context, r *web.Request, since time.Time) (cursor int64, err error) {
	log := eventlog.Of(r.Table, s.env.Now)
	if cursor, err = log.Before(ctx, since); err != nil {
		return 0, err
	}
	start, err := log.Start(ctx)
	if err == nil && start > 0 && since.Before(s.env.Now().Add(-eventlog.Visible)) {
		err = fault.Field("since", say.WebhookEventsExpired)
	}
	return cursor, err
}

func (s *service) test(ctx context.Context, r *web.Request, in *onWebhook) (*web.Reply[Asked], error) {
	return s.ask(ctx, r, in.ID, endpoint.Asked{Test: s.env.NewUUID().String(), At: moment.Of(s.env.Now())})
}

func (s *service) resend(ctx context.Context, r *web.Request, in *onDelivery) (*web.Reply[Asked], error) {
	d, err := s.find(ctx, r, in)
	if err != nil {
		return nil, err
	}
	if d.Event == 0 {
		return s.test(ctx, r, &onWebhook{in.ID})
	}
	_, kept, err := eventlog.Of(r.Table, s.env.Now).One(ctx, d.Event)
	if err != nil {
		return nil, err
	}
	if !kept {
		return nil, fault.New(fault.Gone, say.EventExpired).Coded()
	}
	return s.ask(ctx, r, in.ID, endpoint.Asked{Event: d.Event})
}

// ask leaves a delivery that somebody asks for.
func (s *service) ask(ctx context.Context, r *web.Request, id int64, a endpoint.Asked) (*web.Reply[Asked], error) {
	o := web.OutcomeOf(r, func() (*web.Reply[Asked], error) {
		return &web.Reply[Asked]{Body: &Asked{a.Message(r.Table.ID())}}, nil
	})
	return o.After(s.changeState(ctx, r, id, o, func(_ *endpoint.Endpoint, state *endpoint.State) error {
		if !state.Ask(a) {
			return fault.New(fault.Conflict, say.WebhookAskedTooOften).Coded()
		}
		return nil
	}))
}

// changeState changes the state of a webhook, and has deliver look at it. It is decided anew where a delivery was faster.
func (s *service) changeState(ctx context.Context, r *web.Request, id int64, o record.Answer,
	change func(e *endpoint.Endpoint, state *endpoint.State) error,
) error {
	return table.Anew(ctx, table.Tries, func() error {
		e, state, err := endpoint.Load(ctx, r.Table, id)
		if err != nil {
			return err
		}
		before := state.Revision
		if err := change(&e, &state); err != nil {
			return err
		}
		return r.Table.Write(ctx, func(tx *table.Tx, _ int) error {
			tx.Update(state.Update(r.Table).If(endpoint.AsRead, before), table.ErrRevision)
			endpoint.Arm(tx, r.Table, id, s.env.Now())
			return o.Keep(ctx, tx)
		})
	}, nil)
}

// exists fails with fault.ErrNotFound unless the company has a webhook.
func (s *service) exists(ctx context.Context, r *web.Request, id int64) error {
	_, err := s.of.Kind.Get(ctx, resource.Scope(r, s.env.Now), id)
	return err
}

func (s *service) list(ctx context.Context, r *web.Request, in *struct {
	ID       int64  `path:"id"`
	Page     string `query:"page"`
	PageSize string `query:"pageSize"`
},
) (web.List[Delivery], error) {
	var none web.List[Delivery]
	page, err := r.PageOf()
	if err == nil {
		err = s.exists(ctx, r, in.ID)
	}
	if err != nil {
		return none, err
	}
	oldest, newest, err := endpoint.Kept(ctx, r.Table, in.ID)
	if err != nil {
		return none, err
	}
	count := int(max(0, newest-oldest+1))
	from := newest - int64(page.Offset(count))
	to := max(oldest, from-int64(page.Size)+1)
	var views []Delivery
	if from >= to {
		list, err := endpoint.Range(ctx, r.Table, in.ID, from, to)
		if err != nil {
			return none, err
		}
		for _, d := range list {
			views = append(views, viewDelivery(d))
		}
	}
	return web.Envelope(r, page, count, views)
}

func (s *service) read(ctx context.Context, r *web.Request, in *onDelivery) (Delivery, error) {
	d, err := s.find(ctx, r, in)
	return viewDelivery(d), err
}

func (s *service) find(ctx context.Context, r *web.Request, in *onDelivery) (endpoint.Numbered, error) {
	if err := s.exists(ctx, r, in.ID); err != nil {
		return endpoint.Numbered{}, err
	}
	d, ok, err := endpoint.One(ctx, r.Table, in.ID, in.Delivery)
	if err == nil && !ok {
		err = fault.ErrNotFound
	}
	return d, err
}

func viewDelivery(d endpoint.Numbered) Delivery {
	v := Delivery{
		ID: d.Number, WebhookID: d.Message, Type: d.Type, Cause: d.Cause, Attempt: d.Attempt, CreatedAt: encode.Instant(d.At.Time()),
		Milliseconds: d.Took, Succeeded: d.Succeeded(), Answer: d.Answer, NextAttemptAt: shown(d.Next),
	}
	if d.Event != 0 {
		v.Event = &d.Event
	}
	if d.Status != 0 {
		v.Status = &d.Status
	}
	if d.Problem != "" {
		v.Problem = &d.Problem
	}
	return v
}
