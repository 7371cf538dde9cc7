package order

import (
	"slices"
	"time"

	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
)

// A rental whose item was swapped while it was out has a line for each of its items, one after the other: its parts. Each keeps terms of
// its own, and costs its share of what the whole time would cost by them, so that the parts of a rental that kept its terms add up to
// what it costs. All have the same priced time, PricedFrom to PricedUntil, and the same discounts.

// maxParts is how many items a rental has at most, one after the other.
const maxParts = 10

// isPart tells whether a line is one of several of a rental whose item was swapped.
func (l *Line) isPart() bool { return l.Continues != 0 || l.ContinuedBy != 0 }

// began is the planned start of a rental, whatever item it had then.
func (l *Line) began() moment.Micros {
	if l.First != nil {
		return l.First.Start
	}
	return l.Start
}

// out is when the first item of a rental was handed out; as planned, before it is.
func (l *Line) out() moment.Micros {
	if l.First != nil {
		return l.First.Out
	}
	return l.from()
}

// whole is the end of a rental, whatever item it has then.
func (l *Line) whole() moment.Micros {
	if l.ContinuedBy != 0 {
		return l.pricedUntil()
	}
	return l.End
}

// share is the part of its rental that a line is for; nil if it is all of it.
func (l *Line) share() *pricing.Share {
	if !l.isPart() {
		return nil
	}
	s := &pricing.Share{}
	if l.Continues != 0 {
		s.From = l.Start.Time()
	}
	if l.ContinuedBy != 0 {
		s.Until = l.End.Time()
	}
	return s
}

// Swap is what takes the place of an item.
type Swap struct {
	Item   int64
	At     *moment.Micros // when it happened; nil: now. Of an item that was not handed out yet, it has to be nil
	New    bool           // the new item costs what its own tariffs say, and not what was agreed for the old one
	Reason string
}

func (s Swap) price() SwapPrice {
	if s.New {
		return NewPrice
	}
	return KeepPrice
}

// What a swap refuses.
var (
	errOverdue        = fault.New(fault.Conflict, say.SwapOverdue).Coded()
	errSwapped        = fault.New(fault.Conflict, say.SwapStays).Coded()
	errTooManyLines   = fault.Field(fault.NonField, say.OrderMaxItemLines(MaxLines))
	errTooManyReturns = fault.New(fault.Conflict, say.ReturnTooManySwaps).Coded()
	errTooManyParts   = fault.New(fault.Conflict, say.SwapTooMany).Coded()
)

// checkSwap refuses to swap the item of a line that has none, or has not ended in time.
func (o *Order) checkSwap(l *Line, at moment.Micros) error {
	switch {
	case !o.IsOpen():
		return o.statusFault(say.OrderOver)
	case l.ContinuedBy != 0:
		return errSwapped
	case l.state() == Returned:
		return errReturned
	case l.state() == Out && l.Type == Sale:
		return errOut
	case l.state() == Out && at >= l.End:
		return errOverdue
	case l.state() == Out && at <= *l.FactStart:
		return fault.Field("datetime", say.SwapNotAfterHandOut)
	}
	return nil
}

// priceAt reports at the field "price" of a swap what is wrong with a price that its caller did not name, and with the discounts on it.
func priceAt(err error) error {
	f, ok := fault.As(err)
	if !ok {
		return err
	}
	errs := fault.FieldErrors{}
	for _, field := range []string{"tarif", "tarif_price", "discount", "additional_discount"} {
		if list, _ := f.Fields[field].([]say.Message); len(list) > 0 {
			errs.Add("price", list[0])
		}
	}
	if len(errs) == 0 {
		return err
	}
	return errs.Err()
}

// goOn is the line that goes on with another item from a moment on, and ends this one then.
func (l *Line) goOn(with int64, at moment.Micros) *Line {
	next := &Line{
		Terms: l.Terms, Order: l.Order, Item: with, Client: l.Client, Group: l.Group, Place: l.Place, Type: l.Type, Start: at, End: l.End,
		FactStart: &at, EndKept: true, First: &First{Start: l.began(), Out: l.out()}, Continues: l.ID, Set: l.Set, SetGroup: l.SetGroup,
		Extra: l.Extra,
	}
	from, until := l.pricedFrom(), l.pricedUntil()
	l.End, l.FactEnd = at, &at
	l.isFor(from, until)
	next.isFor(from, until)
	return next
}

// own is the priced time of its rental that a line has for itself.
func (l *Line) own() (from, until time.Time) {
	from, until = l.pricedFrom().Time(), l.pricedUntil().Time()
	if s := l.share(); s != nil {
		return s.Within(from, until)
	}
	return from, until
}

// divide gives the two parts of what was one line what it cost, by their times. They are priced anew only where that comes to the same:
// settings may be other ones since the line was priced.
func (p pricer) divide(before, l, next *Line) error {
	first, err := p.priceOf(l, false)
	if err != nil {
		return err
	}
	second, err := p.priceOf(next, false)
	if err != nil {
		return err
	}
	l.worth(first, true)
	next.worth(second, true)
	if l.Price.Add(next.Price).Cmp(before.Price) == 0 && l.PriceDiscount.Add(next.PriceDiscount).Cmp(before.PriceDiscount) == 0 {
		return nil
	}
	share := l.share()
	from, until := before.own()
	if l.Price, err = share.Of(before.Price, from, until); err != nil {
		return err
	}
	if l.PriceDiscount, err = share.Of(before.PriceDiscount, from, until); err != nil {
		return err
	}
	next.Price, next.PriceDiscount = before.Price.Sub(l.Price), before.PriceDiscount.Sub(l.PriceDiscount)
	return nil
}

// divideList gives the parts of a line with an agreed price their shares of what tariffs would have cost instead.
func divideList(before, l, next *Line) error {
	if before.List == nil {
		return nil
	}
	from, until := before.own()
	first, err := l.share().Of(*before.List, from, until)
	if err != nil {
		return err
	}
	second := before.List.Sub(first)
	l.List, next.List = &first, &second
	return nil
}

// inParts are, of each rental that has several parts among the drafts of a call, the last one and the others.
func inParts(drafts []*Draft) (all [][]*Draft) {
	for _, d := range drafts {
		if len(d.others) > 0 {
			all = append(all, append([]*Draft{d}, d.others...))
		}
	}
	return all
}

// keepParts lets rentals cost what they did whose parts together cost more, or less, than the bound of their new time lets them.
func keepParts(drafts []*Draft, p pricer) error {
	for _, of := range inParts(drafts) {
		in := of[0].bound
		var was, is money.Amount
		for _, d := range of {
			if !d.same {
				in = noBound
			}
			was, is = was.Add(d.before.Price), is.Add(d.Line.Price)
		}
		if !in.broken(is.Cmp(was)) {
			continue
		}
		for _, d := range of {
			if err := d.keep(p); err != nil {
				return err
			}
			d.Line.worth(d.Price, true)
		}
	}
	return nil
}

// differsForAll tells whether a change of a part is one of the whole rental: of its end, or of what is taken off it.
func (d *Draft) differsForAll() bool {
	return d.before != nil && d.Line.isPart() && (d.before.End != d.Line.End || d.hasNewDiscount())
}

// hasNewDiscount tells whether a caller takes something else off a line than before.
func (d *Draft) hasNewDiscount() bool {
	return !d.before.Discount.is(d.Line.Discount) || d.before.Additional.Cmp(d.Line.Additional) != 0
}

// shareDiscounts gives all parts of rentals the discounts that callers have changed for one of them.
func shareDiscounts(drafts []*Draft, at errorsAt) {
	for _, of := range inParts(drafts) {
		i := slices.IndexFunc(of, (*Draft).hasNewDiscount)
		if i < 0 {
			continue
		}
		by := of[i].Line
		for _, d := range of {
			if d.hasNewDiscount() && (!d.Line.Discount.is(by.Discount) || d.Line.Additional.Cmp(by.Additional) != 0) {
				at(d.Path).Add("discount", say.SwapDiscountsDiffer)
			}
			d.Line.Discount, d.Line.Additional = by.Discount, by.Additional
		}
	}
}

// isFixed tells whether a line is a part that a swap ended, which follows the last one alone.
func (l *Line) isFixed() bool { return l != nil && l.ContinuedBy != 0 }
