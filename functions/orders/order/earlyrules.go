package order

import (
	"cmp"
	"slices"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
)

// pricedFrom is when the time begins that a line is priced for.
func (l *Line) pricedFrom() moment.Micros { return cmp.Or(l.PricedFrom, l.Start) }

// pricedUntil is when the time ends that a line is priced for, apart from a minimum of price rules.
func (l *Line) pricedUntil() moment.Micros { return cmp.Or(l.PricedUntil, l.End) }

// pricedUntil is the end of a line that services are charged for.
func (h Held) pricedUntil() moment.Micros { return cmp.Or(h.Priced, h.End) }

// isFor makes a time the one that a line is priced for.
func (l *Line) isFor(from, until moment.Micros) {
	l.PricedFrom, l.PricedUntil = 0, 0
	if from != l.Start {
		l.PricedFrom = from
	}
	if until != l.End {
		l.PricedUntil = until
	}
}

// hasAgreed tells whether what terms cost was agreed on, so that the time that was used is no measure of it.
func (t *Terms) hasAgreed() bool { return t.Agreed || t.Tariff == nil && !t.combined() }

// bound is how a new price is bounded by the one before.
type bound int

// The bounds.
const (
	noBound bound = iota
	atMost        // less time is never dearer
	atLeast       // more time than what was kept is never cheaper
)

// broken tells whether a price that compares so with the one before is out of a bound.
func (b bound) broken(compared int) bool {
	return b == atMost && compared > 0 || b == atLeast && compared < 0
}

// time is the time that a line is priced for. One whose item is out keeps what it was priced for where it gets a shorter end, or is priced
// for what is used then, as the setting early says, so that it costs the same whether its end is moved before it comes back or not. Lines
// from before there was the setting are priced for the shorter time.
func (d *Draft) time(early company.Early, newTerms bool) (from, until moment.Micros, in bound) {
	l, was := d.Line, d.before
	switch {
	case d.last != nil: // the line is a part of a rental that went on with another item
		return d.last.time(early, d.last.anew)
	case was == nil || l.Type != Rental || was.Type != Rental:
		return l.Start, l.End, noBound
	case was.Start == l.Start && was.End == l.End:
		return was.pricedFrom(), was.pricedUntil(), noBound
	case was.state() != Out || !was.EndKept:
		return l.began(), l.End, noBound
	case l.End > was.pricedUntil() && was.pricedFrom() == was.began() && was.PricedUntil == 0:
		return l.began(), l.End, noBound
	case l.End > was.pricedUntil():
		return max(l.began(), was.pricedFrom()), l.End, atLeast // what went out early for free stays free
	case early != company.EarlyReprice || l.End >= was.End || d.hadAgreed() && !newTerms:
		return was.pricedFrom(), was.pricedUntil(), noBound
	}
	return min(l.began(), l.out()), l.End, atMost
}

// hadAgreed tells whether what a rental cost was agreed on, for one of its items at least.
func (d *Draft) hadAgreed() bool {
	return d.before.hasAgreed() || slices.ContainsFunc(d.others, func(d *Draft) bool { return d.before.hasAgreed() })
}

// cost prices an item line for its time, and tells whether it keeps the price that it had. The bound of lines that went on with another
// item is that of all of them together; see keepParts.
func (d *Draft) cost(p pricer, newTerms, agreed bool) (kept bool, err error) {
	l, was := d.Line, d.before
	l.EndKept = l.EndKept || was == nil
	from, until, in := d.time(p.settings.Early, newTerms)
	l.isFor(from, until)
	d.same, d.bound = was != nil && !newTerms && !agreed, in
	kept = d.same && was.pricedFrom() == l.pricedFrom() && was.pricedUntil() == l.pricedUntil()
	if d.Price, err = p.priceOf(l, kept); err != nil {
		return kept, err
	}
	if d.same && l.share() == nil && in.broken(d.Price.Gross.Cmp(was.Price)) {
		return true, d.keep(p)
	}
	return kept, err
}

// keep makes a line cost what it did, for the time that it was priced for before.
func (d *Draft) keep(p pricer) (err error) {
	d.Line.isFor(d.before.pricedFrom(), d.before.pricedUntil())
	d.Line.Price = d.before.Price
	d.Price, err = p.priceOf(d.Line, true)
	return err
}

// costsLike tells whether a line costs what another one does, for the same time.
func (l *Line) costsLike(other *Line) bool {
	return l.Price.Cmp(other.Price) == 0 && l.PriceDiscount.Cmp(other.PriceDiscount) == 0 &&
		l.pricedFrom() == other.pricedFrom() && l.pricedUntil() == other.pricedUntil()
}

// comesBack prices a line whose item has come back early for the time that it was used, where that is meant and not dearer; with it the
// other parts of its rental, whose time that is too.
func (p pricer) comesBack(l *Line, others []*Line, early company.Early) error {
	back := *l.FactEnd
	if early != company.EarlyReprice || l.Type == Sale || back >= max(l.End, l.pricedUntil()) {
		return nil
	}
	from := min(l.began(), l.out())
	var was, is money.Amount
	var used []Line
	rental := append([]*Line{l}, others...)
	for _, part := range rental {
		if part.hasAgreed() {
			return nil
		}
		one := *part
		one.isFor(from, back)
		price, err := p.priceOf(&one, false)
		if err != nil {
			return err
		}
		one.worth(price, false)
		used, was, is = append(used, one), was.Add(part.Price), is.Add(one.Price)
	}
	if is.Cmp(was) > 0 {
		return nil
	}
	for i, part := range rental {
		*part = used[i]
	}
	return nil
}

// comesEarly tells whether a line whose item was handed out begins then, because that is charged.
func (l *Line) comesEarly(by company.Rental) bool {
	return by.EarlyStart == company.EarlyStartCharged && l.Type == Rental && l.from().Add(by.LateGrace.Duration()) < l.Start
}

// startLine makes an order hold a line whose item was handed out. One that is early enough begins then, where that is charged, and is
// priced for the longer time; it tells whether.
func (o *Order) startLine(l *Line, p pricer) (moved bool, err error) {
	if moved = l.comesEarly(p.settings); moved {
		o.count(l, money.Amount.Sub)
		start := l.Start
		l.Start = l.from()
		price, err := p.priceOf(l, false)
		if err != nil {
			return moved, errTooMuch
		}
		if l.List != nil && price.Gross.Cmp(l.Price) > 0 {
			list := l.List.Add(price.Gross).Sub(l.Price) // what was agreed on stays as far below the tariffs
			l.List = &list
		}
		if price.Gross.Cmp(l.Price) < 0 {
			l.isFor(start, l.End) // where longer is cheaper, to come early is not
		} else {
			l.worth(price, false)
		}
		o.count(l, money.Amount.Add)
	}
	*o.Line(l.ID) = l.held()
	return moved, nil
}

// besides is a line whose item came or went, as a change of what else became of it: that the item came or went has events of its own.
func (l *Line) besides(before *Line) *Draft {
	was := *before
	was.FactStart, was.FactEnd, was.LateFee = l.FactStart, l.FactEnd, l.LateFee
	return &Draft{Line: l, before: &was}
}

// unbounded is a pricer for what services cost because items came or went: nobody takes anything off by it.
func (p pricer) unbounded() pricer {
	p.settings.MaxDiscount = &company.MaxDiscount{Employee: 100, Manager: 100}
	return p
}
