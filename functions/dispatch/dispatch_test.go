package dispatch

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// Each key goes to the queue of its lane, once, however often the stream tells of it.
func TestABatchOfTheStream(t *testing.T) {
	o := newOffice(t)
	d := o.dispatcher(o.conn)
	var normal, bulk []outbox.Message
	var batch []string
	for i := range 12 {
		n, b := o.write(profile, 0), o.write(rebuild, 0)
		normal, bulk = append(normal, n), append(bulk, b)
		batch = append(batch, told("INSERT", n.Key(), 2*i), told("INSERT", b.Key(), 2*i+1))
	}
	other := o.write(profile, 0)
	batch = append(batch, batch[:7]...)
	batch = append(batch,
		told("MODIFY", other.Key(), 90), told("REMOVE", other.Key(), 91), told("INSERT", table.Key{PK: "T#7#doc", SK: "000000000001"}, 92),
		`{"eventName":"INSERT","eventSource":"aws:dynamodb","dynamodb":{"Keys":{"pk":{"N":"1"}},"SequenceNumber":"93"}}`,
	)
	o.invoke(d, records(batch...), nothing)
	o.normal.has(normal...)
	o.bulk.has(bulk...)
	if l := o.lines(); len(l) > 0 {
		t.Errorf("log: %v", l)
	}
}

// A message with a key is sent if it waits; one of a webhook that was put off for some minutes is held back for as long. The stream tells
// of its claim, its end and its pauses, too.
func TestWhatIsArmed(t *testing.T) {
	o := newOffice(t)
	d := o.dispatcher(o.conn)
	waits, again, claimed, paused, ended := o.arm(fold, "1"), o.arm(fold, "2"), o.arm(fold, "3"), o.arm(fold, "4"), o.arm(fold, "5")
	soon, late := o.arm(outbox.Deliver, "1"), o.arm(outbox.Deliver, "2")
	claim := func(m outbox.Message) outbox.Message {
		t.Helper()
		c, ok, err := outbox.Claim(t.Context(), o.all, m.Key(), o.Now(), time.Minute)
		if err != nil || !ok {
			t.Fatalf("%t, %v", ok, err)
		}
		return c
	}
	held := func(ok bool, err error) {
		t.Helper()
		if err != nil || !ok {
			t.Fatalf("%t, %v", ok, err)
		}
	}
	claim(again)
	o.arm(fold, "2")
	claim(claimed)
	held(outbox.Again(t.Context(), o.all, claim(paused), o.Now(), errors.New("away")))
	held(outbox.Done(t.Context(), o.all, claim(ended), o.Now(), nil))
	held(outbox.PutOff(t.Context(), o.all, claim(soon), o.Now(), outbox.Later{Until: o.Now().Add(longest)}))
	held(outbox.PutOff(t.Context(), o.all, claim(late), o.Now(), outbox.Later{Until: o.Now().Add(longest + time.Second)}))
	var batch []string
	for i, m := range []outbox.Message{waits, again, claimed, paused, ended, soon, late} {
		batch = append(batch, told("INSERT", m.Key(), 2*i), told("MODIFY", m.Key(), 2*i+1))
	}
	o.invoke(d, records(batch...), nothing)
	o.normal.has(waits, again)
	o.hooks.has(soon)
	if s, _ := o.stored(soon); len(o.hooks.held) != 1 || outbox.DueKey(o.Now().Add(o.hooks.held[soon.Key()])) != s.Due {
		t.Errorf("held back: %v, due at %s", o.hooks.held, s.Due)
	}
	o.bulk.has()
}

// What a queue refuses comes again with the stream, by each of its records, and nothing else does.
func TestARefusedKey(t *testing.T) {
	o := newOffice(t)
	d := o.dispatcher(o.conn)
	one, two, three := o.write(profile, 0), o.write(profile, 0), o.write(rebuild, 0)
	o.normal.refuse = []table.Key{two.Key()}
	batch := records(
		told("INSERT", one.Key(), 1), told("INSERT", two.Key(), 2), told("INSERT", three.Key(), 3), told("INSERT", two.Key(), 4),
	)
	o.invoke(d, batch, `{"batchItemFailures":[{"itemIdentifier":"2"},{"itemIdentifier":"4"}]}`)
	o.normal.has(one)
	o.bulk.has(three)
}

// A queue that is away holds up no other lane: the stream brings again what it didn't take. A message that can't be read is sent all the
// same, because a worker reads it anyway.
func TestABatchWhereSomethingIsAway(t *testing.T) {
	o := newOffice(t)
	normal, bulk, keyed := o.write(profile, 0), o.write(rebuild, 0), o.arm(fold, "1")
	batch := records(told("INSERT", normal.Key(), 1), told("INSERT", bulk.Key(), 2), told("INSERT", keyed.Key(), 3))
	o.bulk.before = func() error { return errors.New("the queue is away") }
	o.invoke(o.dispatcher(o.conn), batch, `{"batchItemFailures":[{"itemIdentifier":"2"}]}`)
	o.normal.has(normal, keyed)
	o.bulk.has()
	if l := o.lines(); len(l) != 1 || l[0]["level"] != "error" || l[0]["error"] != "the queue is away" {
		t.Errorf("log: %v", l)
	}
	o.bulk.before, o.normal.before = nil, func() error { return errors.New("the queue is away") }
	o.invoke(o.dispatcher(o.conn), batch, `{"batchItemFailures":[{"itemIdentifier":"1"},{"itemIdentifier":"3"}]}`)
	o.normal.has()
	o.bulk.has(bulk)
	o.normal.before = nil
	down := o.world.Client(1)
	down.Crash()
	o.invoke(o.dispatcher(table.Open(down, o.name)), batch, nothing)
	o.normal.has(normal, keyed)
	o.bulk.has(bulk)
}

func TestEventsOfOthers(t *testing.T) {
	o := newOffice(t)
	d := o.dispatcher(o.conn)
	for _, payload := range []string{
		`{}`, `[]`, `nonsense`, `{"Records":[]}`, `{"Records":[{"eventSource":"aws:sqs","body":"{}"}]}`, `{"source":"aws.s3"}`,
	} {
		if answer, err := d.Invoke(t.Context(), []byte(payload)); err == nil {
			t.Errorf("%s: %s", payload, answer)
		}
	}
}

// The sweep sends what stands in the index for it, of each lane, and nothing twice until it has had its time in the queue.
func TestASweep(t *testing.T) {
	o := newOffice(t)
	d := o.dispatcher(o.conn)
	first := []outbox.Message{o.write(code, 0), o.write(profile, 0), o.arm(fold, "1"), o.write(rebuild, 0)}
	later := o.write(profile, time.Hour)
	o.invoke(d, []byte(tick), sent(0)) // the stream has its time
	o.step(outbox.Urgent.Net())
	o.invoke(d, []byte(tick), sent(1))
	o.normal.has(first[0])
	o.step(outbox.Normal.Net() - outbox.Urgent.Net())
	o.invoke(d, []byte(tick), sent(4)) // the urgent one might be too late after the next sweep
	o.normal.has(first[0], first[1], first[2])
	o.bulk.has(first[3])
	for i, lane := range []outbox.Lane{outbox.Normal, outbox.Normal, outbox.Bulk} {
		if s, _ := o.stored(first[i+1]); s.Swept != outbox.DueKey(o.Now().Add(lane.Hold())) || s.Attempts != 0 || s.Claim != "" {
			t.Errorf("%s: %+v", lane, s)
		}
	}
	o.invoke(d, []byte(tick), sent(0))
	o.step(outbox.Urgent.Hold())
	o.invoke(d, []byte(tick), sent(1)) // nobody came to the urgent one
	o.normal.has(first[0])
	end(t, o, first[0])
	o.step(outbox.Normal.Hold())
	o.invoke(d, []byte(tick), sent(2))
	o.normal.has(first[1], first[2])
	end(t, o, first[1])
	end(t, o, first[2])
	o.step(outbox.Bulk.Hold())
	o.invoke(d, []byte(tick), sent(2)) // the one that waited for its time, too
	o.normal.has(later)
	o.bulk.has(first[3])
	end(t, o, later)
	end(t, o, first[3])
	o.step(24 * time.Hour)
	o.invoke(d, []byte(tick), sent(0))
}

// end carries a message out.
func end(t *testing.T, o *office, m outbox.Message) {
	t.Helper()
	c, ok, err := outbox.Claim(t.Context(), o.all, m.Key(), o.Now(), time.Minute)
	if err == nil && ok {
		ok, err = outbox.Done(t.Context(), o.all, c, o.Now(), nil)
	}
	if err != nil || !ok {
		t.Fatalf("%t, %v", ok, err)
	}
}

// Very many go in batches, those of all partitions.
func TestASweepOfMany(t *testing.T) {
	o := newOffice(t)
	var all []outbox.Message
	for range 45 {
		all = append(all, o.write(profile, 0))
	}
	o.step(outbox.Normal.Net())
	o.invoke(o.dispatcher(o.conn), []byte(tick), sent(len(all)))
	o.normal.has(all...)
	o.invoke(o.dispatcher(o.conn), []byte(tick), sent(0))
}

// A message of the release before is sent, too. It can't be put off, because its time in the index is when it is due.
func TestAMessageOfTheReleaseBefore(t *testing.T) {
	o := newOffice(t)
	m := o.write(profile, 0)
	m.V, m.Pending, m.Swept = 1, "pending#3", outbox.DueKey(o.Now())
	if err := o.all.Put(m).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		o.invoke(o.dispatcher(o.conn), []byte(tick), sent(1))
		o.normal.has(m)
	}
	end(t, o, m)
	o.invoke(o.dispatcher(o.conn), []byte(tick), sent(0))
}

// What a queue refuses is not put off, so the next sweep sends it.
func TestASweepThatIsRefused(t *testing.T) {
	o := newOffice(t)
	one, two := o.write(profile, 0), o.write(profile, 0)
	o.normal.refuse = []table.Key{two.Key()}
	o.step(outbox.Normal.Net())
	o.invoke(o.dispatcher(o.conn), []byte(tick), sent(1))
	o.normal.has(one)
	o.normal.refuse = nil
	o.invoke(o.dispatcher(o.conn), []byte(tick), sent(1))
	o.normal.has(two)
}

// Each sweep that came to its end says for how long the latest message has waited for it, and one that failed says nothing.
func TestTheDelayIsReported(t *testing.T) {
	o := newOffice(t)
	delays := func(want ...float64) {
		t.Helper()
		lines := o.lines()
		if len(lines) != len(want) {
			t.Fatalf("log: %v, want delays %v", lines, want)
		}
		for i, l := range lines {
			metrics, _ := l["_aws"].(map[string]any)
			got := encode(t, metrics["CloudWatchMetrics"])
			const of = `[{"Dimensions":[["Stage"]],"Metrics":[{"Name":"OutboxDelay","Unit":"Seconds"}],"Namespace":"Tenantry"}]`
			if l["OutboxDelay"] != want[i] || l["Stage"] != "test" || l["level"] != "info" || got != of {
				t.Errorf("%v counts %s; want %v s", l, got, want[i])
			}
		}
	}
	o.invoke(o.dispatcher(o.conn), []byte(tick), sent(0))
	delays(0)
	urgent := o.write(code, 0)
	o.write(rebuild, 0)
	o.step(outbox.Bulk.Net() + 30*time.Second)
	away := errors.New("the queue is away")
	o.bulk.before = func() error { return away }
	if answer, err := o.dispatcher(o.conn).Invoke(t.Context(), []byte(tick)); !errors.Is(err, away) {
		t.Errorf("%s, %v", answer, err)
	}
	down := o.world.Client(1)
	down.Crash()
	if answer, err := o.dispatcher(table.Open(down, o.name)).Invoke(t.Context(), []byte(tick)); !errors.Is(err, tabletest.ErrCrashed) {
		t.Errorf("%s, %v", answer, err)
	}
	o.normal.has(urgent) // which what fails elsewhere has not held up
	delays(110)
	o.bulk.before = nil
	o.step(time.Second)
	o.invoke(o.dispatcher(o.conn), []byte(tick), sent(1)) // the urgent one was put off
	delays(31)
	o.invoke(o.dispatcher(o.conn), []byte(tick), sent(0))
	delays(0)
}

// A sweep begins nothing shortly before its deadline. Then it says for how long what it leaves has waited, and the next one goes on.
func TestASweepEndsBeforeItsDeadline(t *testing.T) {
	o := newOffice(t)
	var all []outbox.Message
	for range 15 {
		all = append(all, o.write(profile, 0))
	}
	o.step(outbox.Normal.Net() + time.Minute)
	short, cancel := context.WithTimeout(t.Context(), slack)
	defer cancel()
	answer, err := o.dispatcher(o.conn).Invoke(short, []byte(tick))
	if err != nil || string(answer) != sent(0) || short.Err() != nil {
		t.Fatalf("%s, %v", answer, err)
	}
	o.normal.has()
	if l := o.lines(); len(l) != 1 || l[0]["OutboxDelay"] != 60.0 {
		t.Errorf("log: %v", l)
	}
	o.invoke(o.dispatcher(o.conn), []byte(tick), sent(len(all)))
	o.normal.has(all...)
}
