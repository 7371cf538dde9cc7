package penalty

import (
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/nullable"
)

// Match says who had the car of a penalty when it happened, as far as that is known. Why says why no
// order is named.
type Match struct {
	Item, Order, Line, Client *int64
	Why                       Reason
}

// matchTo is the match of a penalty whose car is an item that some lines may have had.
func (p *Penalty) matchTo(id int64, lines []use) Match {
	m := Match{Item: &id}
	if p.ViolatedAt == nil {
		m.Why = ReasonNoTime
		return m
	}
	var one *use
	if one, m.Why = who(*p.ViolatedAt, lines); one != nil {
		m.Order, m.Line, m.Client = &one.order, &one.line, one.client
	}
	return m
}

// isCar tells whether an item is the car of a penalty; it is nil if it was deleted. Where it isn't sure, the answer holds only as long
// as no other active item has the number of the car.
func (p *Penalty) isCar(it *item.Item) (is, sure bool) {
	switch {
	case it == nil:
		return true, false // a deleted item stays the car, unless an active one has the number
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
		return 0, ReasonNoCar
	case 1:
		return active[0], ""
	}
	return 0, ReasonTwoCars
}

// useOf is a line of an order as it may have had the car.
func useOf(l *order.Line, o *order.Order) use {
	u := use{order: l.Order, line: l.ID, client: o.Client, start: l.Start, end: &l.End, live: o.Status.Counts()}
	if l.FactStart != nil {
		u.start, u.end, u.actual = *l.FactStart, l.FactEnd, true
	}
	if l.Type == order.Sale {
		u.end = nil
	}
	return u
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
