package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tenantry/tenantry/infra/local/world"
)

// rounds is how often messages may lead to further messages.
const rounds = 5

// carryOut has the worker carry out what an event has left in the outbox, as the table's stream would. It fails if the worker's role does
// not allow what the worker did.
func (s *stage) carryOut(ctx context.Context, of string) error {
	seen := map[world.Message]bool{}
	for round := 0; ; round++ {
		found, err := s.NewMessages(ctx)
		if err != nil {
			return err
		}
		var batch events.DynamoDBEvent
		for _, m := range found {
			if !seen[m] {
				batch.Records = append(batch.Records, inserted(m, len(batch.Records)))
			}
			seen[m] = true
		}
		if len(batch.Records) == 0 {
			return s.denied()
		}
		if round == rounds {
			return fmt.Errorf("the messages of %s lead to others without end", of)
		}
		payload, err := json.Marshal(batch)
		if err != nil {
			return err
		}
		s.judge.Event("the messages of " + of)
		if _, err := s.invoke(ctx, "worker", payload); err != nil {
			return err
		}
	}
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
