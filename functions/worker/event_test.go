package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/smithy-go"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/meter"
)

// record is a record of the stream, as Lambda sends it.
func record(event, pk, sk string, sequence int) string {
	return fmt.Sprintf(`{"eventID":"c4ca4238a0b923820dcc509a6f75849b","eventName":%q,"eventVersion":"1.1",
		"eventSource":"aws:dynamodb","awsRegion":"eu-central-1",
		"dynamodb":{"ApproximateCreationDateTime":1772366400,"Keys":{"pk":{"S":%q},"sk":{"S":%q}},
			"SequenceNumber":"%d00000000000000000000","SizeBytes":58,"StreamViewType":"KEYS_ONLY"},
		"eventSourceARN":"arn:aws:dynamodb:eu-central-1:123456789012:table/t/stream/2026-03-01T12:00:00.000"}`, event, pk, sk, sequence)
}

func batch(records ...string) []byte {
	return []byte(`{"Records":[` + strings.Join(records, ",") + `]}`)
}

const tick = `{"version":"0","id":"53dc4d37-cffa-4f76-80c9-8b7d4a4d2eaa","detail-type":"Scheduled Event","source":"aws.events",
	"account":"123456789012","time":"2026-03-01T12:00:00Z","region":"eu-central-1",
	"resources":["arn:aws:events:eu-central-1:123456789012:rule/sweep"],"detail":{}}`

func invoke(t *testing.T, w *Worker, payload []byte) string {
	t.Helper()
	answer, err := w.Invoke(t.Context(), payload)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

func TestABatchOfTheStream(t *testing.T) {
	o, done := newOffice(t), counter{}
	w := o.worker(o.conn, outbox.Work{"test.count": done.handle})
	var messages []outbox.Message
	var records []string
	for i := range 12 {
		m := o.send("test.count")
		messages = append(messages, m)
		records = append(records, record("INSERT", m.PK, m.SK, i))
	}
	other := o.send("test.count")
	records = append(records, records[:6]...) // duplicates
	records = append(records,
		record("MODIFY", other.PK, other.SK, 90), record("REMOVE", other.PK, other.SK, 91),
		record("INSERT", "T#7#doc", "000000000001", 92), record("INSERT", "T#7#outbox", "outbox#none", 93),
		`{"eventName":"INSERT","eventSource":"aws:dynamodb","dynamodb":{"Keys":{"pk":{"N":"1"}},"SequenceNumber":"94"}}`,
	)
	if answer := invoke(t, w, batch(records...)); answer != `{"batchItemFailures":[]}` {
		t.Fatal(answer)
	}
	invoke(t, w, batch(records...)) // the whole batch again
	for _, m := range messages {
		if done.seen[m.ID] != 1 {
			t.Errorf("%s carried out %d times", m.ID, done.seen[m.ID])
		}
	}
	if done.seen[other.ID] != 0 {
		t.Error("what is no new message was delivered")
	}
}

// A message with a key that is armed again is no new item: the stream tells of its
// change. It tells of the claim and the end of one, too, and finds nothing due.
func TestTheStreamTellsOfWhatIsArmedAgain(t *testing.T) {
	o, done := newOffice(t), counter{}
	w := o.worker(o.conn, outbox.Work{"test.count": done.handle})
	company := table.Of(o.conn, 7)
	arm := func() outbox.Message {
		m := outbox.NewKeyed(company.Message, "test.count", "15", o.Now())
		if err := company.Write(t.Context(), func(tx *table.Tx, _ int) error {
			outbox.Arm(tx, company, m)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return m
	}
	for i := range 3 {
		m := arm()
		invoke(t, w, batch(record("MODIFY", m.PK, m.SK, 1)))
		invoke(t, w, batch(record("MODIFY", m.PK, m.SK, 2), record("REMOVE", m.PK, m.SK, 3)))
		if done.seen[m.ID] != i+1 {
			t.Errorf("carried out %d times after it was armed %d times", done.seen[m.ID], i+1)
		}
	}
}

// What the stream lost, the sweep finds.
func TestTheSweepFindsWhatTheStreamLost(t *testing.T) {
	o, done := newOffice(t), counter{}
	w := o.worker(o.conn, outbox.Work{"test.count": done.handle})
	lost, told := o.send("test.count"), o.send("test.count")
	invoke(t, w, batch(record("INSERT", told.PK, told.SK, 1)))
	if answer := invoke(t, w, []byte(tick)); answer != `{"delivered":1}` {
		t.Fatal(answer)
	}
	if answer := invoke(t, w, []byte(tick)); answer != `{"delivered":0}` {
		t.Fatal(answer)
	}
	if done.seen[lost.ID] != 1 || done.seen[told.ID] != 1 {
		t.Fatalf("%v", done.seen)
	}
}

// A handler's failure is in the table, and not the stream's to repeat; a table
// that can't be asked is.
func TestWhatTheStreamRepeats(t *testing.T) {
	o, done := newOffice(t), counter{}
	work := outbox.Work{
		"test.count": done.handle,
		"test.fail":  func(context.Context, outbox.Message) error { return errors.New("no") },
	}
	good, bad := o.send("test.count"), o.send("test.fail")
	records := batch(record("INSERT", bad.PK, bad.SK, 1), record("INSERT", good.PK, good.SK, 2))
	down := o.world.Client(1)
	down.Crash()
	answer := invoke(t, o.worker(table.Open(down, o.name), work), records)
	if answer != `{"batchItemFailures":[{"itemIdentifier":"100000000000000000000"},{"itemIdentifier":"200000000000000000000"}]}` {
		t.Fatal(answer)
	}
	if answer := invoke(t, o.worker(o.conn, work), records); answer != `{"batchItemFailures":[]}` {
		t.Fatal(answer)
	}
	if s := o.stored(bad); s.Problem != "no" || s.Attempts != 1 {
		t.Fatalf("%+v", s)
	}
	if _, err := o.worker(table.Open(down, o.name), work).Invoke(t.Context(), []byte(tick)); err == nil {
		t.Fatal("a sweep without a table says that all is well")
	}
}

// Near the deadline a batch takes no more messages: what was begun is ended, and
// the rest is left to the sweep, not to the stream.
func TestABatchEndsBeforeItsDeadline(t *testing.T) {
	o, begun := newOffice(t), make(chan string, 100)
	w := o.worker(o.conn, outbox.Work{"test.slow": func(ctx context.Context, m outbox.Message) error {
		begun <- m.ID
		<-ctx.Done() // as a provider that doesn't answer
		return ctx.Err()
	}})
	var messages []outbox.Message
	var records []string
	for i := range parallel + 4 {
		messages = append(messages, o.send("test.slow"))
		records = append(records, record("INSERT", messages[i].PK, messages[i].SK, i))
	}
	ctx, cancel := context.WithTimeout(t.Context(), slack+3*time.Second)
	defer cancel()
	answer, err := w.Invoke(ctx, batch(records...))
	if err != nil || string(answer) != `{"batchItemFailures":[]}` || ctx.Err() != nil {
		t.Fatalf("%s, %v, %v", answer, err, ctx.Err())
	}
	if len(begun) != parallel {
		t.Errorf("%d messages were begun, want %d", len(begun), parallel)
	}
	for i, m := range messages {
		want := map[bool]int{true: 1}[i < parallel]
		if s := o.stored(m); s.Attempts != want || (s.Problem != "") != (want == 1) || s.Pending == "" {
			t.Errorf("message %d: %+v", i, s)
		}
	}
	o.step(time.Minute)
	done := counter{}
	if n := o.sweep(o.worker(o.conn, outbox.Work{"test.slow": done.handle})); n != len(messages) {
		t.Errorf("the sweep found %d of %d", n, len(messages))
	}
}

func TestEventsOfOthers(t *testing.T) {
	o := newOffice(t)
	w := o.worker(o.conn, outbox.Work{})
	for _, payload := range []string{`{}`, `[]`, `nonsense`, `{"Records":[{"eventSource":"aws:sqs"}]}`, `{"source":"aws.s3"}`} {
		if answer, err := w.Invoke(t.Context(), []byte(payload)); err == nil {
			t.Errorf("%s: %s", payload, answer)
		}
	}
}

// Each tick tells for how long the oldest message had been due, even if there was none: its absence tells that the sweep
// has stopped. A sweep that failed tells nothing.
func TestASweepTellsHowLateItIs(t *testing.T) {
	o, done := newOffice(t), counter{}
	w := o.worker(o.conn, outbox.Work{"test.count": done.handle})
	swept := func() map[string]any {
		t.Helper()
		invoke(t, w, []byte(tick))
		lines := o.lines()
		return lines[len(lines)-1]
	}
	for _, c := range []struct {
		name  string
		delay time.Duration
		sent  bool
	}{{"nothing waits", 0, false}, {"one has waited", 90 * time.Second, true}, {"and no longer", 0, false}} {
		if c.sent {
			o.send("test.count")
		}
		o.step(c.delay)
		line := swept()
		metrics, err := json.Marshal(line["_aws"].(map[string]any)["CloudWatchMetrics"])
		if want := `[{"Dimensions":[["Stage"]],"Metrics":[{"Name":"OutboxDelay","Unit":"Seconds"}],"Namespace":"Tenantry"}]`; string(metrics) != want ||
			err != nil || line["OutboxDelay"] != c.delay.Seconds() || line["Stage"] != "test" || line["result"] != "swept" {
			t.Errorf("%s: %v", c.name, line)
		}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Invoke(over, []byte(tick)); err == nil || len(o.lines()) > 0 {
		t.Errorf("a sweep that failed says that it swept: %v", err)
	}
}

// Calls of KMS are counted by the kind of the message, and a metric of the stage.
func TestCallsOfKMS(t *testing.T) {
	o := newOffice(t)
	w := o.worker(o.conn, outbox.Work{"test.code": func(ctx context.Context, _ outbox.Message) error {
		meter.From(ctx).Add(meter.Usage{KMSCalls: 2})
		return nil
	}})
	o.send("test.code")
	o.sweep(w)
	line := o.lines()[0]
	metrics, err := json.Marshal(line["_aws"].(map[string]any)["CloudWatchMetrics"])
	const want = `[{"Dimensions":[["Stage"]],"Metrics":[{"Name":"KmsCalls"}],"Namespace":"Tenantry"}]`
	if string(metrics) != want || err != nil || line["KmsCalls"] != 2.0 || line["kind"] != "test.code" {
		t.Errorf("%v", line)
	}
}

// Whose failure failed an attempt is a metric of its own, beside that of the outbox.
func TestServiceFailures(t *testing.T) {
	o := newOffice(t)
	w := o.worker(o.conn, outbox.Work{"test.mail": func(context.Context, outbox.Message) error {
		return fmt.Errorf("mail: %w", &smithy.OperationError{ServiceID: "SESv2", OperationName: "SendEmail", Err: errors.New("refused")})
	}})
	o.send("test.mail")
	o.sweep(w)
	line := o.lines()[0]
	metrics, err := json.Marshal(line["_aws"].(map[string]any)["CloudWatchMetrics"])
	const want = `[{"Dimensions":[["Stage"]],"Metrics":[{"Name":"OutboxFailedAttempts"}],"Namespace":"Tenantry"},` +
		`{"Dimensions":[["Stage","Service"]],"Metrics":[{"Name":"ServiceFailures"}],"Namespace":"Tenantry"}]`
	if string(metrics) != want || err != nil || line["Service"] != "SESv2" || line["ServiceFailures"] != 1.0 {
		t.Errorf("%v", line)
	}
}
