package sheets

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
)

// row is a row of an import on its way to a record.
type row[T record.Stored] struct {
	number int    // the number that the sender knows: from 1, or the row of the sheet
	rec    T      // the new record, without its number and the record that the row names
	name   string // of the record of another kind that the row names
	errs   fault.FieldErrors
	custom map[string]fault.FieldErrors // what is wrong with cells of custom fields, by the free part
	texts  map[string]string            // what the cells of a sheet hold, by field, cut to longestCell
}

// add adds a row after its rule was applied. All its errors are collected under the names of
// the row's fields.
func (a *attempt[T, V]) add(number int, rec T, name string, unread, errs fault.FieldErrors) {
	a.lift(errs)
	maps.Copy(errs, unread) // a field that could not be read has that error instead of the rule's
	a.rows = append(a.rows, row[T]{number: number, rec: rec, name: name, errs: errs})
}

// lift moves the errors of Part to the row itself, because its fields are the row's fields.
func (a *attempt[T, V]) lift(errs fault.FieldErrors) {
	part, ok := errs[a.part].(fault.FieldErrors)
	if !ok {
		return
	}
	delete(errs, a.part)
	errs.Merge("", part)
}

// field returns the row's name for a field of the record.
func (a *attempt[T, V]) field(path string) string {
	if a.part == "" {
		return path
	}
	return strings.TrimPrefix(path, a.part+".")
}

// duplicates adds an error to every row that repeats a value of an earlier row.
func (a *attempt[T, V]) duplicates() {
	seen := map[string]int{}
	for i := range a.rows {
		r := &a.rows[i]
		for _, values := range []func(rec T) []record.Unique{a.distinct, a.kind.Unique} {
			if values == nil {
				continue
			}
			for _, u := range values(r.rec) {
				key := u.Name + " " + u.Value
				first, found := seen[key]
				switch {
				case u.Value == "":
				case found:
					r.errs.AddAt(a.field(u.Field), say.SheetRowRepeats(first))
					a.owners = append(a.owners, TakenValue{Row: r.number, Field: a.field(u.Field), SameAs: &first})
				default:
					seen[key] = r.number
				}
			}
		}
	}
}

// check checks the references of the rows, and their custom fields.
func (a *attempt[T, V]) check(ctx context.Context) error {
	var recs []T
	var errs []fault.FieldErrors
	for i := range a.rows {
		if r := &a.rows[i]; r.errs[fault.NonField] == nil { // otherwise the row may not even be an object
			recs, errs = append(recs, r.rec), append(errs, r.errs)
		}
	}
	if err := a.kind.Check(ctx, a.read, recs, errs); err != nil {
		return err
	}
	for i := range a.rows {
		r := &a.rows[i]
		a.lift(r.errs)
		for field, cells := range r.custom {
			wrong := objectAt(r.errs, field)
			if wrong == nil {
				continue // the whole part is wrong
			}
			for name, message := range cells { // replace the messages of the field's definition
				wrong[name] = message
			}
		}
	}
	return nil
}

// objectAt returns the errors of the object at a path, and makes room for them if there are
// none. It returns nil if the object is wrong as a whole.
func objectAt(errs fault.FieldErrors, path string) fault.FieldErrors {
	for name := range strings.SplitSeq(path, ".") {
		inner, ok := errs[name].(fault.FieldErrors)
		switch {
		case !ok && errs[name] != nil:
			return nil
		case !ok:
			inner = fault.FieldErrors{}
			errs[name] = inner
		}
		errs = inner
	}
	return errs
}

// taken adds an error to the rows with a unique value that another record has.
func (a *attempt[T, V]) taken(rows []record.TakenRow) {
	for _, t := range rows {
		errs := a.rows[t.At].errs
		if field := a.field(t.Field); !errs.Has(field) {
			errs.AddAt(field, say.SheetNotUniqueOf(t.Owner))
			a.owners = append(a.owners, TakenValue{Row: a.rows[t.At].number, Field: field, ID: &t.Owner})
		}
	}
}

// TakenValue says which record, or which row before, has a value that has to be unique.
type TakenValue struct {
	Row    int    `json:"row" doc:"As the sheet counts; from 1 in rows of JSON."`
	Field  string `json:"field"`
	ID     *int64 `json:"id" nullable:"true" doc:"The record that has the value; null if a row has it."`
	SameAs *int   `json:"same_as_row" nullable:"true" doc:"The first row that has the value; null if a record has it."`
}

// records returns the records of the rows.
func (a *attempt[T, V]) records() []T {
	list := make([]T, len(a.rows))
	for i := range a.rows {
		list[i] = a.rows[i].rec
	}
	return list
}

// problems returns the errors of the rows, one entry for each row; nil if no row has any.
func (a *attempt[T, V]) problems() []fault.FieldErrors {
	list, bad := make([]fault.FieldErrors, len(a.rows)), false
	for i := range a.rows {
		list[i] = a.rows[i].errs
		bad = bad || len(list[i]) > 0
	}
	if !bad {
		return nil
	}
	return list
}

// refusal returns the fault with everything that is wrong with the rows; nil if nothing is
// wrong.
func (a *attempt[T, V]) refusal() error {
	list := a.problems()
	if list == nil {
		return nil
	}
	f := &fault.Error{Code: fault.Invalid, Fields: fault.FieldErrors{"data": list}}
	if len(a.owners) > 0 {
		slices.SortStableFunc(a.owners, func(x, y TakenValue) int { return x.Row - y.Row })
		f = f.With("taken_by", a.owners)
	}
	if a.origin == nil {
		return f
	}
	cells := []CellError{}
	for i := range a.rows {
		cells = append(cells, a.origin.errors(a.rows[i].number, a.rows[i].errs, a.rows[i].texts, a.title)...)
	}
	return f.With("errors", cells)
}

// badRows returns the fault of rows that are refused as a whole.
func badRows(message say.Message) error {
	return &fault.Error{Code: fault.Invalid, Fields: fault.FieldErrors{"data": fault.FieldErrors{fault.NonField: []say.Message{message}}}}
}

// maxEcho is the largest answer of an import, in bytes. A larger one could fail to be sent
// after the import was committed.
const maxEcho = 3 << 20

// fitting encodes an answer, of an import or of a dry run. It fails if the answer is too
// large, so it is called before anything is written.
func fitting[V any](status int, body any) (*web.Reply[V], error) {
	encoded, err := encode.JSON(body)
	if err != nil {
		return nil, err
	}
	if len(encoded) > maxEcho {
		return nil, badRows(say.SheetRowsTooLarge(maxEcho >> 20))
	}
	return &web.Reply[V]{Status: status, Raw: encoded, ContentType: decode.TypeJSON}, nil
}
