package orders_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/infra/races/clerks"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/recordtest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

var (
	raceActs = flag.Int("race.acts", 320, "how often the clerks of the race act, all together")
	raceSeed = flag.Uint64("race.seed", 1, "what decides about their acts, and about the faults")
)

// through is how clerks reach an API in this process. Where the process has a client that dies, it is
// started again.
func through(c *webtest.Client, process *tabletest.Client) clerks.Call {
	return func(_ context.Context, method, path, key, body string) (int, []byte, error) {
		var sent any
		if body != "" {
			sent = body
		}
		a := c.With("Idempotency-Key", key).Do(method, path, sent)
		if process != nil && process.Restart() {
			return 0, nil, errors.New("the process died")
		}
		if a.Code() == http.StatusInternalServerError {
			return a.Code(), []byte(a.Cost().Error), nil
		}
		return a.Code(), a.Body(), nil
	}
}

// Sixteen clerks, each with a process and a clock of their own, work on five items at the same time,
// where transactions meet, calls are throttled, answers are lost, processes die and reads lag. When
// they rest, everything that is stored is consistent, and no item has two.
func TestRace(t *testing.T) {
	world, name := tabletest.NewFaulty(t, tabletest.Faults{
		Lock: 2 * time.Millisecond, Transaction: 3 * time.Millisecond, Stale: 20 * time.Millisecond,
		Lost: 0.01, Throttled: 0.01, Crash: 0.003,
	})
	sound := webtest.Setup{Change: func(e *app.Env) { e.Table = table.Open(enginetest.Client(t), name) }}.New(t, groups()...)
	sound.Join(webtest.Owner(1))
	of := table.Of(sound.Env.Table, 1)
	is := company.Company{Item: table.At(of.Company(), company.Version), ID: 1, TimeZone: "Asia/Almaty", Revision: 1}
	if err := of.Put(is).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	see := through(sound.As(webtest.Owner(1)), nil)
	office, err := clerks.Open(t.Context(), see, sound.Clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	var worker sync.Mutex
	office.Tick = func(r *rand.Rand) {
		sound.Clock.Step(time.Duration(r.IntN(30)) * time.Minute)
		if r.IntN(4) == 0 && worker.TryLock() {
			defer worker.Unlock()
			endHolds(t, sound)
		}
	}
	const writers = 16
	var wait sync.WaitGroup
	for n := range writers {
		process, skew := world.Client(*raceSeed<<8+uint64(n)), time.Duration(n%5-2)*time.Second
		api := webtest.Setup{Change: func(e *app.Env) {
			e.Table = table.Open(process, name)
			e.Now = func() time.Time { return sound.Clock.Now().Add(skew) }
		}}.New(t, groups()...)
		clerk := office.Hire(through(api.As(webtest.Owner(1)), process), *raceSeed)
		wait.Go(func() {
			for range *raceActs / writers {
				clerk.Act(t.Context())
			}
		})
	}
	wait.Wait()
	sound.Clock.Step(2 * lease)
	endHolds(t, sound)
	found, problems := office.Audit(t.Context(), see, 60)
	for _, problem := range problems {
		t.Error(problem)
	}
	if found.Overlaps != 0 {
		t.Errorf("%d overlaps", found.Overlaps)
	}
	whole(t, sound)
	s := record.Scope{Table: of, Now: sound.Env.Now}
	for _, problem := range recordtest.Problems(t.Context(), item.Kind(), s) {
		t.Error(problem)
	}
	counts := office.Counts()
	t.Logf("%+v\n%v", found, counts)
	for _, what := range []string{"book", "book, 409 overlap", "move", "hand out", "take back", "cancel", "delete a line", "pay"} {
		if counts[what] == 0 {
			t.Errorf("nobody did %q", what)
		}
	}
}

// lease is how long a message is left alone whose work has failed.
const lease = time.Minute

// endHolds carries out the messages of holds that have ended, as the worker does. Where others are faster it comes back later.
func endHolds(t *testing.T, api *webtest.API) {
	ctx, through, now := t.Context(), crosstenant.Open(api.Env.Table), api.Clock.Now()
	lapse := order.Work(api.Env.Table, api.Env.Now)[order.Lapsing]
	err := outbox.EachDue(ctx, through, now, func(k table.Key) error {
		if strings.HasPrefix(k.SK, outbox.KeyedPrefix) {
			return nil // it is another group's
		}
		m, ok, err := outbox.Claim(ctx, through, k, now, lease)
		if err != nil || !ok || m.Kind != order.Lapsing {
			return err
		}
		failed := lapse(ctx, m)
		if later := (outbox.Later{}); errors.As(failed, &later) {
			_, err = outbox.PutOff(ctx, through, m, now, later)
		} else if failed == nil {
			_, err = outbox.Done(ctx, through, m, now, nil)
		}
		return err
	})
	if err != nil {
		t.Errorf("the worker: %v", err)
	}
}

// calendars checks that the calendar of each item has the lines of all orders that hold it, and nothing else
// of the future.
func calendars(t *testing.T, api *webtest.API) {
	t.Helper()
	s := record.Scope{Table: table.Of(api.Env.Table, 1), Now: api.Env.Now}
	now := moment.Of(api.Clock.Now())
	w := s.Reading()
	has, holds := map[string]bool{}, map[string]bool{}
	for id := int64(1); ; id++ {
		c, err := calendar.Read(t.Context(), w, id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := item.Kind().Read(t.Context(), w, id); errors.Is(err, fault.ErrNotFound) {
			if id > 100 {
				break
			}
			continue
		}
		for _, e := range c.Entries {
			if e.Line != 0 && !e.Back && (e.Out || e.End > now) {
				has[fmt.Sprint(id, e.Order, e.Line, e.Start, e.End, e.Out, e.Point)] = true
			}
		}
	}
	for id := range orderIDs(t, api) {
		o, err := order.Kind().Read(t.Context(), w, id)
		if err != nil {
			t.Fatal(err)
		}
		for _, held := range o.Lines {
			l, err := order.Lines().Read(t.Context(), w, held.ID)
			if err != nil {
				t.Errorf("line %d of order %d: %v", held.ID, id, err)
				continue
			}
			start, end, out, point := l.Start, l.End, l.FactStart != nil && l.FactEnd == nil, int64(0)
			if o.PointReturn != nil && l.Type == order.Rental {
				point = *o.PointReturn
			}
			if l.FactStart != nil {
				start = *l.FactStart
			}
			if l.Type == order.Sale {
				end = calendar.Forever
			}
			if _, err := item.Kind().Read(t.Context(), w, l.Item); errors.Is(err, fault.ErrNotFound) {
				continue // it was sold, and is deleted
			}
			if l.FactEnd == nil && o.Status != order.Cancelled && (out || end > now) {
				holds[fmt.Sprint(l.Item, id, l.ID, start, end, out, point)] = true
			}
		}
	}
	for _, pair := range []struct {
		what string
		a, b map[string]bool
	}{{"no line", has, holds}, {"no entry", holds, has}} {
		for e := range pair.a {
			if !pair.b[e] {
				t.Errorf("item, order, line, start, end, out, point: %s: there is %s", e, pair.what)
			}
		}
	}
}

// orderIDs are the orders that are listed.
func orderIDs(t *testing.T, api *webtest.API) map[int64]bool {
	t.Helper()
	ids := map[int64]bool{}
	for page := 1; ; page++ {
		a := api.As(webtest.Owner(1)).Do(http.MethodGet, fmt.Sprintf("%s?pageSize=100&page=%d", requests, page), nil).Status(200)
		list, _ := a.Value("results").([]any)
		for i := range list {
			ids[a.Int(fmt.Sprintf("results.%d.id", i))] = true
		}
		if a.Value("next") == nil {
			return ids
		}
	}
}
