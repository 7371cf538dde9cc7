package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tenantry/tenantry/shared/outbox/queue"
	"github.com/tenantry/tenantry/shared/outbox/stream"
	"github.com/tenantry/tenantry/shared/table"
)

// record is one of a queue or of the stream.
type record struct {
	events.DynamoDBEventRecord

	MessageID string `json:"messageId"`
	Body      string `json:"body"`
}

const (
	fromStream = "aws:dynamodb"
	fromQueue  = "aws:sqs"
)

// failures are the records that are to come again; the two kinds of events have one form for them.
type failures struct {
	Items []failure `json:"batchItemFailures"`
}

type failure struct {
	ID string `json:"itemIdentifier"`
}

// Invoke carries out the messages whose keys an event of a queue or of the stream brings, one after the other: the template has
// batches of one, so that a message which ends the process takes no other with it. With it, a Worker is a lambda.Handler. If a message
// can't be claimed, or its result can't be recorded, its record comes again; claims make the repetition harmless. A message whose
// handler failed does not: it waits in the table for the sweep, and so does a message for which there was no time.
func (w *Worker) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	var event struct{ Records []record }
	if err := json.Unmarshal(payload, &event); err != nil {
		return nil, fmt.Errorf("worker: not an event: %w", err)
	}
	if len(event.Records) == 0 {
		return nil, errors.New("worker: an event without records")
	}
	answer := failures{Items: []failure{}}
	for _, r := range event.Records {
		k, ok, err := r.key()
		switch {
		case err != nil:
			return nil, err
		case !ok || overdue(ctx):
			continue
		}
		if _, err := w.Deliver(ctx, k); err != nil {
			answer.Items = append(answer.Items, failure{r.id()})
		}
	}
	return json.Marshal(answer)
}

// overdue tells whether an invocation begins no more.
func overdue(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ok && time.Until(deadline) < slack //nolint:forbidigo // the deadline is of the real clock
}

// key returns the key of the message that a record brings. ok is false if the record is about something else.
func (r record) key() (k table.Key, ok bool, err error) {
	switch r.EventSource {
	case fromStream:
		k, ok = stream.Key(r.DynamoDBEventRecord)
		return k, ok, nil
	case fromQueue:
		k, err = queue.Decode(r.Body)
		return k, err == nil, err
	}
	return table.Key{}, false, fmt.Errorf("worker: a record of %q", r.EventSource)
}

func (r record) id() string {
	if r.EventSource == fromQueue {
		return r.MessageID
	}
	return r.Change.SequenceNumber
}
