package pricebook

import (
	"time"

	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/functions/services/tariff"
	"github.com/tenantry/tenantry/functions/tenants/company"
)

// Offered are the tariffs of a group or a service that a rental may take by itself: those that are published, with a price that an
// order takes.
func Offered(list []tariff.Tariff) (offered []pricing.Offered) {
	for _, t := range list {
		if !t.Published || t.Price.IsNegative() {
			continue
		}
		of := pricing.Offered{ID: t.ID, Terms: pricing.Terms{Price: t.Price, Once: t.OneTime}}
		if t.Duration != nil {
			of.Duration = *t.Duration
		}
		offered = append(offered, of)
	}
	return offered
}

// Combines tells whether rentals of a group cost the cheapest sum of its tariffs: as it says itself, or else as its company does.
func Combines(g *group.Group, settings company.Rental) bool {
	if g.Combine != nil {
		return *g.Combine
	}
	return settings.Combine
}

// RulesOf are the rules by which a company prices.
func RulesOf(settings company.Rental, zone *time.Location) pricing.Rules {
	return pricing.Rules{
		Zone: zone, CalendarMonths: settings.Month == company.CalendarMonths,
		LateGrace: settings.LateGrace, LateStep: settings.LateStep, LateByTariffs: settings.Late == company.LateTariffs,
		LatePercent: settings.LatePercent, LateDayCap: settings.LateDayCap,
	}
}
