package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/queue"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/meter"
)

// sweep sends what stands in the index of messages for it, the lanes in their order, those first that have stood there longest. It ends
// shortly before its deadline; the next one goes on.
type sweep struct {
	*Dispatcher

	mu   sync.Mutex
	sent int
	late time.Duration // how long the oldest has stood there for a sweep
}

func (s *sweep) run(ctx context.Context) error {
	begins, cancel := outbox.Early(ctx, slack)
	defer cancel()
	calls, calling := errgroup.WithContext(ctx)
	calls.SetLimit(parallel)
	now := s.now()
	for _, lane := range outbox.Lanes() {
		var some []outbox.Standing
		send := func() {
			if batch := slices.Clone(some); len(batch) > 0 {
				calls.Go(func() error { return s.send(calling, lane, batch) })
			}
			some = some[:0]
		}
		err := outbox.EachStanding(calling, s.table, lane, now, func(m outbox.Standing) error {
			s.late = max(s.late, m.Late)
			if begins.Err() != nil {
				return errEnough
			}
			if some = append(some, m); len(some) == queue.Most {
				send()
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			return errors.Join(calls.Wait(), err) // what failed first ended the iteration
		}
		send()
	}
	if err := calls.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// errEnough ends an iteration for which there is no more time.
var errEnough = errors.New("enough")

// send sends some messages of a lane, and puts off when the sweep looks at them again. If it dies in between, they are sent once more.
func (s *sweep) send(ctx context.Context, lane outbox.Lane, some []outbox.Standing) error {
	keys := make([]table.Key, len(some))
	for i, m := range some {
		keys[i] = m.Key
	}
	refused, err := s.queueOf(lane).Send(ctx, keys)
	if err != nil {
		return fmt.Errorf("dispatch: %w", err)
	}
	for _, m := range some {
		if slices.Contains(refused, m.Key) {
			continue
		}
		if err := outbox.Sent(ctx, s.table, m, s.now()); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent += len(some) - len(refused)
	return nil
}

// swept is what is logged about a sweep.
type swept struct {
	AWS      *meter.Metrics `json:"_aws"`
	Stage    string         `json:"Stage"` // meter.StageDimension
	Level    string         `json:"level"`
	Function string         `json:"function"`
	Result   string         `json:"result"`
	Sent     int            `json:"sent"`
	Delay    float64        `json:"OutboxDelay"` // seconds
}

// delayMetric is for how long the message that has waited longest for a sweep has done so. Each sweep sends it, and one that failed
// doesn't, so that its absence tells that sweeps have stopped.
const delayMetric = "OutboxDelay"

func (d *Dispatcher) report(sent int, late time.Duration) {
	encoded, _ := json.Marshal(swept{ // numbers and texts: it can't fail
		AWS: meter.Emit(d.now(), nil, meter.Metric{Name: delayMetric, Unit: meter.Seconds}), Stage: d.stage, Level: "info",
		Function: "dispatch", Result: "swept", Sent: sent, Delay: late.Seconds(),
	})
	_, _ = d.log.Write(append(encoded, '\n')) // a failure of the log can't be logged
}
