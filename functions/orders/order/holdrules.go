package order

import (
	"time"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/say"
)

// errLapsed refuses to go on with a request whose hold has ended. It is about to be cancelled.
var errLapsed = fault.New(fault.Conflict, say.HoldEnded).Coded()

// isHeld tells whether an order may have a hold: it is a request for which no money was left.
func (o *Order) isHeld() bool {
	return o.Status == Request && o.PaidAmount.IsZero() && len(o.Deposits) == 0
}

// checkHold refuses a hold of an order that is no request, or for which money was left.
func (o *Order) checkHold(seconds moment.Seconds, errs fault.FieldErrors) error {
	switch {
	case seconds == 0 || o.isHeld():
	case o.ID == 0:
		errs.Add("hold", say.HoldOfRequestAlone)
	default:
		return o.statusFault(say.HoldOfUnpaidRequestAlone)
	}
	return nil
}

// holdFor makes a hold end some time from now; 0: never.
func (o *Order) holdFor(seconds moment.Seconds, now time.Time) {
	o.Expires = nil
	if seconds > 0 {
		end := moment.Of(now.Add(seconds.Duration()))
		o.Expires = &end
	}
}

// holdOf is for how long a new order is held: as its caller wants, else as the company has set for requests.
func (o *Order) holdOf(c Changes, settings company.Rental) moment.Seconds {
	switch {
	case c.Hold != nil:
		return *c.Hold
	case o.isHeld():
		return settings.Hold
	}
	return 0
}

// liftHold ends the hold of an order that is no request any more, or for which money was left.
func (o *Order) liftHold() {
	if !o.isHeld() {
		o.Expires = nil
	}
}

// hasLapsed tells whether the hold of a request has ended.
func (o *Order) hasLapsed(now time.Time) bool {
	return o.Expires != nil && *o.Expires <= moment.Of(now)
}
