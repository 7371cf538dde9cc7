package row

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
)

const (
	// perLine is how many rows a line has at most: those of its time, one for each day on which money was collected, and one for
	// that on which a late fee came.
	perLine = mostSteps + order.MaxCollected + 1
	// mostSteps is how many rows the time of a line has at most: one a day for 366 days, which begin and end within days. The days of
	// a longer time are grouped evenly, each group on its first day.
	mostSteps = 367
)

// parts are what of an amount falls on which day.
type parts map[decode.Date]money.Amount

func (p parts) add(on decode.Date, amount money.Amount) { p[on] = p[on].Add(amount) }

// byDay spreads the rows of an order, without its own, over days: the prediction of each over its time, and its profit over the days on
// which money was collected. Both come to what they were.
func byDay(rows []Row, o *order.Order, lines []*order.Line, services []*order.ServiceLine, zone *time.Location) []set {
	dates, predictions := make([][]decode.Date, len(rows)), make([]parts, len(rows))
	for i := range rows {
		r := &rows[i]
		n := i - len(lines)
		switch {
		case i < len(lines):
			dates[i], predictions[i] = ofLineByDay(r, lines[i], zone)
		case n < len(services) && services[n].Timed && services[n].Priced != nil:
			dates[i], predictions[i] = accrue(r.Prediction, services[n].Priced.Start, services[n].Priced.End, zone)
		default:
			dates[i], predictions[i] = []decode.Date{r.Date}, parts{r.Date: r.Prediction}
		}
		r.Date = dates[i][0]
	}
	sets := make([]set, len(rows))
	for i, profits := range profitsByDay(rows, o) {
		sets[i] = rows[i].over(dates[i], predictions[i], profits)
	}
	return sets
}

// ofLineByDay spreads the prediction of an item line over its time. Its late fee comes on the day of the return.
func ofLineByDay(r *Row, l *order.Line, zone *time.Location) ([]decode.Date, parts) {
	from, until := l.PricedTime()
	if r.Prediction.IsZero() || l.LateFee.IsZero() {
		return accrue(r.Prediction, from, until, zone)
	}
	dates, predictions := accrue(r.Prediction.Sub(l.LateFee), from, until, zone)
	on := dates[len(dates)-1]
	if l.FactEnd != nil {
		on = dayOf(*l.FactEnd, zone)
	}
	predictions.add(on, l.LateFee)
	return dates, predictions
}

// accrue spreads an amount over the days of a time in proportion to their seconds, which a change of the clocks makes more or fewer.
func accrue(amount money.Amount, from, until moment.Micros, zone *time.Location) (dates []decode.Date, of parts) {
	first := dayOf(from, zone)
	last := first
	if until > from {
		last = dayOf(until-1, zone)
	}
	days := 1 + int(midnight(last).Sub(midnight(first))/(24*time.Hour))
	steps := min(days, mostSteps)
	weights := make([]money.Amount, steps)
	begin := from
	for n := range steps {
		next := midnight(first).AddDate(0, 0, (n+1)*days/steps)
		end := until
		if n < steps-1 {
			end = min(max(beginning(next, zone), begin), until)
		}
		dates = append(dates, decode.Date(midnight(first).AddDate(0, 0, n*days/steps).Format(time.DateOnly)))
		weights[n], begin = money.Whole(int64(max(0, end-begin))), end
	}
	of = parts{}
	for n, part := range amount.Spread(weights...) {
		of.add(dates[n], part)
	}
	return dates, of
}

// midnight is where a day begins in UTC.
func midnight(d decode.Date) time.Time {
	at, _ := time.Parse(time.DateOnly, string(d)) // it is a day
	return at
}

// beginning is where the day of a midnight in UTC begins in a time zone. That is not 0:00 where the clocks go forward then, and the first
// 0:00 where they go back to it.
func beginning(day time.Time, zone *time.Location) moment.Micros {
	at := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, zone)
	isBefore := func(at time.Time) bool { return at.Format(time.DateOnly) < day.Format(time.DateOnly) }
	if isBefore(at) {
		if _, end := at.ZoneBounds(); !end.IsZero() {
			at = end
		}
	}
	if start, _ := at.ZoneBounds(); !start.IsZero() && !isBefore(start.Add(-1)) {
		_, offset := start.Add(-1).Zone()
		at = day.Add(-time.Duration(offset) * time.Second)
	}
	return moment.Of(at)
}

// profitsByDay spreads the profits of rows over the days on which money was collected: those of a day come to what was collected
// on it, and those of a row to its profit. What was collected before orders kept the days of that is on the dates of the rows.
func profitsByDay(rows []Row, o *order.Order) []parts {
	left, of := make([]money.Amount, len(rows)), make([]parts, len(rows))
	rest := o.PaidAmount
	for i := range rows {
		left[i], of[i] = rows[i].Profit, parts{}
	}
	for _, c := range o.Collected {
		rest = rest.Sub(c.Amount)
	}
	serve := func(amount money.Amount, on func(r *Row) decode.Date) {
		for i, part := range amount.Spread(left...) { // none is more than what is left of its row
			left[i] = left[i].Sub(part)
			of[i].add(on(&rows[i]), part)
		}
	}
	serve(rest, func(r *Row) decode.Date { return r.Date })
	for _, c := range o.Collected {
		serve(c.Amount, func(*Row) decode.Date { return c.Day })
	}
	return of
}

// over are the rows of a line: one for each day on which something falls, and the first of the line's time in any case. dates are
// the days of the time, which have numbers of their own, so that a payment makes no others of their rows.
func (r *Row) over(dates []decode.Date, predictions, profits parts) set {
	s := set{base: *r}
	s.base.Date, s.base.Prediction, s.base.Profit = dates[0], predictions[dates[0]], profits[dates[0]]
	step := func(n int, on decode.Date) {
		p, profit := predictions[on], profits[on]
		if p.IsZero() && profit.IsZero() {
			return
		}
		one := *r
		one.ID, one.Status, one.Date, one.Prediction, one.Profit = stepID(r.ID, n), nil, on, p, profit
		s.steps = append(s.steps, one)
	}
	for n, on := range dates[1:] {
		step(n+1, on)
	}
	others := maps.Clone(predictions)
	maps.Copy(others, profits)
	for _, on := range dates {
		delete(others, on)
	}
	for n, on := range slices.SortedFunc(maps.Keys(others), cmp.Compare[decode.Date]) {
		step(mostSteps+n, on)
	}
	if s.base.Steps, s.base.Made = numbersOf(s.steps), madeOf(&s.base, s.steps); stepID(r.ID, perLine) > mostID {
		return set{base: *r}
	}
	return s
}
