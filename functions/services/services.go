// Package services is the services of a company, such as a delivery or a repair, and their
// tariffs.
//
// What never goes in here: what a service is and how it gets its slug (services/service), what a
// tariff is (services/tariff), and what a service costs in an order.
package services

import (
	"context"

	"github.com/tenantry/tenantry/functions/services/service"
	"github.com/tenantry/tenantry/functions/services/tariff"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

type body struct {
	Name      decode.Optional[string]           `json:"name" required:"true" maxLength:"512" example:"Delivery to the airport"`
	UniqueID  decode.Optional[string]           `json:"unique_id" nullable:"true" blank:"true" maxLength:"255" example:"DLV-1" doc:"The company's own number for it; several services may have one."`
	Type      decode.Optional[service.Type]     `json:"type" default:"1" example:"0" doc:"{values}"`
	Disabled  decode.Optional[service.Disabled] `json:"disabled" nullable:"true" doc:"{values}"`
	Category  decode.Optional[int64]            `json:"category" nullable:"true" doc:"Id of a category"`
	Discount  decode.Optional[int64]            `json:"discount" nullable:"true" doc:"Id of a discount. New lines of orders that name none have it, as it is then."`
	Price     decode.Optional[money.Amount]     `json:"price" default:"0.00" example:"7500.00" doc:"May be negative"`
	Bonus     decode.Optional[money.Amount]     `json:"bonus" nullable:"true" doc:"May be negative"`
	Image     decode.Optional[string]           `json:"image" nullable:"true" format:"uri" maxLength:"2048" doc:"Any http(s) address, or the file of an upload (POST /v2/documents/uploads/), which is then answered as an address of this API."`
	Extra     decode.Optional[decode.JSON]      `json:"extra" nullable:"true" doc:"Any JSON of at most 16 KB; the custom fields of the key service are checked."`
	Published decode.Optional[bool]             `json:"published" default:"true" doc:"Whether it is offered"`
}

// Service is a service as callers see it.
type Service struct {
	service.Shown
	Tariffs []Tariff `json:"tarifs" doc:"Changed one by one, at the service's tarifs/"`
	Tenant  int64    `json:"tenant"`
}

type tariffBody struct {
	Service decode.Optional[int64] `json:"service" required:"true" doc:"Id of the service in the path"`
	tariff.Body
}

// Tariff is a tariff of a service as callers see it.
type Tariff struct {
	tariff.Shown
	Service int64 `json:"service"`
	Tenant  int64 `json:"tenant"`
}

// New is the group of services.
func New(env app.Env) app.Group {
	services := resource.Resource[*service.Service, body, Service]{
		Kind: service.Kind(), Apply: apply, View: view,
		Doc: "`search` finds every word in the name or the unique_id.",
		Made: func(ctx context.Context, w *record.Work, s *service.Service, _ *body) error {
			return service.GiveSlug(ctx, w, s)
		},
		Images: []resource.Image[*service.Service, body]{{
			Field: image,
			Sent:  func(in *body) decode.Optional[string] { return in.Image },
			At:    func(s *service.Service) **uploads.Image { return &s.Image },
		}},
		Uploads: uploads.Store{Files: env.Files, Now: env.Now, NewUUID: env.NewUUID},
	}
	tariffs := resource.Embedded[*service.Service, tariff.Tariff, tariffBody, Tariff]{
		List: service.Tariffs(), Path: "tarifs", Param: "service_id", One: "tariff", Many: "service tariffs",
		Doc:   "The oldest first. A service has at most 50 tariffs.",
		Apply: applyTariff, View: viewTariff,
	}
	return app.Group{Group: web.Group{
		Name: "services", Resource: scope.Services, Doc: "Services of a company and their tariffs.", Zone: company.ZoneOf,
		Operations: append(services.Operations(env.Now), tariffs.Operations(env.Now)...),
	}}
}

// Searched are the kinds of the group that are searched.
func Searched() []search.Kind {
	return []search.Kind{service.Kind().Searched()}
}

const image = "image"

func apply(s *service.Service, in *body, _ fault.FieldErrors) {
	if record.ID(s) == 0 { // it is new
		s.Type, s.Published = service.TypeNone, true
	}
	in.Name.Into(&s.Name)
	in.UniqueID.IntoNullable(&s.UniqueID)
	in.Type.Into(&s.Type)
	in.Disabled.IntoNullable(&s.Disabled)
	in.Category.IntoNullable(&s.Category)
	in.Discount.IntoNullable(&s.Discount)
	in.Price.Into(&s.Price)
	in.Bonus.IntoNullable(&s.Bonus)
	in.Published.Into(&s.Published)
	record.ExtraInto(s, in.Extra, &s.Extra)
}

func view(s *service.Service, to resource.Viewer) Service {
	v := Service{Shown: s.Shown(), Tariffs: make([]Tariff, len(s.Tariffs)), Tenant: int64(s.Tenant())}
	v.Image = to.ImageOf(kinds.Of(kinds.Service), s.ID, image, s.Image)
	for i := range s.Tariffs {
		v.Tariffs[i] = viewTariff(s, &s.Tariffs[i], to)
	}
	return v
}

func applyTariff(s *service.Service, t *tariff.Tariff, in *tariffBody, errs fault.FieldErrors) {
	if in.Service.Set && in.Service.Value != s.ID {
		errs.Add("service", say.DoesNotExist(in.Service.Value))
	}
	t.Apply(&in.Body)
}

func viewTariff(s *service.Service, t *tariff.Tariff, _ resource.Viewer) Tariff {
	return Tariff{Shown: t.Shown(), Service: s.ID, Tenant: int64(s.Tenant())}
}
