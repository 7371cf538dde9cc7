package conformance_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	noAuth    = `{"detail":"Authentication credentials were not provided."}`
	badToken  = `{"detail":"Given token not valid for any token type","code":"token_not_valid","messages":[{"token_class":"AccessToken","token_type":"access","message":"Token is invalid or expired"}]}`
	forbidden = `{"detail":"You do not have permission to perform this action."}`
	notFound  = `{"detail":"Not found."}`
	away      = `{"detail":"Service temporarily unavailable."}`

	companyRequired = `{"detail":"You belong to several companies. Name the one that is meant by its id in the header X-Tenant-Id: ` +
		`GET /v1/tenant/ lists them.","code":"company_required"}`
)

// ofStaff is the Cache-Control of every answer that needs a token.
const ofStaff = "private, no-store"

func TestNeedsAToken(t *testing.T) {
	together(t, signedIn, func(t *testing.T, api *webtest.API, op operation) {
		for _, body := range []any{op.sent(), "{"} {
			for _, c := range []struct {
				caller webtest.Caller
				status int
				want   string
			}{{webtest.Nobody(), 401, noAuth}, {webtest.BadToken(), 401, badToken}, {webtest.Unknown(), 503, away}} {
				a := api.As(c.caller).With("X-Tenant-Id", "1").Do(op.Method, op.path(), body).Status(c.status).JSON(c.want).Calls(0)
				a.Header("Cache-Control", ofStaff)
				if c.status == 401 {
					a.Header("WWW-Authenticate", `Bearer realm="api"`)
				} else {
					a.Header("Retry-After", "1")
				}
			}
		}
	})
}

// Every operation that needs a token refuses a throttled caller before it asks the table. It does so too where the body can't be read or
// the caller isn't of the company, which are refused otherwise. The API description has that answer.
func TestThrottled(t *testing.T) {
	const want = `{"detail":"Request was throttled. Expected available in 2 seconds."}`
	described := readDescription(t)
	headers := described.Components.Responses["Throttled"].Headers
	for _, name := range []string{"Retry-After", "RateLimit", "RateLimit-Policy"} {
		if headers[name] == nil {
			t.Errorf("the description of 429 has no %s", name)
		}
	}
	together(t, signedIn, func(t *testing.T, api *webtest.API, op operation) {
		send := func(c *webtest.Client, body any) {
			c.Do(op.Method, op.path(), body).Status(429).JSON(want).Calls(0).Header("Cache-Control", ofStaff).Header("Retry-After", "2").
				Header("RateLimit", `"company-requests";r=0;t=2`).Header("RateLimit-Policy", `"company-requests";q=200;w=4`)
		}
		caller := api.As(webtest.Throttled())
		for _, body := range []any{op.sent(), "{"} {
			send(caller.With("X-Tenant-Id", "2").With("Idempotency-Key", "k"), body)
		}
		if op.Method == "GET" {
			caller.Head(op.path()).Status(429).Empty().Calls(0).Header("Retry-After", "2")
		}
		if got := described.Paths[op.Path][strings.ToLower(op.Method)].Responses["429"]; got.last() != "Throttled" {
			t.Errorf("its description has no 429 of throttled requests: %q", got.Ref)
		}
	})
}

// A public operation does not look at who calls, nor at a company.
func TestPublicIgnoresIdentity(t *testing.T) {
	public := func(op operation) bool { return op.Access == web.Public }
	each(t, public, func(t *testing.T, api *webtest.API, op operation) {
		want := api.As(webtest.Nobody()).Do(op.Method, op.path(), nil)
		for _, caller := range []webtest.Caller{webtest.BadToken(), webtest.Unknown(), webtest.Throttled(), webtest.Owner(1), webtest.SignedIn(5)} {
			got := api.As(caller).With("X-Tenant-Id", "not a number").Do(op.Method, op.path(), nil)
			if got.Code() != want.Code() || string(got.Body()) != string(want.Body()) {
				t.Errorf("%s: %d %s; nobody gets %d %s", caller.Verdict, got.Code(), got.Body(), want.Code(), want.Body())
			}
		}
	})
}

func TestRoles(t *testing.T) {
	each(t, inTenant, func(t *testing.T, api *webtest.API, op operation) {
		for _, role := range []tenant.Role{tenant.ReadOnly, tenant.Employee, tenant.Manager, tenant.Owner} {
			caller := webtest.Member(7, 1, role)
			a := api.Join(caller).As(caller).Do(op.Method, op.path(), op.sent())
			if role.Covers(op.LeastRole()) {
				if a.Code() == 403 || a.Code() == 401 || a.Code() >= 500 {
					t.Errorf("%s: status %d %s", role, a.Code(), a.Body())
				}
				continue
			}
			a.Status(403).JSON(forbidden).Calls(0)
		}
		if op.Method != "GET" && op.LeastRole() == tenant.ReadOnly {
			t.Error("who may only look may change something")
		}
	})
}

// forFeeds lists the operations that a feed token opens, beside what is public.
func forFeeds() []string { return []string{"penalties-create"} }

// A feed token is refused by every other operation, whatever is sent, before anything is read.
func TestFeedsAreRefused(t *testing.T) {
	var open []string
	for _, op := range operations() {
		if op.Feed {
			open = append(open, op.ID)
		}
	}
	if !slices.Equal(open, forFeeds()) {
		t.Errorf("feed tokens open %v, not %v", open, forFeeds())
	}
	closed := func(op operation) bool { return signedIn(op) && !op.Feed }
	together(t, closed, func(t *testing.T, api *webtest.API, op operation) {
		for _, body := range []any{op.sent(), "{"} {
			c := api.As(webtest.Feed(1, 1))
			c.Do(op.Method, op.path(), body).Status(403).JSON(forbidden).Calls(0)
			c.With("X-Tenant-Id", "1").Do(op.Method, op.path(), body).Status(403).JSON(forbidden).Calls(0)
		}
	})
}

// Another company's number and one that nobody has are answered alike.
func TestForeignCompany(t *testing.T) {
	each(t, inTenant, func(t *testing.T, api *webtest.API, op operation) {
		owner := api.As(webtest.Owner(1))
		api.As(webtest.Owner(2)).Do(op.Method, op.path(), op.sent())
		for _, header := range []string{"2", "999999999999", "0", "-1", "02"} {
			owner.With("X-Tenant-Id", header).Do(op.Method, op.path(), op.sent()).Status(403).JSON(forbidden).Calls(0)
		}
		for _, header := range []string{"x", "1.5", "1,2", "9223372036854775808", "' OR 1=1"} {
			owner.With("X-Tenant-Id", header).Do(op.Method, op.path(), op.sent()).Status(400).
				JSON(`{"X-Tenant-Id":["A valid integer is required."]}`).Calls(0)
		}
		api.As(webtest.SignedIn(5)).Do(op.Method, op.path(), op.sent()).Status(403).JSON(forbidden).Calls(0)
		api.As(webtest.OfSeveral(5)).Do(op.Method, op.path(), op.sent()).Status(403).JSON(companyRequired).Calls(0)
	})
}

// A record of another company is answered as one that does not exist, and
// stays as it was.
func TestForeignRecord(t *testing.T) {
	of := func(op operation) bool { return inTenant(op) && withIDs(op) }
	each(t, of, func(t *testing.T, api *webtest.API, op operation) {
		op.companies(t, api)
		theirs, ours, collection := api.As(webtest.Owner(2)), api.As(webtest.Owner(1)), op.list()
		op.prepare(t, api, 1)
		var id string
		for n := range 3 {
			id = op.record(t, api, 2, n)
		}
		at := collection + id + "/"
		if op.collection() == signsOfDocuments { // signs are read with the others of their document
			at = collection
		}
		before := theirs.Get(at).Status(200)
		foreign := ours.Do(op.Method, op.at(id)+op.asked(), op.sent()).Status(404).JSON(notFound)
		unknown := ours.Do(op.Method, op.at("999999")+op.asked(), op.sent()).Status(404).JSON(notFound)
		if foreign.Cost().Calls != unknown.Cost().Calls {
			t.Errorf("%d calls for a foreign record, %d for one that does not exist", foreign.Cost().Calls, unknown.Cost().Calls)
		}
		if after := theirs.Get(at).Status(200); string(after.Body()) != string(before.Body()) {
			t.Errorf("it was %s and is %s", before.Body(), after.Body())
		}
	})
}

// A deleted record is one that does not exist, to every operation.
func TestDeletedRecord(t *testing.T) {
	of := func(op operation) bool { return inTenant(op) && withIDs(op) && op.deletes() != nil }
	each(t, of, func(t *testing.T, api *webtest.API, op operation) {
		op.companies(t, api)
		owner := api.As(webtest.Owner(1))
		op.record(t, api, 1, 1)
		id := op.record(t, api, 1, 2) // not the first: the first user is the last owner
		owner.Delete(op.deletes().at(id)).Status(204)
		owner.Do(op.Method, op.at(id)+op.asked(), op.sent()).Status(404).JSON(notFound)
	})
}
