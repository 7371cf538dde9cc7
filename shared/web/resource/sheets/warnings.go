package sheets

import (
	"context"

	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/say"
)

// Warning tells of something in a row that is likely a mistake. The row is imported all the same.
type Warning struct {
	Row     int         `json:"row" doc:"As the sheet counts; from 1 in rows of JSON."`
	Column  *string     `json:"column" nullable:"true" doc:"The column's letter in spreadsheets; null without one."`
	Title   say.Message `json:"title" doc:"What the column is called: by its header in the sheet, or by its own title without one."`
	Field   string      `json:"field"`
	Cell    *string     `json:"cell" nullable:"true" doc:"What the cell holds, its first 100 characters; null without a column."`
	Code    string      `json:"code" doc:"likely_double, or what is unusual, such as unusual_vin."`
	Message say.Message `json:"message"`
	ID      *int64      `json:"id" nullable:"true" doc:"The record of which the row is likely a double."`
	SameAs  *int        `json:"same_as_row" nullable:"true" doc:"The row before of which it is likely a double."`
}

// mostWarnings is how many warnings are told: whoever reads them all has enough to do.
const mostWarnings = 100

// Odd is a value that is accepted although it is likely a mistake.
type Odd struct {
	Field   string
	Message say.Message
}

// Doubles declares which records are likely the same, although no unique value says so.
type Doubles[T record.Stored] struct {
	// Field is the one that a warning names.
	Field string
	// Key returns what records have in common that are likely the same; "" is like none.
	Key func(rec T) string
	// Among returns a condition for the live records that may be like one of the new ones, and false if
	// none can be. It makes one search of the kind, which costs what a filtered list costs.
	Among func(recs []T) (segment.Condition, bool)
	// Known returns the key of a live record, from what the search knows of it.
	Known func(e segment.Entry) string
}

// warn collects the warnings of the rows. What a search knows may be a second old, so a double that is
// made at this moment is not told.
func (a *attempt[T, V]) warn(ctx context.Context, dry bool) error {
	known, err := a.alike(ctx, dry)
	if err != nil {
		return err
	}
	a.warnings = nil
	seen := map[string]int{}
	for i := range a.rows {
		r := &a.rows[i]
		if a.odd != nil {
			for _, odd := range a.odd(r.rec) {
				a.addWarning(r, Warning{Field: odd.Field, Message: odd.Message})
			}
		}
		if a.doubles == nil {
			continue
		}
		key := a.doubles.Key(r.rec)
		if key == "" {
			continue
		}
		if id, ok := known[key]; ok {
			a.addWarning(r, Warning{Field: a.doubles.Field, Message: say.SheetDoubleOfRecord(id), ID: &id})
		}
		if first, ok := seen[key]; ok {
			a.addWarning(r, Warning{Field: a.doubles.Field, Message: say.SheetDoubleOfRow(first), SameAs: &first})
		} else {
			seen[key] = r.number
		}
	}
	return nil
}

// alike returns the lowest ids of live records by their keys. A dry run writes nothing, so its search asks for no merge.
func (a *attempt[T, V]) alike(ctx context.Context, dry bool) (map[string]int64, error) {
	if a.doubles == nil {
		return nil, nil
	}
	among, some := a.doubles.Among(a.records())
	if !some {
		return nil, nil
	}
	known, q := map[string]int64{}, search.Query{}
	q.Add(among)
	index := a.kind.Index(a.scope)
	index.Silent = dry
	err := index.Rows(ctx, q, func(r segment.Row) {
		if key := a.doubles.Known(r.Entry()); key != "" && (known[key] == 0 || r.ID() < known[key]) {
			known[key] = r.ID()
		}
	})
	return known, err
}

func (a *attempt[T, V]) addWarning(r *row[T], w Warning) {
	if len(a.warnings) == mostWarnings {
		return
	}
	w.Row, w.Field, w.Code = r.number, a.field(w.Field), codeOf(w.Message)
	w.Column, w.Cell = a.origin.cell(w.Field, r.texts)
	w.Title = a.origin.title(w.Field, a.title)
	a.warnings = append(a.warnings, w)
}
