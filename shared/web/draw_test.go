package web_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/allowance"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// shelf is a group whose one list takes five read units, and draws if it is searched.
func shelf(app.Env) app.Group {
	list := func(ctx context.Context, r *web.Request, in *search) (string, error) {
		if in.Search != "" {
			if err := allowance.Draw(ctx); err != nil {
				return "", err
			}
		}
		for range 5 {
			if err := r.Table.Get(ctx, r.Table.Company(), &table.Item{}); err != nil && !errors.Is(err, table.ErrNotFound) {
				return "", err
			}
		}
		return "found", nil
	}
	return app.Group{Group: web.Group{Name: "shelf", Operations: []web.Operation{
		web.Op(web.Operation{ID: "shelf-list", Method: http.MethodGet, Path: "/v1/shelf/", Draws: true}, list),
	}}}
}

func allow(l allowance.Limits) func(*app.Env) {
	return func(e *app.Env) { e.Config.Allowance = l }
}

func TestReadAllowances(t *testing.T) {
	api := webtest.Setup{Change: allow(allowance.Limits{User: 36, Company: 90})}.New(t, shelf)
	as := func(user int64) *webtest.Client {
		return api.As(webtest.Member(user, 1, tenant.ReadOnly)).With("X-Tenant-Id", "1")
	}
	says := func(a *webtest.Answer, policy, limit string) {
		t.Helper()
		a.Header("RateLimit-Policy", policy).Header("RateLimit", limit)
	}
	ann := as(1)
	for range 5 {
		says(ann.Get("/v1/shelf/?search=a").Status(200), "", "")
	}
	says(ann.Get("/v1/shelf/?search=a").Status(200), `"user";q=36;w=3600`, `"user";r=6;t=3000`)
	says(ann.Get("/v1/shelf/?search=a").Status(200), `"user";q=36;w=3600`, `"user";r=1;t=3500`)
	says(ann.Get("/v1/shelf/?search=a").Status(200), `"user";q=36;w=3600`, `"user";r=0;t=500`) // the last one leaves a debt of 4
	refused := ann.Get("/v1/shelf/?search=a").Status(429).Header("Retry-After", "500").Units(0, 0).
		JSON(`{"detail":"Request was throttled. Expected available in 500 seconds.","code":"read_allowance"}`)
	says(refused, `"user";q=36;w=3600`, `"user";r=0;t=500`)
	says(ann.Get("/v1/shelf/").Status(200), "", "")
	says(ann.Head("/v1/shelf/?search=a").Status(429), `"user";q=36;w=3600`, `"user";r=0;t=500`)
	for range 7 {
		as(2).Get("/v1/shelf/?search=a").Status(200)
	}
	says(as(3).Get("/v1/shelf/?search=a").Status(200), `"company";q=90;w=3600`, `"company";r=10;t=3200`)
	for range 2 {
		as(3).Get("/v1/shelf/?search=a").Status(200)
	}
	says(as(1).Get("/v1/shelf/?search=a").Status(429), `"user";q=36;w=3600, "company";q=90;w=3600`, `"user";r=0;t=500, "company";r=0;t=40`)
	as(4).Get("/v1/shelf/?search=a").Status(429).Header("Retry-After", "40")
	api.As(webtest.Member(1, 2, tenant.ReadOnly)).Get("/v1/shelf/?search=a").Status(200) // another company's
	api.Clock.Step(40 * time.Second)
	as(4).Get("/v1/shelf/?search=a").Status(200)
	api.Clock.Step(460 * time.Second)
	ann.Get("/v1/shelf/?search=a").Status(200)
}

// What somebody searches now and then costs no call more than the search.
func TestQuietReads(t *testing.T) {
	api := webtest.Setup{Change: allow(allowance.Limits{User: 240_000, Company: 960_000})}.New(t, shelf)
	ann := api.As(webtest.Member(1, 1, tenant.ReadOnly)).With("X-Tenant-Id", "1")
	for range 400 {
		ann.Get("/v1/shelf/?search=a").Status(200).Calls(5).Units(5, 0)
	}
}

// full is an engine that refuses updates.
type full struct {
	dynamodbiface.DynamoDBAPI
	on atomic.Bool
}

func (f *full) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	if f.on.Load() {
		return nil, errors.New("no updates in this test")
	}
	return f.DynamoDBAPI.UpdateItem(ctx, in, o...)
}

// What can't be charged is answered, and the log says why.
func TestReadsThatCantBeCharged(t *testing.T) {
	f := new(full)
	api := webtest.Setup{
		Change: allow(allowance.Limits{User: 36}),
		Table:  func(a dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI { f.DynamoDBAPI = a; return f },
	}.New(t, shelf)
	f.on.Store(true)
	api.As(webtest.Member(1, 1, tenant.ReadOnly)).Get("/v1/shelf/?search=a").Status(200)
	if log := api.Log(); !strings.Contains(log, `"unpaid":"no updates in this test"`) {
		t.Errorf("the log says %s", log)
	}
}
