package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tenantry/tenantry/infra/local/world"
	"github.com/tenantry/tenantry/shared/outbox"
)

// rounds is how often messages may lead to further messages.
const rounds = 5

// carryOut has carried out what an event has left in the outbox, by the way that messages take on AWS: the table's stream tells urgent
// and dispatch of them, and worker, bulk and deliver take from the queues what dispatch has sent. It fails if a role doesn't allow what its
// function did.
func (s *stage) carryOut(ctx context.Context, of string) error {
	seen := map[world.Message]bool{}
	for round := 0; ; round++ {
		found, err := s.NewMessages(ctx)
		if err != nil {
			return err
		}
		told := map[string][]events.DynamoDBEventRecord{} // by function
		for _, m := range found {
			function := "dispatch"
			if outbox.LaneOf(m.SK) == outbox.Urgent {
				function = "urgent"
			}
			if !seen[m] {
				told[function] = append(told[function], inserted(m, len(told[function])))
			}
			seen[m] = true
		}
		switch queued := len(s.queues.Sent()) > s.taken; { // which the event itself has sent, if it is dispatch's
		case len(told) == 0 && !queued:
			return s.denied()
		case round == rounds:
			return fmt.Errorf("the messages of %s lead to others without end", of)
		}
		s.judge.Event("the messages of " + of)
		for function, records := range told {
			if err := s.bring(ctx, function, events.DynamoDBEvent{Records: records}); err != nil {
				return err
			}
		}
		if err := s.takeQueued(ctx); err != nil {
			return err
		}
	}
}

// takeQueued brings what waits in the queues to the functions that take it out.
func (s *stage) takeQueued(ctx context.Context) error {
	all := s.queues.Sent()
	for _, m := range all[s.taken:] {
		function := "worker"
		switch {
		case strings.HasSuffix(m.Queue, "/BulkQueue"):
			function = "bulk"
		case strings.HasSuffix(m.Queue, "/HooksQueue"):
			function = "deliver"
		}
		if err := s.bring(ctx, function, events.SQSEvent{Records: []events.SQSMessage{{
			MessageId: m.ID, Body: m.Body, EventSource: "aws:sqs", Attributes: map[string]string{"MessageGroupId": m.Group},
		}}}); err != nil {
			return err
		}
	}
	s.taken = len(all)
	return nil
}

// bring invokes a function, and fails if it wants a record once more.
func (s *stage) bring(ctx context.Context, function string, event any) error {
	payload, err := json.Marshal(event)
	if err != nil {
		return err
	}
	answer, err := s.invoke(ctx, function, payload)
	if err == nil && string(answer) != `{"batchItemFailures":[]}` {
		err = errors.Join(s.denied(), fmt.Errorf("%s answers %s", function, answer))
	}
	return err
}

// inserted is what the stream says of a message.
func inserted(m world.Message, n int) events.DynamoDBEventRecord {
	return events.DynamoDBEventRecord{
		EventID: fmt.Sprintf("%032d", n+1), EventName: "INSERT", EventVersion: "1.1", EventSource: "aws:dynamodb",
		Change: events.DynamoDBStreamRecord{
			Keys: map[string]events.DynamoDBAttributeValue{
				"pk": events.NewStringAttribute(m.PK), "sk": events.NewStringAttribute(m.SK),
			},
			SequenceNumber: fmt.Sprintf("%024d", n+1), StreamViewType: "KEYS_ONLY",
		},
	}
}
