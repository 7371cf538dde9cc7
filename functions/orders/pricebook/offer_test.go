package pricebook_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/orders/pricebook"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/money"
)

func TestRulesOf(t *testing.T) {
	half, most := int64(50), money.Whole(9)
	for _, tt := range []struct {
		settings company.Rental
		want     pricing.Rules
	}{
		{company.Rental{LateGrace: 60, LateStep: 600, Month: company.CalendarMonths}, pricing.Rules{Zone: time.UTC, CalendarMonths: true, LateGrace: 60, LateStep: 600}},
		{company.Rental{Month: company.DayMonths, Buffer: 5}, pricing.Rules{Zone: time.UTC}},
		{company.Rental{Late: company.LateTariffs, LatePercent: &half, LateDayCap: &most}, pricing.Rules{Zone: time.UTC, LateByTariffs: true, LatePercent: &half, LateDayCap: &most}},
	} {
		if got := pricebook.RulesOf(tt.settings, time.UTC); got != tt.want {
			t.Errorf("%+v: %+v", tt.settings, got)
		}
	}
}
