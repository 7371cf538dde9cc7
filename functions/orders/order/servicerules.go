package order

import (
	"slices"

	"github.com/tenantry/tenantry/functions/orders/pricebook"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/functions/services/service"
	"github.com/tenantry/tenantry/functions/services/tariff"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/nullable"
	"github.com/tenantry/tenantry/shared/say"
)

// MostTimed is how many service lines of an order are charged for the time: each may change with the order's time.
const MostTimed = 20

// serviceOffer is what the price of a service line follows from besides itself.
type serviceOffer struct {
	service  *service.Service // nil if it is not there
	discount *Reduction       // of the line, complete: its own or that of its service
}

// span is a time; zero while it is not known.
type span struct{ start, end moment.Micros }

// span is the time that a price is for; zero where it is for none.
func (p *Priced) span() (s span) {
	if p != nil {
		s = span{p.Start, p.End}
	}
	return s
}

// takesDiscount tells whether a line takes the discount of its service: it is new, or has another
// service than before, and its caller said nothing of a discount.
func (d *ServiceDraft) takesDiscount() bool {
	return !d.DiscountSent && (d.before == nil || d.before.Service != d.Line.Service)
}

// hasNewTerms tells whether a service line has other terms than before.
func (d *ServiceDraft) hasNewTerms() bool {
	return d.before == nil || d.isNew(&d.before.Terms, &d.Line.Terms) || d.before.Service != d.Line.Service
}

// priceBy gives a service line its terms and its price.
func (d *ServiceDraft) priceBy(p pricer, of serviceOffer, errs fault.FieldErrors) {
	if d.decides(p, of.service) {
		d.Reprice, d.Line.Tariff, d.Cost, d.Duration = true, nil, nil, nil
	}
	l, before, newTerms := d.Line, d.before, d.hasNewTerms()
	l.checkTime(errs)
	if newTerms && of.service != nil {
		l.Title, l.Type = of.service.Name, of.service.Type
		d.tariff(p, of.service, errs)
	}
	agreed := d.Asked.apply(&l.Terms, serviceTermsOf(before), newTerms, errs)
	if agreed {
		l.agree()
		l.Undecided = false
	}
	was := l.Priced
	if l.lasts(p); newTerms {
		l.charge(p)
	}
	l.Discount = of.discount
	if of.service == nil && newTerms || len(errs) > 0 {
		return
	}
	kept := before != nil && !newTerms && !agreed && before.Count == l.Count && nullable.Same(was, l.Priced)
	var err error
	if d.Price, err = p.price(&l.Terms, l.item(), kept); err != nil {
		errs.Add("price", say.Of(err))
		return
	}
	l.worth(d.Price, kept)
	if before != nil && !newTerms && !before.follows() {
		p.settings.ServicesByTime = false // it was made as one that is charged once, and is measured so
	}
	if l.Agreed && !kept {
		l.measure(l.listPrice(p, of.service), serviceTermsOf(before))
	}
}

// decides tells whether a tariff that was chosen without a time is chosen anew: there is a time now, and the caller wants no other terms.
func (d *ServiceDraft) decides(p pricer, of *service.Service) bool {
	was := d.before
	return was != nil && was.Undecided && of != nil && d.Line.span(p.span) != (span{}) && !d.hasNewTerms() &&
		(d.Cost == nil || d.Cost.Cmp(was.Cost) == 0) && (d.Duration == nil || *d.Duration == was.Duration)
}

// checkTime reports what is wrong with a time of a service line's own.
func (l *ServiceLine) checkTime(errs fault.FieldErrors) {
	switch {
	case l.Start == nil && l.End == nil || errs.Has("start_at") || errs.Has("end_at"):
	case l.Start == nil:
		errs.Add("start_at", say.ServiceTimeHalf)
	case l.End == nil:
		errs.Add("end_at", say.ServiceTimeHalf)
	default:
		line := Line{Start: *l.Start, End: *l.End}
		line.checkTime(errs)
	}
}

// span is the time that a service line is charged for: its own, else the order's.
func (l *ServiceLine) span(order span) span {
	if l.Start != nil && l.End != nil {
		return span{*l.Start, *l.End}
	}
	return order
}

// item is what the price of a service line follows from.
func (l *ServiceLine) item() pricing.Item {
	it := l.Terms.priced()
	it.Count, it.Timeless = l.Count, !l.Timed
	if l.Priced != nil {
		it.Start, it.End = l.Priced.Start.Time(), l.Priced.End.Time()
	}
	return it
}

// hasDuration tells whether the price of terms depends on the time.
func (t *Terms) hasDuration() bool {
	return t.Duration > 0 && !t.Once ||
		slices.ContainsFunc(t.Offer, func(of Offered) bool { return of.Duration > 0 && !of.Once })
}

// tariff gives a service line the terms of the tariff that was asked for; if none was, of what costs least, or of the service's own price.
func (d *ServiceDraft) tariff(p pricer, of *service.Service, errs fault.FieldErrors) {
	l, at := d.Line, d.Line.span(p.span)
	byTime, undecided := p.settings.ServicesByTime, false
	l.Terms = l.asked()
	switch {
	case byTime && timed(of.Tariffs) && d.combines(serviceTermsOf(d.before), &l.Terms, p.settings.Combine):
		if l.knows(of.Tariffs, serviceTermsOf(d.before)) {
			l.takesOffer(of.Tariffs)
		} else {
			errs.Add("tarif", say.DoesNotExist(*l.Tariff))
		}
	case l.Tariff != nil:
		if !l.takes(of.Tariffs, *l.Tariff, errs) {
			errs.Add("tarif", say.DoesNotExist(*l.Tariff))
		}
	case d.Cost != nil:
		l.Terms = d.Asked.terms(l.Terms)
	case byTime && l.takesCheapest(p.rules, of.Tariffs, at.start.Time(), at.end.Time()):
		undecided = at == span{}
	case !byTime && l.takesCheapestOnce(of.Tariffs):
	default:
		l.Cost = of.Price
		if of.Price.IsNegative() {
			errs.Add("service", say.ServicePriceNegative)
		}
	}
	if l.Undecided = undecided; byTime {
		l.Month = p.settings.Month
	}
}

// timed tells whether a tariff that would take part in a sum has a time.
func timed(list []tariff.Tariff) bool {
	return slices.ContainsFunc(pricing.Offer(pricebook.Offered(list)), func(t pricing.Offered) bool { return t.Duration > 0 && !t.Once })
}

// listPrice is what a line with an agreed price would cost by the tariffs of today; nil if there are none, or its service is gone.
func (l *ServiceLine) listPrice(p pricer, of *service.Service) *money.Amount {
	if of == nil {
		return nil
	}
	by := &ServiceDraft{Line: &ServiceLine{Count: l.Count, Start: l.Start, End: l.End}}
	switch {
	case l.Instead:
		by.Combined = &l.Instead
	case l.Tariff != nil && tariffOf(of.Tariffs, *l.Tariff) != nil:
		by.Line.Tariff = l.Tariff
	}
	errs := fault.FieldErrors{}
	if by.tariff(p, of, errs); len(errs) > 0 {
		return nil
	}
	by.Line.charge(p)
	l.Measured = by.Line.Timed
	l.lasts(p)
	price, err := p.price(&by.Line.Terms, by.Line.item(), false)
	if err != nil {
		return nil
	}
	return &price.Gross
}

// charge makes a line with new terms one that is charged for the time, if they have a duration and the company charges it.
func (l *ServiceLine) charge(p pricer) {
	l.Timed, l.Measured = p.settings.ServicesByTime && l.hasDuration(), false
	l.lasts(p)
}

// follows tells whether what a line costs, or what it would cost by tariffs, follows a time.
func (l *ServiceLine) follows() bool { return l.Timed || l.Measured }

// lasts gives a line the time that its price is for.
func (l *ServiceLine) lasts(p pricer) {
	l.Priced = nil
	if at := l.span(p.span); l.follows() && at != (span{}) {
		l.Priced = &Priced{at.start, at.end}
	}
}

// takesCheapestOnce gives a service line the terms of the tariff with the lowest price; false if
// none is offered.
func (t *Terms) takesCheapestOnce(list []tariff.Tariff) bool {
	of := pricebook.Offered(list)
	if len(of) == 0 {
		return false
	}
	least := slices.MinFunc(of, func(a, b pricing.Offered) int { return a.Price.Cmp(b.Price) })
	t.take(*tariffOf(list, least.ID))
	return true
}

// serviceTermsOf returns the terms of a service line. A new line had none before: for nil it returns nil.
func serviceTermsOf(l *ServiceLine) *Terms {
	if l == nil {
		return nil
	}
	return &l.Terms
}
