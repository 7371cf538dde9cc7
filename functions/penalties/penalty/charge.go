package penalty

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/say"
)

// What keeps a penalty from being charged, or from being deleted.
var (
	errCharged = fault.New(fault.Conflict, say.PenaltyCharged).Coded()
	errInUse   = fault.New(fault.Conflict, say.PenaltyInUse).Coded()
	errNoOrder = fault.New(fault.Conflict, say.PenaltyUnmatched).Coded()
)

// Charge adds a penalty as a fee to the order that had the car: its amount, or another one. It stays with that order
// from then on. Whether the penalty is paid is another matter: the client may pay the fee and the company the penalty.
func Charge(ctx context.Context, w *record.Work, p *Penalty, amount *money.Amount) error {
	if p.Charged != nil {
		return errCharged
	}
	if p.Order == nil {
		return errNoOrder
	}
	if amount == nil {
		amount = p.Amount
	}
	errs := w.Errors("")
	switch {
	case errs.Has("amount"):
	case amount == nil:
		errs.Add("amount", say.Required) // the penalty has none
	case amount.IsZero() || amount.IsNegative():
		errs.Add("amount", say.NotAboveZero)
	}
	if errs.Any() {
		return w.Check(ctx)
	}
	o, err := order.Kind().Edit(ctx, w, *p.Order)
	if errors.Is(err, fault.ErrNotFound) {
		return errNoOrder // it was deleted, and the penalty is matched again within seconds
	}
	if err != nil {
		return err
	}
	fee, err := order.Charge(ctx, w, o, order.Fee{Amount: *amount, Comment: &p.Protocol, Penalty: &p.ID})
	if err != nil {
		return err
	}
	p.Charged = &Charged{Order: o.ID, Fee: fee.ID}
	w.Happened(WasCharged{event.Of(p.ID, concerns(p)...), OfCharge(*p.Charged), *amount})
	return nil
}

// Uncharge takes the fee back that a penalty has become. Then the penalty belongs again to whoever had the car.
func Uncharge(ctx context.Context, w *record.Work, p *Penalty) error {
	if p.Charged == nil {
		return fault.ErrNotFound
	}
	o, err := order.Kind().Edit(ctx, w, p.Charged.Order)
	if err != nil {
		return err
	}
	if err := order.Uncharge(ctx, w, o, p.Charged.Fee); err != nil {
		return err
	}
	w.Happened(WasUncharged{event.Of(p.ID, concerns(p)...), OfCharge(*p.Charged)})
	p.Charged = nil
	return p.match(ctx, w)
}

// Deletable refuses to delete a penalty that an order is charged with.
func (p *Penalty) Deletable() error {
	if p.Charged != nil {
		return errInUse
	}
	return nil
}
