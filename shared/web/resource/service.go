package resource

import (
	"context"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web"
)

// service has the handlers of a resource.
type service[T record.Stored, Body, View any] struct {
	Resource[T, Body, View]
	now func() time.Time
}

type createInput[Body any] struct{ Body Body }

type updateInput[Body any] struct {
	ID      int64  `path:"id"`
	IfMatch string `header:"If-Match"`
	Body    Body
}

type removeInput struct {
	ID      int64  `path:"id"`
	IfMatch string `header:"If-Match"`
}

type oneInput struct {
	ID int64 `path:"id"`
}

// Result is the record that an answer is about, and the unit of work that it belongs to.
type Result[T record.Stored] struct {
	Work   *record.Work
	Record T
}

// views returns what the caller is shown of records, as the unit of work has them.
func (res Resource[T, Body, View]) views(ctx context.Context, w *record.Work, r *web.Request, recs []T) ([]View, error) {
	list, to := make([]View, len(recs)), viewing(r)
	for i, rec := range recs {
		list[i] = res.View(rec, to)
	}
	if res.Join == nil || len(list) == 0 {
		return list, nil
	}
	return list, res.Join(ctx, w, recs, list)
}

// Reply makes the answer about a record, with its ETag.
func (res Resource[T, Body, View]) Reply(ctx context.Context, r *web.Request, of Result[T], status int) (*web.Reply[View], error) {
	views, err := res.views(ctx, of.Work, r, []T{of.Record})
	if err != nil {
		return nil, err
	}
	if res.Whole != nil {
		if err := res.Whole(ctx, of.Work, of.Record, &views[0]); err != nil {
			return nil, err
		}
	}
	reply := &web.Reply[View]{
		Status: status, Header: map[string]string{"ETag": web.ETag(record.Revision(of.Record))}, Body: &views[0],
	}
	if status == http.StatusCreated {
		reply.Header["Location"] = r.BaseURL + res.location(of.Record)
	}
	return reply, nil
}

// Outcome makes the answer about the record that a unit of work has written.
func (res Resource[T, Body, View]) Outcome(ctx context.Context, r *web.Request, of *Result[T], status int) *web.Outcome[View] {
	return web.OutcomeOf(r, func() (*web.Reply[View], error) { return res.Reply(ctx, r, *of, status) })
}

func (s service[T, Body, View]) create(ctx context.Context, r *web.Request, in *createInput[Body]) (*web.Reply[View], error) {
	return s.make(ctx, r, &in.Body, func(*record.Work, T) error { return nil })
}

// make runs a unit of work that makes a record, and makes its answer. begin sets the fields of
// the record that callers don't send.
func (s service[T, Body, View]) make(
	ctx context.Context, r *web.Request, in *Body, begin func(w *record.Work, rec T) error,
) (*web.Reply[View], error) {
	var made Result[T]
	o, images := s.Outcome(ctx, r, &made, http.StatusCreated), TakeImages(r, s.Uploads)
	return o.After(Scope(r, s.now).Do(ctx, o, func(w *record.Work) error {
		made = Result[T]{w, s.Kind.Empty()}
		s.Kind.Create(w, "", made.Record)
		if err := begin(w, made.Record); err != nil {
			return err
		}
		s.Apply(made.Record, in, w.Errors(""))
		if s.Made != nil {
			if err := s.Made(ctx, w, made.Record, in); err != nil {
				return err
			}
		}
		return s.take(ctx, w, images, made.Record, in)
	}))
}

// read reads anew as long as Whole finds that the record was changed after it was read.
func (s service[T, Body, View]) read(ctx context.Context, r *web.Request, in *oneInput) (reply *web.Reply[View], err error) {
	err = table.Anew(ctx, table.Tries, func() error {
		w := Scope(r, s.now).Reading()
		if err := s.loadAlong(ctx, w, in.ID); err != nil {
			return err
		}
		rec, err := s.Kind.Read(ctx, w, in.ID)
		if err != nil {
			return err
		}
		reply, err = s.Reply(ctx, r, Result[T]{w, rec}, http.StatusOK)
		return err
	}, nil)
	return reply, err
}

// loadAlong reads a record together with what Join needs of it.
func (res Resource[T, Body, View]) loadAlong(ctx context.Context, w *record.Work, id int64) error {
	if res.Along == nil || id > table.MaxID {
		return nil
	}
	t := w.Scope().Table
	return w.Load(ctx, append(res.Along(t, id), res.Kind.Key(t, id))...)
}

// Edit returns the record with the given id for editing. It fails if the record does not have
// the revision that the caller named in If-Match. It also makes the transaction depend on that
// revision, even if only other records are written.
func (res Resource[T, Body, View]) Edit(ctx context.Context, w *record.Work, r *web.Request, id int64) (rec T, err error) {
	if err = res.loadAlong(ctx, w, id); err != nil {
		return rec, err
	}
	if _, err = res.Kind.Rely(ctx, w, id); err != nil {
		return rec, err
	}
	rec, err = res.Kind.Edit(ctx, w, id)
	if err != nil {
		return rec, err
	}
	return rec, r.Match(web.ETag(record.Revision(rec)))
}

// update serves PUT and PATCH, which differ in what the decoder requires.
func (s service[T, Body, View]) update(ctx context.Context, r *web.Request, in *updateInput[Body]) (*web.Reply[View], error) {
	return s.change(ctx, r, in.ID, http.StatusOK, anyRecord, s.applying(ctx, r, &in.Body))
}

// anyRecord accepts every record.
func anyRecord(*record.Work) error { return nil }

// applying returns the function that applies a body to a record.
func (s service[T, Body, View]) applying(ctx context.Context, r *web.Request, in *Body) func(w *record.Work, rec T) error {
	images := TakeImages(r, s.Uploads)
	return func(w *record.Work, rec T) error {
		s.Apply(rec, in, w.Errors(""))
		if s.Changed != nil {
			if err := s.Changed(ctx, w, rec, in); err != nil {
				return err
			}
		}
		return s.take(ctx, w, images, rec, in)
	}
}

// change runs a unit of work about one record that wanted accepts, and makes its answer.
func (s service[T, Body, View]) change(ctx context.Context, r *web.Request, id int64, status int,
	wanted func(w *record.Work) error, decide func(w *record.Work, rec T) error,
) (*web.Reply[View], error) {
	var of Result[T]
	o := s.Outcome(ctx, r, &of, status)
	return o.After(Scope(r, s.now).Do(ctx, o, func(w *record.Work) error {
		if err := wanted(w); err != nil {
			return err
		}
		rec, err := s.Edit(ctx, w, r, id)
		if err != nil {
			return err
		}
		of = Result[T]{w, rec}
		return decide(w, rec)
	}))
}

func (s service[T, Body, View]) remove(
	ctx context.Context, r *web.Request, in *removeInput,
) (web.None, error) { //nolint:unparam // what web.Op takes
	return web.None{}, s.end(ctx, r, in.ID, anyRecord)
}

// end runs a unit of work that removes a record that wanted accepts.
func (s service[T, Body, View]) end(ctx context.Context, r *web.Request, id int64, wanted func(w *record.Work) error) error {
	return Scope(r, s.now).Do(ctx, nil, func(w *record.Work) error {
		if err := wanted(w); err != nil {
			return err
		}
		rec, err := s.Edit(ctx, w, r, id)
		if err != nil {
			return err
		}
		if s.Gone != nil {
			if err := s.Gone(ctx, w, rec); err != nil {
				return err
			}
		}
		return s.Kind.Remove(ctx, w, id)
	})
}

func (s service[T, Body, View]) list(ctx context.Context, r *web.Request, _ *web.ListInput) (*web.Reply[web.List[View]], error) {
	p, err := r.PageOf()
	if err != nil {
		return nil, err
	}
	q, err := s.Finder().Query(ctx, r)
	if err != nil {
		return nil, err
	}
	scope := Scope(r, s.now)
	along := s.along(scope.Table)
	records, count, err := s.Kind.PageAlong(ctx, scope, q, Window(p), along)
	if err != nil {
		return nil, err
	}
	w := scope.Reading()
	w.KnowAlong(along)
	views, err := s.views(ctx, w, r, records)
	if err != nil {
		return nil, err
	}
	envelope, err := web.Envelope(r, p, count, views)
	return &web.Reply[web.List[View]]{Body: &envelope}, err
}

// along is what Join needs of the records of a page; nil if there is no Join, or it reads what it needs by itself.
func (res Resource[T, Body, View]) along(t *table.Tenant) *search.Along {
	if res.Join == nil || res.Along == nil {
		return nil
	}
	return &search.Along{Of: func(id int64) []table.Key { return res.Along(t, id) }}
}

// Window returns the part of a list that a page shows.
func Window(p web.Page) record.Window {
	return record.Window{Offset: p.Offset(0), Size: p.Size, Last: p.Last}
}

// all lists the records of a resource whose list is an array.
func (s service[T, Body, View]) all(ctx context.Context, r *web.Request, _ *struct{}) ([]View, error) {
	scope := Scope(r, s.now)
	records, err := s.Kind.All(ctx, scope)
	if err != nil {
		return nil, err
	}
	return s.views(ctx, scope.Reading(), r, records)
}
