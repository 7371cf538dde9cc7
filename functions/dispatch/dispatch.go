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
)

// Dispatcher is the function. It is safe for concurrent use, and any number may run at the same time: a key that is sent twice is
// carried out once.
type Dispatcher struct {
	table        crosstenant.Table
	normal, bulk queue.Queue
	now          func() time.Time
	log          io.Writer
	stage        string
}

// New makes the function from the queues of the lanes.
func New(env app.Env, normal, bulk queue.Queue) *Dispatcher {
	return &Dispatcher{
		table: crosstenant.Open(env.Table), normal: normal, bulk: bulk, now: env.Now, log: env.Log, stage: env.Config.Stage,
	}
}

func (d *Dispatcher) queueOf(lane outbox.Lane) queue.Queue {
	if lane == outbox.Bulk {
		return d.bulk
	}
	return d.normal
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
		answer, err := d.batch(ctx, e.Records)
		if err != nil {
			return nil, err
		}
		return json.Marshal(answer)
	case e.Source == fromSchedule:
		s := sweep{Dispatcher: d}
		if err := s.run(ctx); err != nil {
			return nil, err
		}
		d.report(s.sent, s.late)
		return json.Marshal(map[string]int{"sent": s.sent})
	}
	return nil, errors.New("dispatch: an event of neither the stream nor the schedule")
}

// batch sends the keys that a batch of the stream tells of. What no queue took comes again with the stream, and so does the whole batch
// after an error; what was sent already does no harm.
func (d *Dispatcher) batch(ctx context.Context, records []events.DynamoDBEventRecord) (events.DynamoDBEventResponse, error) {
	var none events.DynamoDBEventResponse
	keys, err := d.waiting(ctx, records)
	if err != nil {
		return none, err
	}
	refused := map[table.Key]bool{}
	for _, lane := range outbox.Lanes() {
		of := slices.DeleteFunc(slices.Clone(keys), func(k table.Key) bool { return outbox.LaneOf(k.SK) != lane })
		for some := range slices.Chunk(of, queue.Most) {
			left, err := d.queueOf(lane).Send(ctx, some)
			if err != nil {
				return none, fmt.Errorf("dispatch: %w", err)
			}
			for _, k := range left {
				refused[k] = true
			}
		}
	}
	answer := events.DynamoDBEventResponse{BatchItemFailures: []events.DynamoDBBatchItemFailure{}}
	for _, r := range records {
		if k, ok := stream.Key(r); ok && refused[k] {
			failure := events.DynamoDBBatchItemFailure{ItemIdentifier: r.Change.SequenceNumber}
			answer.BatchItemFailures = append(answer.BatchItemFailures, failure)
		}
	}
	return answer, nil
}

// waiting lists the keys of the messages in some records, each once. The stream tells of every change of a message that has a key of its
// own, most of which are its claims and ends. So such a message is read here, which costs less than sending its key to a worker that finds
// nothing to do.
func (d *Dispatcher) waiting(ctx context.Context, records []events.DynamoDBEventRecord) ([]table.Key, error) {
	var keys []table.Key
	for _, r := range records {
		if k, ok := stream.Key(r); ok && !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	ended := make([]bool, len(keys))
	calls, ctx := errgroup.WithContext(ctx)
	calls.SetLimit(parallel)
	for i, k := range keys {
		if outbox.IsKeyed(k.SK) {
			calls.Go(func() error {
				waits, err := outbox.Waits(ctx, d.table, k, d.now())
				ended[i] = !waits
				return err
			})
		}
	}
	if err := calls.Wait(); err != nil {
		return nil, fmt.Errorf("dispatch: %w", err)
	}
	var left []table.Key
	for i, k := range keys {
		if !ended[i] {
			left = append(left, k)
		}
	}
	return left, nil
}
