package eventlog_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/record/eventlog"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// slow is a worker that sleeps before one of its calls, while meanwhile happens.
type slow struct {
	dynamodbiface.DynamoDBAPI
	calls, at int
	meanwhile func()
}

func (s *slow) called() {
	if s.calls++; s.calls == s.at {
		s.meanwhile()
	}
}

type options = func(*dynamodb.Options)

func (s *slow) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...options) (*dynamodb.GetItemOutput, error) {
	s.called()
	return s.DynamoDBAPI.GetItem(ctx, in, o...)
}

func (s *slow) Query(ctx context.Context, in *dynamodb.QueryInput, o ...options) (*dynamodb.QueryOutput, error) {
	s.called()
	return s.DynamoDBAPI.Query(ctx, in, o...)
}

func (s *slow) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...options) (*dynamodb.PutItemOutput, error) {
	s.called()
	return s.DynamoDBAPI.PutItem(ctx, in, o...)
}

func (s *slow) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...options) (*dynamodb.UpdateItemOutput, error) {
	s.called()
	return s.DynamoDBAPI.UpdateItem(ctx, in, o...)
}

func (s *slow) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, o ...options) (*dynamodb.BatchWriteItemOutput, error) {
	s.called()
	return s.DynamoDBAPI.BatchWriteItem(ctx, in, o...)
}

// A worker may sleep before any of its calls while others number everything, and further changes come: nothing is numbered twice, and
// nothing is left out.
func TestSleepers(t *testing.T) {
	steps := 0
	for at := 1; ; at++ {
		o := newOffice(t)
		o.change(1, 1, 1)
		sleeper := &slow{DynamoDBAPI: enginetest.Client(t), at: at, meanwhile: func() {
			o.sequenceAll()
			o.now = o.now.Add(time.Second)
			o.change(1, 2, 1)
		}}
		sleeping := eventlog.Of(table.Of(table.Open(sleeper, o.name), 7), func() time.Time { return o.now })
		if _, err := sleeping.Sequence(t.Context()); err != nil {
			t.Fatal(err)
		}
		if sleeper.calls < at {
			break
		}
		steps++
		o.sequenceAll()
		o.read(0, 2, "1: client:1 1", "2: client:1 2")
	}
	if steps < 7 { // the head, the inbox twice, the page, its end, the head, and the inbox that is empty
		t.Errorf("a worker makes %d calls", steps)
	}
}

// Somebody's change becomes visible only after one that follows it was read.
func TestLateInTheInbox(t *testing.T) {
	o := newOffice(t)
	o.now = start.Add(time.Second)
	o.change(1, 2, 1)
	late := &slow{DynamoDBAPI: enginetest.Client(t), at: 3, meanwhile: func() { // the head and the inbox were read
		o.now = start
		o.change(1, 1, 1)
	}}
	if _, err := eventlog.Of(table.Of(table.Open(late, o.name), 7), time.Now).Sequence(t.Context()); err != nil {
		t.Fatal(err)
	}
	o.now = time.Now()
	o.read(0, 2, "1: client:1 1", "2: client:1 2")
}

// A worker may die before and after each of its calls.
func TestDeaths(t *testing.T) {
	for _, after := range []bool{false, true} {
		deaths := 0
		for at := 1; ; at++ {
			o := newOffice(t)
			world := tabletest.NewWorld(enginetest.Client(t), tabletest.Faults{})
			dying := world.Client(1)
			dying.DieAt(at, after)
			o.change(1, 1, 2, "order:5")
			o.now = o.now.Add(time.Second)
			o.change(2, 1, 1)
			_, err := eventlog.Of(table.Of(table.Open(dying, o.name), 7), func() time.Time { return o.now }).Sequence(t.Context())
			if !dying.Crashed() {
				if err != nil {
					t.Fatal(err)
				}
				break
			}
			deaths++
			o.now = o.now.Add(time.Second)
			o.change(1, 2, 1)
			o.sequenceAll()
			o.read(0, 4, "1: client:1 1", "2: client:1 1", "3: client:2 1", "4: client:1 2")
			if entries, err := o.log.Told(t.Context(), "ord", 5, 10); err != nil || fmt.Sprint(len(entries)) != "2" {
				t.Errorf("death %d, %t: %d told, %v", at, after, len(entries), err)
			}
		}
		if deaths < 9 {
			t.Errorf("a worker makes %d calls", deaths)
		}
	}
}

// The first event after a month comes between the calls of a reader who has read everything, and whose last page the table has swept:
// he lacks nothing, and is told.
func TestAfterALongSilence(t *testing.T) {
	for at := 1; at <= 3; at++ {
		o := newOffice(t)
		o.change(1, 1, 1)
		o.sequence(1)
		o.now = o.now.Add(32 * 24 * time.Hour)
		if err := o.tenant.Delete(o.tenant.EventPage(1)).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		reader := &slow{DynamoDBAPI: enginetest.Client(t), at: at, meanwhile: func() {
			o.change(1, 2, 1)
			o.sequence(1)
		}}
		log := eventlog.Of(table.Of(table.Open(reader, o.name), 7), func() time.Time { return o.now })
		if _, _, err := log.Read(t.Context(), 1); err != nil {
			t.Errorf("before call %d: %v", at, err)
		}
		if reader.calls < at {
			o.change(1, 2, 1)
			o.sequence(1)
		}
		o.read(1, 2, "2: client:1 2")
	}
}
