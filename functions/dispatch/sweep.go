package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/queue"
	"github.com/tenantry/tenantry/shared/table/meter"
)

// sweep sends what stands in the index of messages for it, the lanes in their order, those first that have stood there longest. It ends
// shortly before its deadline; the next one goes on. What fails of a lane, or of one message, holds up no other.
type sweep struct {
	*Dispatcher

	swept bool          // at least one lane was looked through as far as there was time
	late  time.Duration // how long the oldest has stood there for a sweep

	mu     sync.Mutex
	sent   int
	failed []error
}

func (s *sweep) run(ctx context.Context) error {
	begins, cancel := outbox.Early(ctx, slack)
	defer cancel()
	var calls errgroup.Group
	calls.SetLimit(parallel)
	now := s.now()
	companies := map[string]bool{} // whose events were seen
	for _, lane := range outbox.Lanes() {
		var some []outbox.Standing
		var away atomic.Bool // its queue fails
		send := func() {
			if batch := slices.Clone(some); len(batch) > 0 {
				calls.Go(func() error {
					if !s.send(ctx, lane, batch) {
						away.Store(true)
					}
					return nil
				})
			}
			some = some[:0]
		}
		err := outbox.EachStanding(ctx, s.table, lane, now, func(m outbox.Standing) error {
			s.late = max(s.late, m.Late)
			if begins.Err() != nil || away.Load() {
				return errEnough
			}
			if outbox.AreEvents(m.Key.SK) { // one of a company is enough
				if companies[m.Key.PK] {
					return nil
				}
				companies[m.Key.PK] = true
			}
			if some = append(some, m); len(some) == queue.Most {
				send()
			}
			return nil
		})
		send()
		if err == nil || errors.Is(err, errEnough) {
			s.swept = true
		} else {
			s.fail(err)
		}
	}
	_ = calls.Wait() // none of them fails
	s.fail(ctx.Err())
	return errors.Join(s.failed...)
}

// errEnough ends an iteration for which there is no more time.
var errEnough = errors.New("enough")

// fail keeps an error, which fails the invocation at its end.
func (s *sweep) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = append(s.failed, err)
}

// send sends some messages of a lane, and puts off when the sweep looks at them again; ok is false if their queue fails. If it dies in
// between, or one can't be put off, that is sent once more.
func (s *sweep) send(ctx context.Context, lane outbox.Lane, some []outbox.Standing) (ok bool) {
	entries := make([]queue.Entry, len(some))
	for i, m := range some {
		entries[i].Key = outbox.Together(m.Key)
	}
	refused, err := s.queueOf(lane).Send(ctx, entries)
	if err != nil {
		s.fail(fmt.Errorf("dispatch: %s: %w", lane, err))
		return false
	}
	for _, m := range some {
		if slices.Contains(refused, outbox.Together(m.Key)) {
			continue
		}
		if err := outbox.Sent(ctx, s.table, m, s.now()); err != nil {
			s.fail(err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent += len(some) - len(refused)
	return true
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

// delayMetric is for how long the message that has waited longest for a sweep has done so. Each sweep sends it that could look
// for one, so that its absence tells that sweeps have stopped.
const delayMetric = "OutboxDelay"

func (d *Dispatcher) report(sent int, late time.Duration) {
	encoded, _ := json.Marshal(swept{ // numbers and texts: it can't fail
		AWS: meter.Emit(d.now(), nil, meter.Metric{Name: delayMetric, Unit: meter.Seconds}), Stage: d.stage, Level: "info",
		Function: "dispatch", Result: "swept", Sent: sent, Delay: late.Seconds(),
	})
	_, _ = d.log.Write(append(encoded, '\n')) // a failure of the log can't be logged
}
