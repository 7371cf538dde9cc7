package webtest

import (
	"errors"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/eventlog"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

// Deliver carries out the messages of the outbox that are due, as the worker does, and
// returns how many there were. A message that no group knows, or that fails, ends the test; but a
// message with a key, which a record tells to another group, waits if the test has no such group. Then it gives all events their
// numbers, which are not counted.
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
	if err == nil {
		err = a.number()
	}
	if err != nil {
		a.t.Fatal(err)
	}
	return n
}

// number gives the events of all companies their numbers.
func (a *API) number() error {
	ctx, now := a.t.Context(), a.Clock.Now
	return outbox.EachCompanyWithEvents(ctx, crosstenant.Open(a.Env.Table), now(), func(k table.Key) error {
		company, ok := table.TenantOf(k.PK)
		if !ok {
			a.t.Fatalf("events in %s", k.PK)
		}
		_, err := eventlog.Of(table.Of(a.Env.Table, company), now).Sequence(ctx)
		return err
	})
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
