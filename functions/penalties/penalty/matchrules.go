package penalty

import (
	"time"

	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/nullable"
)

// Match says who had the car of a penalty when it happened, as far as that is known. Why says why no
// order is named.
type Match struct {
	Item, Order, Line, Client *int64
	Why                       Reason
}

// of is the match of a penalty whose car is an item that some lines may have had.
func (p *Penalty) of(id int64, lines []had) Match {
	m := Match{Item: &id}
	if p.ViolatedAt == nil {
		m.Why = NoTime
		return m
	}
	var one *had
	if one, m.Why = who(*p.ViolatedAt, lines); one != nil {
		m.Order, m.Line, m.Client = &one.order, &one.line, one.client
	}
	return m
}

// isCar tells whether an item, which may have been deleted, is the car of a penalty. Where it isn't sure, the item is the car unless
// another active item has its number.
func (p *Penalty) isCar(it *item.Item) (is, sure bool) {
	switch {
	case it == nil:
	case p.plate() != "" && it.Plate() == p.plate():
		return true, true
	case p.passport() == "" || it.Passport() != p.passport():
		return false, true
	}
	return true, false
}

// byPassport chooses the car of a penalty among items that may have its tech passport: the only active one that has it, or the only one.
func (p *Penalty) byPassport(items []*item.Item) (id int64, why Reason) {
	var active, others []int64
	for _, it := range items {
		switch {
		case it.Passport() != p.passport():
		case it.IsActive():
			active = append(active, it.ID)
		default:
			others = append(others, it.ID)
		}
	}
	if len(active) == 0 {
		active = others
	}
	switch len(active) {
	case 0:
		return 0, NoCar
	case 1:
		return active[0], ""
	}
	return 0, TwoCars
}

// hadOf is a line of an order as it may have had the car.
func hadOf(l *order.Line, o *order.Order) had {
	h := had{order: l.Order, line: l.ID, client: o.Client, start: l.Start, end: &l.End, live: o.Status.Counts()}
	if l.FactStart != nil {
		h.start, h.end, h.actual = *l.FactStart, l.FactEnd, true
	}
	if l.Type == order.Sale {
		h.end = nil
	}
	return h
}

// passport is the number of the tech passport of the penalty's car, in the form that item.Plate gives it; empty if
// it is not known.
func (p *Penalty) passport() string {
	if p.Car == nil || p.Car.TechPassport == nil {
		return ""
	}
	return item.Plate(*p.Car.TechPassport)
}

// moves tells whether a penalty may belong to somebody else than before, which is nil for a new one.
func (p *Penalty) moves(before *Penalty) bool {
	if before == nil {
		return true
	}
	passport := func(p *Penalty) *string {
		if p.Car == nil {
			return nil
		}
		return p.Car.TechPassport
	}
	return p.plate() != before.plate() || !nullable.Same(passport(p), passport(before)) ||
		!nullable.Same(p.ViolatedAt, before.ViolatedAt) || p.IsFrozen() != before.IsFrozen()
}

// happenIn works out the moment of the violation from its date and time, which a penalty has both, in a zone.
func (p *Penalty) happenIn(zone *time.Location, errs fault.FieldErrors) {
	at, ok := moment(*p.Date, *p.Time, zone)
	switch year := at.UTC().Year(); {
	case !ok:
		errs.Add("violation_time", fault.NoSuchTime(zone.String()))
		return
	case year < 1 || year > 9999: // the first and the last hours that dates have are others in UTC
		errs.Add("violation_date", fault.BadDate)
		return
	}
	micros := at.UnixMicro()
	p.ViolatedAt = &micros
}

// moment is a date and a time of a zone as one moment; ok is false if the clocks skip that time.
func moment(date decode.Date, at decode.Time, zone *time.Location) (_ time.Time, ok bool) {
	wall, err := time.Parse(time.DateTime, string(date)+" "+string(at))
	if err != nil {
		return time.Time{}, false // the decoder lets nothing through that is none
	}
	return decode.Local(wall, zone)
}
