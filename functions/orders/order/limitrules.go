package order

import (
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
)

// checkDiscount reports a discount of a line that is more than a caller may give. What is not more than before stays.
func checkDiscount(before, t *Terms, limit int64, errs fault.FieldErrors) {
	if len(errs) > 0 || !above(limit, t.base(), t.Price.Sub(t.PriceDiscount)) {
		return
	}
	if before != nil && !isMore(before.base(), before.Price.Sub(before.PriceDiscount), t.base(), t.Price.Sub(t.PriceDiscount),
		before.List == nil && t.List == nil && t.Discount.is(before.Discount) && t.Additional.Cmp(before.Additional) == 0) {
		return
	}
	field := "additional_discount"
	switch {
	case t.List != nil && t.Price.Cmp(*t.List) < 0:
		field = "tarif_price"
	case t.Discount != nil:
		field = "discount"
	}
	errs.Add(field, say.OrderDiscountAboveRole(limit))
}

// errDiscountLeft refuses a change of lines or times after which discounts, or agreed prices of services, that are there are more than the
// caller may give.
var errDiscountLeft = fault.New(fault.Conflict, say.OrderDiscountsLeft).Coded()

// checkDiscount refuses a discount of a whole order that is more than a caller may give. What is not more than before stays, and lines are
// asked by themselves.
func (o *Order) checkDiscount(before *Order, limit int64) error {
	base, net := o.base(), o.net()
	if !o.hasDiscount() || !above(limit, base, net) {
		return nil
	}
	same := before != nil && o.Discount.is(before.Discount) && o.Additional.Cmp(before.Additional) == 0
	if before != nil && !isMore(before.base(), before.net(), base, net, same && before.ownAlone() && o.ownAlone()) {
		return nil
	}
	if same {
		return errDiscountLeft
	}
	field := "additional_discount"
	if o.Discount != nil {
		field = "discount"
	}
	return fault.Field(field, say.OrderDiscountAboveRole(limit))
}

// checkDiscountWith is checkDiscount for an order as it will be with the lines of a call, before any number is used up, and before services
// follow the time.
func (o *Order) checkDiscountWith(before *Order, c Changes, limit int64) error {
	will := *o
	will.include(c)
	if _, err := will.sumUp(); err != nil {
		return err
	}
	return will.checkDiscount(before, limit)
}

// is tells whether a discount is the same as another one.
func (r *Reduction) is(other *Reduction) bool {
	return r == nil && other == nil || r != nil && other != nil && r.ID == other.ID
}

// hasDiscount tells whether an order has a discount of its own.
func (o *Order) hasDiscount() bool { return o.Discount != nil || !o.Additional.IsZero() }

// ownAlone tells whether all that is taken off is a discount of the order's own.
func (o *Order) ownAlone() bool { return o.LineDiscounts.IsZero() && o.AgreedBelow.IsZero() }

// base is what the lines of an order cost by tariffs.
func (o *Order) base() money.Amount { return o.GrossInventory.Add(o.GrossService).Add(o.AgreedBelow) }

// net is what they cost after all discounts.
func (o *Order) net() money.Amount { return o.GrossInventory.Add(o.GrossService).Sub(o.PriceDiscount) }

// below is by how much an agreed price lies below the price by tariffs; negative if it is above.
func (t *Terms) below() money.Amount { return t.base().Sub(t.Price) }

// above tells whether a net is less than a base by more than some percent of it, which are rounded as those of a discount are.
func above(limit int64, base, net money.Amount) bool {
	if limit >= 100 || base.Cmp(net) <= 0 {
		return false
	}
	most, err := base.Percent(money.Whole(limit))
	return err == nil && base.Sub(net).Cmp(most) > 0
}

// isMore tells whether a net is a smaller part of its base than another one was of its. Where the same discount was taken off both, the
// cent by which each may be rounded doesn't count.
func isMore(wasBase, was, base, net money.Amount, same bool) bool {
	if wasBase.IsZero() || wasBase.IsNegative() {
		return true
	}
	if cent := money.FromCents(1); same {
		was, net = was.Sub(cent), net.Add(cent)
	}
	return money.CmpRatios(net, base, was, wasBase) < 0
}
