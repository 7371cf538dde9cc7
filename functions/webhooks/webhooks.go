// Package webhooks is the group of a company's webhooks: addresses of programs of others that are told what happens in it.
//
// What never goes in here: sending anything to them (functions/deliver), how far each has been told and when it is tried again
// (functions/webhooks/endpoint), and which events there are (functions/events).
package webhooks

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/functions/events/known"
	"github.com/tenantry/tenantry/functions/identity/credential"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/functions/webhooks/clerk"
	"github.com/tenantry/tenantry/functions/webhooks/endpoint"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/eventlog"
	"github.com/tenantry/tenantry/shared/remote/public"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

type body struct {
	URL         decode.Optional[string]           `json:"url" required:"true" maxLength:"2048" format:"uri" example:"https://erp.example.com/hooks" doc:"Where deliveries are sent: https, on port 443 or 8443, to an address that everybody can reach."`
	Types       decode.Optional[[]string]         `json:"types" required:"true" notEmpty:"true" maxItems:"50" maxLength:"100" example:"[\"order.*\",\"client.created\"]" doc:"Types of events, as GET /v1/events/types/ lists them. * at the end stands for all that begin so, and alone for all."`
	Description decode.Optional[string]           `json:"description" blank:"true" maxLength:"512" example:"ERP"`
	Enabled     decode.Optional[bool]             `json:"enabled" doc:"Left out, it is true. Who is enabled is told what happens from then on."`
	Payload     decode.Optional[endpoint.Payload] `json:"payload" example:"thin" doc:"What is sent: {values}. thin, if it is left out, is the event; whole is the event and the record, as it is then."`
	Version     decode.Optional[endpoint.Version] `json:"version" doc:"The form of what is sent: {values}. Left out, it is the latest one."`
}

// Webhook is a webhook as its owner sees it.
type Webhook struct {
	ID             int64            `json:"id"`
	CreatedAt      string           `json:"created_at" format:"date-time"`
	CreatedBy      int64            `json:"created_by" doc:"Number of a user."`
	URL            string           `json:"url" format:"uri"`
	Types          []string         `json:"types"`
	Description    string           `json:"description"`
	Enabled        bool             `json:"enabled"`
	Payload        endpoint.Payload `json:"payload"`
	Version        endpoint.Version `json:"version"`
	DisabledReason *endpoint.Reason `json:"disabled_reason" doc:"Why the platform has disabled it: {values}. gone: its receiver answered 410. failing: it failed for five days."`
	DisabledAt     *string          `json:"disabled_at" format:"date-time"`
	Secret         SecretState      `json:"secret"`
	Delivery       DeliveryState    `json:"delivery"`
}

// SecretState says which secrets sign deliveries.
type SecretState struct {
	Generation  int     `json:"generation" doc:"Counts the secrets, from 1."`
	BeforeUntil *string `json:"before_until" format:"date-time" doc:"Until when deliveries are signed by the secret before, too; null if they are not."`
}

// DeliveryState says how deliveries go.
type DeliveryState struct {
	LastSuccessAt *string `json:"last_success_at" format:"date-time"`
	Failures      int     `json:"failures" doc:"How many attempts in a row have failed."`
	FailingSince  *string `json:"failing_since" format:"date-time" doc:"When the first of these did."`
	Retrying      int     `json:"retrying" doc:"How many events wait to be tried again. There may be more behind them, in the log."`
	NextAttemptAt *string `json:"next_attempt_at" format:"date-time" doc:"When something is tried again; null if nothing waits for that."`
}

// service has the handlers.
type service struct {
	env   app.Env
	of    resource.Resource[*endpoint.Endpoint, body, Webhook]
	again credential.Again
	to    *public.Client
}

// New makes the group. Webhooks are the owner's alone: they carry what happens in the company to somebody else.
func New(env app.Env) app.Group {
	s := &service{env: env, again: credential.Open(env.Table, env.Now)}
	s.to = public.New(public.Options{Loopback: env.Config.LoopbackHooks, Refused: public.Below(env.Config.PlatformDomain)})
	s.of = resource.Resource[*endpoint.Endpoint, body, Webhook]{
		Kind: endpoint.Kind(), Role: tenant.Owner, Reads: tenant.Owner,
		Doc:   "All of them, the oldest first.",
		Apply: s.apply,
		View:  view,
		Along: func(t *table.Tenant, id int64) []table.Key { return []table.Key{t.Hook(id)} },
		Join:  join,
		Gone: func(_ context.Context, w *record.Work, e *endpoint.Endpoint) error {
			staff.Stands(w, tenant.Owner)
			endpoint.Forget(w, e)
			return nil
		},
	}
	return app.Group{
		Group: web.Group{
			Name: "webhooks", Doc: "Webhooks of a company: programs of others are told what happens in it.",
			Zone: company.ZoneOf, Operations: slices.Concat(s.records(), s.secrets(), s.deliveries()),
		},
		Work: clerk.Work(env),
	}
}

// records are the operations on webhooks themselves.
func (s *service) records() []web.Operation {
	create := web.Operation{
		ID: "webhooks-create", Method: http.MethodPost, Path: s.of.Path(), Role: tenant.Owner, Status: http.StatusCreated,
		Idempotent: true, Thorough: true, MakesRecords: true, Summary: "Create a webhook",
	}
	create.Doc = fmt.Sprintf("A company has at most %d. What happens from then on is delivered, signed as Standard Webhooks says; "+
		"docs/webhooks.md describes deliveries. `POST …/secret/` shows the secret by which they are verified.", endpoint.Most)
	update := web.Operation{
		ID: "webhooks-update", Method: http.MethodPut, Path: s.of.Path() + "{id}/", Role: tenant.Owner, Thorough: true,
		Faults: resource.Changing(), Summary: "Change a webhook",
		Doc: "Fields that are left out keep their value. With `enabled`, one that was disabled goes on with what happens from then on; " +
			"`POST …/recover/` brings what it has missed. With another `url`, what has failed is tried there at once.",
	}
	patch := update
	patch.ID, patch.Method, patch.Summary = "webhooks-patch", http.MethodPatch, "Change some fields of a webhook"
	return []web.Operation{
		s.of.List(s.env.Now), web.Op(create, s.create), s.of.Read(s.env.Now), web.Op(update, s.change), web.Op(patch, s.change),
		s.of.Delete(s.env.Now),
	}
}

// apply is the rule of what a webhook may be.
func (s *service) apply(e *endpoint.Endpoint, in *body, errs fault.FieldErrors) {
	if e.Version == 0 { // a new one
		e.Enabled, e.Payload, e.Version = true, endpoint.Thin, endpoint.Latest
	}
	in.URL.Into(&e.URL)
	if in.URL.Set && !errs.Has("url") {
		if err := s.to.Check(e.URL); err != nil {
			errs.Add("url", say.Of(err))
		}
	}
	in.Types.Into(&e.Types)
	if in.Types.Set && !errs.Has("types") {
		checkTypes(e.Types, errs.At("types"))
		e.Types = once(e.Types)
	}
	in.Description.Into(&e.Description)
	in.Enabled.Into(&e.Enabled)
	in.Payload.Into(&e.Payload)
	in.Version.Into(&e.Version)
}

// once leaves out types that come again, or that another one stands for: they are read with each page of the log.
func once(wanted []string) (list []string) {
	for i, w := range wanted {
		covered := slices.ContainsFunc(wanted, func(o string) bool {
			beginning, several := strings.CutSuffix(o, eventlog.All)
			return several && o != w && strings.HasPrefix(w, beginning)
		})
		if !covered && !slices.Contains(wanted[:i], w) {
			list = append(list, w)
		}
	}
	return list
}

// checkTypes refuses what no event can be of.
func checkTypes(wanted []string, errs fault.FieldErrors) {
	for i, w := range wanted {
		beginning, several := strings.CutSuffix(w, eventlog.All)
		isKind := several && (beginning == "" || strings.HasSuffix(beginning, "."))
		if !slices.ContainsFunc(known.Types(), func(t known.EventType) bool {
			return string(t.Type) == w || isKind && strings.HasPrefix(string(t.Type), beginning)
		}) {
			errs.Add(strconv.Itoa(i), say.InvalidChoice(w))
		}
	}
}

// checkHost refuses hosts of companies: what is sent there comes back to us.
func (s *service) checkHost(ctx context.Context, w *record.Work, e *endpoint.Endpoint) error {
	if w.Errors("").Has("url") {
		return nil
	}
	of, err := app.Domains(s.env.Table).CompanyOf(ctx, public.Host(e.URL))
	if err == nil && of != 0 {
		w.Errors("").Add("url", say.URLIsOurs)
	}
	return err
}

func (s *service) create(ctx context.Context, r *web.Request, in *struct{ Body body }) (*web.Reply[Webhook], error) {
	first, err := endpoint.First(s.env.Keys)
	if err != nil {
		return nil, err
	}
	var of resource.Result[*endpoint.Endpoint]
	o := s.of.Outcome(ctx, r, &of, http.StatusCreated)
	return o.After(resource.Scope(r, s.env.Now).Do(ctx, o, func(w *record.Work) error {
		e := &endpoint.Endpoint{CreatedBy: r.Principal.User, Base: r.BaseURL}
		of = resource.Result[*endpoint.Endpoint]{Work: w, Record: e}
		s.of.Kind.Create(w, "", e)
		s.of.Apply(e, &in.Body, w.Errors(""))
		staff.Stands(w, tenant.Owner)
		if err := s.checkHost(ctx, w, e); err != nil {
			return err
		}
		return endpoint.Give(ctx, w, e, first)
	}))
}

func (s *service) change(ctx context.Context, r *web.Request, in *struct {
	ID      int64  `path:"id"`
	IfMatch string `header:"If-Match"`
	Body    body
},
) (*web.Reply[Webhook], error) {
	var of resource.Result[*endpoint.Endpoint]
	o := s.of.Outcome(ctx, r, &of, http.StatusOK)
	return o.After(resource.Scope(r, s.env.Now).Do(ctx, o, func(w *record.Work) error {
		e, err := s.of.Edit(ctx, w, r, in.ID)
		if err != nil {
			return err
		}
		of = resource.Result[*endpoint.Endpoint]{Work: w, Record: e}
		before := *e
		e.Base = r.BaseURL
		s.of.Apply(e, &in.Body, w.Errors(""))
		staff.Stands(w, tenant.Owner)
		if e.URL != before.URL {
			if err := s.checkHost(ctx, w, e); err != nil {
				return err
			}
		}
		return endpoint.Change(ctx, w, e, &before)
	}))
}

func view(e *endpoint.Endpoint, _ resource.Viewer) Webhook {
	return Webhook{
		ID: e.ID, CreatedAt: e.CreatedAt(), CreatedBy: e.CreatedBy, URL: e.URL, Types: e.Types, Description: e.Description,
		Enabled: e.Enabled, Payload: e.Payload, Version: e.Version, DisabledReason: e.Why(), DisabledAt: encode.Moment(e.DisabledAt),
		Secret: SecretState{Generation: e.Secret.Number},
	}
}

// join adds to webhooks how their deliveries go.
func join(ctx context.Context, w *record.Work, list []*endpoint.Endpoint, views []Webhook) error {
	states := make([]table.Key, len(list))
	for i, e := range list {
		states[i] = w.Scope().Table.Hook(record.ID(e))
	}
	if err := w.Load(ctx, states...); err != nil {
		return err
	}
	for i, e := range list {
		s, err := endpoint.StateOf(ctx, w, record.ID(e))
		if err != nil {
			return err
		}
		views[i].add(e, s, w.Scope().Now())
	}
	return nil
}

// add adds to a webhook how its deliveries go.
func (v *Webhook) add(e *endpoint.Endpoint, s endpoint.State, now time.Time) {
	if g := e.Generations(now); len(g) > 1 {
		v.Secret.BeforeUntil = encode.Moment(g[1].Until)
	}
	v.Delivery = DeliveryState{
		LastSuccessAt: shown(s.Success), Failures: s.Failures, FailingSince: shown(s.Since), Retrying: len(s.Open),
	}
	if at, ok := s.Wakes(false); ok && e.Enabled {
		v.Delivery.NextAttemptAt = shown(at)
	}
}

// shown is a moment as callers see it; nil if there was none.
func shown(at moment.Micros) *string {
	if at == 0 {
		return nil
	}
	return encode.Moment(&at)
}
