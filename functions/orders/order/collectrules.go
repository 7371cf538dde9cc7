package order

import (
	"cmp"
	"slices"
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
)

// MaxCollected is how many days an order tells apart on which money was collected for it.
const MaxCollected = 32

// Collected is what was collected for an order on a day of the company, and not refunded.
type Collected struct {
	Day    decode.Date  `dynamo:"d"`
	Amount money.Amount `dynamo:"a"`
}

// PricedTime is the time that the price of a line is for: its own, where its item was swapped. That of a sale has no length.
func (l *Line) PricedTime() (from, until moment.Micros) {
	if from = l.pricedFrom(); l.Type == Sale {
		return from, from
	}
	start, end := l.own()
	return moment.Of(start), moment.Of(end)
}

// collect adds to what was paid for an order, by a payment that is booked on a day.
func (o *Order) collect(day decode.Date, amount money.Amount) {
	o.PaidAmount = o.PaidAmount.Add(amount)
	i, there := slices.BinarySearchFunc(o.Collected, day, func(c Collected, day decode.Date) int { return cmp.Compare(c.Day, day) })
	list := slices.Clone(o.Collected)
	if there {
		list[i].Amount = list[i].Amount.Add(amount)
	} else if list = slices.Insert(list, i, Collected{day, amount}); len(list) > MaxCollected {
		list = joinNearest(list)
	}
	o.Collected = list
}

// uncollect takes what is refunded off the day on which it was collected: the next day that there is, where that day is joined with
// others. What was paid before orders kept their days, and what is taken off that, is of no day.
func (o *Order) uncollect(day decode.Date, amount money.Amount) {
	known := money.Amount{}
	for _, c := range o.Collected {
		known = known.Add(c.Amount)
	}
	list := slices.Clone(o.Collected)
	take := func(of func(c Collected) bool) {
		for i, c := range list {
			if of(c) {
				by := lesser(c.Amount, amount)
				list[i].Amount, amount = c.Amount.Sub(by), amount.Sub(by)
			}
		}
	}
	take(func(c Collected) bool { return c.Day == day })
	if rest := o.PaidAmount.Sub(known); !rest.IsNegative() {
		amount = amount.Sub(lesser(rest, amount))
	}
	take(func(c Collected) bool { return c.Day > day })
	take(func(Collected) bool { return true })
	o.Collected = slices.DeleteFunc(list, func(c Collected) bool { return c.Amount.IsZero() })
}

// joinNearest joins the two days that are nearest to each other, the first of those, in the later one.
func joinNearest(list []Collected) []Collected {
	nearest := 0
	for i := range len(list) - 1 {
		if daysBetween(list[i].Day, list[i+1].Day) < daysBetween(list[nearest].Day, list[nearest+1].Day) {
			nearest = i
		}
	}
	list[nearest+1].Amount = list[nearest+1].Amount.Add(list[nearest].Amount)
	return slices.Delete(list, nearest, nearest+1)
}

// daysBetween is how many days one day is after another.
func daysBetween(from, to decode.Date) int {
	a, _ := time.Parse(time.DateOnly, string(from)) // both are days
	b, _ := time.Parse(time.DateOnly, string(to))
	return int(b.Sub(a) / (24 * time.Hour))
}

func lesser(a, b money.Amount) money.Amount {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}
