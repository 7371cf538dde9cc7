package redrive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/queue"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

// letter is what lies in a queue that nobody reads by itself.
type letter struct {
	group

	key           table.Key // of a message; none in a note that the stream gave up on a batch
	queue, handle string
	state         string // of the message in the table
}

// letters are all of them, by the logical id of their queue.
type letters map[string][]letter

// queues are the queues of letters: of keys that were received three times, and of what the stream gave up on.
var queues = []string{"OutboxDeadLetters", "OutboxFailures"}

const (
	hidden      = 60     // seconds in which nobody else receives a letter that is listed
	mostLetters = 10_000 // that are read of one queue
)

// readLetters reads what lies in the queues. The platform on this machine has none.
func readLetters(ctx context.Context, e *stage.Env, of crosstenant.Table) (letters, error) {
	if e.Stack == nil {
		if e.Local == "" {
			e.Say("The queues of letters are left out: -stack names whose they are.")
		}
		return nil, nil
	}
	client, all := sqs.NewFromConfig(e.At("SQS")), letters{}
	for _, name := range queues {
		address, err := e.Stack.Resource(ctx, name)
		if err != nil {
			return nil, err
		}
		for len(all[name]) < mostLetters {
			out, err := client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
				QueueUrl: &address, MaxNumberOfMessages: 10, VisibilityTimeout: hidden, WaitTimeSeconds: 1,
			})
			if err != nil {
				return nil, fmt.Errorf("the queue %s: %w", name, err)
			}
			if len(out.Messages) == 0 {
				break
			}
			for _, m := range out.Messages {
				l, err := read(ctx, of, aws.ToString(m.Body))
				if err != nil {
					return nil, err
				}
				l.queue, l.handle = address, aws.ToString(m.ReceiptHandle)
				all[name] = append(all[name], l)
			}
		}
	}
	return all, nil
}

// read finds what a letter is about.
func read(ctx context.Context, of crosstenant.Table, body string) (l letter, err error) {
	k, err := queue.Decode(body)
	if err != nil {
		l.state = "a note about a batch; the sweep finds its messages"
		return l, nil //nolint:nilerr // what holds no key is such a note
	}
	l.key = k
	l.company, _ = table.TenantOf(k.PK)
	if outbox.AreEvents(k.SK) {
		l.kind, l.state = outbox.Sequence, "events, which any later event brings along"
		return l, nil
	}
	var m outbox.Message
	switch err := of.Get(ctx, k, &m); {
	case errors.Is(err, table.ErrNotFound):
		l.state = "is done"
	case err != nil:
		return l, err
	case m.Pending == outbox.Failed:
		l.kind, l.state = m.Kind, "was given up"
	case m.Pending == "":
		l.kind, l.state = m.Kind, "is done"
	default:
		l.kind, l.state = m.Kind, "waits"
	}
	return l, nil
}

func (l letters) any() bool {
	for _, list := range l {
		if len(list) > 0 {
			return true
		}
	}
	return false
}

// tell prints what lies in the queues: how many letters of each kind and company, and what became of their messages.
func (l letters) tell(e *stage.Env) {
	type line struct {
		group

		state string
	}
	for _, name := range slices.Sorted(maps.Keys(l)) {
		counts := map[line]int{}
		for _, one := range l[name] {
			counts[line{one.group, one.state}]++
		}
		for _, is := range slices.SortedFunc(maps.Keys(counts), func(a, b line) int {
			return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.company, b.company), cmp.Compare(a.state, b.state))
		}) {
			e.Say("%-20s %-14s %5d letters in %s: %s", is.kind, of(is.company), counts[is], name, is.state)
		}
	}
}

// chosen are the letters that a choice is about. A note about a batch is of no kind, and the key of what is done neither.
func (l letters) chosen(c choice) (list []letter) {
	for _, name := range slices.Sorted(maps.Keys(l)) {
		for _, one := range l[name] {
			if c.has(one.kind, one.company) {
				list = append(list, one)
			}
		}
	}
	return list
}

// remove takes letters out of their queues, each after its message stands where the next sweep finds it.
func (letters) remove(ctx context.Context, e *stage.Env, of crosstenant.Table, list []letter) (removed int, err error) {
	client := sqs.NewFromConfig(e.At("SQS"))
	for _, l := range list {
		if l.key != (table.Key{}) && !outbox.AreEvents(l.key.SK) {
			if err := outbox.Hasten(ctx, of, l.key, e.Now()); err != nil {
				return removed, err
			}
		}
		if _, err := client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &l.queue, ReceiptHandle: &l.handle}); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}
