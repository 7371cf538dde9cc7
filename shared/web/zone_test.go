package web_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

type visitIn struct {
	Body struct {
		At decode.Optional[decode.DateTime] `json:"at"`
	}
}

type visitOut struct {
	At decode.DateTime `json:"at"`
}

// visits takes a moment in a company of Almaty, and anywhere else.
func visits(zone func(context.Context, *table.Tenant) (*time.Location, error)) app.New {
	return func(app.Env) app.Group {
		handle := func(_ context.Context, _ *web.Request, in *visitIn) (visitOut, error) {
			return visitOut{in.Body.At.Value}, nil
		}
		return app.Group{Group: web.Group{Name: "visits", Zone: zone, Operations: []web.Operation{
			web.Op(web.Operation{ID: "visit", Method: http.MethodPost, Path: "/v1/visits/"}, handle),
			web.Op(web.Operation{ID: "nowhere", Method: http.MethodPost, Path: "/v1/nowhere/", Access: web.SignedIn}, handle),
		}}}
	}
}

func TestDateTimesAreInTheCompanysZone(t *testing.T) {
	asked := 0
	c := webtest.New(t, visits(func(_ context.Context, of *table.Tenant) (*time.Location, error) {
		asked++
		if of.ID() != 7 {
			return nil, errors.New("the zone of another company")
		}
		return time.LoadLocation("Asia/Almaty")
	})).As(webtest.Employee(7))
	c.Post("/v1/visits/", `{"at":"2026-07-01T12:00:00+03:00"}`).Status(200).JSON(`{"at":"2026-07-01T09:00:00Z"}`)
	if asked != 0 {
		t.Error("the zone was read for a moment with an offset")
	}
	c.Post("/v1/visits/", `{"at":"2026-07-01T12:00"}`).Status(200).JSON(`{"at":"2026-07-01T07:00:00Z"}`)
	c.Post("/v1/visits/", `{"at":"2024-02-29T23:30"}`).Status(200).JSON(`{"at":"2024-02-29T17:30:00Z"}`)
	c.Post("/v1/visits/", `{"at":"2005-03-27T02:30"}`).Status(200).JSON(`{"at":"2005-03-26T20:30:00Z"}`)
	c.Post("/v1/visits/", `{"at":"2004-03-28T02:30"}`).Status(400).JSON(`{"at":["Invalid datetime for the timezone \"Asia/Almaty\"."]}`)
	c.Post("/v1/nowhere/", `{"at":"2026-07-01T12:00"}`).Status(400)
}

func TestAZoneThatIsNotKnown(t *testing.T) {
	c := webtest.New(t, visits(func(context.Context, *table.Tenant) (*time.Location, error) { return nil, errors.New("secret") })).
		As(webtest.Employee(7))
	c.Post("/v1/visits/", `{"at":"2026-07-01T12:00"}`).Status(500).NotContain("secret")
	env := webtest.New(t, visits(nil)).Env
	mustPanic(t, func() { env.Server(visits(nil)(env)) })
}
