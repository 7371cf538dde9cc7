// Package authorizer finds out who sends a request, and for which company. The gateway calls
// it before every request. It never denies a request: its verdict and the caller's identity
// are passed to the function, whose web layer acts on them (shared/tenant/principal). In this
// way every error has the platform's own form.
//
// It verifies the token. Then it reads, in one call, the sign-in that the token belongs to and
// the caller's companies. A sign-out, a new password and a changed role therefore take effect
// at once. A feed token is no JWT: it is looked up by its hash, so that it ends when it is revoked;
// and so is a key for programs, which has its scopes, its end and its networks beside it.
//
// It counts the requests of each company and of each caller whose token holds, and says of those that are too many that they are
// throttled. Of those who send few, and of those whom it has refused, it asks nobody anything for that.
//
// What never goes in here: what a caller may do. The operation decides that.
package authorizer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/keys/access"
	"github.com/tenantry/tenantry/shared/patience"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/table/tokenbucket"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/principal"
)

// limit is how long the table and the keys may take to answer, all together. What a function waits for the table
// comes after it (shared/patience), and a caller waits for both.
const limit = 1400 * time.Millisecond

// Config is what an Authorizer is made from.
type Config struct {
	Table *table.Conn
	Keys  keys.Keys
	Now   func() time.Time
	Log   io.Writer // one JSON line for each failure of the table or the keys
	Stage string    // the stage, which is written in that line
	// Company and Caller are how many requests a company, and a user, a feed or a key, may send; without, as many as they like.
	Company, Caller tokenbucket.Rate
	// Address tells the address of a request's caller from its headers and the gateway's own view (web.Viewers.Address); nil takes the
	// gateway's.
	Address func(headers map[string]string, source string) string
}

// Authorizer is a lambda.Handler for the gateway's authorizer events, payload
// 2.0 with simple responses.
type Authorizer struct {
	conn               *table.Conn
	table              crosstenant.Table
	keys               keys.Keys
	now                func() time.Time
	log                io.Writer
	stage              string
	companies, callers tokenbucket.Rate
	buckets            *tokenbucket.Keeper
	address            func(headers map[string]string, source string) string
}

// New makes an Authorizer.
func New(c Config) *Authorizer {
	if c.Address == nil {
		c.Address = func(_ map[string]string, source string) string { return source }
	}
	return &Authorizer{
		conn: c.Table, table: crosstenant.Open(c.Table), keys: c.Keys, now: c.Now, log: c.Log, stage: c.Stage,
		companies: c.Company, callers: c.Caller, buckets: tokenbucket.New(c.Now), address: c.Address,
	}
}

// request has the fields of the event that are used.
type request struct {
	Headers        map[string]string `json:"headers"`
	RequestContext struct {
		DomainName string `json:"domainName"`
		RequestID  string `json:"requestId"`
		HTTP       struct {
			SourceIP string `json:"sourceIp"`
		} `json:"http"`
	} `json:"requestContext"`
}

// Invoke turns the JSON of an event into the JSON of its answer. It always answers: an event
// that can't be read counts as one without a token.
func (a *Authorizer) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	var r request
	if err := json.Unmarshal(payload, &r); err != nil {
		r = request{}
		a.report("", fmt.Errorf("authorizer: not an event: %w", err))
	}
	return json.Marshal(events.APIGatewayV2CustomAuthorizerSimpleResponse{
		IsAuthorized: true,
		Context:      a.identify(ctx, r).Context(),
	})
}

// identify returns the caller of a request.
func (a *Authorizer) identify(ctx context.Context, r request) (p principal.Principal) {
	defer func() {
		if v := recover(); v != nil {
			p = a.unavailable(r, fmt.Errorf("authorizer: panic: %v", v))
		}
	}()
	token, sent := bearer(header(r, "authorization"))
	if !sent {
		return principal.Principal{Verdict: principal.Missing}
	}
	ctx, cancel := context.WithTimeout(patience.Start(ctx, limit), patience.Limit(ctx, limit))
	defer cancel()
	if crosstenant.IsFeedToken(token) {
		return a.feed(ctx, r, token)
	}
	if crosstenant.IsKey(token) {
		return a.key(ctx, r, token)
	}
	claims, err := access.Verify(ctx, a.keys, token, a.now())
	if errors.Is(err, access.ErrInvalid) {
		return principal.Principal{Verdict: principal.Invalid}
	}
	if err != nil {
		return a.unavailable(r, err)
	}
	if refused, is := a.early(claims.User); is {
		return refused
	}
	family, user, err := a.look(ctx, claims)
	if err != nil {
		return a.unavailable(r, err)
	}
	if !family.Alive(a.now(), user.Epoch) {
		return principal.Principal{Verdict: principal.Invalid}
	}
	p = principal.Principal{Verdict: principal.OK, User: claims.User, Family: claims.Family, Cross: claims.Cross}
	var of tenant.Membership
	of, p.Basis = choose(user.List, asked{
		header: strings.TrimSpace(header(r, "x-tenant-id")),
		host:   principal.Host(r.RequestContext.DomainName),
		origin: principal.OriginHost(header(r, "origin")),
	})
	p.Tenant, p.Role, p.Finance, p.Standing = of.Tenant, of.Role, of.Finance, told(of.Standing)
	return a.count(ctx, r, p)
}

// feed returns the caller of a request with a feed token, which acts for the company that made the
// token. The web layer knows the hosts of companies, so it refuses a request that names another one.
func (a *Authorizer) feed(ctx context.Context, r request, token string) principal.Principal {
	hash, ok := crosstenant.FeedHash(token)
	if !ok {
		return principal.Principal{Verdict: principal.Invalid}
	}
	var item crosstenant.FeedItem
	err := a.table.Get(ctx, crosstenant.Feed(hash), &item)
	if errors.Is(err, table.ErrNotFound) { // never given out, or revoked
		return principal.Principal{Verdict: principal.Invalid}
	}
	if err != nil {
		return a.unavailable(r, err)
	}
	return a.count(ctx, r, principal.Principal{
		Verdict: principal.OK, Feed: item.ID, Tenant: item.Tenant, Basis: principal.ByFeed, Standing: told(item.Standing),
	})
}

// told is what of a company's standing decides about a request.
func told(s tenant.Standing) tenant.Standing {
	s.Since = 0
	return s
}

// look reads the sign-in of a token, the companies of its user, and the user's epoch, in one call.
func (a *Authorizer) look(ctx context.Context, claims access.Claims) (
	family crosstenant.FamilyItem, user crosstenant.MembershipsItem, err error,
) {
	familyKey := crosstenant.Family(claims.User, claims.Family)
	var items []table.Attributes
	err = a.table.Table().Batch("pk", "sk").Get(familyKey, crosstenant.Memberships(claims.User)).Consistent(true).All(ctx, &items)
	if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		return family, user, fmt.Errorf("authorizer: user %d: %w", claims.User, err)
	}
	for _, item := range items {
		var out any = &user
		if item.Text("sk") == familyKey.SK {
			out = &family
		}
		if err := item.Decode(out); err != nil {
			return family, user, err
		}
	}
	return family, user, nil
}

func (a *Authorizer) unavailable(r request, err error) principal.Principal {
	a.report(r.RequestContext.RequestID, err)
	return principal.Principal{Verdict: principal.Unavailable}
}

// report logs an error. No error here contains the token.
func (a *Authorizer) report(requestID string, err error) {
	line := map[string]any{
		"Stage": a.stage, "level": "error", "function": "authorizer", "request_id": requestID, "error": err.Error(),
	}
	if service := meter.Service(err); service != "" {
		line[meter.ServiceDimension], line[meter.ServiceFailures] = service, 1
		line["_aws"] = meter.Emit(a.now(), []string{meter.ServiceDimension}, meter.Metric{Name: meter.ServiceFailures})
	}
	encoded, _ := json.Marshal(line)          // texts and numbers: it can't fail
	_, _ = a.log.Write(append(encoded, '\n')) // a failure of the log can't be logged
}

// header returns a header. Events have the names of headers in lower case.
func header(r request, name string) string {
	if v, ok := r.Headers[name]; ok {
		return v
	}
	for k, v := range r.Headers {
		if strings.EqualFold(k, name) {
			return v
		}
	}
	return ""
}

// bearer returns the token of an Authorization header. A missing header or another scheme
// means that no token was sent. Text that is not one word is returned as it is, and fails the
// verification.
func bearer(value string) (token string, sent bool) {
	scheme, token, _ := strings.Cut(strings.TrimSpace(value), " ")
	if !strings.EqualFold(scheme, "bearer") {
		return "", false
	}
	return strings.TrimSpace(token), true
}
