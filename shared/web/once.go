package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"mime"
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/idempotency"
)

// keyHeader is the header with which a caller makes a request safe to repeat.
const keyHeader = "Idempotency-Key"

// Outcome is the answer of a request that writes. It is built when all records are in their
// final state, and stored in the transaction that makes it true. The handler returns the error
// of that transaction unchanged: if it is idempotency.ErrTaken, another request was faster,
// and the caller gets that request's answer.
type Outcome[V any] struct {
	request *Request
	build   func() (*Reply[V], error)
	reply   *Reply[V]
}

// OutcomeOf returns the Outcome of a request. build makes the answer; it is called again if
// the transaction is built again.
func OutcomeOf[V any](r *Request, build func() (*Reply[V], error)) *Outcome[V] {
	return &Outcome[V]{request: r, build: build}
}

// Keep builds the answer, and adds it to the transaction that makes it true.
func (o *Outcome[V]) Keep(ctx context.Context, tx *table.Tx) (err error) {
	if o.reply, err = o.build(); err != nil {
		return err
	}
	return o.request.Keep(ctx, tx, o.reply)
}

// Hold is Request.Hold.
func (o *Outcome[V]) Hold(tx *table.Tx, until time.Time) { o.request.Hold(tx, until) }

// After returns the answer of the request, given the error of the transaction.
func (o *Outcome[V]) After(err error) (*Reply[V], error) {
	if err != nil {
		return nil, err
	}
	if o.reply == nil { // there was nothing to write
		return o.build()
	}
	return o.reply, nil
}

// Keep adds the answer of this request to the transaction that makes it true,
// so that a later request with the same Idempotency-Key gets it again. It does
// nothing for a request without a key.
func (r *Request) Keep(ctx context.Context, tx *table.Tx, of interface{ plain() *plainReply }) error {
	if r.slot == nil {
		return nil
	}
	reply := of.plain()
	body, contentType, err := reply.encoded()
	if err != nil {
		return err
	}
	answer := idempotency.Answer{Status: reply.Status, Header: map[string]string{}, ContentType: contentType, Body: body}
	if answer.Status == 0 {
		answer.Status = r.success
	}
	for _, name := range []string{"Location", "ETag"} {
		if value := reply.Header[name]; value != "" {
			answer.Header[name] = value
		}
	}
	return r.slot.Keep(ctx, tx, answer)
}

// Hold is for a request that needs several transactions and is added to the first of them.
// Other requests with the same Idempotency-Key are then answered with 409 until Keep is added
// to the last transaction, or the time has passed. If the handler fails, the key becomes free,
// unless it is unknown what the handler has done.
func (r *Request) Hold(tx *table.Tx, until time.Time) {
	if r.slot != nil {
		r.slot.Hold(tx, until)
	}
}

// slot opens the place for the request's answer, if the request has a key.
func (s *Server) slot(op Operation, r *Request) error {
	values := r.http.Header.Values(keyHeader)
	if len(values) == 0 {
		return nil
	}
	if !idempotency.IsKey(values[0]) {
		return fault.Field(keyHeader, say.InvalidIdempotencyKey)
	}
	scope := idempotency.Scope{User: r.Principal.User, Feed: r.Principal.Feed, Program: r.Principal.Key, Operation: op.ID, Key: values[0]}
	if op.Access == InTenant {
		scope.Tenant = r.Principal.Tenant
	}
	store := idempotency.Store{Table: s.config.Table, Large: s.config.Large, Now: s.config.Now}
	r.slot, r.again = store.Open(scope, r.ID, r.hash()), op.Again
	return nil
}

// hash identifies the content of a request, so that another request with the same key is
// noticed. It covers path, query, media type and body, but not the boundary of a multipart
// body, which is a new one with each try.
func (r *Request) hash() []byte {
	media, params, err := mime.ParseMediaType(r.http.Header.Get("Content-Type"))
	body := r.body
	if boundary := params["boundary"]; err == nil && media == decode.TypeMultipart && boundary != "" {
		body = bytes.ReplaceAll(body, []byte("--"+boundary), []byte("--"))
	}
	h := sha256.New()
	for _, part := range [][]byte{[]byte(r.path), []byte(r.http.URL.RawQuery), []byte(media), body} {
		_ = binary.Write(h, binary.BigEndian, uint64(len(part))) // a hash takes everything
		_, _ = h.Write(part)
	}
	return h.Sum(nil)
}

// once runs a handler, unless an answer is stored for the request's key. If the handler fails,
// once looks for a stored answer again, for two reasons. Another request with the same key may
// have been faster, and the handler may fail with something else first (a value that must be
// unique, a record that is gone). And if the handler does not know whether its transaction was
// committed, the stored answer tells.
func (r *Request) once(ctx context.Context, handle func() (any, error)) (any, error) {
	if r.slot == nil {
		return handle()
	}
	answer, err := r.slot.Find(ctx)
	if err != nil {
		return nil, err
	}
	if answer != nil {
		return r.replay(ctx, answer)
	}
	result, failed := handle()
	if failed == nil {
		return result, nil
	}
	answer, err = r.slot.Find(ctx)
	switch _, told := fault.As(err); {
	case answer != nil:
		return r.replay(ctx, answer)
	case err != nil && told:
		return nil, err
	case errors.Is(failed, idempotency.ErrTaken): // by one whose time has passed since, or the table is away
		return nil, fault.ErrUnavailable.Because(errors.Join(failed, err))
	case !table.Unavailable(failed), errors.Is(failed, table.ErrContended):
		r.slot.Release(ctx)
	}
	return nil, failed
}

// replay returns an answer that was stored, if it may still be given to the caller.
func (r *Request) replay(ctx context.Context, a *idempotency.Answer) (any, error) {
	if r.again != nil {
		if err := r.again(ctx, r, a.Body); err != nil {
			return nil, err
		}
	}
	reply := &plainReply{Status: a.Status, Header: a.Header, Raw: a.Body, ContentType: a.ContentType}
	reply.Header["Idempotent-Replayed"] = "true"
	return reply, nil
}
