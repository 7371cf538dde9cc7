package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

var _ lambda.Handler = (*Worker)(nil)

// office is a table with messages, a clock, and workers that do the same work.
type office struct {
	t     *testing.T
	name  string
	world *tabletest.World
	conn  *table.Conn
	all   crosstenant.Table

	mu  sync.Mutex
	now time.Time
	log bytes.Buffer
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	o.world, o.name = tabletest.NewFaulty(t, tabletest.Faults{})
	o.conn = table.Open(enginetest.Client(t), o.name)
	o.all = crosstenant.Open(o.conn)
	return o
}

func (o *office) Now() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.now
}

func (o *office) step(d time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.now = o.now.Add(d)
}

func (o *office) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.log.Write(p)
}

// lines are what was logged since the last call.
func (o *office) lines() []map[string]any {
	o.t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	var lines []map[string]any
	for text := range strings.Lines(o.log.String()) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			o.t.Fatalf("log: %v: %s", err, text)
		}
		lines = append(lines, line)
	}
	o.log.Reset()
	return lines
}

// counts proves that a line counts one thing as a metric of the stage, or
// nothing.
func (o *office) counts(line map[string]any, metric string) {
	o.t.Helper()
	want := "null"
	if metric != "" {
		want = fmt.Sprintf(`[{"Dimensions":[["Stage"]],"Metrics":[{"Name":%q}],"Namespace":"Tenantry"}]`, metric)
	}
	metrics, _ := line["_aws"].(map[string]any)
	got, err := json.Marshal(metrics["CloudWatchMetrics"])
	if err != nil || string(got) != want || line["Stage"] != "test" {
		o.t.Errorf("%v counts %s, want %s (%v)", line, got, want, err)
	}
	for _, name := range []string{"OutboxFailedAttempts", "OutboxGaveUp"} {
		if (line[name] == 1.0) != (name == metric) {
			o.t.Errorf("%s is %v", name, line[name])
		}
	}
}

func (o *office) worker(conn *table.Conn, work outbox.Work) *Worker {
	return New("worker", app.Env{Table: conn, Now: o.Now, Log: o, Config: app.Config{Stage: "test"}}, work)
}

// send writes a message of company 7 that is due now.
func (o *office) send(kind outbox.Kind) outbox.Message {
	o.t.Helper()
	m, err := outbox.New(table.Of(o.conn, 7).Message, kind, "body", o.Now(), o.Now())
	if err != nil {
		o.t.Fatal(err)
	}
	if err := o.all.Create(m).Run(o.t.Context()); err != nil {
		o.t.Fatal(err)
	}
	return m
}

func (o *office) stored(m outbox.Message) (s outbox.Message) {
	o.t.Helper()
	if err := o.all.Get(o.t.Context(), m.Key(), &s); err != nil {
		o.t.Fatal(err)
	}
	return s
}

func (o *office) sweep(w *Worker) int {
	o.t.Helper()
	n, err := w.Sweep(o.t.Context())
	if err != nil {
		o.t.Fatal(err)
	}
	return n
}

// counter counts how often each message was carried out.
type counter struct {
	mu   sync.Mutex
	seen map[string]int
}

func (c *counter) handle(_ context.Context, m outbox.Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil {
		c.seen = map[string]int{}
	}
	c.seen[m.ID]++
	return nil
}

func TestDeliver(t *testing.T) {
	o, done := newOffice(t), counter{}
	w, m := o.worker(o.conn, outbox.Work{"test.count": done.handle}), o.send("test.count")
	for i, want := range []bool{true, false} {
		got, err := w.Deliver(t.Context(), m.Key())
		if err != nil || got != want {
			t.Fatalf("delivery %d: %t, %v", i+1, got, err)
		}
	}
	if done.seen[m.ID] != 1 {
		t.Fatalf("carried out %d times", done.seen[m.ID])
	}
	if s := o.stored(m); s.Pending != "" || s.TTL == 0 {
		t.Fatalf("%+v", s)
	}
	lines := o.lines()
	if len(lines) != 1 {
		t.Fatalf("log: %v", lines)
	}
	for name, want := range map[string]any{
		"Stage": "test", "level": "info", "function": "worker", "kind": "test.count", "tenant": 7.0, "result": "done", "attempt": 1.0, "message_id": m.ID, "calls": 3.0,
	} {
		if lines[0][name] != want {
			t.Errorf("log: %s is %v, want %v", name, lines[0][name], want)
		}
	}
}

func TestWhatHandlersAnswer(t *testing.T) {
	for _, c := range []struct {
		name          string
		answer        func(o *office) error
		result, level string
		again         time.Duration // when it has come back
		attempts      int
		text          string
	}{
		{"an error", func(*office) error { return errors.New("the provider is away") }, "again", "warning", 6 * time.Second, 1, "the provider is away"},
		{"a panic", func(*office) error { panic("oh") }, "again", "warning", 6 * time.Second, 1, "panic: oh"},
		{"later", func(o *office) error {
			return fmt.Errorf("wrapped: %w", outbox.Later{Until: o.Now().Add(time.Hour)})
		}, "later", "info", time.Hour, 0, ""},
		{"drop", func(*office) error { return fmt.Errorf("%w: expired", outbox.ErrDrop) }, "dropped", "warning", 0, 1, "expired"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := newOffice(t)
			calls := 0
			w := o.worker(o.conn, outbox.Work{"test.answer": func(context.Context, outbox.Message) error {
				calls++
				return c.answer(o)
			}})
			m := o.send("test.answer")
			if n := o.sweep(w); n != 0 {
				t.Fatalf("%d came to their end", n)
			}
			if s := o.stored(m); s.Attempts != c.attempts || !strings.Contains(s.Problem, c.text) || (s.Problem == "") != (c.text == "") {
				t.Fatalf("%+v", s)
			}
			if l := o.lines(); len(l) != 1 || l[0]["result"] != c.result || l[0]["level"] != c.level {
				t.Fatalf("log: %v", l)
			} else {
				o.counts(l[0], map[bool]string{true: "OutboxFailedAttempts"}[c.result == "again"])
			}
			o.sweep(w)
			if calls != 1 {
				t.Fatal("it came back at once")
			}
			want := 2
			if c.again == 0 {
				c.again, want = 100*time.Hour, 1
			}
			o.step(c.again)
			o.sweep(w)
			if calls != want {
				t.Fatalf("carried out %d times, want %d", calls, want)
			}
		})
	}
}

// A provider that was away until the message was worth nothing: the message is
// lost, and that is counted.
func TestAMessageDroppedAfterAProblem(t *testing.T) {
	o := newOffice(t)
	answers := []error{errors.New("the provider is away"), fmt.Errorf("%w: expired", outbox.ErrDrop)}
	w := o.worker(o.conn, outbox.Work{"test.answer": func(_ context.Context, m outbox.Message) error {
		return answers[m.Attempts-1]
	}})
	o.send("test.answer")
	for range answers {
		o.sweep(w)
		o.step(time.Minute)
	}
	lines := o.lines()
	if len(lines) != 2 || lines[1]["result"] != "dropped" || lines[1]["level"] != "warning" {
		t.Fatalf("log: %v", lines)
	}
	for _, l := range lines {
		o.counts(l, "OutboxFailedAttempts")
	}
}

// A message of another function is no failure: it waits in the partition of its lane for the sweep, which sends it there.
func TestAMessageOfAnotherFunction(t *testing.T) {
	o := newOffice(t)
	m := o.send("clients.import")
	m.V, m.Pending, m.Swept = 1, "pending#0", outbox.DueKey(o.Now()) // of the release before, whose keys tell no lane
	if err := o.all.Put(m).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if done, err := o.worker(o.conn, outbox.Work{}).Deliver(t.Context(), m.Key()); done || err != nil {
		t.Fatal(done, err)
	}
	if s := o.stored(m); s.Attempts != 0 || s.Problem != "" || !strings.HasPrefix(s.Pending, "bulk#") {
		t.Errorf("%+v", s)
	}
	if l := o.lines(); len(l) != 1 || l[0]["result"] != "later" || l[0]["level"] != "info" {
		t.Errorf("log: %v", l)
	}
}

func TestPoison(t *testing.T) {
	for name, work := range map[string]outbox.Work{
		"a handler that always panics": {"test.poison": func(context.Context, outbox.Message) error { panic("poison") }},
		"a kind that nobody knows":     {},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t)
			w, m := o.worker(o.conn, work), o.send("test.poison")
			for range outbox.MaxAttempts + 3 {
				o.sweep(w)
				o.step(2 * time.Hour)
			}
			if s := o.stored(m); s.Pending != outbox.Failed || s.Attempts != outbox.MaxAttempts || s.Problem == "" || s.TTL != 0 {
				t.Fatalf("%+v", s)
			}
			lines := o.lines()
			if len(lines) != outbox.MaxAttempts {
				t.Fatalf("%d attempts", len(lines))
			}
			for i, l := range lines {
				last := i == len(lines)-1
				o.counts(l, map[bool]string{false: "OutboxFailedAttempts", true: "OutboxGaveUp"}[last])
				if (l["level"] == "error") != last || l["error"] == "" {
					t.Fatalf("attempt %d: %v", i+1, l)
				}
			}
			var all []outbox.Message
			if err := o.all.Table().Get("pq", outbox.Failed).Index("pending").All(t.Context(), &all); err != nil || len(all) != 1 {
				t.Fatalf("failed messages: %v, %v", all, err)
			}
		})
	}
}

// A worker dies after it did the work and before it could say so: another does
// it again when the lease is over, under the same id.
func TestAWorkerThatDies(t *testing.T) {
	o, done := newOffice(t), counter{}
	dying := o.world.Client(1)
	first := o.worker(table.Open(dying, o.name), outbox.Work{"test.count": func(ctx context.Context, m outbox.Message) error {
		dying.Crash()
		return done.handle(ctx, m)
	}})
	second := o.worker(o.conn, outbox.Work{"test.count": done.handle})
	m := o.send("test.count")
	if ok, err := first.Deliver(t.Context(), m.Key()); ok || !errors.Is(err, tabletest.ErrCrashed) {
		t.Fatalf("%t, %v", ok, err)
	}
	if l := o.lines(); l[0]["level"] != "error" || l[0]["result"] != "unknown" {
		t.Fatalf("log: %v", l)
	}
	o.step(Lease - time.Second)
	if n := o.sweep(second); n != 0 {
		t.Fatal("taken over within the lease")
	}
	o.step(2 * time.Second)
	if n := o.sweep(second); n != 1 || done.seen[m.ID] != 2 {
		t.Fatalf("%d delivered, carried out %d times", n, done.seen[m.ID])
	}
}

// Where the table refuses most writes, an end is tried for longer than a request would: one that isn't recorded counts as a crash.
func TestEndsAreTriedForLong(t *testing.T) {
	o := newOffice(t)
	world, name := tabletest.NewFaulty(t, tabletest.Faults{Throttled: 0.7})
	o.name, o.conn = name, table.Open(enginetest.Client(t), name)
	o.all = crosstenant.Open(o.conn)
	var carried []outbox.Message
	w := o.worker(table.Open(world.Client(1), name), outbox.Work{"test.count": func(_ context.Context, m outbox.Message) error {
		carried = append(carried, m)
		return nil
	}})
	for range 200 {
		_, _ = w.Deliver(t.Context(), o.send("test.count").Key()) // what can't be claimed comes again
	}
	for _, m := range carried {
		if s := o.stored(m); s.Pending != "" || s.Unended != 0 {
			t.Errorf("carried out, and stored as %+v", s)
		}
	}
	if len(carried) < 20 {
		t.Errorf("only %d of 200 could be claimed", len(carried))
	}
}

// What an attempt came to is written down even when the invocation's time is
// over.
func TestTheEndIsRecordedAfterTheDeadline(t *testing.T) {
	o := newOffice(t)
	ctx, cancel := context.WithCancel(t.Context())
	w := o.worker(o.conn, outbox.Work{"test.slow": func(ctx context.Context, _ outbox.Message) error {
		if d, ok := ctx.Deadline(); !ok || time.Until(d) > Lease {
			t.Error("a handler may outlive its lease")
		}
		cancel()
		return ctx.Err()
	}})
	m := o.send("test.slow")
	if _, err := w.Deliver(ctx, m.Key()); err != nil {
		t.Fatal(err)
	}
	if s := o.stored(m); s.Problem != context.Canceled.Error() {
		t.Fatalf("%+v", s)
	}
}

// A handler ends in time for its end to be written down.
func TestAHandlerLeavesTimeToRecord(t *testing.T) {
	o := newOffice(t)
	end := time.Now().Add(20 * time.Second)
	ctx, cancel := context.WithDeadline(t.Context(), end)
	defer cancel()
	var got time.Time
	w := o.worker(o.conn, outbox.Work{"test.time": func(ctx context.Context, _ outbox.Message) error {
		got, _ = ctx.Deadline()
		return nil
	}})
	if _, err := w.Deliver(ctx, o.send("test.time").Key()); err != nil || !got.Equal(end.Add(-writeTime)) {
		t.Fatalf("the handler has until %s, the function until %s (%v)", got, end, err)
	}
}

func TestTwoWorkersSweepAtOnce(t *testing.T) {
	o, done := newOffice(t), counter{}
	const messages = 300
	for range messages {
		o.send("test.count")
	}
	var delivered atomic.Int64
	var wait sync.WaitGroup
	for range 2 {
		w := o.worker(o.conn, outbox.Work{"test.count": done.handle})
		wait.Go(func() {
			n, err := w.Sweep(context.Background())
			if err != nil {
				t.Error(err)
			}
			delivered.Add(int64(n))
		})
	}
	wait.Wait()
	if delivered.Load() != messages || len(done.seen) != messages {
		t.Fatalf("%d delivered, %d seen", delivered.Load(), len(done.seen))
	}
	for id, n := range done.seen {
		if n != 1 {
			t.Errorf("%s carried out %d times", id, n)
		}
	}
}
