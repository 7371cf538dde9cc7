// Package queue says how keys of messages wait in queues outside of the table: which text one is there, and what a queue has to do.
//
// What never goes in here: what a message says. A queue holds its key and nothing else; who takes that out reads the message in the table.
package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/shared/table"
)

// Queue takes keys of messages. It delivers each at least once, in no order, and none of a company has to wait until another company's
// are done.
type Queue interface {
	// Send adds up to Most keys, and returns those that it didn't take, each of which may be in the queue all the same. With an error it
	// took none that it knows of.
	Send(ctx context.Context, entries []Entry) (refused []table.Key, err error)
}

// Entry is a key that is sent to a queue, which holds it back for some time, of Longest at most.
type Entry struct {
	Key   table.Key
	After time.Duration
}

// What a queue takes.
const (
	Most    = 10               // keys at once
	Longest = 15 * time.Minute // the longest time for which a key is held back
)

// text is a key in a queue.
type text struct {
	PK string `json:"pk"`
	SK string `json:"sk"`
}

// Encode writes a key as it is in a queue: {"pk":"T#7#outbox","sk":"outbox#01J…"}.
func Encode(k table.Key) string {
	encoded, _ := json.Marshal(text(k)) // two texts: it can't fail
	return string(encoded)
}

// Decode reads what Encode has written.
func Decode(body string) (table.Key, error) {
	var k text
	if err := json.Unmarshal([]byte(body), &k); err != nil {
		return table.Key{}, fmt.Errorf("queue: %w", err)
	}
	if k.PK == "" || k.SK == "" {
		return table.Key{}, errors.New("queue: a key without a part")
	}
	return table.Key(k), nil
}

// Group names those whose messages a key waits behind: its company, or all that belong to none.
func Group(k table.Key) string {
	if company, ok := table.TenantOf(k.PK); ok {
		return strconv.FormatInt(int64(company), 10)
	}
	return "none"
}
