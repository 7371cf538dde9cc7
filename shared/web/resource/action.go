package resource

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/web"
)

type actionInput[In any] struct {
	ID      int64  `path:"id"`
	IfMatch string `header:"If-Match"`
	Body    In
}

// Action declares an operation on one record that is not one of the usual ones, such as
// paying. It is a POST below the record, answered with the changed record. It is one unit of
// work, with an Idempotency-Key like a create, and with ETag and If-Match like a change. op
// gives the name as ID ("pay"), Summary and Doc, and whatever differs from a change. do
// changes the record, and other records if need be.
func Action[T record.Stored, Body, View, In any](res Resource[T, Body, View], now func() time.Time, op web.Operation,
	do func(ctx context.Context, w *record.Work, rec T, in *In) error,
) web.Operation {
	s := res.serve(now)
	op.Path = res.one() + strings.ReplaceAll(op.ID, "-", "_") + "/"
	op.ID, op.Method, op.Idempotent, op.Thorough, op.Faults = res.id(op.ID), http.MethodPost, true, true, append(Changing(), op.Faults...)
	if op.Role == "" {
		op.Role = res.Role
	}
	return web.Op(op, func(ctx context.Context, r *web.Request, in *actionInput[In]) (*web.Reply[View], error) {
		return s.change(ctx, r, in.ID, op.Success(), anyRecord, func(w *record.Work, rec T) error { return do(ctx, w, rec, &in.Body) })
	})
}
