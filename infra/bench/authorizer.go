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
	"github.com/tenantry/tenantry/shared/keys/access"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/tenant"
)

// usualCompanies is the largest number of a caller's companies for which the bound has to hold.
const usualCompanies = 50

// authorizer measures the authorizer, which the gateway calls before every request.
func (b *bench) authorizer(ctx context.Context, r *section) error {
	r.Title = "The authorizer"
	s, err := b.open(ctx)
	if err != nil {
		return err
	}
	rows := [][]string{{"Companies of the caller", "Calls", "Read units", "p50", "p95"}}
	var all sample
	crowded := cost{}
	for _, companies := range []int{1, 10, usualCompanies, 100} {
		one, err := s.authorize(ctx, companies, b.samples)
		if err != nil {
			return err
		}
		most := one.most()
		if companies <= usualCompanies {
			all.costs = append(all.costs, one.costs...)
		} else {
			crowded = most
		}
		rows = append(rows, []string{
			fmt.Sprint(companies), fmt.Sprint(most.calls), units(most.read), ms(median(one.times)), ms(percentile(one.times, 0.95)),
		})
	}
	most := all.most()
	r.judge(
		fmt.Sprintf("the authorizer, a caller of up to %d companies", usualCompanies), most.calls <= 1 && most.read <= 2,
		"1 call, ≤ 2 read units", "%d call, %s read units at most", most.calls, units(most.read),
	)
	r.table(rows)
	r.text(
		"A good token of a living sign-in: the signature is verified, then the sign-in and the caller's companies are read consistently\n"+
			"in one call. %d times each. The companies are one item: beyond 4 KB, about 80 of them with\n"+
			"hosts of this length, it costs more, and 100 are the most that one user may have (%s units).",
		b.samples, units(crowded.read),
	)
	return nil
}

// authorize asks the authorizer about a user of some companies.
func (s *stage) authorize(ctx context.Context, companies, times int) (all sample, err error) {
	user, db, now, family := int64(companies), crosstenant.Open(s.env.Table), s.env.Now(), uuid.NewString()
	memberships := crosstenant.MembershipsItem{Item: table.At(crosstenant.Memberships(user), crosstenant.MembershipsVersion)}
	for i := range companies {
		memberships.List = append(memberships.List, tenant.Membership{
			Tenant: tenant.ID(1000 + i), Role: tenant.Owner, Host: fmt.Sprintf("company-%d.%s", i, domain),
		})
	}
	for _, item := range []any{memberships, crosstenant.FamilyItem{
		Item: table.At(crosstenant.Family(user, family), crosstenant.FamilyVersion), Generation: 1,
		Rotated: now.UnixMilli(), Expires: now.Add(time.Hour).Unix(),
	}} {
		if err := db.Put(item).Run(ctx); err != nil {
			return all, err
		}
	}
	token, err := access.Token(ctx, s.env.Keys, user, family, uuid.New(), now, time.Hour)
	if err != nil {
		return all, err
	}
	payload, err := json.Marshal(events.APIGatewayV2CustomAuthorizerV2Request{
		Version: "2.0", Type: "REQUEST", RawPath: "/v2/documents/", RouteKey: "ANY /v2/documents",
		Headers:        map[string]string{"authorization": "Bearer " + token, "host": "api." + domain},
		RequestContext: events.APIGatewayV2HTTPRequestContext{DomainName: "api." + domain},
	})
	if err != nil {
		return all, err
	}
	a := authorizer.New(authorizer.Config{Table: s.env.Table, Keys: s.env.Keys, Now: s.env.Now, Log: s.env.Log})
	for range times {
		metered, used := meter.Start(ctx)
		start := time.Now()
		raw, err := a.Invoke(metered, payload)
		took := time.Since(start)
		if err != nil {
			return all, err
		}
		if !strings.Contains(string(raw), `"verdict":"ok"`) {
			return all, fmt.Errorf("the authorizer answered %s", raw)
		}
		u := used.Usage()
		all.add(answer{cost: cost{calls: u.Calls, read: u.ReadUnits, write: u.WriteUnits}, took: took})
	}
	return all, nil
}
