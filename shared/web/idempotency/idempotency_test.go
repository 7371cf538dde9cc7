package idempotency_test

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/idempotency"
)

// The whole way over HTTP, with lost answers, races and dead requests, is tried
// in shared/web. Here is what one can't see from there.

func TestIsKey(t *testing.T) {
	for key, want := range map[string]bool{
		"a": true, "!~": true, strings.Repeat("x", 255): true, `"8e03978e-40d5-43e8-bc93-6894a57f9324"`: true,
		"": false, " ": false, "a b": false, "é": false, "a\n": false, "\x7f": false, strings.Repeat("x", 256): false,
	} {
		if got := idempotency.IsKey(key); got != want {
			t.Errorf("%q: %v", key, got)
		}
	}
}

// bucket keeps large answers in memory.
type bucket map[string][]byte

func name(t tenant.ID, id uuid.UUID) string { return t.String() + "/" + id.String() }

func (b bucket) PutTemporary(_ context.Context, t tenant.ID, id uuid.UUID, _ string, data []byte) error {
	b[name(t, id)] = data
	return nil
}

func (b bucket) GetTemporary(_ context.Context, t tenant.ID, id uuid.UUID) ([]byte, error) {
	data, ok := b[name(t, id)]
	if !ok {
		return nil, errors.New("gone")
	}
	return data, nil
}

type world struct {
	store idempotency.Store
	all   crosstenant.Table
	large bucket
	now   time.Time
}

func newWorld(t *testing.T) *world {
	t.Helper()
	conn := tabletest.New(t)
	w := &world{all: crosstenant.Open(conn), large: bucket{}, now: time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)}
	w.store = idempotency.Store{Table: conn, Large: w.large, Now: func() time.Time { return w.now }}
	return w
}

var scope = idempotency.Scope{Tenant: 1, User: 2, Operation: "op", Key: "k"}

func (w *world) keep(t *testing.T, s *idempotency.Slot, a idempotency.Answer) error {
	t.Helper()
	return w.all.Write(t.Context(), func(tx *table.Tx, _ int) error { return s.Keep(t.Context(), tx, a) })
}

func (w *world) find(t *testing.T, s *idempotency.Slot) *idempotency.Answer {
	t.Helper()
	a, err := s.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestKeptInItsScopeAlone(t *testing.T) {
	w := newWorld(t)
	answer := idempotency.Answer{
		Status: 201, ContentType: "application/json", Body: []byte(`{"id":1}`),
		Header: map[string]string{"Location": "x", "ETag": `"1"`},
	}
	if err := w.keep(t, w.store.Open(scope, "r1", []byte("h")), answer); err != nil {
		t.Fatal(err)
	}
	if got := w.find(t, w.store.Open(scope, "r2", []byte("h"))); !reflect.DeepEqual(*got, answer) {
		t.Errorf("%+v", got)
	}
	for what, other := range map[string]idempotency.Scope{
		"company":   {Tenant: 2, User: 2, Operation: "op", Key: "k"},
		"none":      {Tenant: 0, User: 2, Operation: "op", Key: "k"},
		"user":      {Tenant: 1, User: 3, Operation: "op", Key: "k"},
		"feed":      {Tenant: 1, Feed: 2, Operation: "op", Key: "k"},
		"program":   {Tenant: 1, Program: 2, Operation: "op", Key: "k"},
		"both":      {Tenant: 1, User: 2, Feed: 2, Operation: "op", Key: "k"},
		"operation": {Tenant: 1, User: 2, Operation: "op2", Key: "k"},
		"key":       {Tenant: 1, User: 2, Operation: "op", Key: "K"},
		"split":     {Tenant: 1, User: 2, Operation: "o", Key: "pk"},
	} {
		if got := w.find(t, w.store.Open(other, "r2", []byte("h"))); got != nil {
			t.Errorf("another %s finds %+v", what, got)
		}
	}
	if _, err := w.store.Open(scope, "r2", []byte("H")).Find(t.Context()); !errors.Is(err, idempotency.ErrMismatch) {
		t.Errorf("another request: %v", err)
	}
	// Not even its own request writes it again.
	for _, request := range []string{"r1", "r2"} {
		if err := w.keep(t, w.store.Open(scope, request, []byte("h")), answer); !errors.Is(err, idempotency.ErrTaken) {
			t.Errorf("kept twice by %s: %v", request, err)
		}
	}
	w.now = w.now.Add(idempotency.Life)
	if got := w.find(t, w.store.Open(scope, "r2", []byte("H"))); got != nil {
		t.Errorf("found after its time: %+v", got)
	}
	if err := w.keep(t, w.store.Open(scope, "r3", []byte("H")), answer); err != nil {
		t.Errorf("a key whose time is over: %v", err)
	}
}

func TestOnlySuccessIsKept(t *testing.T) {
	w := newWorld(t)
	for _, status := range []int{0, 199, 300, 400, 500} {
		if err := w.keep(t, w.store.Open(scope, "r", nil), idempotency.Answer{Status: status}); err == nil {
			t.Errorf("%d is kept", status)
		}
	}
	if err := w.keep(t, w.store.Open(scope, "r", nil), idempotency.Answer{Status: 204}); err != nil {
		t.Error(err)
	}
	if got := w.find(t, w.store.Open(scope, "r2", nil)); got == nil || got.Status != 204 || len(got.Body) != 0 {
		t.Errorf("%+v", got)
	}
}

// A large answer is stored once, however often its transaction is built, under
// its company and under nothing that another request has.
func TestLargeAnswers(t *testing.T) {
	w := newWorld(t)
	body := bytes.Repeat([]byte("0123456789"), 20_000)
	slot := w.store.Open(scope, "r", nil)
	for range 3 {
		err := w.all.Write(t.Context(), func(tx *table.Tx, _ int) error {
			if err := slot.Keep(t.Context(), tx, idempotency.Answer{Status: 201, Body: body}); err != nil {
				return err
			}
			return errors.New("not now")
		})
		if err == nil || len(w.large) != 1 {
			t.Fatalf("%d stored, %v", len(w.large), err)
		}
	}
	if err := w.keep(t, slot, idempotency.Answer{Status: 201, Body: body}); err != nil || len(w.large) != 1 {
		t.Fatalf("%d stored, %v", len(w.large), err)
	}
	if got := w.find(t, w.store.Open(scope, "r2", nil)); !bytes.Equal(got.Body, body) {
		t.Errorf("%d bytes", len(got.Body))
	}
	other := w.store.Open(scope, "r2", nil)
	if err := w.keep(t, other, idempotency.Answer{Status: 201, Body: body}); !errors.Is(err, idempotency.ErrTaken) || len(w.large) != 2 {
		t.Errorf("%d stored, %v", len(w.large), err)
	}
	for k := range w.large {
		if !strings.HasPrefix(k, "1/") {
			t.Errorf("stored at %s", k)
		}
		delete(w.large, k)
	}
	if got, err := w.store.Open(scope, "r2", nil).Find(t.Context()); err == nil {
		t.Errorf("found %+v, whose bytes are gone", got)
	}
}

func TestHolds(t *testing.T) {
	w := newWorld(t)
	hold := func(s *idempotency.Slot, d time.Duration) error {
		return w.all.Write(t.Context(), func(tx *table.Tx, _ int) error { s.Hold(tx, w.now.Add(d)); return nil })
	}
	mine, other := w.store.Open(scope, "mine", nil), w.store.Open(scope, "other", nil)
	for range 2 { // renewed
		if err := hold(mine, time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.find(t, mine); got != nil {
		t.Errorf("%+v", got)
	}
	_, err := other.Find(t.Context())
	if f, ok := fault.As(err); !ok || f.Code != fault.Conflict || f.Members["code"] != "in_progress" || f.RetryAfter != 5*time.Second {
		t.Errorf("held: %v", err)
	}
	if err := hold(other, time.Minute); !errors.Is(err, idempotency.ErrTaken) {
		t.Errorf("held twice: %v", err)
	}
	other.Release(t.Context()) // holds nothing
	if _, err := other.Find(t.Context()); err == nil {
		t.Error("another has given it free")
	}
	w.now = w.now.Add(time.Minute - time.Millisecond)
	_, err = other.Find(t.Context())
	if f, ok := fault.As(err); !ok || f.RetryAfter != time.Second {
		t.Errorf("held a little longer: %v", err)
	}
	w.now = w.now.Add(time.Millisecond)
	if got := w.find(t, other); got != nil {
		t.Errorf("%+v", got)
	}
	if err := hold(other, time.Minute); err != nil {
		t.Errorf("after its time: %v", err)
	}
	mine.Release(t.Context()) // it is another's by now
	if err := w.keep(t, mine, idempotency.Answer{Status: 200}); !errors.Is(err, idempotency.ErrTaken) {
		t.Errorf("kept under another's hold: %v", err)
	}
	other.Release(t.Context())
	if err := w.keep(t, mine, idempotency.Answer{Status: 200}); err != nil {
		t.Errorf("given free: %v", err)
	}
	mine.Release(t.Context()) // what is kept stays
	if got := w.find(t, other); got == nil {
		t.Error("an answer was given up")
	}
}
