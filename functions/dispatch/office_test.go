package dispatch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/queue"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

var _ lambda.Handler = (*Dispatcher)(nil)

// Kinds of each lane.
const (
	code    outbox.Kind = "identity.code"
	profile outbox.Kind = "tenants.profile"
	fold    outbox.Kind = "listing.fold" // its messages have keys
	rebuild outbox.Kind = "metrics.rebuild"
)

// office is a table with messages, a clock, and the queues.
type office struct {
	t                   *testing.T
	name                string
	world               *tabletest.World
	conn                *table.Conn
	all                 crosstenant.Table
	normal, bulk, hooks *shelf

	mu  sync.Mutex
	now time.Time
	log bytes.Buffer
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	for _, s := range []**shelf{&o.normal, &o.bulk, &o.hooks} {
		*s = &shelf{t: t, held: map[table.Key]time.Duration{}}
	}
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
func (o *office) lines() (lines []map[string]any) {
	o.t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
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

func (o *office) env(conn *table.Conn) app.Env {
	return app.Env{Table: conn, Now: o.Now, Log: o, Config: app.Config{Stage: "test"}}
}

func (o *office) dispatcher(conn *table.Conn) *Dispatcher {
	return New(o.env(conn), Queues{o.normal, o.bulk, o.hooks})
}

// write writes a message of company 7 that is due some time from now.
func (o *office) write(kind outbox.Kind, from time.Duration) outbox.Message {
	o.t.Helper()
	m, err := outbox.New(table.Of(o.conn, 7).Message, kind, "body", o.Now(), o.Now().Add(from))
	if err != nil {
		o.t.Fatal(err)
	}
	if err := o.all.Create(m).Run(o.t.Context()); err != nil {
		o.t.Fatal(err)
	}
	return m
}

// arm arms a message with a key.
func (o *office) arm(kind outbox.Kind, key string) outbox.Message {
	o.t.Helper()
	company := table.Of(o.conn, 7)
	m := outbox.NewKeyed(company.Message, kind, key, o.Now())
	if err := company.Write(o.t.Context(), func(tx *table.Tx, _ int) error {
		outbox.Arm(tx, company, m)
		return nil
	}); err != nil {
		o.t.Fatal(err)
	}
	return m
}

// stored is a message as the table has it; ok is false if it has none.
func (o *office) stored(m outbox.Message) (s outbox.Message, ok bool) {
	o.t.Helper()
	err := o.all.Get(o.t.Context(), m.Key(), &s)
	if err != nil && !errors.Is(err, table.ErrNotFound) {
		o.t.Fatal(err)
	}
	return s, err == nil
}

// shelf is a queue. It refuses keys, or fails, as a test asks.
type shelf struct {
	t      *testing.T
	refuse []table.Key
	before func() error // its error keeps what was sent out of the queue
	after  func() error // and this one comes when it is in

	mu   sync.Mutex
	keys []table.Key
	held map[table.Key]time.Duration // back, for how long
}

func (s *shelf) Send(_ context.Context, entries []queue.Entry) (refused []table.Key, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(entries) == 0 || len(entries) > queue.Most {
		s.t.Errorf("%d keys are sent at once", len(entries))
	}
	if s.before != nil {
		if err := s.before(); err != nil {
			return nil, err
		}
	}
	for _, e := range entries {
		if slices.Contains(s.refuse, e.Key) {
			refused = append(refused, e.Key)
			continue
		}
		s.keys = append(s.keys, e.Key)
		if e.After > 0 {
			s.held[e.Key] = e.After
		}
	}
	if s.after != nil {
		err = s.after()
	}
	return refused, err
}

// take empties the queue.
func (s *shelf) take() []table.Key {
	s.mu.Lock()
	defer s.mu.Unlock()
	keys := s.keys
	s.keys = nil
	return keys
}

// has proves that a queue has the keys of some messages, each once, and takes them out.
func (s *shelf) has(messages ...outbox.Message) {
	s.t.Helper()
	var want []string
	for _, m := range messages {
		want = append(want, m.SK)
	}
	var got []string
	for _, k := range s.take() {
		got = append(got, k.SK)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		s.t.Errorf("the queue has %q, want %q", got, want)
	}
}

// told is a record of the stream.
func told(event string, k table.Key, sequence int) string {
	return fmt.Sprintf(`{"eventName":%q,"eventSource":"aws:dynamodb","dynamodb":{"Keys":{"pk":{"S":%q},"sk":{"S":%q}},"SequenceNumber":"%d"}}`,
		event, k.PK, k.SK, sequence)
}

func records(all ...string) []byte { return []byte(`{"Records":[` + strings.Join(all, ",") + `]}`) }

const (
	tick    = `{"version":"0","detail-type":"Scheduled Event","source":"aws.events","detail":{}}`
	nothing = `{"batchItemFailures":[]}`
)

// invoke proves what an event is answered.
func (o *office) invoke(d *Dispatcher, event []byte, want string) {
	o.t.Helper()
	if answer, err := d.Invoke(o.t.Context(), event); err != nil || string(answer) != want {
		o.t.Fatalf("%s, %v; want %s", answer, err, want)
	}
}

func sent(n int) string { return fmt.Sprintf(`{"sent":%d}`, n) }
