package sheets

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/allowance"
	"github.com/tenantry/tenantry/shared/web"
)

// attempt is one import for one request, whatever the form of its rows.
type attempt[T record.Stored, V any] struct {
	*service[T]
	r     *web.Request
	scope record.Scope

	// These fields are declared by the import.
	columns, others []Column[T]
	need            []string // fields that every row must have
	fits            func(found []Found) error
	part            string
	distinct        func(rec T) []record.Unique
	named           *Named[T]
	odd             func(rec T) []Odd
	doubles         *Doubles[T]

	// addCells adds a row of a sheet, given its cells by field.
	addCells func(number int, cells map[string]any) error
	// made returns the answer of an import, and shown the answer of a dry run.
	made  func() V
	shown func() any

	read     *record.Work // what was looked up for this try
	rows     []row[T]
	origin   origin                        // where the rows are in the sheet; nil if they come from JSON
	title    func(path string) say.Message // what the column of a field is called
	left     leftOut                       // what the import does not know
	owners   []TakenValue                  // who has the values that have to be unique
	warnings []Warning
	known    map[unique.Value]int64 // ids of the records that the rows name
	unknown  []string               // names for which records have to be made, as first written
}

var errNotPlain = errors.New("sheets: what goes with a record that is made can't go with one that is imported")

// run reads the rows and checks them. It then makes their records or, in a dry run, shows what
// they would be.
func (a *attempt[T, V]) run(ctx context.Context, readRows func() error) (*web.Reply[V], error) {
	reply, err := a.try(ctx, readRows)
	return reply, a.left.tell(err)
}

func (a *attempt[T, V]) try(ctx context.Context, readRows func() error) (*web.Reply[V], error) {
	if !a.plain {
		return nil, errNotPlain
	}
	dry, err := flag(a.r, "dry_run")
	if err != nil {
		return nil, err
	}
	if err := allowance.Draw(ctx); err != nil {
		return nil, err
	}
	a.read = a.scope.Reading()
	if err := readRows(); err != nil {
		return nil, err
	}
	if len(a.rows) == 0 && !dry { // which makes nothing, and is repeated at no cost
		return fitting[V](http.StatusCreated, a.made())
	}
	a.duplicates()
	if err := a.look(ctx); err != nil {
		return nil, err
	}
	if err := a.check(ctx); err != nil {
		return nil, err
	}
	if dry || a.problems() != nil {
		found, err := a.kind.Taken(ctx, a.scope, a.records(), unique.Peek)
		if err != nil {
			return nil, err
		}
		a.taken(found.Rows)
		if a.problems() == nil && found.Busy != nil {
			return nil, found.Busy
		}
	}
	if err := a.refusal(); err != nil {
		return nil, err
	}
	if err := a.warn(ctx, dry); err != nil && !unavailable(err) { // a warning refuses nothing
		return nil, err
	}
	if dry {
		return fitting[V](http.StatusOK, a.shown())
	}
	return a.write(ctx)
}

// unavailable tells whether an error says that something is away for now, such as a search that is being prepared.
func unavailable(err error) bool {
	f, ok := fault.As(err)
	return ok && f.Code == fault.Unavailable || table.Unavailable(err)
}

// flag reads a query parameter that is true or false.
func flag(r *web.Request, name string) (bool, error) {
	switch strings.ToLower(strings.TrimSpace(r.Param(name))) {
	case "true", "1":
		return true, nil
	case "false", "0":
		return false, nil
	case "":
		return r.Query.Has(name), nil // ?dry_run alone means it
	}
	return false, fault.Field(name, say.InvalidBoolean)
}

// write makes the records of the rows, and the records that the rows name and that do not
// exist yet: all of them, or none. If another request has made one of the named records
// meanwhile, it looks them up again.
func (a *attempt[T, V]) write(ctx context.Context) (*web.Reply[V], error) {
	made := func() (*web.Reply[V], error) { return fitting[V](http.StatusCreated, a.made()) }
	if _, err := made(); err != nil { // before anything is written
		return nil, err
	}
	o, again := web.OutcomeOf(a.r, made), false
	return o.After(a.kind.Import(ctx, a.scope, a.message, o, func(w *record.Work, taken []record.TakenRow) ([]T, error) {
		if again {
			a.read = a.scope.Reading()
			if err := a.look(ctx); err != nil {
				return nil, err
			}
		}
		again = true
		a.taken(taken)
		if err := a.refusal(); err != nil {
			return nil, err
		}
		if err := a.name(ctx, w); err != nil {
			return nil, err
		}
		return a.records(), nil
	}))
}
