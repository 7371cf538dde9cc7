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
	"github.com/tenantry/tenantry/shared/outbox/queue"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/meter"
)

// told is a record of the stream, as Lambda sends it.
func told(event, pk, sk string, sequence int) string {
	return fmt.Sprintf(`{"eventID":"c4ca4238a0b923820dcc509a6f75849b","eventName":%q,"eventVersion":"1.1",
		"eventSource":"aws:dynamodb","awsRegion":"eu-central-1",
		"dynamodb":{"ApproximateCreationDateTime":1772366400,"Keys":{"pk":{"S":%q},"sk":{"S":%q}},
			"SequenceNumber":"%d00000000000000000000","SizeBytes":58,"StreamViewType":"KEYS_ONLY"},
		"eventSourceARN":"arn:aws:dynamodb:eu-central-1:123456789012:table/t/stream/2026-03-01T12:00:00.000"}`, event, pk, sk, sequence)
}

// queued is a record of a queue, as Lambda sends it.
func queued(body string, n int) string {
	return fmt.Sprintf(`{"messageId":"059f36b4-87a3-44ab-83d2-66197%07d","receiptHandle":"AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a","body":%q,
		"attributes":{"ApproximateReceiveCount":"1","SentTimestamp":"1772366400000","SenderId":"AIDAIENQZJOLO23YVJ4VO",
			"ApproximateFirstReceiveTimestamp":"1772366400001","MessageGroupId":"7"},
		"messageAttributes":{},"md5OfBody":"e4e68fb7bd0e697a0ae8f1bb342846b3","eventSource":"aws:sqs",
		"eventSourceARN":"arn:aws:sqs:eu-central-1:123456789012:normal","awsRegion":"eu-central-1"}`, n, body)
}

func batch(records ...string) []byte {
	return []byte(`{"Records":[` + strings.Join(records, ",") + `]}`)
}

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
		records = append(records, told("INSERT", m.PK, m.SK, i))
	}
	other := o.send("test.count")
	records = append(records, records[:6]...) // duplicates
	records = append(records,
		told("MODIFY", other.PK, other.SK, 90), told("REMOVE", other.PK, other.SK, 91),
		told("INSERT", "T#7#doc", "000000000001", 92), told("INSERT", "T#7#outbox", "outbox#none", 93),
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
		invoke(t, w, batch(told("MODIFY", m.PK, m.SK, 1)))
		invoke(t, w, batch(told("MODIFY", m.PK, m.SK, 2), told("REMOVE", m.PK, m.SK, 3)))
		if done.seen[m.ID] != i+1 {
			t.Errorf("carried out %d times after it was armed %d times", done.seen[m.ID], i+1)
		}
	}
}

// A queue delivers at least once, in any order.
func TestABatchOfAQueue(t *testing.T) {
	o, done := newOffice(t), counter{}
	w := o.worker(o.conn, outbox.Work{"test.count": done.handle})
	one, two := o.send("test.count"), o.send("test.count")
	records := batch(queued(queue.Encode(two.Key()), 1), queued(queue.Encode(one.Key()), 2), queued(queue.Encode(two.Key()), 3))
	for range 2 {
		if answer := invoke(t, w, records); answer != `{"batchItemFailures":[]}` {
			t.Fatal(answer)
		}
	}
	if done.seen[one.ID] != 1 || done.seen[two.ID] != 1 {
		t.Errorf("%v", done.seen)
	}
	for _, body := range []string{"", "{}", `{"pk":"T#7#outbox"}`, "nonsense"} {
		if answer, err := w.Invoke(t.Context(), batch(queued(body, 1))); err == nil {
			t.Errorf("%q: %s", body, answer)
		}
	}
}

// A handler's failure is in the table, and not the stream's or the queue's to repeat; a table
// that can't be asked is.
func TestWhatTheStreamRepeats(t *testing.T) {
	o, done := newOffice(t), counter{}
	work := outbox.Work{
		"test.count": done.handle,
		"test.fail":  func(context.Context, outbox.Message) error { return errors.New("no") },
	}
	good, bad := o.send("test.count"), o.send("test.fail")
	records := batch(told("INSERT", bad.PK, bad.SK, 1), told("INSERT", good.PK, good.SK, 2))
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
	answer = invoke(t, o.worker(table.Open(down, o.name), work), batch(queued(queue.Encode(good.Key()), 1)))
	if answer != `{"batchItemFailures":[{"itemIdentifier":"059f36b4-87a3-44ab-83d2-661970000001"}]}` {
		t.Fatal(answer)
	}
}

// Near the deadline an invocation begins with no message: what there was no time for is left to the sweep.
func TestAnInvocationEndsBeforeItsDeadline(t *testing.T) {
	o := newOffice(t)
	var end time.Time
	w := o.worker(o.conn, outbox.Work{"test.slow": func(context.Context, outbox.Message) error {
		time.Sleep(time.Until(end.Add(-slack)))
		return errors.New("away")
	}})
	one, two := o.send("test.slow"), o.send("test.slow")
	end = time.Now().Add(slack + 2*time.Second)
	ctx, cancel := context.WithDeadline(t.Context(), end)
	defer cancel()
	answer, err := w.Invoke(ctx, batch(told("INSERT", one.PK, one.SK, 1), told("INSERT", two.PK, two.SK, 2)))
	if err != nil || string(answer) != `{"batchItemFailures":[]}` {
		t.Fatalf("%s, %v", answer, err)
	}
	if a, b := o.stored(one), o.stored(two); a.Attempts != 1 || a.Problem != "away" || b.Attempts != 0 || b.Pending == "" {
		t.Errorf("%+v, %+v", a, b)
	}
}

func TestEventsOfOthers(t *testing.T) {
	o := newOffice(t)
	w := o.worker(o.conn, outbox.Work{})
	for _, payload := range []string{`{}`, `[]`, `nonsense`, `{"Records":[{"eventSource":"aws:s3"}]}`, `{"Records":[]}`, `{"source":"aws.events"}`} {
		if answer, err := w.Invoke(t.Context(), []byte(payload)); err == nil {
			t.Errorf("%s: %s", payload, answer)
		}
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
