package worker

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/queue"
	"github.com/tenantry/tenantry/shared/table"
)

// Nobody claims events: their key comes again until the work is done, and a key that comes twice is harmless.
func TestEvents(t *testing.T) {
	o := newOffice(t)
	var failure error
	var got []string
	w := o.worker(o.conn, outbox.Work{outbox.Sequence: func(_ context.Context, m outbox.Message) error {
		id, _ := m.Tenant()
		got = append(got, fmt.Sprintf("%s of company %d", m.Kind, id))
		return failure
	}})
	key := table.Of(o.conn, 7).Event("1772443800000000#client.created#1#1")
	bring := func(want string) {
		t.Helper()
		event := fmt.Appendf(nil, `{"Records":[{"messageId":"m","eventSource":"aws:sqs","body":%q}]}`, queue.Encode(key))
		if answer, err := w.Invoke(t.Context(), event); err != nil || string(answer) != want {
			t.Errorf("%s, %v; want %s", answer, err, want)
		}
	}
	failure = errors.New("the table is away")
	bring(`{"batchItemFailures":[{"itemIdentifier":"m"}]}`)
	if l := o.lines(); len(l) != 1 || l[0]["result"] != "again" || l[0]["OutboxFailedAttempts"] != 1.0 || l[0]["tenant"] != 7.0 {
		t.Errorf("log: %v", l)
	}
	failure = nil
	bring(`{"batchItemFailures":[]}`)
	bring(`{"batchItemFailures":[]}`)
	if l := o.lines(); len(l) != 2 || l[0]["result"] != "done" {
		t.Errorf("log: %v", l)
	}
	if want := "events.sequence of company 7"; len(got) != 3 || got[0] != want || got[2] != want {
		t.Errorf("%q", got)
	}
}
