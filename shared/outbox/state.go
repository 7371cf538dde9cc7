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

	// MaxCrashes is how many claims in a row may stay without an end before a message has failed:
	// its handler may be what ends the process.
	MaxCrashes = 3

	firstPause = 5 * time.Second
	maxPause   = time.Hour

	// early is how far the clock of a worker may be behind that of the sweep, which brings a message when it is due. Whoever puts one off
	// does so by more, so that it doesn't come back at once.
	early    = 2 * time.Second
	minLater = early + time.Second

	keep = 7 * 24 * time.Hour // how long a message that is done is kept

	maxProblem = 500 // bytes
)

// Claim takes the message at k for the length of a lease, if it waits, is due, and nobody holds it; ok says whether it did. If
// Unended is then more than MaxCrashes, the message is to be given up and not to be carried out. Only the worker that holds the
// claim may end the message or put it off: the functions below write on the condition that the claim still holds. A worker that has
// lost the claim, because the lease is over or the message was armed again, writes no more than that it came back. These functions
// retry if they conflict with a transaction that arms the message. If the answer to the end of a claim was lost, the repetition may
// find that the claim no longer holds, which is harmless.
func Claim(ctx context.Context, t Table, k table.Key, now time.Time, lease time.Duration) (m Message, ok bool, err error) {
	m, err = read(ctx, t, k)
	if err != nil || !m.claimable(now, early) {
		return Message{}, false, err
	}
	before := m
	m.V, m.Claim, m.Leased = version, crand.Text(), DueKey(now.Add(lease))
	m.Attempts, m.Unended = m.Attempts+1, m.Unended+1
	if before.V < version { // its release would take it again when its time in the index is over, and doesn't know these partitions
		lane, _ := m.Kind.Lane()
		m.Pending, m.Swept = lane.shardOf(m.ID), DueKey(now.Add(lane.Net()))
	}
	ok, err = held(m, table.Retry(ctx, func() error {
		u := t.Update(k).Set("v", m.V).Set("c", m.Claim).Set("l", m.Leased).Set("n", m.Attempts).Set("x", m.Unended).
			If("pq = ? AND n = ?", before.Pending, before.Attempts)
		if before.Claim == "" {
			u.If("attribute_not_exists(c)")
		} else {
			u.If(asClaimed, before.Claim)
		}
		switch {
		case before.V < version:
			u.Set("pq", m.Pending).Set("pd", m.Swept).Remove("du").If("pd = ?", before.Swept)
		case before.Due == "":
			u.If("attribute_not_exists(du)")
		default:
			u.If("du = ?", before.Due)
		}
		return u.Run(ctx)
	}))
	if ok || err != nil {
		return m, ok, err
	}
	// Its answer may have been lost, and its repetition have found that it is claimed, by itself.
	after, err := read(ctx, t, k)
	return m, err == nil && after.Claim == m.Claim, err
}

// Waits tells whether the message at k is due and can be claimed. Events always are.
func Waits(ctx context.Context, t Table, k table.Key, now time.Time) (bool, error) {
	after, ok, err := WaitsFor(ctx, t, k, now, 0)
	return ok && after == 0, err
}

// WaitsFor tells after which time the message at k is due, if nobody holds it and that is within a bound; 0 is now. Events always are.
func WaitsFor(ctx context.Context, t Table, k table.Key, now time.Time, within time.Duration) (after time.Duration, ok bool, err error) {
	if AreEvents(k.SK) {
		return 0, true, nil
	}
	m, err := read(ctx, t, k)
	if err != nil || !m.claimable(now, within) {
		return 0, false, err
	}
	if due, err := time.Parse(dueLayout, m.due()); err == nil {
		after = max(0, due.Sub(now))
	}
	return after, true, nil
}

// read returns the message at k. If the table has none, it returns an empty message, which nobody can claim.
func read(ctx context.Context, t Table, k table.Key) (m Message, err error) {
	if err = t.Get(ctx, k, &m); err != nil && !errors.Is(err, table.ErrNotFound) {
		return Message{}, fmt.Errorf("outbox: %s: %w", k.SK, err)
	}
	return m, nil
}

// claimable tells whether the message waits, is due some time ahead at the latest, and nobody holds it.
func (m Message) claimable(now time.Time, ahead time.Duration) bool {
	if m.Pending == "" || m.Pending == Failed || m.due() > DueKey(now.Add(ahead)) {
		return false
	}
	// What was armed while it was carried out has no claim, and waits for nobody. But where so many have not come back that the next
	// claim would be the last, those that carry it out now may yet do so.
	holds := m.Claim != "" || m.Unended >= MaxCrashes
	return !holds || m.Leased <= DueKey(now)
}

// due is when the message is due, in the form of DueKey; "" since it was written.
func (m Message) due() string {
	if m.V < version {
		return m.Swept
	}
	return m.Due
}

// Done ends a claimed message. It is kept for a week, with the problem if there was one; a
// keyed message is deleted.
func Done(ctx context.Context, t Table, m Message, now time.Time, problem error) (ok bool, err error) {
	if m.isKeyed() {
		return cameBack(ctx, t, m, func() error { return t.Delete(m.Key()).If(asClaimed, m.Claim).Run(ctx) })
	}
	return end(ctx, t, m, problem, func(u *dynamo.Update) *dynamo.Update {
		return u.Remove("pq", "pd", "du", "x").Set("ttl", now.Add(keep).Unix())
	})
}

// Finish ends a message that no worker has claimed, for a request that has left it to be safe and
// has carried it out itself. ok is false if a worker was faster; it carries the message out again.
func Finish(ctx context.Context, t Table, m Message, now time.Time) (ok bool, err error) {
	return held(m, table.Retry(ctx, func() error {
		return t.Update(m.Key()).Remove("pq", "pd", "du").Set("ttl", now.Add(keep).Unix()).If("n = ?", 0).Run(ctx)
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
	return end(ctx, t, m, problem, func(u *dynamo.Update) *dynamo.Update { return waits(u, due) })
}

// PutOff puts off a claimed message that has nothing to do yet; the attempt does not count.
func PutOff(ctx context.Context, t Table, m Message, now time.Time, later Later) (ok bool, err error) {
	until := later.Until
	if earliest := now.Add(minLater); until.Before(earliest) {
		until = earliest
	}
	return end(ctx, t, m, nil, func(u *dynamo.Update) *dynamo.Update { return waits(u, until).Add("n", -1) })
}

// waits lets a message wait until some time. The sweep brings it then; one that is keyed comes earlier by a queue, if that holds it back
// for so long.
func waits(u *dynamo.Update, until time.Time) *dynamo.Update {
	return u.Set("pd", DueKey(until)).Set("du", DueKey(until)).Remove("x")
}

// GiveUp moves a claimed message to the failed ones, where it stays. If workers died of it, and it is armed after that, it has one try.
func GiveUp(ctx context.Context, t Table, m Message, now time.Time, problem error) (ok bool, err error) {
	return end(ctx, t, m, problem, func(u *dynamo.Update) *dynamo.Update {
		if u.Set("pq", Failed).Set("pd", DueKey(now)); m.Unended > MaxCrashes {
			return u.Set("x", MaxCrashes-1)
		}
		return u.Remove("x")
	})
}

// asClaimed is the condition that nobody has claimed or armed the message since.
const asClaimed = "c = ?"

// end ends a claim.
func end(ctx context.Context, t Table, m Message, problem error, how func(*dynamo.Update) *dynamo.Update) (ok bool, err error) {
	return cameBack(ctx, t, m, func() error {
		return describe(how(t.Update(m.Key()).Remove("c", "l")), problem).If(asClaimed, m.Claim).Run(ctx)
	})
}

// cameBack ends a claim. If that was lost, it says all the same that its worker lives: none has died of this message.
func cameBack(ctx context.Context, t Table, m Message, end func() error) (ok bool, err error) {
	ok, err = held(m, table.Retry(ctx, end))
	if ok || err != nil {
		return ok, err
	}
	_, err = held(m, table.Retry(ctx, func() error { return t.Update(m.Key()).Remove("x").If("attribute_exists(pk)").Run(ctx) }))
	return false, err
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

// Standing is a message as it stands in the index.
type Standing struct {
	Key  table.Key
	Lane Lane
	Late time.Duration // since the sweep was to look at it

	pending, swept string
}

// EachStanding visits the messages of a lane at which the sweep is to look until some time, all pages of each partition, and takes one of
// each partition in turn. Some of them are not due, or are being carried out, and the index lags a little behind the table: what a
// visitor finds may have ended. An error of visit ends the iteration.
func EachStanding(ctx context.Context, t Table, lane Lane, until time.Time, visit func(Standing) error) error {
	type partition struct {
		name  string
		pages dynamo.PagingIter
	}
	var all []partition
	for _, name := range lane.partitions() {
		pages := t.Table().Get("pq", name).Range("pd", dynamo.LessOrEqual, DueKey(until)).Index("pending").Iter()
		all = append(all, partition{name, pages})
	}
	for len(all) > 0 {
		var left []partition
		for _, p := range all {
			var k struct {
				PK string `dynamo:"pk"`
				SK string `dynamo:"sk"`
				PD string `dynamo:"pd"`
			}
			if p.pages.Next(ctx, &k) {
				s := Standing{Key: table.Key{PK: k.PK, SK: k.SK}, Lane: lane, pending: p.name, swept: k.PD}
				if since, err := time.Parse(dueLayout, k.PD); err == nil {
					s.Late = max(0, until.Sub(since))
				}
				if err := visit(s); err != nil {
					return err
				}
				left = append(left, p)
				continue
			}
			if err := p.pages.Err(); err != nil {
				return fmt.Errorf("outbox: sweep of %s: %w", p.name, err)
			}
		}
		all = left
	}
	return nil
}

// Sent says that a message was sent to a queue, where it may wait for a while: the sweep looks at it again after that. It writes
// nothing if the message has moved meanwhile.
func Sent(ctx context.Context, t Table, s Standing, now time.Time) error {
	if strings.HasPrefix(s.pending, prefixBefore) {
		return nil // in version 1 the message would not be due until then
	}
	_, err := held(Message{ID: s.Key.SK}, table.Retry(ctx, func() error {
		return t.Update(s.Key).Set("pd", DueKey(now.Add(s.Lane.Hold()))).If("pq = ? AND pd = ?", s.pending, s.swept).Run(ctx)
	}))
	return err
}

// EachCompanyWithEvents visits a key of events that wait for their places, one of each company, for who has no stream. An error of visit
// ends the iteration.
func EachCompanyWithEvents(ctx context.Context, t Table, now time.Time, visit func(table.Key) error) error {
	seen := map[string]bool{}
	return EachStanding(ctx, t, Normal, now.Add(Normal.Net()), func(s Standing) error {
		if !AreEvents(s.Key.SK) || seen[s.Key.PK] {
			return nil
		}
		seen[s.Key.PK] = true
		return visit(s.Key)
	})
}

// EachDue visits the keys of all messages that can be claimed, for who has no stream: also those at which the sweep would look later.
// Events are no messages. An error of visit ends the iteration.
func EachDue(ctx context.Context, t Table, now time.Time, visit func(table.Key) error) error {
	for _, lane := range Lanes() {
		if err := EachStanding(ctx, t, lane, now.Add(lane.Net()), func(s Standing) error {
			if AreEvents(s.Key.SK) {
				return nil
			}
			ok, err := Waits(ctx, t, s.Key, now)
			if err != nil || !ok {
				return err
			}
			return visit(s.Key)
		}); err != nil {
			return err
		}
	}
	return nil
}
