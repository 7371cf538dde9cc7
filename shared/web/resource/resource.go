package resource

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
)

// Resource declares the operations of a kind of records. T is the stored struct, Body what
// callers send, View what they are shown. The paths, names and ids of the operations come from
// kinds.Kind. Only Kind, Apply and View are required.
type Resource[T record.Stored, Body, View any] struct {
	Kind *record.Kind[T]
	Doc  string // describes the list in the API description

	Role  tenant.Role // the lowest role that may change records; empty: employee
	Reads tenant.Role // the lowest role that may read them; empty: read-only

	// Apply is the rule that applies what a caller sent to a record, and adds what is wrong to
	// errs. A new record is empty except for its Meta. A field that the decoder has refused
	// looks like one that was not sent, and its error is in errs: a rule about several fields
	// has to check errs.Has for each of them. Apply must not write through a pointer, map or
	// slice of the record, because the version that was read shares them.
	Apply func(rec T, in *Body, errs fault.FieldErrors)
	// View returns everything that a caller is shown of a record. The ETag depends on the
	// record's revision and not on the caller's role, so a caller whose role has changed may
	// get 304 until the next revision. A kind that does not declare what its history shows
	// uses this View, with an empty Viewer.
	View func(rec T, to Viewer) View
	// Join adds to the views of a page the values of other records, and sums. It reads them as
	// the unit of work has them, all in one batch (record.Work.Load). Answers of a resource
	// with Join are never 304.
	Join func(ctx context.Context, w *record.Work, recs []T, views []View) error

	// Whole adds to the view of a single record what a list leaves out, which may be values of
	// other records too: answers of a resource with Whole are never 304. If what it reads does not
	// fit the record any more, its error is table.ErrRevision, and everything is read anew.
	Whole func(ctx context.Context, w *record.Work, rec T, view *View) error

	// Along returns the keys of what Join needs of one record. They are read in one call with
	// the record, consistently; for the page of a list that is searched, in the calls that read its
	// records, and for a plain one in a call after that: so what is shown there may lag behind changes
	// as the records may. They are never keys of records.
	Along func(t *table.Tenant, id int64) []table.Key

	// Made, Changed and Gone are called when a record is made, changed or removed, in the same
	// unit of work; Made and Changed are called after Apply.
	Made    func(ctx context.Context, w *record.Work, rec T, in *Body) error
	Changed func(ctx context.Context, w *record.Work, rec T, in *Body) error
	Gone    func(ctx context.Context, w *record.Work, rec T) error

	// Images are the fields that hold images; Uploads is where their uploads are. Records
	// below others can't have images.
	Images  []Image[T, Body]
	Uploads uploads.Store

	// Filters are passed to the Finder of the list.
	Filters []Filter

	// at returns the path of a record below another one; nil if the kind has a path of its own.
	at func(rec T) string
}

// Viewer is the caller to whom a record is shown.
type Viewer struct {
	Base string // scheme and host of the API, without a trailing slash
	Role tenant.Role
}

// Finder returns how the list is searched, filtered and ordered.
func (res Resource[T, Body, View]) Finder() Finder {
	return FinderOf(res.Kind, res.Filters...)
}

// Scope returns the scope of a request's unit of work: the company, the caller, and the errors
// that the decoder found in the body.
func Scope(r *web.Request, now func() time.Time) record.Scope {
	return record.Scope{
		Table: r.Table, Role: r.Principal.Role, Search: r.Search, Now: now, Wrong: r.Wrong, Zone: r.Zone(),
		Actor: audit.Actor{
			User: r.Principal.User, Feed: r.Principal.Feed, Key: r.Principal.Key, Request: r.ID, At: now().UTC(),
		},
	}
}

// viewing returns the caller who is shown the answer of a request.
func viewing(r *web.Request) Viewer { return Viewer{Base: r.BaseURL, Role: r.Principal.Role} }

// Operations returns the operations of the resource. now is the clock.
func (res Resource[T, Body, View]) Operations(now func() time.Time) []web.Operation {
	list := []web.Operation{res.List(now), res.Create(now), res.Read(now), res.Update(now), res.Patch(now), res.Delete(now)}
	for _, im := range res.Images {
		list = append(list, res.image(im, now))
	}
	return list
}

// serve returns the handlers.
func (res Resource[T, Body, View]) serve(now func() time.Time) service[T, Body, View] {
	if res.Kind.Shown == nil {
		kind := *res.Kind
		kind.Shown = func(rec T) any { return res.View(rec, Viewer{}) }
		res.Kind = &kind
	}
	return service[T, Body, View]{Resource: res, now: now}
}

// Path returns the path of the list.
func (res Resource[T, Body, View]) Path() string { return res.Kind.Kind.Path }

// id returns the id of an operation: "rental-points-list".
func (res Resource[T, Body, View]) id(operation string) string {
	return strings.ReplaceAll(strings.ToLower(res.Kind.Kind.Many), " ", "-") + "-" + operation
}

// location returns the path of a record.
func (res Resource[T, Body, View]) location(rec T) string {
	if res.at != nil {
		return res.at(rec)
	}
	return res.Kind.Kind.One(record.ID(rec))
}

func (res Resource[T, Body, View]) one() string { return res.Path() + "{id}/" }

// a returns the name of one record, with its article.
func (res Resource[T, Body, View]) a() string {
	return withArticle(strings.ToLower(res.Kind.Kind.Label))
}

func withArticle(one string) string {
	if strings.ContainsRune("aeio", rune(one[0])) {
		return "an " + one
	}
	return "a " + one
}

// isArray tells whether the list is answered as an array of all records, without pages.
func (res Resource[T, Body, View]) isArray() bool { return res.Kind.Most > 0 }

// List returns the operation that lists records.
func (res Resource[T, Body, View]) List(now func() time.Time) web.Operation {
	s := res.serve(now)
	op := web.Operation{
		ID: res.id("list"), Method: http.MethodGet, Path: res.Path(), Role: res.Reads,
		Summary: "List " + res.Kind.Kind.Many, Doc: res.Doc,
	}
	if res.isArray() {
		return web.Op(op, s.all)
	}
	op.Doc = join(op.Doc, res.Finder().Doc())
	op.Query, op.Draws = res.Finder().Params(), res.Kind.IsSearched()
	if !res.Finder().canSearch {
		return web.Op(op, func(ctx context.Context, r *web.Request, _ *unsearched) (*web.Reply[web.List[View]], error) {
			return s.list(ctx, r, nil)
		})
	}
	return web.Op(op, s.list)
}

// unsearched is the query of a list that has no search.
type unsearched struct {
	Page     string `query:"page"`
	PageSize string `query:"pageSize"`
	Ordering string `query:"ordering"`
}

// Create returns the operation that makes a record.
func (res Resource[T, Body, View]) Create(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: res.id("create"), Method: http.MethodPost, Path: res.Path(), Role: res.Role, Status: http.StatusCreated,
		Idempotent: true, Thorough: true, MakesRecords: true, Summary: "Create " + res.a(),
	}, res.serve(now).create)
}

// Read returns the operation that reads a record.
func (res Resource[T, Body, View]) Read(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: res.id("read"), Method: http.MethodGet, Path: res.one(), Role: res.Reads, Tagged: true,
		Mixed:   res.Join != nil || res.Whole != nil,
		Summary: "Read " + res.a(),
	}, res.serve(now).read)
}

// Changing returns the faults that a change of one record can have, besides those of every
// operation.
func Changing() []fault.Code { return []fault.Code{fault.Conflict, fault.Precondition} }

// Update returns the operation that changes a record; fields that are left out keep their
// values.
func (res Resource[T, Body, View]) Update(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: res.id("update"), Method: http.MethodPut, Path: res.one(), Role: res.Role, Faults: Changing(), Thorough: true,
		Summary: "Change " + res.a(), Doc: "Fields that are left out keep their value.",
	}, res.serve(now).update)
}

// Patch returns the operation that changes some fields of a record.
func (res Resource[T, Body, View]) Patch(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: res.id("patch"), Method: http.MethodPatch, Path: res.one(), Role: res.Role, Faults: Changing(), Thorough: true,
		Summary: "Change some fields of " + res.a(),
	}, res.serve(now).update)
}

// Delete returns the operation that removes a record from every list.
func (res Resource[T, Body, View]) Delete(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: res.id("delete"), Method: http.MethodDelete, Path: res.one(), Role: res.Role, Status: http.StatusNoContent,
		Faults: Changing(), Summary: "Delete " + res.a(), Doc: "It leaves every list, and its number is never given again.",
	}, res.serve(now).remove)
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}
