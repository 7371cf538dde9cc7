// Package sqs has keys of messages wait in a standard queue of Amazon SQS. Only the function dispatch links it.
package sqs

import (
	"context"
	"fmt"
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

// Send adds keys to the queue.
func (q Queue) Send(ctx context.Context, keys []table.Key) (refused []table.Key, err error) {
	in := &sqs.SendMessageBatchInput{QueueUrl: aws.String(q.url)}
	for i, k := range keys {
		in.Entries = append(in.Entries, types.SendMessageBatchRequestEntry{
			Id: aws.String(strconv.Itoa(i)), MessageBody: aws.String(queue.Encode(k)), MessageGroupId: aws.String(queue.Group(k)),
		})
	}
	out, err := q.client().SendMessageBatch(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("sqs: %w", err)
	}
	for _, f := range out.Failed {
		i, err := strconv.Atoi(aws.ToString(f.Id))
		if err != nil || i < 0 || i >= len(keys) {
			return nil, fmt.Errorf("sqs: a failure of %q, which was not sent", aws.ToString(f.Id))
		}
		refused = append(refused, keys[i])
	}
	return refused, nil
}
