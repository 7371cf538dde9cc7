package penalty

import (
	"testing"

	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/nullable"
	"github.com/tenantry/tenantry/shared/record"
)

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// caught is a penalty of a car with a number and a tech passport; empty: it is not known.
func caught(plate, passport string) *Penalty {
	return &Penalty{Car: &Car{Number: orNil(plate), TechPassport: orNil(passport)}}
}

// parked is an item that is a car.
func parked(id int64, plate, passport string, disabled *item.Disabled) *item.Item {
	return &item.Item{Meta: record.Meta{ID: id}, Car: &item.Car{Number: orNil(plate), TechPassport: orNil(passport)}, Disabled: disabled}
}

func TestIsCar(t *testing.T) {
	for name, tt := range map[string]struct {
		p        *Penalty
		it       *item.Item
		is, sure bool
	}{
		"it has the number":                           {caught("001AAA02", "AB1"), parked(1, "001 AAA 02", "CD2", nil), true, true},
		"it has the passport, and another number":     {caught("001AAA02", "AB1"), parked(1, "777 ZZZ 02", "ab 1", nil), true, false},
		"it has the passport, and no number is known": {caught("", "AB1"), parked(1, "777 ZZZ 02", "AB1", nil), true, false},
		"it has neither":                              {caught("001AAA02", "AB1"), parked(1, "777 ZZZ 02", "CD2", nil), false, true},
		"no passport is known":                        {caught("001AAA02", ""), parked(1, "777 ZZZ 02", "", nil), false, true},
		"it was deleted":                              {caught("001AAA02", ""), nil, true, false},
	} {
		if is, sure := tt.p.isCar(tt.it); is != tt.is || sure != tt.sure {
			t.Errorf("%s: %t, %t", name, is, sure)
		}
	}
}

func TestByPassport(t *testing.T) {
	archived := item.Disabled(1)
	for name, tt := range map[string]struct {
		items []*item.Item
		id    int64
		why   Reason
	}{
		"none":                          {nil, 0, ReasonNoCar},
		"one":                           {[]*item.Item{parked(1, "", "AB1", nil)}, 1, ""},
		"one that has another now":      {[]*item.Item{parked(1, "", "CD2", nil)}, 0, ReasonNoCar},
		"an active one first":           {[]*item.Item{parked(1, "", "AB1", &archived), parked(2, "", "AB1", nil)}, 2, ""},
		"the only one that was":         {[]*item.Item{parked(1, "", "AB1", &archived)}, 1, ""},
		"two":                           {[]*item.Item{parked(1, "", "AB1", nil), parked(2, "", "AB1", nil)}, 0, ReasonTwoCars},
		"two that were":                 {[]*item.Item{parked(1, "", "AB1", &archived), parked(2, "", "AB1", &archived)}, 0, ReasonTwoCars},
		"two, one of which has another": {[]*item.Item{parked(1, "", "AB1", nil), parked(2, "", "CD2", nil)}, 1, ""},
	} {
		if id, why := caught("", "AB1").byPassport(tt.items); id != tt.id || why != tt.why {
			t.Errorf("%s: %d %q, want %d %q", name, id, why, tt.id, tt.why)
		}
	}
}

func TestOf(t *testing.T) {
	at, end := moment.Micros(50), moment.Micros(100)
	line := use{order: 7, line: 8, start: 0, end: &end, actual: true, live: true}
	for name, tt := range map[string]struct {
		at    *moment.Micros
		lines []use
		order int64
		why   Reason
	}{
		"somebody had it":     {&at, []use{line}, 7, ""},
		"nobody had it":       {&at, nil, 0, ReasonNobody},
		"no time is known":    {nil, []use{line}, 0, ReasonNoTime},
		"it was back by then": {&end, []use{line}, 0, ReasonNobody},
	} {
		m := (&Penalty{ViolatedAt: tt.at}).matchTo(3, tt.lines)
		if *m.Item != 3 || m.Why != tt.why || (m.Order == nil) != (tt.order == 0) || m.Order != nil && (*m.Order != tt.order || *m.Line != 8) {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

func TestHadOf(t *testing.T) {
	from, to := moment.Micros(20), moment.Micros(90)
	o := &order.Order{Status: order.InRent}
	planned := order.Line{Meta: record.Meta{ID: 8}, Order: 7, Start: 10, End: 100}
	for name, tt := range map[string]struct {
		change func(l *order.Line, o *order.Order)
		start  moment.Micros
		end    *moment.Micros
		actual bool
		live   bool
	}{
		"planned":     {func(*order.Line, *order.Order) {}, 10, &planned.End, false, true},
		"handed out":  {func(l *order.Line, _ *order.Order) { l.FactStart = &from }, 20, nil, true, true},
		"taken back":  {func(l *order.Line, _ *order.Order) { l.FactStart, l.FactEnd = &from, &to }, 20, &to, true, true},
		"a sale":      {func(l *order.Line, _ *order.Order) { l.Type, l.End = order.Sale, 0 }, 10, nil, false, true},
		"of no order": {func(_ *order.Line, o *order.Order) { o.Status = order.Cancelled }, 10, &planned.End, false, false},
	} {
		l, of := planned, *o
		tt.change(&l, &of)
		h := useOf(&l, &of)
		if h.order != 7 || h.line != 8 || h.start != tt.start || !nullable.Same(h.end, tt.end) || h.actual != tt.actual || h.live != tt.live {
			t.Errorf("%s: %+v", name, h)
		}
	}
}

func TestMoves(t *testing.T) {
	noon, one := moment.Micros(1), moment.Micros(2)
	was := Penalty{Car: &Car{Number: orNil("001AAA02"), TechPassport: orNil("AB1")}, ViolatedAt: &noon}
	for name, tt := range map[string]struct {
		change func(p *Penalty)
		want   bool
	}{
		"its comment":     {func(p *Penalty) { p.Description = orNil("a") }, false},
		"its number":      {func(p *Penalty) { p.Car = &Car{Number: orNil("777ZZZ02"), TechPassport: orNil("AB1")} }, true},
		"its passport":    {func(p *Penalty) { p.Car = &Car{Number: orNil("001AAA02")} }, true},
		"no car any more": {func(p *Penalty) { p.Car = nil }, true},
		"its moment":      {func(p *Penalty) { p.ViolatedAt = &one }, true},
		"it is noted":     {func(p *Penalty) { p.Noted = true }, true},
		"it is charged":   {func(p *Penalty) { p.Charged = &Charged{} }, true},
	} {
		is := was
		if tt.change(&is); is.moves(&was) != tt.want {
			t.Errorf("%s: %t", name, !tt.want)
		}
	}
	if !was.moves(nil) {
		t.Error("a new one belongs to nobody yet")
	}
}
