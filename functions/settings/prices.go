package settings

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/functions/orders/pricebook"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// priceRules are the operations on price rules.
func priceRules(now func() time.Time) []web.Operation {
	list := append(rules().Operations(now), preview(now))
	for i := range list {
		list[i].Resource = scope.Settings
	}
	return list
}

// rules is the resource of price rules. Each change that the price book tells makes the next book.
func rules() resource.Resource[*pricebook.Rule, ruleBody, PriceRule] {
	keep := func(ctx context.Context, w *record.Work, r *pricebook.Rule, _ *ruleBody) error {
		staff.Stands(w, tenant.Manager)
		return pricebook.Keep(ctx, w, r)
	}
	return resource.Resource[*pricebook.Rule, ruleBody, PriceRule]{
		Kind: pricebook.Kind(), Role: tenant.Manager,
		Doc: "A price rule changes what rentals cost whose price follows from tariffs: not those with an agreed price, sales and " +
			"services. Of the active rules of a rental's group and point, the longest `minimum` that holds at its start comes first, " +
			"then the price lists, then the percents, each by (`ordering`, id); docs/prices.md has an example of each. Lines that are " +
			"there keep the rules by which they were agreed.",
		Apply: applyRule, Made: keep, Changed: keep,
		View: func(r *pricebook.Rule, _ resource.Viewer) PriceRule { return PriceRule{r.Shown()} },
		Gone: func(ctx context.Context, w *record.Work, r *pricebook.Rule) error {
			staff.Stands(w, tenant.Manager)
			return pricebook.Drop(ctx, w, r)
		},
	}
}
