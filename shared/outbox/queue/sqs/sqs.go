// Package sqs has keys of messages wait in a standard queue of Amazon SQS. Only the function dispatch links it.
package sqs

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/tenantry/tenantry/shared/outbox/queue"
	"github.com/tenantry/tenantry/shared/table"
)

// Queue is one queue. A standard queue whose messages name a group is fair: while a company's messages wait long, those of others
// come first.
type Queue struct {
	client func() *sqs.Client
	url    string
}

// New makes a Queue of a URL. Its client is made with the first key.
func New(config aws.Config, url string) Queue {
	return Queue{sync.OnceValue(func() *sqs.Client { return sqs.NewFromConfig(config) }), url}
}

// Send adds keys to the queue. It holds them back for whole seconds.
func (q Queue) Send(ctx context.Context, entries []queue.Entry) (refused []table.Key, err error) {
	in := &sqs.SendMessageBatchInput{QueueUrl: aws.String(q.url)}
	for i, e := range entries {
		in.Entries = append(in.Entries, types.SendMessageBatchRequestEntry{
			Id: aws.String(strconv.Itoa(i)), MessageBody: aws.String(queue.Encode(e.Key)), MessageGroupId: aws.String(queue.Group(e.Key)),
			DelaySeconds: int32(math.Ceil(min(e.After, queue.Longest).Seconds())),
		})
	}
	out, err := q.client().SendMessageBatch(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("sqs: %w", err)
	}
	for _, f := range out.Failed {
		i, err := strconv.Atoi(aws.ToString(f.Id))
		if err != nil || i < 0 || i >= len(entries) {
			return nil, fmt.Errorf("sqs: a failure of %q, which was not sent", aws.ToString(f.Id))
		}
		refused = append(refused, entries[i].Key)
	}
	return refused, nil
}
