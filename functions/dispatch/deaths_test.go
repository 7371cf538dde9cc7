package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/queue"
	"github.com/tenantry/tenantry/shared/outbox/worker"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

func encode(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// hands are what carries messages out, and what each was carried out under.
type hands struct {
	o    *office
	work outbox.Work

	mu   sync.Mutex
	done map[string]int // by sort key
}

func newHands(o *office) *hands {
	h := &hands{o: o, done: map[string]int{}}
	h.work = outbox.Work{code: h.carryOut, profile: h.carryOut, fold: h.carryOut, rebuild: h.carryOut}
	return h
}

// carryOut proves that nobody but its worker holds the message.
func (h *hands) carryOut(_ context.Context, m outbox.Message) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.done[m.SK]++
	if s, ok := h.o.stored(m); !ok || m.Claim == "" || s.Claim != m.Claim || s.Leased <= outbox.DueKey(h.o.Now()) {
		h.o.t.Errorf("%s is carried out without its claim: %+v", m.SK, s)
	}
	return nil
}

func (h *hands) worker(conn *table.Conn) *worker.Worker {
	return worker.New("worker", h.o.env(conn), h.work)
}

// queued is an event of a queue.
func queued(k table.Key) []byte {
	return fmt.Appendf(nil, `{"Records":[{"messageId":"1","eventSource":"aws:sqs","body":%q}]}`, queue.Encode(k))
}

// empty has a worker consume what is in the queues, one message after the other, as the template's mappings do.
func (h *hands) empty(ctx context.Context, w *worker.Worker) error {
	for _, k := range append(h.o.normal.take(), h.o.bulk.take()...) {
		if answer, err := w.Invoke(ctx, queued(k)); err != nil || string(answer) != nothing {
			return fmt.Errorf("%s: %w", answer, errors.Join(err, tabletest.ErrCrashed))
		}
	}
	return nil
}

// A dispatcher dies after it sent a message and before it put it off: the message is sent once more, and carried out once.
func TestADeathBetweenSendingAndPuttingOff(t *testing.T) {
	o := newOffice(t)
	h, m, dying := newHands(o), o.write(profile, 0), o.world.Client(1)
	o.step(outbox.Normal.Net())
	o.normal.after = func() error { dying.Crash(); return nil }
	if answer, err := o.dispatcher(table.Open(dying, o.name)).Invoke(t.Context(), []byte(tick)); !errors.Is(err, tabletest.ErrCrashed) {
		t.Fatalf("%s, %v", answer, err)
	}
	o.normal.after = nil
	o.invoke(o.dispatcher(o.conn), []byte(tick), sent(1))
	if n := len(o.normal.keys); n != 2 {
		t.Fatalf("it was sent %d times", n)
	}
	if err := h.empty(t.Context(), h.worker(o.conn)); err != nil || h.done[m.SK] != 1 {
		t.Errorf("carried out %d times, %v", h.done[m.SK], err)
	}
}

// death is where the process dies: at a call of the table or of a queue, counted from 1, before it happened or after.
type death struct {
	of    string
	at    int
	after bool
}

// walk is the way of five messages, through all steps, with a process that dies somewhere: the stream brings an urgent one to its function,
// and three others to the queues, from which a worker takes them; of the fifth it tells nothing, so a sweep finds it. died is false if
// the process has made fewer calls.
func walk(t *testing.T, d death) (died bool) {
	t.Helper()
	o := newOffice(t)
	h, client := newHands(o), o.world.Client(1)
	urgent, normal, keyed, bulk, missed := o.write(code, 0), o.write(profile, 0), o.arm(fold, "1"), o.write(rebuild, 0), o.write(profile, 0)
	all := []outbox.Message{urgent, normal, keyed, bulk, missed}
	if d.of == "table" {
		client.DieAt(d.at, d.after)
	}
	var sends sync.Mutex
	calls := 0
	count := func(after bool) func() error {
		return func() error {
			sends.Lock()
			defer sends.Unlock()
			if !after {
				calls++
			}
			if d.of == "queue" && calls == d.at && after == d.after {
				client.Crash()
			}
			if client.Crashed() {
				return tabletest.ErrCrashed
			}
			return nil
		}
	}
	for _, q := range []*shelf{o.normal, o.bulk} {
		q.before, q.after = count(false), count(true)
	}
	died = h.live(t.Context(), table.Open(client, o.name), urgent, normal, keyed, bulk) != nil
	if died != client.Crashed() {
		t.Fatalf("%+v: died %t, crashed %t", d, died, client.Crashed())
	}
	// Whatever becomes of it, stream and queues have forgotten all, and the table remembers.
	o.normal.take()
	o.bulk.take()
	for _, q := range []*shelf{o.normal, o.bulk} {
		q.before, q.after = nil, nil
	}
	before := maps.Clone(h.done)
	for range 3 {
		o.step(2 * time.Hour)
		if answer, err := o.dispatcher(o.conn).Invoke(t.Context(), []byte(tick)); err != nil {
			t.Fatalf("%s, %v", answer, err)
		}
		if err := h.empty(t.Context(), h.worker(o.conn)); err != nil {
			t.Fatal(err)
		}
	}
	twice := 0
	for _, m := range all {
		n := h.done[m.SK]
		if n == 0 || n > 2 || n == 2 && before[m.SK] != 1 {
			t.Errorf("%+v: %s is carried out %d times, %d of them after the death", d, m.SK, n, n-before[m.SK])
		}
		twice += n - 1
		s, ok := o.stored(m)
		if m.SK == keyed.SK && ok || m.SK != keyed.SK && (!ok || s.Pending != "" || s.TTL == 0) {
			t.Errorf("%+v: %s has not ended: %+v", d, m.SK, s)
		}
	}
	if twice > 1 || twice > 0 && !died {
		t.Errorf("%+v: %d are carried out twice", d, twice)
	}
	return died
}

// live is one process's way through the steps. It ends with the first that fails.
func (h *hands) live(ctx context.Context, conn *table.Conn, urgent outbox.Message, others ...outbox.Message) error {
	w, d := h.worker(conn), h.o.dispatcher(conn)
	answer, err := w.Invoke(ctx, records(told("INSERT", urgent.Key(), 1)))
	if err != nil || string(answer) != nothing {
		return fmt.Errorf("%s: %w", answer, errors.Join(err, tabletest.ErrCrashed))
	}
	var batch []string
	for i, m := range others {
		batch = append(batch, told("INSERT", m.Key(), i+2))
	}
	if answer, err = d.Invoke(ctx, records(batch...)); err != nil || string(answer) != nothing {
		return fmt.Errorf("%s: %w", answer, errors.Join(err, tabletest.ErrCrashed))
	}
	if err := h.empty(ctx, w); err != nil {
		return err
	}
	h.o.step(outbox.Normal.Net())
	if _, err := d.Invoke(ctx, []byte(tick)); err != nil {
		return err
	}
	return h.empty(ctx, w)
}

// A process that dies at any call of dispatching, consuming, claiming or finishing loses nothing, even where stream and queues forget all:
// the net brings it home. Nothing is carried out without its claim, and nothing twice but what the process died of.
func TestDeathsAtEachStep(t *testing.T) {
	for of, least := range map[string]int{
		"table": 3 + 1 + 9 + 20 + 1 + 3, // an urgent one, a keyed one that is read, three of the queues, the index, one put off, one more
		"queue": 3,
	} {
		for _, after := range []bool{false, true} {
			at := 1
			for walk(t, death{of, at, after}) {
				at++
			}
			if at <= least {
				t.Errorf("%s: the process made only %d calls, want %d", of, at-1, least)
			}
		}
	}
}
