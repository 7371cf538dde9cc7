package row

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// MetricSum is what rows come to.
type MetricSum struct {
	Count      int64        `json:"count"`
	Prediction money.Amount `json:"prediction" doc:"What was accrued"`
	Profit     money.Amount `json:"profit" doc:"What of it was collected, and not refunded"`
}

func (s MetricSum) plus(o MetricSum) MetricSum {
	return MetricSum{s.Count + o.Count, s.Prediction.Add(o.Prediction), s.Profit.Add(o.Profit)}
}

func (s MetricSum) isZero() bool { return s.Count == 0 && s.Prediction.IsZero() && s.Profit.IsZero() }

// Day is what the rows of a day come to, by type. A type without rows is left out.
type Day struct {
	Date  decode.Date
	Types map[Type]MetricSum
}

// Total is what the rows of a day come to. It leaves out the rows of orders themselves: their amounts
// are the sums of the order's other rows, and would count twice.
func (d Day) Total() (all MetricSum) {
	for t, s := range d.Types {
		if t != Request {
			all = all.plus(s)
		}
	}
	return all
}

// count is how many rows of a type the day has, or of all types if of is empty.
func (d Day) count(of Type) (n int64) {
	for t, s := range d.Types {
		if of == "" || of == t {
			n += s.Count
		}
	}
	return n
}

// The attributes of a day are numbers, by the letter of a type: how many rows, and what they come to.
const (
	dayCount      = "n"
	dayPrediction = "p"
	dayProfit     = "c"
)

const dayVersion = 1

// days are what a transaction adds to days.
type days map[decode.Date]map[Type]MetricSum

// add counts what becomes of a row; nil stands for no row.
func (d days) add(before, after *Row) {
	for _, of := range []struct {
		row  *Row
		sign int64
	}{{before.listed(), -1}, {after.listed(), 1}} {
		if of.row == nil {
			continue
		}
		if d[of.row.Date] == nil {
			d[of.row.Date] = make(map[Type]MetricSum)
		}
		by := MetricSum{of.sign, of.row.Prediction, of.row.Profit}
		if of.sign < 0 {
			by.Prediction, by.Profit = by.Prediction.Neg(), by.Profit.Neg()
		}
		sum := d[of.row.Date][of.row.Type()].plus(by)
		if d[of.row.Date][of.row.Type()] = sum; sum.isZero() {
			delete(d[of.row.Date], of.row.Type())
		}
		if len(d[of.row.Date]) == 0 {
			delete(d, of.row.Date)
		}
	}
}

// with are the days with what becomes of one more row.
func (d days) with(before, after *Row) days {
	more := days{}
	for date, types := range d {
		more[date] = maps.Clone(types)
	}
	more.add(before, after)
	return more
}

func (d days) write(tx *table.Tx, t *table.Tenant) {
	for _, date := range slices.Sorted(maps.Keys(d)) {
		u := t.Update(t.MetricDay(string(date))).Set("v", dayVersion)
		for of, sum := range d[date] {
			l := of.letter()
			u = u.Add(l+dayCount, sum.Count).Add(l+dayPrediction, sum.Prediction).Add(l+dayProfit, sum.Profit)
		}
		tx.Update(u, nil)
	}
}

// Days reads what the rows of the days of a period come to, in one call for each MB. Days without
// rows may be left out. They may lag about a second behind changes.
func Days(ctx context.Context, s record.Scope, from, to decode.Date) ([]Day, error) {
	if from == "" {
		from = firstDay
	}
	if to == "" {
		to = lastDay
	}
	if from > to {
		return nil, nil
	}
	var items []table.Attributes
	q := s.Table.Table().Get("pk", s.Table.MetricDays()).Range("sk", dynamo.Between, string(from), string(to))
	if err := q.Order(dynamo.Ascending).All(ctx, &items); err != nil {
		return nil, fmt.Errorf("row: days: %w", err)
	}
	list := make([]Day, len(items))
	for i, item := range items {
		list[i] = Day{decode.Date(item.Text("sk")), make(map[Type]MetricSum)}
		for _, of := range Types() {
			l := of.letter()
			sum := MetricSum{Count: item.Int(l + dayCount)}
			for name, to := range map[string]*money.Amount{dayPrediction: &sum.Prediction, dayProfit: &sum.Profit} {
				if item[l+name] == nil {
					continue
				}
				if err := to.UnmarshalDynamo(item[l+name]); err != nil {
					return nil, fmt.Errorf("row: the day %s: %w", list[i].Date, err)
				}
			}
			if !sum.isZero() {
				list[i].Types[of] = sum
			}
		}
	}
	return list, nil
}
