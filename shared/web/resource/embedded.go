package resource

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
)

// Embedded declares the operations of a list inside the records of a kind, such as the tariffs
// of a service at /v1/crm/services/{service_id}/tarifs/{id}/. Each element has its own ETag. T
// is the type of the record and E that of the element; Body is what callers send for an
// element, View what they are shown.
type Embedded[T record.Stored, E, Body, View any] struct {
	List record.Embedded[T, E]
	// Path is the name of the list in its address. Param is the name of the path parameter
	// with the record's number: "tarifs", "service_id".
	Path, Param string
	// One and Many name an element and the list: "tariff", "service tariffs". Many is also
	// used to make the ids of the operations.
	One, Many string
	Doc       string // describes the list in the API description

	Role  tenant.Role // the lowest role that may change elements; empty: employee
	Reads tenant.Role // the lowest role that may read them; empty: read-only

	// Apply and View do for an element what those of Resource do for a record.
	Apply func(rec T, e *E, in *Body, errs fault.FieldErrors)
	View  func(rec T, e *E, to Viewer) View
	// Changed is called when nothing is wrong with an element that is made, changed or removed,
	// in the same unit of work: with what the element was, nil if it is made, and what it is,
	// nil if it is removed.
	Changed func(ctx context.Context, w *record.Work, rec T, was, is *E) error
}

type aboveInput struct {
	Above int64 `path:"1"`
}

type addInput[Body any] struct {
	Above int64 `path:"1"`
	Body  Body
}

type elementInput struct {
	Above int64 `path:"1"`
	ID    int64 `path:"2"`
}

type changeElementInput[Body any] struct {
	Above   int64  `path:"1"`
	ID      int64  `path:"2"`
	IfMatch string `header:"If-Match"`
	Body    Body
}

type removeElementInput struct {
	Above   int64  `path:"1"`
	ID      int64  `path:"2"`
	IfMatch string `header:"If-Match"`
}

// Operations returns the operations of the list. now is the clock.
func (l Embedded[T, E, Body, View]) Operations(now func() time.Time) []web.Operation {
	return []web.Operation{l.All(now), l.Create(now), l.Read(now), l.Update(now), l.Patch(now), l.Delete(now)}
}

func (l Embedded[T, E, Body, View]) id(operation string) string {
	return strings.ReplaceAll(l.Many, " ", "-") + "-" + operation
}

func (l Embedded[T, E, Body, View]) all() string {
	return l.List.In.Kind.Path + "{" + l.Param + "}/" + l.Path + "/"
}

func (l Embedded[T, E, Body, View]) one() string { return l.all() + "{id}/" }

// All returns the operation that lists the elements.
func (l Embedded[T, E, Body, View]) All(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: l.id("list"), Method: http.MethodGet, Path: l.all(), Role: l.Reads, Summary: "List " + l.Many, Doc: l.Doc,
	}, embedded[T, E, Body, View]{l, now}.list)
}

// Create returns the operation that makes an element.
func (l Embedded[T, E, Body, View]) Create(now func() time.Time) web.Operation {
	return web.Op(l.creates(), embedded[T, E, Body, View]{l, now}.create)
}

func (l Embedded[T, E, Body, View]) creates() web.Operation {
	return web.Operation{
		ID: l.id("create"), Method: http.MethodPost, Path: l.all(), Role: l.Role, Status: http.StatusCreated,
		Idempotent: true, Thorough: true, Summary: "Create " + withArticle(l.One),
	}
}

// Add declares the operation that makes an element, for a list whose new elements need another
// body than those that change. add adds the element to the record, by Embedded.Add of the list. doc
// is the operation's.
func Add[T record.Stored, E, Body, View, In any](l Embedded[T, E, Body, View], now func() time.Time, doc string,
	add func(ctx context.Context, w *record.Work, rec T, in *In) (*E, error),
) web.Operation {
	s, op := embedded[T, E, Body, View]{l, now}, l.creates()
	op.Doc, op.Faults = doc, []fault.Code{fault.Conflict}
	return web.Op(op, func(ctx context.Context, r *web.Request, in *addInput[In]) (*web.Reply[View], error) {
		return s.change(ctx, r, in.Above, http.StatusCreated, func(w *record.Work, rec T) (*E, error) {
			return add(ctx, w, rec, &in.Body)
		})
	})
}

// Read returns the operation that reads an element.
func (l Embedded[T, E, Body, View]) Read(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: l.id("read"), Method: http.MethodGet, Path: l.one(), Role: l.Reads, Summary: "Read " + withArticle(l.One),
	}, embedded[T, E, Body, View]{l, now}.read)
}

// Update returns the operation that changes an element; fields that are left out keep their values.
func (l Embedded[T, E, Body, View]) Update(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: l.id("update"), Method: http.MethodPut, Path: l.one(), Role: l.Role, Faults: Changing(), Thorough: true,
		Summary: "Change " + withArticle(l.One), Doc: "Fields that are left out keep their value.",
	}, embedded[T, E, Body, View]{l, now}.update)
}

// Patch returns the operation that changes some fields of an element.
func (l Embedded[T, E, Body, View]) Patch(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: l.id("patch"), Method: http.MethodPatch, Path: l.one(), Role: l.Role, Faults: Changing(), Thorough: true,
		Summary: "Change some fields of " + withArticle(l.One),
	}, embedded[T, E, Body, View]{l, now}.update)
}

// Delete returns the operation that removes an element.
func (l Embedded[T, E, Body, View]) Delete(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: l.id("delete"), Method: http.MethodDelete, Path: l.one(), Role: l.Role, Status: http.StatusNoContent, Faults: Changing(),
		Summary: "Delete " + withArticle(l.One), Doc: "Its number is never given again.",
	}, embedded[T, E, Body, View]{l, now}.remove)
}

// embedded has the handlers of the list.
type embedded[T record.Stored, E, Body, View any] struct {
	Embedded[T, E, Body, View]
	now func() time.Time
}

func (s embedded[T, E, Body, View]) list(ctx context.Context, r *web.Request, in *aboveInput) ([]View, error) {
	rec, err := s.List.In.Get(ctx, Scope(r, s.now), in.Above)
	if err != nil {
		return nil, err
	}
	elements := *s.List.Of(rec)
	views := make([]View, len(elements))
	for i := range elements {
		views[i] = s.View(rec, &elements[i], viewing(r))
	}
	return views, nil
}

func (s embedded[T, E, Body, View]) read(ctx context.Context, r *web.Request, in *elementInput) (*web.Reply[View], error) {
	rec, err := s.List.In.Get(ctx, Scope(r, s.now), in.Above)
	if err != nil {
		return nil, err
	}
	e, err := s.List.Find(rec, in.ID)
	if err != nil {
		return nil, err
	}
	return s.reply(r, rec, e, http.StatusOK), nil
}

// reply makes the answer about an element, with its own ETag.
func (s embedded[T, E, Body, View]) reply(r *web.Request, rec T, e *E, status int) *web.Reply[View] {
	reply := &web.Reply[View]{Status: status, Header: map[string]string{"ETag": etag(e)}, Body: web.Body(s.View(rec, e, viewing(r)))}
	if status == http.StatusCreated {
		list := s.List.In.Kind.One(record.ID(rec)) + s.Path + "/"
		reply.Header["Location"] = r.BaseURL + list + strconv.FormatInt(record.ElementOf(e).ID, 10) + "/"
	}
	return reply
}

func etag[E any](e *E) string { return web.ETag(record.ElementOf(e).Revision) }

func (s embedded[T, E, Body, View]) create(ctx context.Context, r *web.Request, in *addInput[Body]) (*web.Reply[View], error) {
	return s.change(ctx, r, in.Above, http.StatusCreated, func(w *record.Work, rec T) (*E, error) {
		e, err := s.List.Add(ctx, w, rec, func(e *E) error {
			s.Apply(rec, e, &in.Body, w.Errors(""))
			return nil
		})
		if err != nil {
			return nil, err
		}
		return e, s.changed(ctx, w, rec, nil, e)
	})
}

// update serves PUT and PATCH, which differ in what the decoder requires.
func (s embedded[T, E, Body, View]) update(ctx context.Context, r *web.Request, in *changeElementInput[Body]) (*web.Reply[View], error) {
	return s.change(ctx, r, in.Above, http.StatusOK, func(w *record.Work, rec T) (*E, error) {
		was, err := s.List.Find(rec, in.ID)
		if err != nil {
			return nil, err
		}
		is, err := s.List.Change(w, rec, in.ID, func(e *E) error {
			s.Apply(rec, e, &in.Body, w.Errors(""))
			return r.Match(etag(e))
		})
		if err != nil || is == was {
			return is, err
		}
		return is, s.changed(ctx, w, rec, was, is)
	})
}

// changed calls Changed, if nothing is wrong so far.
func (s embedded[T, E, Body, View]) changed(ctx context.Context, w *record.Work, rec T, was, is *E) error {
	if s.Changed == nil {
		return nil
	}
	if err := w.Check(ctx); err != nil {
		return err
	}
	return s.Changed(ctx, w, rec, was, is)
}

// change runs a unit of work about one element of a record, and makes its answer.
func (s embedded[T, E, Body, View]) change(
	ctx context.Context, r *web.Request, above int64, status int, decide func(w *record.Work, rec T) (*E, error),
) (*web.Reply[View], error) {
	var rec T
	var e *E
	o := web.OutcomeOf(r, func() (*web.Reply[View], error) { return s.reply(r, rec, e, status), nil })
	return o.After(Scope(r, s.now).Do(ctx, o, func(w *record.Work) (err error) {
		if rec, err = s.List.In.Edit(ctx, w, above); err == nil {
			e, err = decide(w, rec)
		}
		return err
	}))
}

func (s embedded[T, E, Body, View]) remove(
	ctx context.Context, r *web.Request, in *removeElementInput,
) (web.None, error) { //nolint:unparam // what web.Op takes
	return web.None{}, Scope(r, s.now).Do(ctx, nil, func(w *record.Work) error {
		rec, err := s.List.In.Edit(ctx, w, in.Above)
		if err != nil {
			return err
		}
		e, err := s.List.Find(rec, in.ID)
		if err != nil {
			return err
		}
		if err := r.Match(etag(e)); err != nil {
			return err
		}
		if err := s.List.Remove(rec, in.ID); err != nil {
			return err
		}
		return s.changed(ctx, w, rec, e, nil)
	})
}
