package resource

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web"
)

// Under declares the operations of records that stand below records of another kind and are
// listed by them, such as the lines of an order at
// /v1/crm/requests/{request_id}/inventories/{id}/. P is the type of the record above. The list
// reads the index of children, for which the kind of the resource must have Below, unless the
// record above has the ids. A unit of work that makes or changes a record below fails if the
// record above does not exist or is removed meanwhile.
type Under[P, T record.Stored, Body, View any] struct {
	Resource[T, Body, View]
	Above *record.Kind[P]
	// Path is the name of the list in its address. Param is the name of the path parameter
	// with the number of the record above: "inventories", "request_id".
	Path, Param string
	// Of returns where a record keeps the number of the record above. A new record gets it
	// there.
	Of func(rec T) *int64
	// IDs returns the ids of the records below, where the record above holds them. The list is
	// then in their order, and consistent.
	IDs func(above P) []int64
	// Newest reverses the list: the last place of Below comes first.
	Newest bool
}

// most is how many records below one record a list reads.
const most = web.MaxPageSize

func (u Under[P, T, Body, View]) all() string {
	return u.Above.Kind.Path + "{" + u.Param + "}/" + u.Path + "/"
}

// lags says how exact the list is.
func (u Under[P, T, Body, View]) lags() string {
	if u.IDs != nil {
		return ""
	}
	return "The first 1,000 of them. The list may lag a second behind changes."
}

// id returns the id of an operation: "order-lines-list".
func (u Under[P, T, Body, View]) id(operation string) string {
	return strings.ReplaceAll(strings.ToLower(u.Above.Kind.Label)+"-"+u.Kind.Kind.Many+"-"+operation, " ", "-")
}

// Operations returns the operations below a record. now is the clock.
func (u Under[P, T, Body, View]) Operations(now func() time.Time) []web.Operation {
	if u.Kind.Kind.Path == "" {
		u.at = func(rec T) string {
			return u.Above.Kind.One(*u.Of(rec)) + u.Path + "/" + strconv.FormatInt(record.ID(rec), 10) + "/"
		}
	}
	s := under[P, T, Body, View]{u, u.serve(now)}
	one, above := u.all()+"{id}/", withArticle(strings.ToLower(u.Above.Kind.Label))
	return []web.Operation{
		web.Op(web.Operation{
			ID: u.id("list"), Method: http.MethodGet, Path: u.all(), Role: u.Reads,
			Summary: "List the " + u.Kind.Kind.Many + " of " + above,
			Doc:     join(u.Doc, u.lags()),
		}, s.list),
		web.Op(web.Operation{
			ID: u.id("create"), Method: http.MethodPost, Path: u.all(), Role: u.Role, Status: http.StatusCreated, Idempotent: true,
			Thorough: true, MakesRecords: true,
			Summary: "Create " + u.a() + " of " + above,
		}, s.create),
		web.Op(web.Operation{
			ID: u.id("read"), Method: http.MethodGet, Path: one, Role: u.Reads, Mixed: u.Join != nil || u.Whole != nil,
			Summary: "Read " + u.a() + " of " + above,
		}, s.read),
		web.Op(web.Operation{
			ID: u.id("update"), Method: http.MethodPut, Path: one, Role: u.Role, Faults: Changing(), Thorough: true,
			Summary: "Change " + u.a() + " of " + above, Doc: "Fields that are left out keep their value.",
		}, s.update),
		web.Op(web.Operation{
			ID: u.id("patch"), Method: http.MethodPatch, Path: one, Role: u.Role, Faults: Changing(), Thorough: true,
			Summary: "Change some fields of " + u.a() + " of " + above,
		}, s.update),
		web.Op(web.Operation{
			ID: u.id("delete"), Method: http.MethodDelete, Path: one, Role: u.Role, Status: http.StatusNoContent, Faults: Changing(),
			Summary: "Delete " + u.a() + " of " + above, Doc: "It leaves every list, and its number is never given again.",
		}, s.remove),
	}
}

// under has the handlers of the records below others.
type under[P, T record.Stored, Body, View any] struct {
	Under[P, T, Body, View]
	service service[T, Body, View]
}

// pagesInput is the query of a list that is not searched.
type pagesInput struct {
	Above    int64  `path:"1"`
	Page     string `query:"page"`
	PageSize string `query:"pageSize"`
}

func (s under[P, T, Body, View]) list(ctx context.Context, r *web.Request, in *pagesInput) (*web.Reply[web.List[View]], error) {
	p, err := r.PageOf()
	if err != nil {
		return nil, err
	}
	scope := Scope(r, s.service.now)
	w := scope.Reading()
	above, err := s.Above.Read(ctx, w, in.Above)
	if err != nil {
		return nil, err
	}
	records, err := s.below(ctx, w, above)
	if err != nil {
		return nil, err
	}
	offset := min(p.Offset(len(records)), len(records))
	page := records[offset:min(offset+p.Size, len(records))]
	views, err := s.views(ctx, w, r, page)
	if err != nil {
		return nil, err
	}
	envelope, err := web.Envelope(r, p, len(records), views)
	return &web.Reply[web.List[View]]{Body: &envelope}, err
}

// below reads the records below another one.
func (s under[P, T, Body, View]) below(ctx context.Context, w *record.Work, above P) ([]T, error) {
	if s.IDs == nil {
		return s.Kind.Children(ctx, w.Scope(), s.Above.Kind.Code, record.ID(above), record.Span{Newest: s.Newest, Most: most})
	}
	ids := s.IDs(above)
	keys, list := make([]table.Key, len(ids)), make([]T, 0, len(ids))
	for i, id := range ids {
		keys[i] = s.Kind.Key(w.Scope().Table, id)
	}
	if err := w.Load(ctx, keys...); err != nil {
		return nil, err
	}
	for _, id := range ids {
		rec, err := s.Kind.Read(ctx, w, id)
		if errors.Is(err, fault.ErrNotFound) {
			continue // it was removed after the record above was read
		}
		if err != nil {
			return nil, err
		}
		list = append(list, rec)
	}
	if s.Newest {
		slices.Reverse(list)
	}
	return list, nil
}

func (s under[P, T, Body, View]) create(ctx context.Context, r *web.Request, in *addInput[Body]) (*web.Reply[View], error) {
	return s.service.make(ctx, r, &in.Body, func(w *record.Work, rec T) error {
		*s.Of(rec) = in.Above
		_, err := s.Above.Rely(ctx, w, in.Above)
		return err
	})
}

func (s under[P, T, Body, View]) read(ctx context.Context, r *web.Request, in *elementInput) (*web.Reply[View], error) {
	w := Scope(r, s.service.now).Reading()
	rec, err := s.find(ctx, w, in.Above, in.ID)
	if err != nil {
		return nil, err
	}
	return s.Reply(ctx, r, Result[T]{w, rec}, http.StatusOK)
}

// find returns a record that stands below the record with the number above; it fails with
// fault.ErrNotFound if it does not stand there.
func (s under[P, T, Body, View]) find(ctx context.Context, w *record.Work, above, id int64) (rec T, err error) {
	if above > table.MaxID || id > table.MaxID {
		return rec, fault.ErrNotFound // a caller's number may be longer than ours
	}
	if err := w.Load(ctx, s.Above.Key(w.Scope().Table, above), s.Kind.Key(w.Scope().Table, id)); err != nil {
		return rec, err
	}
	if _, err := s.Above.Read(ctx, w, above); err != nil {
		return rec, err
	}
	rec, err = s.Kind.Read(ctx, w, id)
	if err == nil && *s.Of(rec) != above {
		err = fault.ErrNotFound
	}
	return rec, err
}

func (s under[P, T, Body, View]) update(ctx context.Context, r *web.Request, in *changeElementInput[Body]) (*web.Reply[View], error) {
	return s.service.change(ctx, r, in.ID, http.StatusOK, s.isBelow(ctx, in.Above, in.ID), s.service.applying(ctx, r, &in.Body))
}

// isBelow returns a check, for a unit of work, that a record stands below another.
func (s under[P, T, Body, View]) isBelow(ctx context.Context, above, id int64) func(w *record.Work) error {
	return func(w *record.Work) error {
		if _, err := s.find(ctx, w, above, id); err != nil {
			return err
		}
		_, err := s.Above.Rely(ctx, w, above)
		return err
	}
}

func (s under[P, T, Body, View]) remove(
	ctx context.Context, r *web.Request, in *removeElementInput,
) (web.None, error) { //nolint:unparam // what web.Op takes
	return web.None{}, s.service.end(ctx, r, in.ID, s.isBelow(ctx, in.Above, in.ID))
}
