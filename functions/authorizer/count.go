package authorizer

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/tenantry/tenantry/shared/patience"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/tokenbucket"
	"github.com/tenantry/tenantry/shared/tenant/principal"
)

// countTime is how long the table may take to count requests. What it has not counted then goes on.
const countTime = 300 * time.Millisecond

// bucketsOf returns those of which a request takes: that of its caller, and that of its company if it has one.
func (a *Authorizer) bucketsOf(p principal.Principal) (of []tokenbucket.Bucket) {
	add := func(rate tokenbucket.Rate, name principal.Limit, k table.Key) {
		if rate.PerSecond > 0 {
			of = append(of, rate.Bucket(string(name), k))
		}
	}
	if p.Feed == 0 && p.Key == 0 {
		add(a.callers, principal.OfCaller, crosstenant.UserRate(p.User))
	}
	if p.Tenant == 0 {
		return of
	}
	company := table.Of(a.conn, p.Tenant)
	switch {
	case p.Feed != 0:
		add(a.callers, principal.OfCaller, company.FeedRate(p.Feed))
	case p.Key != 0:
		add(a.callers, principal.OfCaller, company.KeyRate(p.Key))
	}
	add(a.companies, principal.OfCompany, company.Rate())
	return of
}

// early returns the refusal of a user of whom this instance knows that too many requests were sent. That needs no call, so it comes
// before any: whoever has used up what may be sent learns it even with a sign-in that has ended.
func (a *Authorizer) early(user int64) (refused principal.Principal, is bool) {
	p := principal.Principal{User: user}
	empty, wait := a.buckets.Empty(a.bucketsOf(p)...)
	return refusal(p, empty, wait), wait > 0
}

// count takes a request from what its caller and its company may send. Where that can't be written the request goes on, and a later
// one pays.
func (a *Authorizer) count(ctx context.Context, r request, p principal.Principal) principal.Principal {
	ctx, cancel := context.WithTimeout(ctx, patience.Limit(ctx, countTime))
	defer cancel()
	empty, wait, err := a.buckets.Take(ctx, a.table, a.bucketsOf(p)...)
	if err != nil {
		a.report(r.RequestContext.RequestID, fmt.Errorf("authorizer: requests are not counted: %w", err))
	}
	if wait > 0 {
		return refusal(p, empty, wait)
	}
	return p
}

// refusal is the answer about a request for which a bucket has no token.
func refusal(p principal.Principal, empty tokenbucket.Bucket, wait time.Duration) principal.Principal {
	return principal.Principal{
		Verdict: principal.Throttled, User: p.User, Feed: p.Feed, Key: p.Key, Tenant: p.Tenant,
		Excess: principal.Excess{
			Of: principal.Limit(empty.Name), Burst: int64(empty.Tokens), Window: seconds(empty.Window), Wait: seconds(wait),
		},
	}
}

// seconds rounds a time up.
func seconds(d time.Duration) int64 { return int64(math.Ceil(d.Seconds())) }
