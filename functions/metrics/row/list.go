package row

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/guregu/dynamo/v2"
	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/allowance"
)

// MaxRows is how many rows a list may look at, unless it is ordered by date alone.
const MaxRows = 100_000

// Query is what a list of rows asks for.
type Query struct {
	From, To decode.Date // empty: no bound
	Type     Type        // empty: any
	Point    *int64      // nil: any
	Order    []By        // rows that are equal in it: the last id first
}

// By is a value that rows are ordered by.
type By struct {
	Field      Field
	Descending bool
}

// Field is a value of a row, in the words of callers.
type Field string

// The values that rows are ordered by.
const (
	ByID         Field = "id"
	ByDate       Field = "date"
	ByPrediction Field = "prediction"
	ByProfit     Field = "profit"
)

// tries is how often a list is read until what it reads agrees.
const tries = 3

// Page reads the rows of a query within a window, and how many rows match it.
//
// What the days come to says how many rows there are, and in which days the window lies if the rows
// are ordered by date. So only the index of these days is read, and the rows of the window; a page
// of any company costs the same. Otherwise the index of all days of the query is read, unless that
// is more than MaxRows rows: errTooLong.
//
// All reads are eventually consistent. If they don't agree, everything is read again, at most three
// times in all; after that a row that has gone is left out.
func Page(ctx context.Context, s record.Scope, q Query, of record.Window) (rows []Row, count int, err error) {
	for try := range tries {
		r := reading{scope: s, query: q, of: of, agrees: true, last: try == tries-1}
		if rows, err = r.page(ctx); err != nil {
			return nil, 0, err
		}
		if count = r.count; r.agrees {
			break
		}
	}
	return rows, count, nil
}

// reading is one reading of a list.
type reading struct {
	scope  record.Scope
	query  Query
	of     record.Window
	last   bool
	days   []Day // those of the query that have rows of its type
	count  int
	agrees bool // with what the days come to
}

func (r *reading) page(ctx context.Context) (rows []Row, err error) {
	if r.days, err = Days(ctx, r.scope, r.query.From, r.query.To); err != nil {
		return nil, err
	}
	r.days = slices.DeleteFunc(r.days, func(d Day) bool { return d.count(r.query.Type) <= 0 })
	var entries []entry
	if r.query.isByDate() {
		entries, err = r.ofDays(ctx)
	} else {
		entries, err = r.ofAll(ctx)
	}
	if err != nil {
		return nil, err
	}
	return r.rows(ctx, entries)
}

// isByDate tells whether what the days come to says where a page is.
func (q Query) isByDate() bool {
	return q.Point == nil && len(q.Order) == 1 && q.Order[0].Field == ByDate
}

// ofDays are the entries of the window in a list that is ordered by date.
func (r *reading) ofDays(ctx context.Context) ([]entry, error) {
	for _, d := range r.days {
		r.count += int(d.count(r.query.Type))
	}
	from, to := r.window()
	if r.query.Order[0].Descending {
		slices.Reverse(r.days)
	}
	before := 0 // rows of the days before
	skip := -1
	var touched []Day
	for _, d := range r.days {
		n := int(d.count(r.query.Type))
		if before < to && before+n > from {
			if skip < 0 {
				skip = from - before
			}
			touched = append(touched, d)
		}
		before += n
	}
	if r.query.Order[0].Descending {
		slices.Reverse(touched)
	}
	entries, err := r.read(ctx, touched)
	if err != nil || len(touched) == 0 {
		return nil, err
	}
	r.sort(entries)
	skip = min(skip, len(entries))
	return entries[skip:min(len(entries), skip+to-from)], nil
}

// errTooLong refuses to sort the rows of a period that has more than MaxRows of them.
var errTooLong = fault.New(fault.Invalid, say.MetricsTooManyRows).Coded()

// ofAll are the entries of the window in a list of another order, or of one rental point.
func (r *reading) ofAll(ctx context.Context) ([]entry, error) {
	all := int64(0)
	for _, d := range r.days {
		all += d.count(r.query.Type)
	}
	if all > MaxRows {
		return nil, errTooLong
	}
	if err := allowance.Draw(ctx); err != nil {
		return nil, err
	}
	entries, err := r.read(ctx, r.days)
	if err != nil {
		return nil, err
	}
	if point := r.query.Point; point != nil {
		entries = slices.DeleteFunc(entries, func(e entry) bool { return e.point != *point })
	}
	r.sort(entries)
	r.count = len(entries)
	from, to := r.window()
	return entries[from:to], nil
}

// window is the part of the list that is asked for, when its count is known.
func (r *reading) window() (from, to int) {
	offset := r.of.Offset
	if r.of.Last {
		offset = max(0, (r.count-1)/r.of.Size*r.of.Size)
	}
	from = min(offset, r.count)
	return from, from + min(r.of.Size, r.count-from)
}

// sort sorts entries as the query asks.
func (r *reading) sort(entries []entry) {
	slices.SortFunc(entries, func(a, b entry) int {
		for _, by := range r.query.Order {
			c := by.Field.compare(a, b)
			if by.Descending {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return cmp.Compare(b.id, a.id)
	})
}

func (f Field) compare(a, b entry) int {
	switch f {
	case ByID:
		return cmp.Compare(a.id, b.id)
	case ByDate:
		return cmp.Compare(a.date, b.date)
	case ByPrediction:
		return cmp.Compare(a.prediction, b.prediction)
	case ByProfit:
		return cmp.Compare(a.profit, b.profit)
	}
	return 0
}

const (
	// few is how many entries are read rather than asking once for each day: as many as a page
	// reads whose first and last row are of days with 1,000 rows.
	few = 2000
	// aDay is how many entries cost what asking for one more day costs.
	aDay = 40
	// perCall is how many entries an answer of 1 MB holds for certain.
	perCall = 6000
	// parallel is how many calls are made at a time.
	parallel = 8
)

// spans are the parts of the index that have the rows of some days, in ascending order. Within a day
// the rows of a type are together, so one type can be read by itself. If its days are so few among
// the others that one call for each of them costs less than reading what lies between, that is done.
func (r *reading) spans(days []Day) (list []record.Span) {
	all := 0
	for _, d := range days {
		all += int(d.count(""))
	}
	of := r.query.Type
	if of != "" && (len(days) == 1 || all > max(few, aDay*len(days))) {
		for _, d := range days {
			at := string(d.Date) + ":" + of.letter() + ":"
			list = append(list, record.Span{From: at, To: at + after})
		}
		return list
	}
	n := 0
	for i, d := range days {
		if n += int(d.count("")); i == 0 || n > perCall {
			list, n = append(list, record.Span{From: string(d.Date)}), int(d.count(""))
		}
		list[len(list)-1].To = string(d.Date) + ":" + after
	}
	return list
}

// after sorts after everything that stands there in an entry.
const after = "~"

// read reads the entries of some days, and finds out whether they agree with what these come to.
func (r *reading) read(ctx context.Context, days []Day) ([]entry, error) {
	spans := r.spans(days)
	parts := make([][]record.Place, len(spans))
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i, span := range spans {
		g.Go(func() (err error) {
			parts[i], err = Kind().Places(inner, r.scope, kinds.MetricRow, every, span)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var entries []entry
	counts := map[decode.Date]int64{}
	for _, part := range parts {
		for _, p := range part {
			e, err := entryOf(p)
			if err != nil {
				return nil, err
			}
			if r.query.Type == "" || e.letter == r.query.Type.letter() {
				entries = append(entries, e)
				counts[e.date]++
			}
		}
	}
	for _, d := range days {
		r.agrees = r.agrees && counts[d.Date] == d.count(r.query.Type)
	}
	return entries, nil
}

// rows are the rows of some entries.
func (r *reading) rows(ctx context.Context, entries []entry) ([]Row, error) {
	w := r.scope.Reading()
	var keys []table.Key
	for _, e := range entries {
		keys = append(keys, Kind().Key(r.scope.Table, e.id))
	}
	if err := Glance(ctx, w, keys...); err != nil {
		return nil, err
	}
	list := make([]Row, 0, len(entries))
	for _, e := range entries {
		rec, err := there(Kind().Read(ctx, w, e.id))
		if err != nil {
			return nil, err
		}
		if rec == nil || rec.Gone || rec.entry() != e {
			r.agrees = false
		}
		if rec != nil && !rec.Gone {
			list = append(list, *rec)
		}
	}
	return list, nil
}

// Glance gives a unit of work that only shows records some of them, by eventually consistent reads,
// one call for each hundred. They cost half of what Work.Load costs.
func Glance(ctx context.Context, w *record.Work, keys ...table.Key) error {
	asked := make([]dynamo.Keyed, 0, len(keys))
	seen := map[table.Key]bool{}
	for _, k := range keys {
		if !seen[k] {
			seen[k], asked = true, append(asked, k)
		}
	}
	if len(asked) == 0 {
		return nil
	}
	var items []table.Attributes
	err := w.Scope().Table.Table().Batch("pk", "sk").Get(asked...).All(ctx, &items)
	if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		return fmt.Errorf("row: %d items: %w", len(asked), err)
	}
	found := map[table.Key]table.Attributes{}
	for _, item := range items {
		found[table.Key{PK: item.Text("pk"), SK: item.Text("sk")}] = item
	}
	w.Know(found, keys...)
	return nil
}
