// Package throttle counts, in the table, what somebody does within a window of
// time, and refuses what is too much: with 429 and the time to wait.
//
// Windows are fixed: they begin at multiples of their length since the year 1,
// so one of a day is a day of UTC. Somebody may have twice the limit around the
// end of a window; in return a count is one item and one small write.
//
// It also remembers, for some days, subjects that have proven themselves, so
// that a group can let them through a count that strangers have filled.
//
// What everybody counts in (Rule.All) is spread over up to 16 items, so that simultaneous
// transactions rarely meet in one of them, and the platform is not bounded by what one item takes
// (1,000 writes a second, of which a count in a transaction is two). In return the limit is
// reached a little early, when the first of the items is full: at 20,000 by some hundreds.
//
// The counts belong to the platform, not to a company. What never goes in here:
// the limits themselves, which the groups have, and slowing down without an
// answer.
package throttle

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

// Rule says how much of something each subject may do in a window of time.
type Rule struct {
	Name   string // as it stands in keys
	Limit  int
	Window time.Duration
}

// Of is the rule's count for a subject. All parts together name the subject.
func (r Rule) Of(subject ...string) Count { return Count{r, Subject(subject...), 1} }

// All is the rule's count for everybody together. It is kept in several items. What the try is about, such as
// a recipient, says which of them counts it: the same always the same one.
func (r Rule) All(by ...string) Count {
	shards := min(mostShards, max(1, r.Limit/leastOfShard))
	sum := sha256.Sum256([]byte(Subject(by...)))
	r.Limit = (r.Limit + shards - 1) / shards
	return Count{r, "all-" + strconv.Itoa(int(sum[0])%shards), 1}
}

// A count of everybody is in so many items at most, of which each has a limit of so many at least.
const (
	mostShards   = 16
	leastOfShard = 100
)

// Count is the count of a rule for a subject.
type Count struct {
	rule    Rule
	subject string
	tries   int
}

// Times is the same count for several tries at once.
func (c Count) Times(tries int) Count {
	c.tries = tries
	return c
}

// Rule is the rule that counts.
func (c Count) Rule() Rule { return c.rule }

// Throttle keeps the counts.
type Throttle struct {
	table crosstenant.Table
	now   func() time.Time
}

// Open gives the throttle of a table.
func Open(c *table.Conn, now func() time.Time) Throttle { return Throttle{crosstenant.Open(c), now} }

// Taken is what was counted, to be given back.
type Taken []taken

type taken struct {
	key   table.Key
	tries int
}

// Take counts one try in each count, in the given order, before the try is made, so
// simultaneous tries are counted too. At the first count that is full it stops with a fault,
// and the later counts stay unchanged. So if a shared count comes last, a caller over their own
// limit can't use it up.
func (t Throttle) Take(ctx context.Context, counts ...Count) (Taken, error) {
	var done Taken
	for _, c := range counts {
		key, add, full := t.add(c)
		err := table.Retry(ctx, func() error { return add.Run(ctx) }) // if an answer is lost, the try counts twice
		if dynamo.IsCondCheckFailed(err) {
			return nil, full
		}
		if err != nil {
			return nil, fmt.Errorf("throttle: %s: %w", c.rule.Name, err)
		}
		done = append(done, taken{key, c.tries})
	}
	return done, nil
}

// TakeAll counts one try in each count, all at once; counts that are kept in one item are one. If any is full, none
// counts it, and the error is that fault.
func (t Throttle) TakeAll(ctx context.Context, counts ...Count) (Taken, error) {
	counts = merged(counts)
	errs, counted := make([]error, len(counts)), make([]Taken, len(counts))
	var wait sync.WaitGroup
	for i, c := range counts {
		wait.Go(func() { counted[i], errs[i] = t.Take(ctx, c) })
	}
	wait.Wait()
	all := slices.Concat(counted...)
	if err := errors.Join(errs...); err == nil {
		return all, nil
	}
	t.GiveBack(ctx, all)
	for _, err := range errs {
		if f, ok := fault.As(err); ok {
			return nil, f
		}
	}
	return nil, errors.Join(errs...)
}

// merged are the counts with the tries of those that are the same.
func merged(counts []Count) (list []Count) {
	for _, c := range counts {
		i := slices.IndexFunc(list, func(one Count) bool { return one.rule == c.rule && one.subject == c.subject })
		if i < 0 {
			list = append(list, c)
			continue
		}
		list[i].tries += c.tries
	}
	return list
}

// Fits returns the fault of a count that has no room for its tries; nothing is counted. Like a count it is a write, so that whoever
// may count needs no other right.
func (t Throttle) Fits(ctx context.Context, c Count) error {
	_, add, full := t.adding(c, 0)
	err := table.Retry(ctx, func() error { return add.Run(ctx) })
	if dynamo.IsCondCheckFailed(err) {
		return full
	}
	if err != nil {
		return fmt.Errorf("throttle: %s: %w", c.rule.Name, err)
	}
	return nil
}

// With counts in a transaction: a try is counted exactly if the transaction takes place.
func (t Throttle) With(tx *table.Tx, counts ...Count) {
	for _, c := range counts {
		_, add, full := t.add(c)
		tx.Update(add, full)
	}
}

// WithOr counts in a transaction likewise; a full count fails it by an error instead of the fault, such as table.ErrRevision to
// have it decided anew.
func (t Throttle) WithOr(tx *table.Tx, c Count, full error) {
	_, add, _ := t.add(c)
	tx.Update(add, full)
}

// GiveBack removes a try from its counts, because it turned out not to be one. If that fails,
// one try too many is counted, which is acceptable and not reported.
func (t Throttle) GiveBack(ctx context.Context, list Taken) {
	for _, was := range list {
		_ = t.table.Update(was.key).Add("c", -was.tries).If("c >= ?", was.tries).Run(ctx)
	}
}

// add is the write that counts, and the fault if the count is full.
func (t Throttle) add(c Count) (table.Key, *dynamo.Update, error) { return t.adding(c, c.tries) }

// adding is the same, but that the write adds another number where there is room for the tries.
func (t Throttle) adding(c Count, number int) (table.Key, *dynamo.Update, error) {
	now := t.now()
	start := now.Truncate(c.rule.Window)
	end := start.Add(c.rule.Window)
	key := crosstenant.Throttle(c.rule.Name, c.subject, strconv.FormatInt(start.Unix(), 10))
	fits, room := "attribute_not_exists(c) OR c <= ?", c.rule.Limit-c.tries
	if room < 0 { // not even an empty count has room for so many
		fits = "c <= ?"
	}
	update := t.table.Update(key).Add("c", number).Set("ttl", end.Add(c.rule.Window).Unix()).If(fits, room)
	return key, update, fault.TooMany(end.Sub(now))
}

// Subject makes one text from all parts of a subject's name; it has a fixed length and is
// unreadable.
func Subject(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:16])
}
