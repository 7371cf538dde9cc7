// Package dispatch brings the keys of messages to the queues of their lanes. The table's stream gives it those of new messages; and each
// minute it sweeps the index of messages for those that the stream missed, that failed before, or that waited for their time.
//
// What is urgent passes it by: the function urgent reads the stream itself. What the sweep finds of that goes to the normal queue.
//
// What never goes in here: carrying anything out.
package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/queue"
	"github.com/tenantry/tenantry/shared/outbox/stream"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

const (
	parallel = 8                // calls at once
	slack    = 10 * time.Second // an invocation begins nothing this long before its deadline
	// longest is how long a queue holds back a webhook's next attempt: longer than the second pause of its schedule, and shorter than
	// what the alarm of the queue's age waits for.
	longest = 10 * time.Minute
)

// Dispatcher is the function. It is safe for concurrent use, and any number may run at the same time: a key that is sent twice is
// carried out once.
type Dispatcher struct {
	table  crosstenant.Table
	queues Queues
	now    func() time.Time
	log    io.Writer
	stage  string
}

// Queues are the queues of the lanes.
type Queues struct{ Normal, Bulk, Hooks queue.Queue }

// New makes the function from the queues of the lanes.
func New(env app.Env, queues Queues) *Dispatcher {
	return &Dispatcher{
		table: crosstenant.Open(env.Table), queues: queues, now: env.Now, log: env.Log, stage: env.Config.Stage,
	}
}

func (d *Dispatcher) queueOf(lane outbox.Lane) queue.Queue {
	switch lane {
	case outbox.Bulk:
		return d.queues.Bulk
	case outbox.Hooks:
		return d.queues.Hooks
	case outbox.Urgent, outbox.Normal:
	}
	return d.queues.Normal
}

// event is what the function is invoked with: a batch of the stream, or a tick of the schedule.
type event struct {
	Records []events.DynamoDBEventRecord `json:"Records"`
	Source  string                       `json:"source"`
}

const (
	fromStream   = "aws:dynamodb"
	fromSchedule = "aws.events"
)

// Invoke takes an event of the stream or of the schedule. With it, a Dispatcher is a lambda.Handler.
func (d *Dispatcher) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	var e event
	if err := json.Unmarshal(payload, &e); err != nil {
		return nil, fmt.Errorf("dispatch: not an event: %w", err)
	}
	switch {
	case len(e.Records) > 0 && e.Records[0].EventSource == fromStream:
		return json.Marshal(d.batch(ctx, e.Records))
	case e.Source == fromSchedule:
		s := sweep{Dispatcher: d}
		err := s.run(ctx)
		if s.swept {
			d.report(s.sent, s.late)
		}
		if err != nil {
			return nil, err
		}
		return json.Marshal(map[string]int{"sent": s.sent})
	}
	return nil, errors.New("dispatch: an event of neither the stream nor the schedule")
}

// batch sends the keys that a batch of the stream tells of. What no queue took comes again with the stream; what did is not held up by it,
// and does no harm where it comes again too.
func (d *Dispatcher) batch(ctx context.Context, records []events.DynamoDBEventRecord) events.DynamoDBEventResponse {
	entries := d.waiting(ctx, records)
	refused := map[table.Key]bool{}
	for _, lane := range outbox.Lanes() {
		of := slices.DeleteFunc(slices.Clone(entries), func(e queue.Entry) bool { return outbox.LaneOf(e.Key.SK) != lane })
		for some := range slices.Chunk(of, queue.Most) {
			left, err := d.queueOf(lane).Send(ctx, some)
			if err != nil {
				d.complain(err)
				for _, e := range some {
					left = append(left, e.Key)
				}
			}
			for _, k := range left {
				refused[k] = true
			}
		}
	}
	answer := events.DynamoDBEventResponse{BatchItemFailures: []events.DynamoDBBatchItemFailure{}}
	for _, r := range records {
		if k, ok := stream.Key(r); ok && refused[outbox.Together(k)] {
			failure := events.DynamoDBBatchItemFailure{ItemIdentifier: r.Change.SequenceNumber}
			answer.BatchItemFailures = append(answer.BatchItemFailures, failure)
		}
	}
	return answer
}

// waiting lists the messages in some records, each once. The stream tells of every change of a message that has a key of its own, most of
// which are its claims and ends; so these are read, which costs less than a queue and a worker that find nothing to do. What was put off
// waits for the sweep, which brings it up to a minute late, and merges that ask again every few seconds are not to do so more often. But
// webhooks are tried again on time, so their queue holds them back. One that can't be read is sent.
func (d *Dispatcher) waiting(ctx context.Context, records []events.DynamoDBEventRecord) []queue.Entry {
	var keys []table.Key
	for _, r := range records {
		k, ok := stream.Key(r)
		if k = outbox.Together(k); ok && !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	entries, ended := make([]queue.Entry, len(keys)), make([]bool, len(keys))
	var calls errgroup.Group
	calls.SetLimit(parallel)
	for i, k := range keys {
		entries[i].Key = k
		if outbox.IsKeyed(k.SK) {
			calls.Go(func() error {
				within := time.Duration(0)
				if outbox.LaneOf(k.SK) == outbox.Hooks {
					within = longest
				}
				after, waits, err := outbox.WaitsFor(ctx, d.table, k, d.now(), within)
				entries[i].After, ended[i] = after, err == nil && !waits
				return nil
			})
		}
	}
	_ = calls.Wait() // none of them fails
	var left []queue.Entry
	for i, e := range entries {
		if !ended[i] {
			left = append(left, e)
		}
	}
	return left
}

// complain logs an error of something that is tried again. A failure of the log can't be logged.
func (d *Dispatcher) complain(err error) {
	encoded, _ := json.Marshal(map[string]string{"level": "error", "function": "dispatch", "error": err.Error()}) // texts: it can't fail
	_, _ = d.log.Write(append(encoded, '\n'))
}
