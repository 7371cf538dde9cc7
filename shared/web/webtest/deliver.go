package webtest

import (
	"errors"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

// Deliver carries out the messages of the outbox that are due, as the worker does, and
// returns how many there were. A message that no group knows, or that fails, ends the test; but a
// message with a key, which a record tells to another group, waits if the test has no such group.
func (a *API) Deliver() (n int) {
	a.t.Helper()
	ctx, through, now := a.t.Context(), crosstenant.Open(a.Env.Table), a.Clock.Now()
	err := outbox.EachDue(ctx, through, now, func(k table.Key) error {
		if keyed, ok := strings.CutPrefix(k.SK, outbox.KeyedPrefix); ok && a.handler(outbox.Kind(before(keyed, "#"))) == nil {
			return nil
		}
		m, ok, err := outbox.Claim(ctx, through, k, now, time.Minute)
		if err != nil {
			return err
		}
		if !ok {
			a.t.Fatalf("message %s can't be claimed", k.SK)
		}
		n++
		failed := a.work(m.Kind)(ctx, m)
		var later outbox.Later
		if errors.As(failed, &later) {
			n--
			_, err = outbox.PutOff(ctx, through, m, now, later)
			return err
		}
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

// before returns the part of a text before a separator.
func before(text, separator string) string {
	part, _, _ := strings.Cut(text, separator)
	return part
}

// work returns the handler of a kind of messages.
func (a *API) work(kind outbox.Kind) outbox.Handler {
	a.t.Helper()
	handle := a.handler(kind)
	if handle == nil {
		a.t.Fatalf("no group carries out %s", kind)
	}
	return handle
}

// handler is that of a kind of messages; nil if no group has one.
func (a *API) handler(kind outbox.Kind) outbox.Handler {
	for _, s := range a.servers {
		if handle := s.group.Work[kind]; handle != nil {
			return handle
		}
	}
	return nil
}
