package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
)

// event is what the function is invoked with: a batch of the stream, or a tick of the schedule.
type event struct {
	Records []events.DynamoDBEventRecord `json:"Records"`
	Source  string                       `json:"source"`
}

const (
	fromStream   = "aws:dynamodb"
	fromSchedule = "aws.events"
)

// Invoke takes an event of the stream or of the schedule. With it, a Worker is a lambda.Handler.
func (w *Worker) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	var e event
	if err := json.Unmarshal(payload, &e); err != nil {
		return nil, fmt.Errorf("worker: not an event: %w", err)
	}
	switch {
	case len(e.Records) > 0 && e.Records[0].EventSource == fromStream:
		return json.Marshal(w.batch(ctx, e.Records))
	case e.Source == fromSchedule:
		delivered, delay, err := w.sweep(ctx)
		if err != nil {
			return nil, err
		}
		w.reportSweep(delivered, delay)
		return json.Marshal(map[string]int{"delivered": delivered})
	}
	return nil, errors.New("worker: an event of neither the stream nor the schedule")
}

// batch delivers the messages that a batch of the stream names. If a message can't be claimed,
// or its result can't be recorded, the stream repeats its record and all later ones; claims
// make the repetition harmless. A message whose handler failed is not repeated by the stream:
// it waits in the table for the sweep, and so does a message for which there was no time.
func (w *Worker) batch(ctx context.Context, records []events.DynamoDBEventRecord) events.DynamoDBEventResponse {
	failed := make([]bool, len(records))
	c := newCrew(ctx)
	defer c.cancel()
	for i, r := range records {
		k, ok := keyOf(r)
		if !ok {
			continue
		}
		if !c.take(func() {
			_, err := w.Deliver(ctx, k)
			failed[i] = err != nil
		}) {
			break
		}
	}
	c.wait.Wait()
	answer := events.DynamoDBEventResponse{BatchItemFailures: []events.DynamoDBBatchItemFailure{}}
	for i, r := range records {
		if failed[i] {
			failure := events.DynamoDBBatchItemFailure{ItemIdentifier: r.Change.SequenceNumber}
			answer.BatchItemFailures = append(answer.BatchItemFailures, failure)
		}
	}
	return answer
}

// keyOf returns the key of a new message, or of a changed message that has a key of its own
// (outbox.KeyedPrefix), because it may have been scheduled again. The template's filter lets
// nothing else through; any other record is ignored.
func keyOf(r events.DynamoDBEventRecord) (table.Key, bool) {
	pk, sk := r.Change.Keys["pk"], r.Change.Keys["sk"]
	if pk.DataType() != events.DataTypeString || sk.DataType() != events.DataTypeString {
		return table.Key{}, false
	}
	prefix := map[string]string{
		string(events.DynamoDBOperationTypeInsert): "outbox#", string(events.DynamoDBOperationTypeModify): outbox.KeyedPrefix,
	}[r.EventName]
	if prefix == "" || !strings.HasPrefix(sk.String(), prefix) {
		return table.Key{}, false
	}
	return table.Key{PK: pk.String(), SK: sk.String()}, true
}
