package recordtest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// found checks that lists filter and order records by each of their columns, in all the ways that callers have.
func (s Subject[T]) found(t *testing.T) {
	if !s.Kind.IsSearched() {
		t.Skip("the records are not searched")
	}
	w := s.world(t, tabletest.Faults{})
	records := map[int64]search.Values{}
	for n := range 3 {
		rec := w.must(n + 1)
		v := search.Values{Texts: map[string]string{}, Numbers: map[string]int64{
			segment.ID: record.ID(rec), column.Created: Start.UnixMicro(), column.Updated: Start.UnixMicro(),
		}}
		for _, c := range s.Kind.Columns {
			c.Put(rec, &v)
		}
		records[record.ID(rec)] = v
	}
	for _, f := range s.Kind.Fields() {
		values := valuesOf(f, records)
		for _, by := range f.Comparisons() {
			w.compared(f, by, values)
		}
		w.ordered(f, values)
	}
}

// value is what one record has of a column.
type value struct {
	id     int64
	has    bool
	number int64
	text   string // as it is compared
}

// valuesOf are the values of a column, those of the newest record first.
func valuesOf(f column.Field, records map[int64]search.Values) (list []value) {
	for id, v := range records {
		number, isNumber := v.Numbers[f.Letter]
		text, isText := v.Texts[f.Letter]
		list = append(list, value{id: id, has: isNumber || isText, number: number, text: search.Searchable(text)})
	}
	slices.SortFunc(list, func(a, b value) int { return cmp.Compare(b.id, a.id) })
	return list
}

// compared asks for the value of each record by one comparison.
func (w *world[T]) compared(f column.Field, by column.Comparison, values []value) {
	w.t.Helper()
	if by == column.IsNull {
		for _, null := range []bool{true, false} {
			w.lists(f, by, fmt.Sprint(null), values, func(v value) bool { return v.has != null })
		}
		return
	}
	for _, of := range values {
		if !of.has {
			continue
		}
		sent, ok := written(f, of)
		if !ok {
			w.t.Errorf("no query has the value of %s that record %d has", f.Name, of.id)
			continue
		}
		w.lists(f, by, sent, values, func(v value) bool {
			c := compare(f, v, of)
			return v.has && (c == 0 || c > 0 && by == column.AtLeast || c < 0 && by == column.AtMost)
		})
	}
}

func compare(f column.Field, a, b value) int {
	if f.IsText {
		return strings.Compare(a.text, b.text)
	}
	return cmp.Compare(a.number, b.number)
}

// lists checks which records a comparison with a value finds.
func (w *world[T]) lists(f column.Field, by column.Comparison, sent string, values []value, fits func(value) bool) {
	w.t.Helper()
	c, err := f.Condition(by, sent, func() (*time.Location, error) { return time.UTC, nil })
	if err != nil {
		w.t.Errorf("%s%s=%s: %v", f.Name, by, sent, err)
		return
	}
	var want []int64
	for _, v := range values {
		if fits(v) {
			want = append(want, v.id)
		}
	}
	if got := w.page(search.Query{Where: []segment.Condition{c}}); !slices.Equal(got, want) {
		w.t.Errorf("%s%s=%s finds %v, want %v", f.Name, by, sent, got, want)
	}
	if f.Describe(by) == "" {
		w.t.Errorf("nothing describes %s%s", f.Name, by)
	}
}

// ordered checks both orders by a column: records without a value are the greatest, and equal ones the newest first.
func (w *world[T]) ordered(f column.Field, values []value) {
	w.t.Helper()
	for _, descending := range []bool{false, true} {
		want := slices.Clone(values)
		slices.SortStableFunc(want, func(a, b value) int {
			c := compare(f, a, b)
			switch {
			case a.has && !b.has:
				c = -1
			case !a.has && b.has:
				c = 1
			}
			if descending {
				c = -c
			}
			return c
		})
		var ids []int64
		for _, v := range want {
			ids = append(ids, v.id)
		}
		if got := w.page(search.Query{Order: []segment.By{f.By(descending)}}); !slices.Equal(got, ids) {
			w.t.Errorf("ordered by %s, descending %t: %v, want %v", f.Name, descending, got, ids)
		}
	}
}

func (w *world[T]) page(q search.Query) (ids []int64) {
	w.t.Helper()
	list, _, err := w.Kind.Page(w.t.Context(), w.sound, q, record.Window{Size: 10})
	if err != nil {
		w.t.Fatal(err)
	}
	for i := range list {
		ids = append(ids, record.ID(list[i]))
	}
	return ids
}

// written is a value as a query writes it.
func written(f column.Field, v value) (sent string, ok bool) {
	var ways []string
	switch {
	case len(f.Choices) > 0:
		ways = f.Choices
	case f.IsText:
		ways = []string{v.text}
	case f.Type == column.Boolean:
		ways = []string{fmt.Sprint(v.number == 1)}
	case f.Type == column.Decimal:
		ways = []string{money.FromCents(v.number).String()}
	case f.Type == column.Date:
		ways = []string{time.Unix(v.number*24*60*60, 0).UTC().Format(time.DateOnly)}
	case f.Type == column.DateTime:
		ways = []string{time.UnixMicro(v.number).UTC().Format(time.RFC3339Nano)}
	case f.Type == column.String:
		ways = []string{fmt.Sprintf("+%d", v.number), fmt.Sprintf("%012d", v.number)}
	default:
		ways = []string{fmt.Sprint(v.number)}
	}
	for _, way := range ways {
		c, err := f.Condition(column.Equal, way, nil)
		if err == nil && (slices.Contains(c.Set, v.number) && !f.IsText || slices.Contains(c.Texts, v.text)) {
			return way, true
		}
	}
	return "", false
}
