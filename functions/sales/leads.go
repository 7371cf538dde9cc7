package sales

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/functions/sales/lead"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

type leadBody struct {
	Stage        decode.Optional[int64]        `json:"stage" required:"true" example:"1" doc:"Id of a stage of the funnel"`
	Funnel       decode.Optional[int64]        `json:"funnel" required:"true" example:"1"`
	Price        decode.Optional[money.Amount] `json:"price" default:"0.00" example:"150000.00" doc:"May be negative"`
	Ordering     decode.Optional[int64]        `json:"ordering" minimum:"0" maximum:"2147483647" default:"0"`
	CancelReason decode.Optional[string]       `json:"cancel_reason" nullable:"true" blank:"true" maxLength:"10000" doc:"Required where a lead comes into a stage of the type CANCEL. Moving to a stage of another type makes it null, unless it is sent."`
	Extra        decode.Optional[decode.JSON]  `json:"extra" nullable:"true" doc:"Any JSON of at most 16 KB; the custom fields of the key funnel_lead are checked."`
	Client       decode.Optional[int64]        `json:"client" nullable:"true"`
	Manager      decode.Optional[int64]        `json:"manager" nullable:"true" doc:"Number of a user who is a member of the company"`
	Source       decode.Optional[int64]        `json:"source" nullable:"true" doc:"Id of an attraction method"`
	Request      decode.Optional[int64]        `json:"request" nullable:"true" doc:"Id of an order, not of another client than the lead's. A lead keeps it until the order is deleted."`
	Sale         decode.Optional[int64]        `json:"sale" nullable:"true" doc:"Only null is taken."`
}

// Lead is a lead as callers see it.
type Lead struct{ lead.Shown }

func leads(now func() time.Time) resource.Resource[*lead.Lead, leadBody, Lead] {
	placed := func(ctx context.Context, w *record.Work, l *lead.Lead, in *leadBody) error {
		return lead.Place(ctx, w, l, in.CancelReason.Set || in.CancelReason.Null)
	}
	return resource.Resource[*lead.Lead, leadBody, Lead]{
		Kind: lead.Kind(), Doc: "`search` finds leads by the name of their client, as it is now.",
		Apply: applyLead, View: func(l *lead.Lead, _ resource.Viewer) Lead { return Lead{l.Shown()} },
		Made: placed, Changed: placed,
		Gone: func(_ context.Context, w *record.Work, l *lead.Lead) error {
			lead.Leave(w, l)
			return nil
		},
		Filters: []resource.Filter{{Add: func(ctx context.Context, r *web.Request, q *search.Query, _ fault.FieldErrors) error {
			return client.Narrow(ctx, resource.Scope(r, now), q, r.Param("search"), lead.ByClient)
		}}},
	}
}

func applyLead(l *lead.Lead, in *leadBody, errs fault.FieldErrors) {
	in.Stage.Into(&l.Stage)
	in.Funnel.Into(&l.Funnel)
	in.Price.Into(&l.Price)
	in.Ordering.Into(&l.Ordering)
	in.CancelReason.IntoNullable(&l.CancelReason)
	record.ExtraInto(l, in.Extra, &l.Extra)
	in.Client.IntoNullable(&l.Client)
	in.Manager.IntoNullable(&l.Manager)
	in.Source.IntoNullable(&l.Source)
	in.Request.IntoNullable(&l.Request)
	if in.Sale.Set && !in.Sale.Null {
		errs.Add("sale", say.DoesNotExist(in.Sale.Value))
	}
}
