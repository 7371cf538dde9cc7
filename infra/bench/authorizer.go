package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/authorizer"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/keys/access"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/tenant"
)

// authorizer measures the authorizer, which the gateway calls before every request.
func (b *bench) authorizer(ctx context.Context, r *section) error {
	var all sample
	for _, companies := range []int{1, 10, 50} {
		one, err := b.authorize(ctx, companies)
		if err != nil {
			return err
		}
		all.costs, all.times = append(all.costs, one.costs...), append(all.times, one.times...)
	}
	most := all.most()
	r.judge("the authorizer, a caller of up to 50 companies", most.calls <= 1 && most.read <= 2,
		"1 call, ≤ 2 read units", "%d call, %s read units at most", most.calls, units(most.read))
	return nil
}

// authorizerOf is the authorizer with an environment.
func authorizerOf(env app.Env) *authorizer.Authorizer {
	return authorizer.New(authorizer.Config{Table: env.Table, Keys: env.Keys, Now: env.Now, Log: env.Log})
}

// authorize asks the authorizer about a user of some companies.
func (b *bench) authorize(ctx context.Context, companies int) (all sample, err error) {
	env, _, err := b.env("authorizer", measured())
	if err != nil {
		return all, err
	}
	var memberships []tenant.Membership
	for i := range companies {
		memberships = append(memberships, tenant.Membership{
			Tenant: tenant.ID(1000 + i), Role: tenant.Owner, Host: fmt.Sprintf("company-%d.%s", i, domain),
		})
	}
	token, err := signIn(ctx, env, int64(1000+companies), memberships)
	if err != nil {
		return all, err
	}
	a := authorizerOf(env)
	for range b.samples {
		one, err := admit(ctx, a, token)
		if err != nil {
			return all, err
		}
		all.add(one)
	}
	return all, nil
}

// signIn makes a sign-in of a user of companies, and returns its token.
func signIn(ctx context.Context, env app.Env, user int64, of []tenant.Membership) (token string, err error) {
	db, now, family := crosstenant.Open(env.Table), env.Now(), uuid.NewString()
	memberships := table.At(crosstenant.Memberships(user), crosstenant.MembershipsVersion)
	for _, item := range []any{crosstenant.MembershipsItem{Item: memberships, List: of}, crosstenant.FamilyItem{
		Item: table.At(crosstenant.Family(user, family), crosstenant.FamilyVersion), Generation: 1,
		Rotated: now.UnixMilli(), Expires: now.Add(time.Hour).Unix(),
	}} {
		if err := db.Put(item).Run(ctx); err != nil {
			return "", err
		}
	}
	return access.Token(ctx, env.Keys, user, family, uuid.New(), now, time.Hour)
}

// admit asks an authorizer about the bearer of a good token.
func admit(ctx context.Context, a *authorizer.Authorizer, token string) (one answer, err error) {
	payload, err := json.Marshal(events.APIGatewayV2CustomAuthorizerV2Request{
		Version: "2.0", Type: "REQUEST", RawPath: "/v2/documents/", RouteKey: "ANY /v2/documents",
		Headers:        map[string]string{"authorization": "Bearer " + token, "host": "api." + domain},
		RequestContext: events.APIGatewayV2HTTPRequestContext{DomainName: "api." + domain},
	})
	if err != nil {
		return one, err
	}
	return metered(ctx, func(ctx context.Context) error {
		raw, err := a.Invoke(ctx, payload)
		if err == nil && !strings.Contains(string(raw), `"verdict":"ok"`) {
			err = fmt.Errorf("the authorizer answered %s", raw)
		}
		return err
	})
}

// metered does something, and returns what it took.
func metered(ctx context.Context, do func(context.Context) error) (answer, error) {
	ctx, m := meter.Start(ctx)
	start := time.Now()
	err := do(ctx)
	u := m.Usage()
	return answer{cost: cost{calls: u.Calls, read: u.ReadUnits, write: u.WriteUnits}, took: time.Since(start)}, err
}
