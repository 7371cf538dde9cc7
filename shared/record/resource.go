package record

import (
	"net/http"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/slimindex"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
)

// Resource declares a kind of records. T is the stored struct, Body what callers
// send, View what they are shown. Of the functions only Apply, View and Name are
// needed.
type Resource[T, Body, View any] struct {
	Kind kinds.Code
	Path string // of the list: "/v1/crm/rental_points/"
	ID   string // begins the ids of the operations: "rental-points"
	One  string // "rental point"
	Many string // "rental points"
	Doc  string // of the list, for the API description

	Role  tenant.Role // the least role that may change records; empty: employee
	Reads tenant.Role // the least role that may read them; empty: read-only
	Array bool        // the list is an array of all records, the oldest first; there are at most MaxArray

	// Apply is the rule: it takes what a caller sent to a record, which is empty
	// but for its Meta where it is new, and adds what is wrong to errs. It never
	// writes through a pointer, map or slice of the record: the one that was
	// read stays as it was.
	Apply func(rec *T, in *Body, errs fault.Fields)
	// View is what callers are shown of a record, all of it.
	View func(rec *T) View
	// Name is what the record is called, which is searched. It is stored in the
	// attribute kinds.Name.
	Name func(rec *T) string

	// Numbers are what the slim index knows of a record beside its name, under
	// names of one letter; "u" is the time of the last change.
	Numbers func(rec *T) map[string]int64
	Digits  func(e slimindex.Entry) []string // numbers that are searched too; see slimindex.Index
	// Words are those of a search; without it they are slimindex.Words.
	Words func(search string) []string
	// Order names the numbers that callers can order by, beside id, created_at,
	// updated_at and name.
	Order   map[string]string
	Filters []Filter

	// Unique are the values that no other live record of the company may have.
	Unique func(rec *T) []Unique
	// References are the records that the record names.
	References func(rec *T) []Reference
	// Extra is the record's free part and the key of its custom fields; an empty
	// key has none.
	Extra func(rec *T) (key string, extra decode.JSON)
}

// Filter is a query parameter by which a list is filtered.
type Filter struct {
	web.Param
	// Add adds the filter to a query, for a value that is not empty. Its error
	// is a fault.
	Add func(q *slimindex.Query, value string) error
}

// Unique is a value that no other live record of the company may have.
type Unique struct {
	Name  string // of the reservation: "cli.iin"
	Value string // as it is compared; empty is none
	Field string // where its error stands: "individual.iin"
}

// Reference is a record that another names.
type Reference struct {
	Field string // where its error stands
	Kind  kinds.Code
	ID    int64
}

// Bounds of records. MaxExtra is how large the free part of one may be, in bytes
// of JSON: a list carries that of each record. A list that is an array carries
// all of them, and still has to fit an answer.
const (
	MaxExtra      = 16 << 10
	MaxArray      = 1000
	MaxArrayExtra = 2 << 10
)

// byUpdated is the number of the last change in the slim index.
const byUpdated = "u"

// Operations are the resource's. now is the clock.
func (res Resource[T, Body, View]) Operations(now func() time.Time) []web.Operation {
	return []web.Operation{res.List(now), res.Create(now), res.Read(now), res.Update(now), res.Patch(now), res.Delete(now)}
}

func (res Resource[T, Body, View]) one() string { return res.Path + "{id}/" }

// a is one record, with its article.
func (res Resource[T, Body, View]) a() string {
	if strings.ContainsRune("aeiou", rune(res.One[0])) {
		return "an " + res.One
	}
	return "a " + res.One
}

// List is the operation that lists records.
func (res Resource[T, Body, View]) List(now func() time.Time) web.Operation {
	s := res.serve(now)
	op := web.Operation{
		ID: res.ID + "-list", Method: http.MethodGet, Path: res.Path, Role: res.Reads,
		Summary: "List " + res.Many, Doc: res.Doc,
	}
	if res.Array {
		return web.Answering[[]View](web.Op(op, s.all))
	}
	op.Doc = join(op.Doc, "Newest first. `ordering` takes id, name, created_at, updated_at"+names(res.Order)+". Above 100,000 "+res.Many+
		", search, filters and any order but by id and created_at are 400 with the code too_many_records. The list may lag a second behind changes.")
	for _, f := range res.Filters {
		op.Query = append(op.Query, f.Param)
	}
	return web.Answering[web.List[View]](web.Op(op, s.list))
}

// Create is the operation that makes a record.
func (res Resource[T, Body, View]) Create(now func() time.Time) web.Operation {
	return web.Answering[View](web.Op(web.Operation{
		ID: res.ID + "-create", Method: http.MethodPost, Path: res.Path, Role: res.Role, Status: http.StatusCreated,
		Idempotent: true, Summary: "Create " + res.a(),
	}, res.serve(now).create))
}

// Read is the operation that reads a record.
func (res Resource[T, Body, View]) Read(now func() time.Time) web.Operation {
	return web.Answering[View](web.Op(web.Operation{
		ID: res.ID + "-read", Method: http.MethodGet, Path: res.one(), Role: res.Reads, Summary: "Read " + res.a(),
	}, res.serve(now).read))
}

// changing are the faults of a change, beside those of every operation.
var changing = []fault.Code{fault.Conflict, fault.Precondition}

// Update is the operation that changes a record; what is left out stays.
func (res Resource[T, Body, View]) Update(now func() time.Time) web.Operation {
	return web.Answering[View](web.Op(web.Operation{
		ID: res.ID + "-update", Method: http.MethodPut, Path: res.one(), Role: res.Role, Faults: changing,
		Summary: "Change " + res.a(), Doc: "Fields that are left out keep their value.",
	}, res.serve(now).update))
}

// Patch is the operation that changes some fields of a record.
func (res Resource[T, Body, View]) Patch(now func() time.Time) web.Operation {
	return web.Answering[View](web.Op(web.Operation{
		ID: res.ID + "-patch", Method: http.MethodPatch, Path: res.one(), Role: res.Role, Faults: changing,
		Summary: "Change some fields of " + res.a(),
	}, res.serve(now).update))
}

// Delete is the operation that takes a record out of every list.
func (res Resource[T, Body, View]) Delete(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: res.ID + "-delete", Method: http.MethodDelete, Path: res.one(), Role: res.Role, Status: http.StatusNoContent,
		Faults: changing, Summary: "Delete " + res.a(), Doc: "It leaves every list, and its number is never given again.",
	}, res.serve(now).remove)
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}
