package settings

import (
	"context"
	"net/http"
	"strconv"

	"github.com/tenantry/tenantry/functions/tenants/feed"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

type feedBody struct {
	Name decode.Optional[string] `json:"name" required:"true" maxLength:"255" example:"Registry of traffic penalties"`
}

// FeedToken is a feed token as its owner sees it.
type FeedToken struct {
	ID        int64  `json:"id"`
	CreatedAt string `json:"created_at" format:"date-time"`
	Name      string `json:"name"`
	Ending    string `json:"ending" doc:"The last four characters of the token, to recognise it by."`
	CreatedBy int64  `json:"created_by" doc:"Number of a user."`
}

// NewFeedToken is a feed token with the token itself, which is shown once.
type NewFeedToken struct {
	FeedToken
	Token string `json:"token" doc:"The token itself. It is stored nowhere, and in no other answer."`
}

// feeds has the handlers of feed tokens.
type feeds struct {
	env    app.Env
	tokens feed.Tokens
	of     resource.Resource[*feed.Token, feedBody, FeedToken]
}

func newFeeds(env app.Env) *feeds {
	return &feeds{env: env, tokens: feed.Open(env.Table), of: resource.Resource[*feed.Token, feedBody, FeedToken]{
		Kind: feed.Kind(), Role: tenant.Owner, Reads: tenant.Owner,
		Doc:   "All of them, the oldest first. The tokens themselves are stored nowhere.",
		Apply: func(t *feed.Token, in *feedBody, _ fault.FieldErrors) { in.Name.Into(&t.Name) },
		View: func(t *feed.Token, _ resource.Viewer) FeedToken {
			return FeedToken{ID: t.ID, CreatedAt: t.CreatedAt(), Name: t.Name, Ending: t.Ending, CreatedBy: t.CreatedBy}
		},
	}}
}

func (f *feeds) operations() []web.Operation {
	return []web.Operation{
		f.of.List(f.env.Now),
		web.Op(web.Operation{
			ID: "feed-tokens-create", Method: http.MethodPost, Path: f.of.Path(), Role: tenant.Owner, Status: http.StatusCreated,
			Thorough: true, Secret: true, MakesRecords: true, Summary: "Create a feed token",
			Doc: "A credential for a program of others. Sent as `Authorization: Bearer …` it may call the operations that say so, in " +
				"this company, and no others. `token` is shown in this answer only. An Idempotency-Key is ignored, because the answer " +
				"is not kept: if it is lost, delete the token and create another one. A company has at most " +
				strconv.Itoa(feed.Most) + ". A token is valid until it is deleted.",
		}, f.create),
		f.of.Read(f.env.Now),
		web.Op(web.Operation{
			ID: "feed-tokens-delete", Method: http.MethodDelete, Path: f.of.Path() + "{id}/", Role: tenant.Owner,
			Status: http.StatusNoContent, Faults: resource.Changing(), Summary: "Revoke a feed token",
			Doc: "Requests with it are refused from then on: 401.",
		}, f.revoke),
	}
}

func (f *feeds) create(ctx context.Context, r *web.Request, in *struct{ Body feedBody }) (*web.Reply[NewFeedToken], error) {
	text := feed.Text(f.env.NewUUID)
	var made resource.Result[*feed.Token]
	err := f.tokens.Scope(resource.Scope(r, f.env.Now)).Do(ctx, nil, func(w *record.Work) error {
		made = resource.Result[*feed.Token]{Work: w, Record: new(feed.Token)}
		if err := f.tokens.Give(w, made.Record, text); err != nil {
			return err
		}
		f.of.Apply(made.Record, &in.Body, w.Errors(""))
		staff.Stands(w, tenant.Owner)
		return nil
	})
	if err != nil {
		return nil, err
	}
	reply, err := f.of.Reply(ctx, r, made, http.StatusCreated)
	if err != nil {
		return nil, err
	}
	return &web.Reply[NewFeedToken]{
		Status: reply.Status, Header: reply.Header, Body: web.Body(NewFeedToken{*reply.Body, text}),
	}, nil
}

func (f *feeds) revoke(ctx context.Context, r *web.Request, in *removeInput) (web.None, error) {
	return web.None{}, f.tokens.Scope(resource.Scope(r, f.env.Now)).Do(ctx, nil, func(w *record.Work) error {
		rec, err := f.of.Edit(ctx, w, r, in.ID)
		if err != nil {
			return err
		}
		staff.Stands(w, tenant.Owner)
		return f.tokens.Revoke(ctx, w, rec)
	})
}
