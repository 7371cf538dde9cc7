package record

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/table"
)

// What is booked beside a record on days is counted and summed up by day. An item for each
// month has the days' numbers; the item beside the record has the sum of each year, so that what
// came before a day is found from the years before and the months of one year. All of it is only
// ever added to.

// The attributes of a month are prefixes of the day: "s05" is the sum of the fifth.
const (
	dayCount = "n"
	daySum   = "s"
	dayCheck = "c"
)

// yearAttribute is the prefix of the sums of years: "Y2026".
const yearAttribute = "Y"

// Day is what is booked on a day, or is added to it.
type Day struct {
	Date  decode.Date
	Count int64
	Sum   money.Amount
	// Check is a sum too: of a number for each thing that is counted. It tells whether a list of
	// such things, read elsewhere, is the whole list.
	Check int64
	// Most is how many things may be booked on the day, and Full the fault if there would be
	// more. Both are needed for an addition to Count only.
	Most int64
	Full *fault.Error
}

// Book adds to a day beside a record of the kind, which the unit of work must have read.
func (k *Kind[T]) Book(w *Work, id int64, d Day) {
	key := monthKey{k.Kind.Code, id, monthOf(d.Date)}
	if w.months[key] == nil {
		w.months[key] = map[decode.Date]Day{}
	}
	all := w.months[key][d.Date]
	d.Count, d.Sum, d.Check = all.Count+d.Count, all.Sum.Add(d.Sum), all.Check+d.Check
	if d.Full == nil {
		d.Most, d.Full = all.Most, all.Full
	}
	w.months[key][d.Date] = d
}

// months are the additions of a unit of work to the items of months.
type months map[monthKey]map[decode.Date]Day

type monthKey struct {
	kind  kinds.Code
	id    int64
	month string // "2026-03"
}

// years adds the days of the unit of work to the sums of their years.
func (w *Work) years() {
	for key, days := range w.months {
		kind, ok := w.scope.Table.Kind(key.kind)
		if !ok {
			continue // its key will be refused
		}
		t := w.additions.of(kind, key.id)
		for date, d := range days {
			year := yearAttribute + string(date[:len("2006")])
			t.years[year] = t.years[year].Add(d.Sum)
		}
	}
}

func (m months) write(tx *table.Tx, t *table.Tenant) {
	for _, key := range slices.SortedFunc(maps.Keys(m), func(a, b monthKey) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.id, b.id), cmp.Compare(a.month, b.month))
	}) {
		u := t.Update(t.Month(key.kind, key.id, key.month)).Set("v", besideVersion)
		var conditions []string
		var args []any
		var failed error
		changes := false
		for _, date := range slices.Sorted(maps.Keys(m[key])) {
			d, of := m[key][date], string(date[len("2006-01-"):])
			if d.Count == 0 && d.Check == 0 && d.Sum.IsZero() {
				continue
			}
			changes = true
			u = u.Add(dayCount+of, d.Count).Add(daySum+of, d.Sum).Add(dayCheck+of, d.Check)
			if d.Count > 0 {
				conditions, failed = append(conditions, "(attribute_not_exists($) OR $ <= ?)"), d.Full
				args = append(args, dayCount+of, dayCount+of, d.Most-d.Count)
			}
		}
		if len(conditions) > 0 {
			u = u.If(strings.Join(conditions, " AND "), args...)
		}
		if changes {
			tx.Update(u, failed)
		}
	}
}

// Days reads, by one consistent query, what is booked beside a record from one day to another,
// both included. Days on which nothing is booked are left out.
func (k *Kind[T]) Days(ctx context.Context, s Scope, id int64, from, to decode.Date) (list []Day, err error) {
	if from > to {
		return nil, nil
	}
	var rows []table.Attributes
	err = s.Table.Table().Get("pk", s.Table.Months(k.Kind.Code, id)).
		Range("sk", dynamo.Between, monthOf(from), monthOf(to)).Order(dynamo.Ascending).Consistent(true).All(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("record: days: %w", err)
	}
	for _, row := range rows {
		if list, err = k.inMonth(list, id, row, from, to); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// MonthsOf are the keys of the items in which some days beside a record are, for Work.Load.
func (k *Kind[T]) MonthsOf(t *table.Tenant, id int64, days []Day) (keys []table.Key) {
	for _, d := range days {
		if key := t.Month(k.Kind.Code, id, monthOf(d.Date)); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// AreDays tells whether some days beside a record, in their order and without a gap, are still as they
// were. They are read like Work.Item.
func (k *Kind[T]) AreDays(ctx context.Context, w *Work, id int64, days []Day) (bool, error) {
	if len(days) == 0 {
		return true, nil
	}
	var now []Day
	for _, key := range k.MonthsOf(w.scope.Table, id, days) {
		item, err := w.Item(ctx, key)
		if err != nil {
			return false, err
		}
		if now, err = k.inMonth(now, id, item, days[0].Date, days[len(days)-1].Date); err != nil {
			return false, err
		}
	}
	same := func(a, b Day) bool {
		return a.Date == b.Date && a.Count == b.Count && a.Check == b.Check && a.Sum.Cmp(b.Sum) == 0
	}
	return slices.EqualFunc(now, days, same), nil
}

func monthOf(d decode.Date) string { return string(d[:len("2006-01")]) }

// inMonth appends to a list the days of the item of a month that lie in a period.
func (k *Kind[T]) inMonth(list []Day, id int64, month table.Attributes, from, to decode.Date) ([]Day, error) {
	for n := 1; n <= 31; n++ {
		of := fmt.Sprintf("%02d", n)
		d := Day{Date: decode.Date(month.Text("sk") + "-" + of), Count: month.Int(dayCount + of), Check: month.Int(dayCheck + of)}
		if d.Count == 0 || d.Date < from || d.Date > to {
			continue
		}
		if err := d.Sum.UnmarshalDynamo(month[daySum+of]); err != nil {
			return nil, fmt.Errorf("record: the sum of %s beside %s %d: %w", d.Date, k.Kind.Code, id, err)
		}
		list = append(list, d)
	}
	return list, nil
}

// Years are the sums of what is booked beside a record, by year: "2026". They are read like
// Work.Item.
func (k *Kind[T]) Years(ctx context.Context, w *Work, id int64) (map[string]money.Amount, error) {
	item, err := w.Item(ctx, w.scope.Table.Beside(k.Kind.Code, id))
	if err != nil {
		return nil, err
	}
	years := map[string]money.Amount{}
	for name, value := range item {
		year, ok := strings.CutPrefix(name, yearAttribute)
		if !ok {
			continue
		}
		var a money.Amount
		if err := a.UnmarshalDynamo(value); err != nil {
			return nil, fmt.Errorf("record: the sum of %s beside %s %d: %w", year, k.Kind.Code, id, err)
		}
		years[year] = a
	}
	return years, nil
}
