package outbox

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/table"
)

// Table is a handle that reaches the messages: the platform's view of the table, or a company's
// view for its own messages.
type Table interface {
	Get(ctx context.Context, k table.Key, out any) error
	Update(k table.Key) *dynamo.Update
	Delete(k table.Key) *dynamo.Delete
	Table() dynamo.Table
}

const (
	// MaxAttempts is how often a message is claimed before it has failed. With the pauses in
	// between, that takes about five hours.
	MaxAttempts = 15

	firstPause = 5 * time.Second
	maxPause   = time.Hour
	keep       = 7 * 24 * time.Hour // how long a message that is done is kept

	// early is how far the clock of a worker may be behind the writer's, so
	// that a message due at once is not left to the sweep. A claimed message is
	// always put off by more, so that it is not claimed twice at once.
	early    = 2 * time.Second
	minLater = early + time.Second

	maxProblem = 500 // bytes
)

// Claim takes the message at k for the length of a lease, if it waits and is due; ok says
// whether it did. Only the worker that holds the claim may end the message or put it off: the
// functions below write on the condition that the claim still holds. A worker that has lost the
// claim, because the lease is over or the message was armed again, writes nothing. These
// functions retry if they conflict with a transaction that arms the message. If the answer to a
// write was lost, the repetition may find that the claim no longer holds; if the claim itself
// was lost that way, the message comes back at the end of the lease.
func Claim(ctx context.Context, t Table, k table.Key, now time.Time, lease time.Duration) (m Message, ok bool, err error) {
	err = t.Get(ctx, k, &m)
	switch {
	case errors.Is(err, table.ErrNotFound):
		return Message{}, false, nil
	case err != nil:
		return Message{}, false, fmt.Errorf("outbox: %s: %w", k.SK, err)
	case !strings.HasPrefix(m.Pending, shardPrefix), m.Due > DueKey(now.Add(early)):
		return Message{}, false, nil
	}
	until, sign := DueKey(now.Add(max(lease, minLater))), crand.Text()
	ok, err = held(m, table.Retry(ctx, func() error {
		return t.Update(k).
			Set("pd", until).
			Set("c", sign).
			Add("n", 1).
			If("pq = ? AND pd = ? AND n = ?", m.Pending, m.Due, m.Attempts).
			Run(ctx)
	}))
	m.Due, m.Claim, m.Attempts = until, sign, m.Attempts+1
	return m, ok, err
}

// Done ends a claimed message. It is kept for a week, with the problem if there was one; a
// keyed message is deleted.
func Done(ctx context.Context, t Table, m Message, now time.Time, problem error) (ok bool, err error) {
	if m.isKeyed() {
		return held(m, table.Retry(ctx, func() error { return t.Delete(m.Key()).If(asClaimed, m.Claim).Run(ctx) }))
	}
	return end(ctx, t, m, problem, func(u *dynamo.Update) *dynamo.Update {
		return u.Remove("pq", "pd").Set("ttl", now.Add(keep).Unix())
	})
}

// Finish ends a message that no worker has claimed, for a request that has left it to be safe and
// has carried it out itself. ok is false if a worker was faster; it carries the message out again.
func Finish(ctx context.Context, t Table, m Message, now time.Time) (ok bool, err error) {
	return held(m, table.Retry(ctx, func() error {
		return t.Update(m.Key()).Remove("pq", "pd").Set("ttl", now.Add(keep).Unix()).If("n = ?", 0).Run(ctx)
	}))
}

// Again puts a claimed message off after a failed attempt. The pause grows with the attempts
// and varies at random by a fifth, so that messages that failed together don't come back
// together. AtLatest shortens it.
func Again(ctx context.Context, t Table, m Message, now time.Time, problem error) (ok bool, err error) {
	due := now.Add(pause(m.Attempts))
	if limit := (AtLatest{}); errors.As(problem, &limit) && limit.Until.Before(due) {
		due = limit.Until
	}
	if earliest := now.Add(minLater); due.Before(earliest) {
		due = earliest
	}
	return end(ctx, t, m, problem, func(u *dynamo.Update) *dynamo.Update { return u.Set("pd", DueKey(due)) })
}

// PutOff puts off a claimed message that has nothing to do yet; the attempt does not count.
func PutOff(ctx context.Context, t Table, m Message, now time.Time, later Later) (ok bool, err error) {
	until := later.Until
	if earliest := now.Add(minLater); until.Before(earliest) {
		until = earliest
	}
	return end(ctx, t, m, nil, func(u *dynamo.Update) *dynamo.Update { return u.Set("pd", DueKey(until)).Add("n", -1) })
}

// GiveUp moves a claimed message to the failed ones, where it stays.
func GiveUp(ctx context.Context, t Table, m Message, now time.Time, problem error) (ok bool, err error) {
	return end(ctx, t, m, problem, func(u *dynamo.Update) *dynamo.Update { return u.Set("pq", Failed).Set("pd", DueKey(now)) })
}

// asClaimed is the condition that nobody has claimed or armed the message since.
const asClaimed = "c = ?"

// end ends a claim.
func end(ctx context.Context, t Table, m Message, problem error, how func(*dynamo.Update) *dynamo.Update) (ok bool, err error) {
	return held(m, table.Retry(ctx, func() error {
		return describe(how(t.Update(m.Key()).Remove("c")), problem).If(asClaimed, m.Claim).Run(ctx)
	}))
}

// held tells whether the condition of a write was true.
func held(m Message, err error) (ok bool, _ error) {
	if dynamo.IsCondCheckFailed(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("outbox: %s: %w", m.ID, err)
	}
	return true, nil
}

func describe(u *dynamo.Update, problem error) *dynamo.Update {
	if problem == nil {
		return u.Remove("e")
	}
	text := strings.ToValidUTF8(problem.Error(), "?")
	if len(text) > maxProblem {
		text = text[:maxProblem]
		for !utf8.ValidString(text) {
			text = text[:len(text)-1]
		}
	}
	if text == "" { // an empty text would remove the attribute
		text = "unknown"
	}
	return u.Set("e", text)
}

// pause is how long a message waits after a number of attempts.
func pause(attempts int) time.Duration {
	d := maxPause
	if n := max(attempts, 1) - 1; n < 12 { // 12 doublings are beyond maxPause
		d = min(maxPause, firstPause<<n)
	}
	return d*9/10 + rand.N(d/5) //nolint:gosec // jitter, not a secret
}

// EachDue visits the keys of the messages that are due, oldest first, all pages of each shard. It takes one message of
// each shard in turn, so that slow messages of one shard don't delay the other shards. The index lags a little behind
// the table, so a visitor has to claim a message before it relies on it. An error of visit ends the iteration.
func EachDue(ctx context.Context, t Table, now time.Time, visit func(table.Key) error) error {
	return EachOverdue(ctx, t, now, func(k table.Key, _ time.Duration) error { return visit(k) })
}

// overdue returns how long ago a message became due, and 0 if its time can't be read.
func overdue(due string, now time.Time) time.Duration {
	if t, err := time.Parse(dueLayout, due); err == nil {
		return now.Sub(t)
	}
	return 0
}

// EachOverdue is EachDue that also tells for how long each message has been due.
func EachOverdue(ctx context.Context, t Table, now time.Time, visit func(k table.Key, wait time.Duration) error) error {
	shards := map[int]dynamo.PagingIter{}
	for i := range Shards {
		shards[i] = t.Table().Get("pq", Shard(i)).Range("pd", dynamo.LessOrEqual, DueKey(now)).Index("pending").Iter()
	}
	for len(shards) > 0 {
		for i := range Shards {
			pages, ok := shards[i]
			if !ok {
				continue
			}
			var k struct {
				PK string `dynamo:"pk"`
				SK string `dynamo:"sk"`
				PD string `dynamo:"pd"`
			}
			if pages.Next(ctx, &k) {
				if err := visit(table.Key{PK: k.PK, SK: k.SK}, overdue(k.PD, now)); err != nil {
					return err
				}
				continue
			}
			if err := pages.Err(); err != nil {
				return fmt.Errorf("outbox: sweep of %s: %w", Shard(i), err)
			}
			delete(shards, i)
		}
	}
	return nil
}
