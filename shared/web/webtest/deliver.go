package webtest

import (
	"errors"
	"time"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

// Deliver carries out the messages of the outbox that are due, as the worker does, and
// returns how many there were. A message that no group knows, or that fails, ends the test.
func (a *API) Deliver() (n int) {
	a.t.Helper()
	ctx, through, now := a.t.Context(), crosstenant.Open(a.Env.Table), a.Clock.Now()
	err := outbox.EachDue(ctx, through, now, func(k table.Key) error {
		m, ok, err := outbox.Claim(ctx, through, k, now, time.Minute)
		if err != nil {
			return err
		}
		if !ok {
			a.t.Fatalf("message %s can't be claimed", k.SK)
		}
		n++
		failed := a.work(m.Kind)(ctx, m)
		if failed != nil && !errors.Is(failed, outbox.ErrDrop) {
			return failed
		}
		_, err = outbox.Done(ctx, through, m, now, failed)
		return err
	})
	if err != nil {
		a.t.Fatal(err)
	}
	return n
}

// work returns the handler of a kind of messages.
func (a *API) work(kind outbox.Kind) outbox.Handler {
	a.t.Helper()
	for _, s := range a.servers {
		if handle := s.group.Work[kind]; handle != nil {
			return handle
		}
	}
	a.t.Fatalf("no group carries out %s", kind)
	return nil
}
