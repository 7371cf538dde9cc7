package record

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/shared/directory"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/unique"
	"github.com/tenantry/tenantry/shared/web"
)

// service has the handlers of a resource.
type service[T, Body, View any] struct {
	Resource[T, Body, View]
	now func() time.Time
}

// serve checks what the compiler can't: that T carries a Meta.
func (res Resource[T, Body, View]) serve(now func() time.Time) service[T, Body, View] {
	_ = metaOf(new(T))
	return service[T, Body, View]{Resource: res, now: now}
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

// Answer is the answer about a record, with its ETag.
func (res Resource[T, Body, View]) Answer(rec *T, status int) *web.Reply {
	return &web.Reply{
		Status: status, Header: map[string]string{"ETag": web.ETag(metaOf(rec).Revision)}, Body: res.View(rec),
	}
}

func (s service[T, Body, View]) create(ctx context.Context, r *web.Request, in *createInput[Body]) (*web.Reply, error) {
	w, errs := s.Writer(r, s.now), fault.Fields{}
	rec := new(T)
	w.Begin(rec)
	s.Apply(rec, &in.Body, errs)
	claims, err := w.Check(ctx, nil, rec, errs)
	if err != nil {
		return nil, err
	}
	var reply *web.Reply
	err = w.Claiming(ctx, rec, claims, func(claims unique.Claims) error {
		d := w.Directory()
		_, err := d.Create(ctx, func(tx *table.Tx, id int64) error {
			w.Number(rec, id)
			reply = s.Answer(rec, http.StatusCreated)
			reply.Header["Location"] = r.BaseURL + s.Path + strconv.FormatInt(id, 10) + "/"
			if err := r.Keep(ctx, tx, reply); err != nil {
				return err
			}
			return w.Insert(tx, rec, id, claims)
		})
		return err
	})
	return reply, err
}

func (s service[T, Body, View]) read(ctx context.Context, r *web.Request, in *oneInput) (*web.Reply, error) {
	rec, err := s.Writer(r, s.now).Get(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return s.Answer(rec, http.StatusOK), nil
}

// update serves PUT and PATCH, which differ in what the decoder requires.
func (s service[T, Body, View]) update(ctx context.Context, r *web.Request, in *updateInput[Body]) (reply *web.Reply, err error) {
	w := s.Writer(r, s.now)
	err = table.Optimistic(ctx, func() error {
		before, err := w.Get(ctx, in.ID)
		if err != nil {
			return err
		}
		if err := r.Match(web.ETag(metaOf(before).Revision)); err != nil {
			return err
		}
		after, errs := w.Next(before), fault.Fields{}
		s.Apply(after, &in.Body, errs)
		if len(errs) == 0 && Same(before, after) {
			reply = s.Answer(before, http.StatusOK)
			return nil
		}
		claims, err := w.Check(ctx, before, after, errs)
		if err != nil {
			return err
		}
		reply = s.Answer(after, http.StatusOK)
		return w.Claiming(ctx, after, claims, func(claims unique.Claims) error {
			err := w.tenant.Write(ctx, func(tx *table.Tx, _ int) error { return w.Replace(tx, before, after, claims) })
			return directory.Settle(err, func() (bool, error) { return w.Happened(ctx, after) })
		})
	})
	return reply, err
}

func (s service[T, Body, View]) remove(ctx context.Context, r *web.Request, in *removeInput) (web.None, error) { //nolint:unparam // what web.Op takes
	w := s.Writer(r, s.now)
	return web.None{}, table.Optimistic(ctx, func() error {
		before, err := w.Get(ctx, in.ID)
		if err != nil {
			return err
		}
		if err := r.Match(web.ETag(metaOf(before).Revision)); err != nil {
			return err
		}
		d := w.Directory()
		return d.Delete(ctx, in.ID, func(tx *table.Tx) error { return w.Remove(tx, before) })
	})
}
