package authorizer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/patience"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant/principal"
)

// key returns the caller of a request with a key for programs, which acts for the company that made it. A caller can't tell a key that
// was revoked from one that has ended or one that is used from a network that it doesn't name: each is not valid.
func (a *Authorizer) key(ctx context.Context, r request, text string) principal.Principal {
	hash, ok := crosstenant.KeyHash(text)
	if !ok {
		return principal.Principal{Verdict: principal.Invalid}
	}
	var item crosstenant.KeyItem
	err := a.table.Get(ctx, crosstenant.Key(hash), &item)
	if errors.Is(err, table.ErrNotFound) { // never given out, or revoked
		return principal.Principal{Verdict: principal.Invalid}
	}
	if err != nil {
		return a.unavailable(r, err)
	}
	if !item.Admits(a.now(), a.address(r.Headers, r.RequestContext.HTTP.SourceIP)) {
		return principal.Principal{Verdict: principal.Invalid}
	}
	p := a.count(ctx, r, principal.Principal{
		Verdict: principal.OK, Key: item.ID, Scopes: item.Scopes, Tenant: item.Tenant, Basis: principal.ByKey,
		Standing: told(item.Standing),
	})
	if p.Verdict == principal.OK {
		a.used(ctx, r, hash, item.Day)
	}
	return p
}

// used notes the day of a key's last use, with the first request of each day. It is a note for people: where it can't be written the
// request goes on, and the next one tries again.
func (a *Authorizer) used(ctx context.Context, r request, hash, before string) {
	today := a.now().UTC().Format(time.DateOnly)
	if before >= today {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, patience.Limit(ctx, countTime))
	defer cancel()
	err := a.table.Update(crosstenant.Key(hash)).Set("d", today).
		If("attribute_exists(pk) AND (attribute_not_exists(d) OR d < ?)", today).Run(ctx)
	if err != nil && !dynamo.IsCondCheckFailed(err) { // it was revoked meanwhile, or another request has noted the day
		a.report(r.RequestContext.RequestID, fmt.Errorf("authorizer: the last use of a key is not noted: %w", err))
	}
}
