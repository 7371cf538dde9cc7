package order

import (
	"context"
	"slices"

	"github.com/tenantry/tenantry/functions/services/service"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// errTooManyAtOnce refuses a call that changes the time of an order with more lines than one transaction holds.
var errTooManyAtOnce = fault.New(fault.Conflict, say.OrderTooManyLinesFollow).Coded()

// mostAtOnce is how many operations on lines, their calendars and service lines fit into one transaction beside the order; see
// mostRewritten.
const mostAtOnce = 86

// follow prices the service lines anew that are charged for the order's time, if the unit of work has changed that. others is how many
// operations it has on lines and calendars besides.
func (o *Order) follow(ctx context.Context, w *record.Work, p pricer, others int) error {
	before := Kind().Before(w, o.ID)
	if before == nil || len(o.Timed) == 0 || before.span() == o.span() {
		return nil
	}
	t := w.Scope().Table
	var keys []table.Key
	timed := slices.DeleteFunc(slices.Clone(before.Timed), func(id int64) bool { return !slices.Contains(o.Timed, id) })
	for _, id := range timed {
		keys = append(keys, t.Record(kinds.OrderService, id))
	}
	if err := w.Load(ctx, keys...); err != nil {
		return err
	}
	p.span = o.span()
	if err := loadOffers(ctx, w, timed); err != nil {
		return err
	}
	c, errs := Changes{}, fault.FieldErrors{}
	for _, id := range timed {
		l, err := stillThere(ServiceLines().Read(ctx, w, id))
		if err != nil {
			return err
		}
		if l.Priced.span() == l.span(p.span) {
			continue // it has a time of its own, or was priced by the call itself
		}
		if l, err = stillThere(ServiceLines().Edit(ctx, w, id)); err != nil {
			return err
		}
		was := *l
		of := serviceOffer{discount: l.Discount}
		if l.needsService() {
			if of.service, err = find(ctx, w, service.Kind(), l.Service); err != nil {
				return err
			}
		}
		d := &ServiceDraft{Line: l, before: &was}
		d.priceBy(p, of, errs)
		if len(errs) > 0 {
			return errTooMuch
		}
		if checkDiscount(&was.Terms, &l.Terms, p.limit(w), errs); len(errs) > 0 {
			return errDiscountLeft
		}
		c.Services = append(c.Services, d)
	}
	if others+len(c.Services) > mostAtOnce {
		return errTooManyAtOnce
	}
	o.include(c)
	return o.sayArranged(w, c)
}

// needsService tells whether a change of the time asks for the tariffs of a line's service: those of an agreed price would cost something
// else too, and a tariff that was chosen without a time is chosen anew.
func (l *ServiceLine) needsService() bool { return l.Agreed || l.Undecided }

// loadOffers reads the services of lines that need them.
func loadOffers(ctx context.Context, w *record.Work, lines []int64) error {
	var keys []table.Key
	for _, id := range lines {
		l, err := stillThere(ServiceLines().Read(ctx, w, id))
		if err != nil {
			return err
		}
		if l.needsService() {
			keys = append(keys, w.Scope().Table.Record(kinds.Service, l.Service))
		}
	}
	return w.Load(ctx, distinct(keys)...)
}

// span is the time of an order's rentals that services are charged for: as planned, until the ends that are priced. That an item was handed
// out early, where that is free, or comes back late doesn't change it.
func (o *Order) span() span { return o.spanWith(nil) }

// spanWith is the span of an order once it has the lines of a call as they are in their drafts.
func (o *Order) spanWith(drafts []*Draft) (s span) {
	var before span // of what was back before it was to begin: such a time makes that of other rentals no longer
	add := func(h Held) {
		switch end := h.pricedUntil(); {
		case h.End == 0: // a sale has no time
		case end <= h.planned():
			before.widen(h.Start, end)
		default:
			s.widen(h.planned(), end)
		}
	}
	for _, h := range o.Lines {
		if !slices.ContainsFunc(drafts, func(d *Draft) bool { return d.Line.ID == h.ID }) {
			add(h)
		}
	}
	for _, d := range drafts {
		if d.Line.Start != 0 {
			add(d.Line.held())
		}
	}
	if s == (span{}) {
		s = before
	}
	if s.start == 0 && o.RentStart != nil {
		s.start = *o.RentStart
	}
	if s.end == 0 && o.RentEnd != nil {
		s.end = *o.RentEnd
	}
	if s.start == 0 || s.end <= s.start {
		return span{}
	}
	return s
}

// widen makes a time one that has another one in it.
func (s *span) widen(start, end moment.Micros) {
	if s.start == 0 || start < s.start {
		s.start = start
	}
	s.end = max(s.end, end)
}

// checkTimed refuses more service lines that are charged for the time than can follow it.
func (o *Order) checkTimed(c Changes) error {
	timed := len(o.Timed)
	for _, d := range c.Services {
		was := slices.Contains(o.Timed, d.Line.ID)
		switch {
		case d.Line.follows() && !was:
			timed++
		case was && !d.Line.follows():
			timed--
		}
	}
	if timed > MostTimed && timed > len(o.Timed) {
		return fault.Field(fault.NonField, say.OrderMaxTimedServices(MostTimed))
	}
	return nil
}
