package sheets

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/web"
)

// row is a row of an import on its way to a record.
type row[T any] struct {
	number int    // as its sender counts: from 1, or as the sheet does
	rec    *T     // as it becomes, but for its number and what the row names
	name   string // of the record of another kind that the row names
	errs   fault.FieldErrors
	dates  map[string]fault.FieldErrors // what is wrong with dates of custom fields, by the free part
}

// add adds a row whose rule was applied. Everything that is wrong with it is in its
// errors, under the names of the row's fields.
func (a *attempt[T, V]) add(number int, rec *T, name string, unread, errs fault.FieldErrors) {
	a.lift(errs)
	maps.Copy(errs, unread) // what could not be read is told as that
	a.rows = append(a.rows, row[T]{number: number, rec: rec, name: name, errs: errs})
}

// lift puts the errors of the part at the row, whose fields they are.
func (a *attempt[T, V]) lift(errs fault.FieldErrors) {
	part, ok := errs[a.part].(fault.FieldErrors)
	if !ok {
		return
	}
	delete(errs, a.part)
	errs.Merge("", part)
}

// field is a field of the record as one of the row.
func (a *attempt[T, V]) field(path string) string {
	if a.part == "" {
		return path
	}
	return strings.TrimPrefix(path, a.part+".")
}

// duplicates adds an error to every row that has a value of an earlier one.
func (a *attempt[T, V]) duplicates() {
	seen := map[string]int{}
	for i := range a.rows {
		r := &a.rows[i]
		for _, values := range []func(rec *T) []record.Unique{a.distinct, a.kind.Unique} {
			if values == nil {
				continue
			}
			for _, u := range values(r.rec) {
				key := u.Name + " " + u.Value
				first, found := seen[key]
				switch {
				case u.Value == "":
				case found:
					r.errs.AddAt(a.field(u.Field), fmt.Sprintf("This value is also in row %d.", first))
				default:
					seen[key] = r.number
				}
			}
		}
	}
}

// check holds the rows to what they refer to, and their free parts to the custom
// fields.
func (a *attempt[T, V]) check(ctx context.Context) error {
	var recs []*T
	var errs []fault.FieldErrors
	for i := range a.rows {
		if r := &a.rows[i]; r.errs[fault.NonField] == nil { // else it may be no row at all
			recs, errs = append(recs, r.rec), append(errs, r.errs)
		}
	}
	if err := a.kind.Check(ctx, a.read, recs, errs); err != nil {
		return err
	}
	for i := range a.rows {
		r := &a.rows[i]
		a.lift(r.errs)
		for field, dates := range r.dates {
			wrong := objectAt(r.errs, field)
			if wrong == nil {
				continue // the whole part is wrong
			}
			for name, message := range dates { // instead of what the definition says of them
				wrong[name] = message
			}
		}
	}
	return nil
}

// objectAt is the object of errors at a path, made where there is none; nil where it
// is wrong as a whole.
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

// taken adds the error of the rows whose value another record has.
func (a *attempt[T, V]) taken(rows []record.TakenRow) {
	for _, t := range rows {
		errs := a.rows[t.At].errs
		if field := a.field(t.Field); errs[field] == nil {
			errs.AddAt(field, fault.NotUnique)
		}
	}
}

// records are those of the rows.
func (a *attempt[T, V]) records() []*T {
	list := make([]*T, len(a.rows))
	for i := range a.rows {
		list[i] = a.rows[i].rec
	}
	return list
}

// problems are the errors of rows in step with them; nil where no row has any.
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

// refusal is the fault of everything that is wrong with the rows; nil where
// nothing is.
func (a *attempt[T, V]) refusal() error {
	list := a.problems()
	if list == nil {
		return nil
	}
	f := &fault.Error{Code: fault.Invalid, Fields: fault.FieldErrors{"data": list}}
	if a.origin == nil {
		return f
	}
	cells := []cellError{}
	for i := range a.rows {
		cells = append(cells, a.origin.errors(a.rows[i].number, a.rows[i].errs)...)
	}
	return f.With("errors", cells)
}

// badRows is the fault of rows that can't be taken as a whole.
func badRows(message string) error {
	return &fault.Error{Code: fault.Invalid, Fields: fault.FieldErrors{"data": fault.FieldErrors{fault.NonField: []string{message}}}}
}

// maxEcho is how large the answer of an import can be, in bytes: one that does not
// fit would be refused after the import has happened.
const maxEcho = 3 << 20

// fitting encodes an answer, of a V or of a dry run, which has to fit before anything is written.
func fitting[V any](status int, body any) (*web.Reply[V], error) {
	encoded, err := encode.JSON(body)
	if err != nil {
		return nil, err
	}
	if len(encoded) > maxEcho {
		return nil, badRows("The rows hold more than " + strconv.Itoa(maxEcho>>20) + " MB. Import them in parts.")
	}
	return &web.Reply[V]{Status: status, Raw: encoded, ContentType: decode.TypeJSON}, nil
}
