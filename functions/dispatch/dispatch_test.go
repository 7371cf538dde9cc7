package dispatch_test

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

	"github.com/tenantry/tenantry/functions/dispatch"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/queue"
	"github.com/tenantry/tenantry/shared/outbox/worker"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

var _ lambda.Handler = (*dispatch.Dispatcher)(nil)

// line is a queue that gives out what was sent, in that order.
type line struct {
	mu      sync.Mutex
	keys    []table.Key
	fails   error
	refuses func(table.Key) bool
	sent    func() // called after each batch that was taken
}

func (l *line) Send(_ context.Context, keys []table.Key) (refused []table.Key, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(keys) == 0 || len(keys) > queue.Most {
		return nil, fmt.Errorf("%d keys at once", len(keys))
	}
	if l.fails != nil {
		return nil, l.fails
	}
	for _, k := range keys {
		if l.refuses != nil && l.refuses(k) {
			refused = append(refused, k)
		} else {
			l.keys = append(l.keys, k)
		}
	}
	if l.sent != nil {
		l.sent()
	}
	return refused, nil
}

// take empties the queue.
func (l *line) take() []table.Key {
	l.mu.Lock()
	defer l.mu.Unlock()
	keys := l.keys
	l.keys = nil
	return keys
}

// post is a table with messages, a clock, and the queues of the lanes.
type post struct {
	t            *testing.T
	world        *tabletest.World
	name         string
	conn         *table.Conn
	all          crosstenant.Table
	normal, bulk *line

	mu  sync.Mutex
	now time.Time
	log bytes.Buffer
}

func open(t *testing.T) *post {
	t.Helper()
	p := &post{t: t, normal: &line{}, bulk: &line{}, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	p.world, p.name = tabletest.NewFaulty(t, tabletest.Faults{})
	p.conn = table.Open(enginetest.Client(t), p.name)
	p.all = crosstenant.Open(p.conn)
	return p
}

func (p *post) Now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

func (p *post) step(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = p.now.Add(d)
}

func (p *post) Write(line []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.Write(line)
}

func (p *post) env(conn *table.Conn) app.Env {
	return app.Env{Table: conn, Now: p.Now, Log: p, Config: app.Config{Stage: "test"}}
}

func (p *post) dispatcher(conn *table.Conn) *dispatch.Dispatcher {
	return dispatch.New(p.env(conn), p.normal, p.bulk)
}

// send leaves a message of company 7 that is due now.
func (p *post) send(kind outbox.Kind) table.Key {
	p.t.Helper()
	m, err := outbox.New(table.Of(p.conn, 7).Message, kind, "body", p.Now(), p.Now())
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.all.Create(m).Run(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
	return m.Key()
}

// arm leaves a message with a key.
func (p *post) arm(kind outbox.Kind, key string) table.Key {
	p.t.Helper()
	company := table.Of(p.conn, 7)
	m := outbox.NewKeyed(company.Message, kind, key, p.Now())
	if err := company.Write(p.t.Context(), func(tx *table.Tx, _ int) error {
		outbox.Arm(tx, company, m)
		return nil
	}); err != nil {
		p.t.Fatal(err)
	}
	return m.Key()
}

func (p *post) claim(k table.Key) outbox.Message {
	p.t.Helper()
	m, ok, err := outbox.Claim(p.t.Context(), p.all, k, p.Now(), worker.Lease)
	if err != nil || !ok {
		p.t.Fatal(ok, err)
	}
	return m
}

// told is a record of the stream.
func told(event string, k table.Key, sequence int) string {
	return fmt.Sprintf(`{"eventName":%q,"eventSource":"aws:dynamodb","dynamodb":{"Keys":{"pk":{"S":%q},"sk":{"S":%q}},
		"SequenceNumber":"%d","StreamViewType":"KEYS_ONLY"}}`, event, k.PK, k.SK, sequence)
}

func batch(records ...string) []byte {
	return []byte(`{"Records":[` + strings.Join(records, ",") + `]}`)
}

var tick = []byte(`{"version":"0","detail-type":"Scheduled Event","source":"aws.events","detail":{}}`)

func (p *post) invoke(d *dispatch.Dispatcher, payload []byte) string {
	p.t.Helper()
	answer, err := d.Invoke(p.t.Context(), payload)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(answer)
}

const (
	normalKind outbox.Kind = "tenants.domain"
	bulkKind   outbox.Kind = "clients.import"
	urgentKind outbox.Kind = "tenants.invitation"
)

func same(t *testing.T, what string, got []table.Key, want ...table.Key) {
	t.Helper()
	sorted := func(keys []table.Key) []table.Key {
		return slices.SortedFunc(slices.Values(keys), func(a, b table.Key) int { return strings.Compare(a.PK+a.SK, b.PK+b.SK) })
	}
	if !slices.Equal(sorted(got), sorted(want)) {
		t.Errorf("%s has %v, want %v", what, got, want)
	}
}

// A batch of the stream goes to the queues of its messages' lanes, each key once. What is no message goes nowhere.
func TestABatchOfTheStream(t *testing.T) {
	p := open(t)
	var normal, bulk []table.Key
	var records []string
	for i := range 25 {
		normal, bulk = append(normal, p.send(normalKind)), append(bulk, p.send(bulkKind))
		records = append(records, told("INSERT", normal[i], 2*i), told("INSERT", bulk[i], 2*i+1))
	}
	keyed, merge := p.arm("listing.fold", "15"), p.arm("search.merge", "doc")
	records = append(records, told("INSERT", keyed, 100), told("MODIFY", merge, 101))
	records = append(records, records[:20]...)
	records = append(records, told("MODIFY", normal[0], 102), told("REMOVE", keyed, 103), told("INSERT", table.Key{PK: "T#7#doc", SK: "000000000001"}, 104))
	if answer := p.invoke(p.dispatcher(p.conn), batch(records...)); answer != `{"batchItemFailures":[]}` {
		t.Fatal(answer)
	}
	same(t, "the normal queue", p.normal.take(), append(normal, keyed)...)
	same(t, "the bulk queue", p.bulk.take(), append(bulk, merge)...)
}

// The stream tells of claims and ends of messages with a key, too. They are not worth a place in a queue.
func TestWhatIsArmedAgain(t *testing.T) {
	p := open(t)
	d, k := p.dispatcher(p.conn), p.arm("listing.fold", "15")
	claimed := p.claim(k)
	p.invoke(d, batch(told("MODIFY", k, 1)))
	same(t, "claimed: the queue", p.normal.take())
	p.arm("listing.fold", "15")
	p.invoke(d, batch(told("MODIFY", k, 2)))
	same(t, "armed while it was carried out: the queue", p.normal.take(), k)
	if _, err := outbox.Done(t.Context(), p.all, claimed, p.Now(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := outbox.Done(t.Context(), p.all, p.claim(k), p.Now(), nil); err != nil {
		t.Fatal(err)
	}
	p.invoke(d, batch(told("MODIFY", k, 3)))
	same(t, "ended: the queue", p.normal.take())
}

// What a queue doesn't take comes again with the stream; and all of a batch does if a queue or the table fails.
func TestWhatTheStreamRepeats(t *testing.T) {
	p := open(t)
	one, two := p.send(normalKind), p.send(normalKind)
	records := batch(told("INSERT", one, 1), told("INSERT", two, 2), told("INSERT", one, 3))
	p.normal.refuses = func(k table.Key) bool { return k == one }
	if answer := p.invoke(p.dispatcher(p.conn), records); answer != `{"batchItemFailures":[{"itemIdentifier":"1"},{"itemIdentifier":"3"}]}` {
		t.Error(answer)
	}
	same(t, "the queue", p.normal.take(), two)
	p.normal.fails = errors.New("the queue is away")
	if answer, err := p.dispatcher(p.conn).Invoke(t.Context(), records); !errors.Is(err, p.normal.fails) {
		t.Errorf("%s, %v", answer, err)
	}
	p.normal.fails = nil
	down := p.world.Client(1)
	down.Crash()
	if answer, err := p.dispatcher(table.Open(down, p.name)).Invoke(t.Context(), batch(told("MODIFY", p.arm("listing.fold", "15"), 1))); err == nil {
		t.Errorf("a message that can't be read: %s", answer)
	}
	same(t, "after failures the queue", p.normal.take())
}

// The sweep sends what stands in the net, of all lanes, and does so once until it may be lost again.
func TestTheSweep(t *testing.T) {
	p := open(t)
	d := p.dispatcher(p.conn)
	var normal, bulk []table.Key
	for range 13 {
		normal, bulk = append(normal, p.send(normalKind)), append(bulk, p.send(bulkKind))
	}
	urgent := p.send(urgentKind)
	p.step(outbox.Urgent.Net() - time.Second)
	if answer := p.invoke(d, tick); answer != `{"sent":0}` {
		t.Errorf("while the stream may bring them: %s", answer)
	}
	p.step(outbox.Normal.Net())
	if answer := p.invoke(d, tick); answer != `{"sent":27}` {
		t.Error(answer)
	}
	same(t, "the normal queue", p.normal.take(), append(slices.Clone(normal), urgent)...)
	same(t, "the bulk queue", p.bulk.take(), bulk...)
	p.step(outbox.Urgent.Hold() - time.Second)
	if answer := p.invoke(d, tick); answer != `{"sent":0}` {
		t.Errorf("while they may wait in their queues: %s", answer)
	}
	if _, err := outbox.Done(t.Context(), p.all, p.claim(urgent), p.Now(), nil); err != nil {
		t.Fatal(err)
	}
	p.step(outbox.Normal.Hold() - outbox.Urgent.Hold() + time.Second)
	if answer := p.invoke(d, tick); answer != `{"sent":13}` {
		t.Errorf("when a queue may have lost them: %s", answer)
	}
	same(t, "the normal queue", p.normal.take(), normal...)
}

// What a queue refuses, or what was being sent when the process died, the next sweep sends.
func TestASweepThatFails(t *testing.T) {
	p := open(t)
	one, two := p.send(normalKind), p.send(normalKind)
	p.step(outbox.Normal.Net())
	p.normal.refuses = func(k table.Key) bool { return k == one }
	if answer := p.invoke(p.dispatcher(p.conn), tick); answer != `{"sent":1}` {
		t.Error(answer)
	}
	same(t, "the queue", p.normal.take(), two)
	p.normal.refuses, p.normal.fails = nil, errors.New("the queue is away")
	if answer, err := p.dispatcher(p.conn).Invoke(t.Context(), tick); !errors.Is(err, p.normal.fails) {
		t.Errorf("%s, %v", answer, err)
	}
	dying := p.world.Client(1)
	p.normal.fails, p.normal.sent = nil, dying.Crash
	if answer, err := p.dispatcher(table.Open(dying, p.name)).Invoke(t.Context(), tick); !errors.Is(err, tabletest.ErrCrashed) {
		t.Errorf("%s, %v", answer, err)
	}
	p.normal.sent = nil
	if answer := p.invoke(p.dispatcher(p.conn), tick); answer != `{"sent":1}` {
		t.Error(answer)
	}
	same(t, "after the process died the queue", p.normal.take(), one, one)
	if down, answer := dying.Crashed(), p.invoke(p.dispatcher(p.conn), tick); !down || answer != `{"sent":0}` {
		t.Error(down, answer)
	}
}

// A sweep ends before its deadline, and says how far it came; one whose time is over fails.
func TestASweepEndsBeforeItsDeadline(t *testing.T) {
	p := open(t)
	k := p.send(normalKind)
	p.step(time.Hour)
	short, cancel := context.WithTimeout(t.Context(), 9*time.Second)
	defer cancel()
	if answer, err := p.dispatcher(p.conn).Invoke(short, tick); err != nil || string(answer) != `{"sent":0}` {
		t.Errorf("%s, %v", answer, err)
	}
	over, end := context.WithCancel(t.Context())
	end()
	if answer, err := p.dispatcher(p.conn).Invoke(over, tick); err == nil {
		t.Errorf("a sweep without time says that all is well: %s", answer)
	}
	p.invoke(p.dispatcher(p.conn), tick)
	same(t, "the queue", p.normal.take(), k)
}

// Each tick tells for how long a message has waited for a sweep at most, even if there was none: its absence tells that the sweep has
// stopped. A sweep that failed tells nothing.
func TestASweepTellsHowLateItIs(t *testing.T) {
	p := open(t)
	d := p.dispatcher(p.conn)
	swept := func(want float64) {
		t.Helper()
		p.log.Reset()
		p.invoke(d, tick)
		var line map[string]any
		if err := json.Unmarshal(p.log.Bytes(), &line); err != nil {
			t.Fatalf("%v: %s", err, p.log.String())
		}
		metrics, err := json.Marshal(line["_aws"].(map[string]any)["CloudWatchMetrics"])
		const form = `[{"Dimensions":[["Stage"]],"Metrics":[{"Name":"OutboxDelay","Unit":"Seconds"}],"Namespace":"Tenantry"}]`
		if string(metrics) != form || err != nil || line["OutboxDelay"] != want || line["Stage"] != "test" || line["function"] != "dispatch" {
			t.Errorf("%v, want a delay of %v", line, want)
		}
	}
	swept(0)
	p.send(bulkKind)
	p.step(outbox.Bulk.Net() + 90*time.Second)
	swept(90)
	swept(0)
	p.send(urgentKind)
	p.step(outbox.Urgent.Net() + 7*time.Second)
	swept(7)
	p.log.Reset()
	over, end := context.WithCancel(t.Context())
	end()
	if _, err := d.Invoke(over, tick); err == nil || p.log.Len() > 0 {
		t.Errorf("a sweep that failed says that it swept: %v %s", err, p.log.String())
	}
}

func TestEventsOfOthers(t *testing.T) {
	p := open(t)
	for _, payload := range []string{`{}`, `[]`, `nonsense`, `{"Records":[{"eventSource":"aws:sqs"}]}`, `{"source":"aws.s3"}`} {
		if answer, err := p.dispatcher(p.conn).Invoke(t.Context(), []byte(payload)); err == nil {
			t.Errorf("%s: %s", payload, answer)
		}
	}
}

// The processes that bring a message and that carry it out may die before and after each of their calls of the table, and before and
// after a key is sent. Nothing is lost, and nothing is carried out without a claim; what is carried out twice is so because its end could
// not be recorded.
func TestDeathAtEachStep(t *testing.T) {
	for _, keyed := range []bool{false, true} {
		steps := 0
		for call := 1; ; call++ {
			died := false
			for _, after := range []bool{false, true} {
				died = walk(t, keyed, call, after) || died
			}
			if !died { // the walk has fewer calls
				break
			}
			steps++
		}
		if want := map[bool]int{false: 4, true: 5}[keyed]; steps < want {
			t.Errorf("with a key %t: %d calls at which a process died, want %d", keyed, steps, want)
		}
	}
}

// walk takes a message from the stream to its end, by a process that dies before or after a call of the table, and has the net bring it
// home. It tells whether the process died.
func walk(t *testing.T, keyed bool, call int, after bool) (died bool) {
	t.Helper()
	p := open(t)
	var k table.Key
	kind := normalKind
	if keyed {
		kind = "listing.fold"
		k = p.arm(kind, "15")
	} else {
		k = p.send(kind)
	}
	name := fmt.Sprintf("with a key %t, dead at call %d, after it %t", keyed, call, after)
	var carried []string // the claims under which it was carried out
	work := outbox.Work{kind: func(ctx context.Context, m outbox.Message) error {
		var stored outbox.Message
		if err := p.all.Get(ctx, m.Key(), &stored); err != nil || stored.Claim != m.Claim || m.Claim == "" {
			t.Errorf("%s: carried out under the claim %q, stored is %q (%v)", name, m.Claim, stored.Claim, err)
		}
		carried = append(carried, m.Claim)
		return nil
	}}
	queued := func(conn *table.Conn) {
		for _, k := range slices.Concat(p.normal.take(), p.bulk.take()) {
			event, _ := json.Marshal(map[string]any{"Records": []any{map[string]string{
				"eventSource": "aws:sqs", "messageId": "1", "body": queue.Encode(k),
			}}})
			_, _ = worker.New(p.env(conn), work).Invoke(t.Context(), event) // it may die
		}
	}
	dying := p.world.Client(1)
	dying.DieAt(call, after)
	mortal := table.Open(dying, p.name)
	_, _ = p.dispatcher(mortal).Invoke(t.Context(), batch(told("INSERT", k, 1))) // it may die
	queued(mortal)
	p.step(outbox.Normal.Net())
	_, _ = p.dispatcher(mortal).Invoke(t.Context(), tick)
	died = dying.Crashed()
	for range 4 { // with processes that live
		p.invoke(p.dispatcher(p.conn), tick)
		queued(p.conn)
		p.step(outbox.Normal.Hold())
	}
	var left outbox.Message
	if err := p.all.Get(t.Context(), k, &left); keyed != errors.Is(err, table.ErrNotFound) || left.Pending != "" || left.Problem != "" {
		t.Errorf("%s: left is %+v (%v)", name, left, err)
	}
	if n := len(carried); n == 0 || n > 2 || n == 2 && (!died || carried[0] == carried[1]) {
		t.Errorf("%s: carried out under %v", name, carried)
	}
	return died
}
