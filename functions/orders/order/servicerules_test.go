package order

import (
	"testing"

	"github.com/tenantry/tenantry/functions/services/service"
	"github.com/tenantry/tenantry/functions/services/tariff"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

func TestPricesOfServices(t *testing.T) {
	of := func(list ...tariff.Tariff) *service.Service {
		return &service.Service{Meta: record.Meta{ID: 1}, Name: "Delivery", Price: money.Whole(40), Tariffs: list}
	}
	negative := of()
	negative.Price = money.Whole(-1)
	line := func(id, service, count int64) *ServiceLine {
		return &ServiceLine{Meta: record.Meta{ID: id}, Service: service, Count: count}
	}
	tariffed := func(l *ServiceLine, id int64) *ServiceLine {
		l.Tariff = &id
		return l
	}
	priced := line(5, 1, 2)
	priced.Tariff, priced.Cost, priced.Title = to[int64](2), money.Whole(10), "As it was"
	kept := *priced
	kept.Count = 3
	elsewhere := *priced
	elsewhere.Service, elsewhere.Tariff = 9, nil
	for _, tt := range []struct {
		name  string
		draft *ServiceDraft
		of    serviceOffer
		want  string
		title string
		errs  string
	}{
		{"its own price", &ServiceDraft{Line: line(0, 1, 3)}, serviceOffer{service: of()}, "- 40.00/0: 120.00 -0.00", "Delivery", "[]"},
		{"the lowest tariff", &ServiceDraft{Line: line(0, 1, 3)}, serviceOffer{service: of(rated(1, 30, 0), rated(2, 20, 24), unpublished(rated(3, 5, 0)))}, "2 20.00/86400: 60.00 -0.00", "Delivery", "[]"},
		{"one that is named", &ServiceDraft{Line: tariffed(line(0, 1, 1), 3)}, serviceOffer{service: of(rated(1, 30, 0), unpublished(rated(3, 5, 0)))}, "3 5.00/0: 5.00 -0.00", "Delivery", "[]"},
		{"one that is not there", &ServiceDraft{Line: tariffed(line(0, 1, 1), 8)}, serviceOffer{service: of(rated(1, 30, 0))}, "8 0.00/0: 0.00 -0.00", "Delivery", "[tarif: Invalid pk \"8\" - object does not exist.]"},
		{"what was agreed on", &ServiceDraft{Line: line(0, 1, 2), Asked: Asked{Cost: to(money.Whole(7))}}, serviceOffer{service: of(rated(1, 30, 0))}, "- 7.00/0: 14.00 -0.00", "Delivery", "[]"},
		{"a negative price", &ServiceDraft{Line: line(0, 1, 1)}, serviceOffer{service: negative}, "- -1.00/0: 0.00 -0.00", "Delivery", "[service: The price of the service is negative, which an order does not take.]"},
		{"no service", &ServiceDraft{Line: line(0, 1, 1)}, serviceOffer{}, "- 0.00/0: 0.00 -0.00", "", "[]"},
		{"another count keeps the terms", &ServiceDraft{Line: &kept, before: priced}, serviceOffer{service: of(rated(2, 99, 0))}, "2 10.00/0: 30.00 -0.00", "As it was", "[]"},
		{"another service", &ServiceDraft{Line: &elsewhere, before: priced}, serviceOffer{service: of()}, "- 40.00/0: 80.00 -0.00", "Delivery", "[]"},
		{"a discount", &ServiceDraft{Line: line(0, 1, 1)}, serviceOffer{service: of(), discount: &Reduction{ID: 3, Amount: to(money.Whole(15))}}, "- 40.00/0: 40.00 -15.00", "Delivery", "[]"},
	} {
		errs := fault.FieldErrors{}
		tt.draft.priceBy(utc(), tt.of, errs)
		if got := terms(&tt.draft.Line.Terms); got != tt.want || tt.draft.Line.Title != tt.title || wrong(errs) != tt.errs {
			t.Errorf("%s: %s, %q, %s; want %s", tt.name, got, tt.draft.Line.Title, wrong(errs), tt.want)
		}
	}
}

func TestTakesDiscount(t *testing.T) {
	was := &ServiceLine{Service: 1}
	for name, tt := range map[string]struct {
		draft ServiceDraft
		want  bool
	}{
		"new":                                {ServiceDraft{Line: &ServiceLine{Service: 1}}, true},
		"new, with a discount":               {ServiceDraft{Line: &ServiceLine{Service: 1}, DiscountSent: true}, false},
		"the same service":                   {ServiceDraft{Line: &ServiceLine{Service: 1}, before: was}, false},
		"another service":                    {ServiceDraft{Line: &ServiceLine{Service: 2}, before: was}, true},
		"another service, without any of it": {ServiceDraft{Line: &ServiceLine{Service: 2}, before: was, DiscountSent: true}, false},
	} {
		if got := tt.draft.takesDiscount(); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// Where services are charged for the time, what has a duration costs for the time of the order; a line that was made before doesn't, as long
// as it keeps its terms.
func TestPricesOfTimedServices(t *testing.T) {
	daily, hourly, anyTime := rated(1, 240, 24), rated(2, 15, 1), rated(3, 900, 0)
	of := func(list ...tariff.Tariff) serviceOffer {
		return serviceOffer{service: &service.Service{Meta: record.Meta{ID: 1}, Price: money.Whole(40), Tariffs: list}}
	}
	line := func(id int64, change func(l *ServiceLine)) *ServiceLine {
		l := &ServiceLine{Meta: record.Meta{ID: id}, Service: 1, Count: 2}
		change(l)
		return l
	}
	same := func(*ServiceLine) {}
	once := line(5, func(l *ServiceLine) {
		l.Tariff, l.Cost, l.Duration, l.Price = to[int64](1), money.Whole(240), 86400, money.Whole(480)
	})
	timed := line(5, func(l *ServiceLine) {
		l.Tariff, l.Cost, l.Duration, l.Price, l.Timed = to[int64](1), money.Whole(240), 86400, money.Whole(480), true
		l.Priced = &Priced{hour(0), hour(24)}
	})
	copied := func(l *ServiceLine, change func(l *ServiceLine)) *ServiceDraft {
		now := *l
		change(&now)
		return &ServiceDraft{Line: &now, before: l}
	}
	for _, tt := range []struct {
		name  string
		draft *ServiceDraft
		of    serviceOffer
		want  string
		timed bool
	}{
		{"the cheapest sum", &ServiceDraft{Line: line(0, same)}, of(daily, hourly, anyTime), "1 240.00/86400: 570.00 -0.00", true},
		{"the cheapest tariff", &ServiceDraft{Line: line(0, same), Asked: Asked{Combined: to(false)}}, of(daily, hourly, anyTime), "2 15.00/3600: 810.00 -0.00", true},
		{"one that is named", &ServiceDraft{Line: line(0, func(l *ServiceLine) { l.Tariff = to[int64](1) })}, of(daily, hourly), "1 240.00/86400: 960.00 -0.00", true},
		{"one for any time", &ServiceDraft{Line: line(0, func(l *ServiceLine) { l.Tariff = to[int64](3) })}, of(daily, anyTime), "3 900.00/0: 1800.00 -0.00", false},
		{"only tariffs for any time", &ServiceDraft{Line: line(0, same)}, of(anyTime), "3 900.00/0: 1800.00 -0.00", false},
		{"no tariff", &ServiceDraft{Line: line(0, same)}, of(), "- 40.00/0: 80.00 -0.00", false},
		{"a time of its own", &ServiceDraft{Line: line(0, func(l *ServiceLine) { l.Tariff, l.Start, l.End = to[int64](1), to(hour(0)), to(hour(24)) })}, of(daily), "1 240.00/86400: 480.00 -0.00", true},
		{"one of before", copied(once, func(l *ServiceLine) { l.Count = 3 }), of(daily), "1 240.00/86400: 720.00 -0.00", false},
		{"one of before, at today's prices", &ServiceDraft{Line: copied(once, same).Line, before: once, Asked: Asked{Reprice: true}}, of(daily), "1 240.00/86400: 960.00 -0.00", true},
		{"another time of the order", copied(timed, same), serviceOffer{}, "1 240.00/86400: 960.00 -0.00", true},
	} {
		p, errs := utc(), fault.FieldErrors{}
		p.settings, p.span = company.Rental{ServicesByTime: true, Combine: true}, span{hour(0), hour(27)}
		tt.draft.priceBy(p, tt.of, errs)
		if l := tt.draft.Line; terms(&l.Terms) != tt.want || l.Timed != tt.timed || len(errs) > 0 {
			t.Errorf("%s: %s, timed %t, %s; want %s", tt.name, terms(&l.Terms), l.Timed, wrong(errs), tt.want)
		}
	}
}

// A time of a service line's own has both ends.
func TestTimesOfServices(t *testing.T) {
	const both = "A service line has both start_at and end_at, or follows the order's time."
	for _, tt := range []struct {
		name       string
		start, end *moment.Micros
		want       string
	}{
		{"none", nil, nil, "[]"},
		{"both", to(hour(1)), to(hour(2)), "[]"},
		{"a start", to(hour(1)), nil, "[end_at: " + both + "]"},
		{"an end", nil, to(hour(1)), "[start_at: " + both + "]"},
		{"the wrong way round", to(hour(2)), to(hour(1)), "[end_at: Ensure this value is after the start.]"},
	} {
		errs := fault.FieldErrors{}
		(&ServiceLine{Start: tt.start, End: tt.end}).checkTime(errs)
		if got := wrong(errs); got != tt.want {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}
