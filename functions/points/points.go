// Package points is the rental points of a company: the places where it hands
// things out and takes them back.
//
// What never goes in here: how records are stored and checked (shared/record), how they are
// served (shared/web/resource), and what happens at a point (inventory, orders).
package points

import (
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// point is a rental point as it is stored.
type point struct {
	record.Meta
	Name    string      `dynamo:"n"`
	Address string      `dynamo:"a"`
	Extra   decode.JSON `dynamo:"e"`
}

type body struct {
	Name    decode.Optional[string]      `json:"name" required:"true" maxLength:"512" example:"Airport"`
	Address decode.Optional[string]      `json:"address" required:"true" maxLength:"512" example:"1 Runway Road"`
	Extra   decode.Optional[decode.JSON] `json:"extra" nullable:"true" doc:"Any JSON of at most 16 KB; the custom fields of the key rental_point are checked."`
}

// RentalPoint is a rental point as callers see it.
type RentalPoint struct {
	ID        int64       `json:"id"`
	CreatedAt string      `json:"created_at" format:"date-time"`
	UpdatedAt string      `json:"updated_at" format:"date-time"`
	Name      string      `json:"name"`
	Address   string      `json:"address"`
	Deleted   bool        `json:"deleted"`
	Extra     decode.JSON `json:"extra"`
	Tenant    int64       `json:"tenant"`
}

// New is the group of rental points.
func New(env app.Env) app.Group {
	points := resource.Resource[*point, body, RentalPoint]{
		Kind:  kind(),
		Apply: apply, View: view,
	}
	return app.Group{Group: web.Group{
		Name: "points", Resource: scope.RentalPoints,
		Doc: "Rental points of a company.", Zone: company.ZoneOf, Operations: points.Operations(env.Now),
	}}
}

func kind() *record.Kind[*point] { return declared.Get(declare) }

var declared record.Declared[*point]

func declare() record.Kind[*point] {
	return record.Kind[*point]{
		Kind: kinds.Of(kinds.RentalPoint), Name: func(p *point) string { return p.Name },
		Extras: record.Free("rental_point", func(p *point) decode.JSON { return p.Extra }),
	}
}

// Searched are the kinds of the group that are searched.
func Searched() []search.Kind {
	return []search.Kind{kind().Searched()}
}

func apply(p *point, in *body, _ fault.FieldErrors) {
	in.Name.Into(&p.Name)
	in.Address.Into(&p.Address)
	record.ExtraInto(p, in.Extra, &p.Extra)
}

func view(p *point, _ resource.Viewer) RentalPoint {
	return RentalPoint{
		ID: p.ID, CreatedAt: p.CreatedAt(), UpdatedAt: p.UpdatedAt(), Name: p.Name, Address: p.Address,
		Extra: p.Extra, Tenant: int64(p.Tenant()),
	}
}
