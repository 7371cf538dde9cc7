package order

import (
	"time"

	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/tenant"
)

// What fees of cancellations are called.
const (
	cancellationFee = "Cancellation"
	noShowFee       = "No-show"
)

// errNoShow refuses to say that nobody came for an order whose items were not ready for its client yet.
var errNoShow = fault.New(fault.Conflict, say.NoShowImpossible).Coded()

// mayWaive tells whether a role may charge less for a cancellation than the settings say. What has no role may.
func mayWaive(role tenant.Role) bool { return role == "" || role.Covers(tenant.Manager) }

// cancellation is the fee for cancelling an order: what the action names, or else what the settings say. Its amount may be 0. One whose
// hold has ended costs nothing, whoever is faster to cancel it.
func (o *Order) cancellation(a Action, settings company.Rental, now time.Time, role tenant.Role) (f Fee, err error) {
	name, usual := cancellationFee, money.Amount{}
	if start := o.first(); start != nil && !o.hasLapsed(now) {
		rows := make([]pricing.CancellationRow, len(settings.Cancellation))
		for i, row := range settings.Cancellation {
			rows[i] = pricing.CancellationRow{Before: row.Before, Percent: row.Percent}
		}
		if usual, err = pricing.Cancellation(o.Price, rows, start.Time().Sub(now)); err != nil {
			return f, errTooMuch
		}
	}
	if a.NoShow {
		if !o.isMissed(now) {
			return f, errNoShow
		}
		name = noShowFee
		missed, err := o.Price.Percent(money.Whole(settings.NoShowPercent))
		if err != nil {
			return f, errTooMuch
		}
		if missed.Cmp(usual) > 0 { // not to come is never cheaper than to cancel
			usual = missed
		}
	}
	f = Fee{Amount: usual, Comment: &name}
	if a.Fee != nil {
		f.Amount = *a.Fee
	}
	if f.Amount.Cmp(usual) < 0 && !mayWaive(role) {
		return f, fault.Field("fee", say.CancellationFeeTooLow(usual.String()))
	}
	if _, err := money.Total(o.Price, o.AllFees(), f.Amount, o.PaidAmount); err != nil {
		return f, errTooMuch
	}
	return f, nil
}

// isMissed tells whether nobody came for an order: it is reserved, it has begun, and nothing of it was handed out.
func (o *Order) isMissed(now time.Time) bool {
	start := o.first()
	return o.Status == Reserved && start != nil && *start <= moment.Of(now) && len(o.In(Planned)) == len(o.Lines)
}
