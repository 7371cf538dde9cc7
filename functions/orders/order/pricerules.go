package order

import (
	"slices"
	"time"

	"github.com/tenantry/tenantry/shared/nullable"

	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/orders/pricebook"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/functions/services/tariff"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
)

// offer is what the price of an item line follows from besides itself.
type offer struct {
	item     *item.Item   // nil if it is not there
	group    *group.Group // of the item; nil if it has none
	discount *Reduction   // of the line, complete
}

// hasNewTerms tells whether a line has other terms than before: it is new, or its caller wants another tariff, or today's prices. What a
// rental costs is no price of a sale, so it has other terms where its type is another one, too.
func (d *Draft) hasNewTerms() bool {
	return d.before == nil || d.isNew(&d.before.Terms, &d.Line.Terms) || d.before.Type != d.Line.Type
}

// isNew tells whether a caller wants other terms than a line had.
func (a Asked) isNew(before, terms *Terms) bool {
	return a.Reprice || !nullable.Same(before.Tariff, terms.Tariff) || a.Combined != nil && *a.Combined != before.combined()
}

// combines tells whether new terms are an offer whose cheapest sum is taken, and not one tariff. usual is whether they are where a caller
// names no tariff.
func (a Asked) combines(before, terms *Terms, usual bool) bool {
	stays := before != nil && before.combined() && nullable.Same(before.Tariff, terms.Tariff) // what was read is sent back
	switch {
	case a.Combined != nil && !*a.Combined:
		return false
	case a.Combined != nil:
		return stays || before == nil || !before.combined()
	case stays:
		return true
	}
	return terms.Tariff == nil && a.Cost == nil && usual
}

// choosesTerms tells whether new terms can be chosen: they depend on the line's time, so nothing may be wrong with that.
func (d *Draft) choosesTerms(errs fault.FieldErrors) bool {
	return d.hasNewTerms() && !errs.Has("start_at") && !errs.Has("end_at")
}

// priceBy gives an item line its terms and its price. What is wrong with what was sent is added to errs; what the line does not let
// change any more is returned.
func (d *Draft) priceBy(p pricer, of offer, errs fault.FieldErrors) (err error) {
	l, before, newTerms := d.Line, d.before, d.hasNewTerms()
	if of.item != nil && (before == nil || before.Item != l.Item || d.Reprice) {
		l.Group = of.item.Group
	}
	if before != nil && before.Type != l.Type && nullable.Same(before.Tariff, l.Tariff) {
		l.Tariff = nil
	}
	if of.item != nil && d.choosesTerms(errs) {
		d.tariff(of, p, errs)
	}
	d.agreed = d.Asked.apply(&l.Terms, termsOf(before), newTerms, errs)
	if before.isFixed() && (newTerms || d.agreed) {
		return errSwapped
	}
	if d.agreed {
		l.agree()
		l.Place = nil
	}
	elsewhere := of.item != nil && d.goesElsewhere()
	l.Agreed = l.Agreed || elsewhere && !newTerms
	l.Discount = of.discount
	if of.item == nil && !before.isFixed() || len(errs) > 0 {
		return nil
	}
	kept, err := d.cost(p, newTerms, d.agreed)
	if err != nil {
		errs.Add("price", say.Of(err))
		return nil
	}
	l.worth(d.Price, kept)
	back := before != nil && before.state() == Returned && !before.isFixed()
	if back && (before.Price.Cmp(l.Price) != 0 || !before.sameTariff(&l.Terms)) {
		return errReturned // its late fee followed from them
	}
	if l.Agreed && (!kept || elsewhere) {
		l.measure(p.listPrice(l, of), termsOf(before))
	}
	return nil
}

// goesElsewhere tells whether a line gets an item that is priced by other tariffs than the one that it had.
func (d *Draft) goesElsewhere() bool {
	was, is := d.before, d.Line
	return was != nil && (was.Type != is.Type || was.Item != is.Item && (is.Type == Sale || !nullable.Same(was.Group, is.Group)))
}

// agree makes terms those of a price that was agreed on.
func (t *Terms) agree() {
	t.Agreed, t.Instead = true, t.Instead || t.combined()
	t.Offer = nil
}

// measure keeps what tariffs would cost instead of an agreed price. Where there are none any more, it is what they cost before; where there
// never were any, there is nothing to measure by.
func (t *Terms) measure(list *money.Amount, before *Terms) {
	if list == nil && before != nil && (!before.Agreed || before.List != nil) {
		base := before.base()
		list = &base
	}
	t.List = list
}

// priceOf prices an item line by its terms.
func (p pricer) priceOf(l *Line, kept bool) (pricing.Price, error) {
	it := l.priced()
	it.Rules = l.Place.rules(p.books)
	return p.price(&l.Terms, it, kept)
}

// lateFee is what it costs that the item of a line came back when it did: nothing until the end that was paid, where that is later.
func (p pricer) lateFee(l *Line, back moment.Micros) (money.Amount, error) {
	it := l.priced()
	it.End = max(l.End, l.pricedUntil()).Time()
	it.Rules = l.Place.rules(p.books)
	return p.rulesFor(&l.Terms).LateFee(it, back.Time())
}

// price prices a line by its terms. One that is kept as it was costs what it did, whatever the company has set since.
func (p pricer) price(t *Terms, it pricing.Item, kept bool) (pricing.Price, error) {
	of, err := p.rulesFor(t).Price(it)
	if !kept || err == nil && of.Gross.Cmp(t.Price) == 0 {
		return of, err
	}
	was, err := p.asItWas(t, it)
	if err == nil {
		was.Steps[0].Text, was.Units, was.Parts, was.End = say.PricingAsItWas, of.Units, of.Parts, of.End
	}
	return was, err
}

// asItWas is the price that terms have, with the discounts of today; those of a part of a rental are shared.
func (p pricer) asItWas(t *Terms, it pricing.Item) (was pricing.Price, err error) {
	if s := it.Share; s != nil {
		if it.Additional, err = s.Of(it.Additional, it.Start, it.End); err != nil {
			return was, err
		}
		if it.Discount.Amount != nil {
			amount, err := s.Of(*it.Discount.Amount, it.Start, it.End)
			if err != nil {
				return was, err
			}
			it.Discount.Amount = &amount
		}
	}
	return p.rules.Price(pricing.Item{
		Terms: pricing.Terms{Price: t.Price}, Sale: true, Discount: it.Discount, Additional: it.Additional,
	})
}

// rulesFor are the rules of a company as they count for terms.
func (p pricer) rulesFor(t *Terms) pricing.Rules {
	rules := p.rules
	if t.Month != "" {
		rules.CalendarMonths = t.Month == company.CalendarMonths
	}
	return rules
}

// worth gives terms the price that was worked out for them. Terms that are kept show the tariff that they did.
func (t *Terms) worth(p pricing.Price, kept bool) {
	t.Price, t.PriceDiscount = p.Gross, p.Discount
	if !kept && t.combined() && len(p.Parts) > 0 {
		t.show(p.Parts[0].Offered)
	}
}

// listPrice is what a line with an agreed price would cost by the tariffs of today: the one that it names, if it is there, else what a new
// line would cost; nil if there are none.
func (p pricer) listPrice(l *Line, of offer) *money.Amount {
	by := &Draft{Line: &Line{
		Item: l.Item, Type: l.Type, Start: l.Start, End: l.End, FactStart: l.FactStart, Group: l.Group,
		PricedFrom: l.PricedFrom, PricedUntil: l.PricedUntil, Continues: l.Continues, ContinuedBy: l.ContinuedBy, First: l.First,
	}}
	switch {
	case l.Instead:
		by.Combined = &l.Instead
	case of.group != nil && l.Tariff != nil && tariffOf(of.group.Tariffs, *l.Tariff) != nil:
		by.Line.Tariff = l.Tariff
	}
	errs := fault.FieldErrors{}
	by.tariff(of, p, errs)
	if len(errs) > 0 {
		return nil
	}
	price, err := p.priceOf(by.Line, false)
	if err != nil {
		return nil
	}
	return &price.Gross
}

// tariff gives a line the terms of the tariff that was asked for; if none was, those of the item's group, or of the item's own price where
// it is sold.
func (d *Draft) tariff(of offer, p pricer, errs fault.FieldErrors) {
	l, rental := d.Line, d.Line.Type == Rental
	var list []tariff.Tariff
	usual := p.settings.Combine
	if of.group != nil {
		list, usual = of.group.Tariffs, pricebook.Combines(of.group, p.settings)
	}
	l.Terms = l.asked()
	l.Place = nil
	switch {
	case rental && d.combines(termsOf(d.before), &l.Terms, usual):
		if !l.knows(list, termsOf(d.before)) {
			errs.Add("tarif", say.DoesNotExist(*l.Tariff))
			return
		}
		if !l.takesOffer(list) {
			errs.Add("tarif", say.LineWithoutTariff)
			return
		}
	case l.Tariff != nil:
		if !l.takes(list, *l.Tariff, errs) {
			errs.Add("tarif", say.DoesNotExist(*l.Tariff))
			return
		}
	case d.Cost != nil:
		l.Terms = d.Asked.terms(l.Terms)
		return
	case !rental && of.item.SellPrice != nil && !of.item.SellPrice.IsNegative():
		l.Cost = *of.item.SellPrice
	case !rental:
		errs.Add("tarif", say.LineWithoutSellPrice)
	default:
		if !l.takesCheapest(p.rules, list, l.began().Time(), l.whole().Time()) {
			errs.Add("tarif", say.LineWithoutTariff)
		}
	}
	if rental {
		l.Month, l.Place = p.settings.Month, p.place(of)
	}
}

// asked are terms of which nothing is left but what callers say.
func (t *Terms) asked() Terms {
	return Terms{Tariff: t.Tariff, Discount: t.Discount, Additional: t.Additional}
}

// knows tells whether the tariff that a caller names beside a combined price, if any, is one of a list, or is what was read.
func (t *Terms) knows(list []tariff.Tariff, before *Terms) bool {
	return t.Tariff == nil || tariffOf(list, *t.Tariff) != nil || before != nil && nullable.Same(before.Tariff, t.Tariff)
}

// termsOf returns the terms of an item line. A new line had none before: for nil it returns nil.
func termsOf(l *Line) *Terms {
	if l == nil {
		return nil
	}
	return &l.Terms
}

// place is where a line with new terms is priced; nil while the company has no price rules.
func (p pricer) place(of offer) *Place {
	if p.now.Number == 0 {
		return nil
	}
	at := &Place{Book: p.now.Number, Group: of.item.Group, Point: p.point}
	if of.group != nil {
		at.Category = of.group.Category
	}
	return at
}

// take gives a line the terms of a tariff.
func (t *Terms) take(of tariff.Tariff) {
	*t = Terms{
		Tariff: &of.ID, Name: of.Name, Cost: of.Price, Once: of.OneTime, Discount: t.Discount, Additional: t.Additional,
	}
	if of.Duration != nil {
		t.Duration = *of.Duration
	}
}

// takes gives a line the terms of the tariff with an id, and tells whether there is one. A tariff
// whose price is negative is reported.
func (t *Terms) takes(list []tariff.Tariff, id int64, errs fault.FieldErrors) bool {
	of := tariffOf(list, id)
	if of == nil {
		return false
	}
	if of.Price.IsNegative() {
		errs.Add("tarif", say.TariffPriceNegative)
	}
	t.take(*of)
	return true
}

// takesOffer gives a line all tariffs that are offered, whose cheapest sum it costs; false if there are none.
func (t *Terms) takesOffer(list []tariff.Tariff) bool {
	*t = t.asked()
	for _, one := range pricing.Offer(pricebook.Offered(list)) {
		t.Offer = append(t.Offer, Offered{
			ID: one.ID, Name: tariffOf(list, one.ID).Name, Cost: one.Price, Duration: one.Duration, Once: one.Once,
		})
	}
	return len(t.Offer) > 0
}

// takesCheapest gives a line the terms of the tariff that costs least for a time; false if none is offered.
func (t *Terms) takesCheapest(rules pricing.Rules, list []tariff.Tariff, start, end time.Time) bool {
	of := pricebook.Offered(list)
	terms := make([]pricing.Terms, len(of))
	for i := range of {
		terms[i] = of[i].Terms
	}
	i := rules.Cheapest(terms, start, end)
	if i < 0 {
		return false
	}
	t.take(*tariffOf(list, of[i].ID))
	return true
}

// tariffOf returns the tariff of a list that has an id, or nil.
func tariffOf(list []tariff.Tariff, id int64) *tariff.Tariff {
	if i := slices.IndexFunc(list, func(of tariff.Tariff) bool { return of.ID == id }); i >= 0 {
		return &list[i]
	}
	return nil
}

// terms returns the terms of a line that has an agreed price instead of a tariff.
func (a Asked) terms(were Terms) Terms {
	t := Terms{Discount: were.Discount, Additional: were.Additional, Cost: *a.Cost}
	if a.Duration != nil {
		t.Duration = *a.Duration
	}
	return t
}

// apply replaces the price and the duration of a tariff by what was agreed on, and tells whether that is another price. A caller who
// sends a whole line back with another tariff means the price of that one, and not the price that was read.
func (a Asked) apply(t, before *Terms, newTerms bool, errs fault.FieldErrors) (agreed bool) {
	sentBack := newTerms && before != nil && (t.Tariff != nil || t.combined()) // without tariffs, what was sent is the price
	cost, duration := a.Cost, a.Duration
	if sentBack && cost != nil && cost.Cmp(before.Cost) == 0 {
		cost = nil
	}
	if sentBack && duration != nil && *duration == before.Duration {
		duration = nil
	}
	if newTerms && t.combined() {
		if !t.offers(cost, duration) {
			errs.Add("tarif_price", say.CombinedPriceAgreed)
		}
		return false
	}
	if cost != nil {
		agreed = t.Cost.Cmp(*cost) != 0 || newTerms && t.Tariff == nil
		t.Cost = *cost
	}
	if duration != nil {
		agreed = agreed || t.Duration != *duration
		t.Duration = *duration
	}
	return agreed
}

// offers tells whether the tariff that a caller names is in the offer with the price and the duration that were sent. What was not sent
// is nil, and fits.
func (t *Terms) offers(cost *money.Amount, duration *moment.Seconds) bool {
	if cost == nil && duration == nil {
		return true
	}
	return t.Tariff != nil && slices.ContainsFunc(t.Offer, func(of Offered) bool {
		return of.ID == *t.Tariff && (cost == nil || of.Cost.Cmp(*cost) == 0) && (duration == nil || of.Duration == *duration)
	})
}
