package webhooks

import (
	"context"
	"net/http"

	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/functions/webhooks/endpoint"
	"github.com/tenantry/tenantry/functions/webhooks/signature"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

type passwordBody struct {
	Password decode.Optional[string] `json:"password" required:"true" example:"correct horse battery staple" doc:"The caller's own."`
}

// Secret is the secret of a webhook.
type Secret struct {
	Secret      string  `json:"secret" doc:"What deliveries are verified by: whsec_ and base64."`
	Generation  int     `json:"generation" doc:"Counts the secrets, from 1."`
	Before      *string `json:"before" doc:"The secret before, while deliveries are signed by it, too."`
	BeforeUntil *string `json:"before_until" format:"date-time" doc:"Until when they are."`
}

type secretInput struct {
	ID   int64 `path:"id"`
	Body passwordBody
}

// secrets are the operations on the secrets of webhooks.
func (s *service) secrets() []web.Operation {
	const counts = " Wrong passwords count together with those of signing in."
	return []web.Operation{
		web.Op(web.Operation{
			ID: "webhooks-secret", Method: http.MethodPost, Path: s.of.Path() + "{id}/secret/", Role: tenant.Owner,
			Thorough: true, Secret: true, Faults: []fault.Code{fault.Throttled}, Summary: "Show the secret of a webhook",
			Doc: "It is made anew from the platform's key each time, and stored nowhere." + counts,
		}, s.show),
		web.Op(web.Operation{
			ID: "webhooks-rotate", Method: http.MethodPost, Path: s.of.Path() + "{id}/rotate/", Role: tenant.Owner,
			Thorough: true, Secret: true, Faults: append(resource.Changing(), fault.Throttled), Summary: "Give a webhook another secret",
			Doc: "For 24 hours deliveries have two signatures, by the new secret and by the one before, so that a receiver can change " +
				"over at any time in between. An Idempotency-Key is ignored, because the answer is not kept." + counts,
		}, s.rotate),
	}
}

func (s *service) show(ctx context.Context, r *web.Request, in *secretInput) (Secret, error) {
	e, err := s.of.Kind.Get(ctx, resource.Scope(r, s.env.Now), in.ID)
	if err != nil {
		return Secret{}, err
	}
	if err := r.Wrong.Err(); err != nil {
		return Secret{}, err
	}
	if err := s.again.Check(ctx, r.Principal.User, r.IP, in.Body.Password.Value); err != nil {
		return Secret{}, err
	}
	return s.secretOf(ctx, r, e)
}

func (s *service) rotate(ctx context.Context, r *web.Request, in *struct {
	ID      int64  `path:"id"`
	IfMatch string `header:"If-Match"`
	Body    passwordBody
},
) (*web.Reply[Secret], error) {
	var e *endpoint.Endpoint
	err := resource.Scope(r, s.env.Now).Do(ctx, nil, func(w *record.Work) (err error) {
		if e, err = s.of.Edit(ctx, w, r, in.ID); err != nil {
			return err
		}
		staff.Stands(w, tenant.Owner)
		if err := w.Errors("").Err(); err != nil {
			return err
		}
		if err := w.Beforehand("password", func() error {
			return s.again.Check(ctx, r.Principal.User, r.IP, in.Body.Password.Value)
		}); err != nil {
			return err
		}
		return e.Rotate(s.env.Keys, s.env.Now())
	})
	if err != nil {
		return nil, err
	}
	answer, err := s.secretOf(ctx, r, e)
	if err != nil {
		return nil, err
	}
	return &web.Reply[Secret]{Header: map[string]string{"ETag": web.ETag(record.Revision(e))}, Body: &answer}, nil
}

// secretOf makes the secrets by which a webhook's deliveries are signed now.
func (s *service) secretOf(ctx context.Context, r *web.Request, e *endpoint.Endpoint) (Secret, error) {
	answer := Secret{Generation: e.Secret.Number}
	for i, g := range e.Generations(s.env.Now()) {
		raw, err := endpoint.Secret(ctx, s.env.Keys, r.Table.ID(), e.ID, g)
		if err != nil {
			return Secret{}, err
		}
		text := signature.Secret(raw)
		if i == 0 {
			answer.Secret = text
		} else {
			answer.Before, answer.BeforeUntil = &text, encode.Moment(g.Until)
		}
	}
	return answer, nil
}
