package identity

import (
	"context"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/throttle"
)

// What a one-time code is for. One for this is none for that.
const (
	register = "register"
	reset    = "reset"
)

const (
	codeLifetime = 2 * time.Minute
	codePause    = 60 * time.Second // before another is sent
	codeTries    = 5                // of one caller, see guess
	codesADay    = 10               // to one address, in a day of UTC
)

// triesInAll is how often all callers together may try a code. It bounds how
// likely one is guessed: 1 in 40,000 for a registration, which gives nobody
// anything that was somebody's, and 1 in 200,000 for a password, with which an
// account goes. There a stranger who knows that a code is on its way can use up
// the tries of its owner, who asks for another one.
func triesInAll(purpose string) int {
	if purpose == register {
		return 5 * codeTries
	}
	return codeTries
}

// challenge is the code last sent to an address for a purpose. The code itself
// is a MAC of purpose and ID.
type challenge struct {
	table.Item
	ID    string         `dynamo:"id"`
	Sent  int64          `dynamo:"s"`            // Unix milliseconds
	Tries int            `dynamo:"n"`            // at guessing it
	By    map[string]int `dynamo:"g,allowempty"` // the tries of each guesser
	Used  bool           `dynamo:"u,omitempty"`  // it was right, once
	Day   string         `dynamo:"d"`
	Today int            `dynamo:"c"` // how many were sent that day, this one too
	TTL   int64          `dynamo:"ttl"`
}

const challengeVersion = 1

// issue is the challenge that follows another, which may be the zero one, or
// says how long to wait.
func issue(last challenge, id string, now time.Time) (challenge, error) {
	if wait := time.UnixMilli(last.Sent).Add(codePause).Sub(now); last.V > 0 && wait > 0 {
		return challenge{}, fault.TooMany(wait)
	}
	today := now.UTC().Truncate(24 * time.Hour)
	tomorrow := today.AddDate(0, 0, 1)
	next := challenge{
		ID: id, Sent: now.UnixMilli(), Day: today.Format(time.DateOnly), Today: 1, TTL: tomorrow.Add(sweepAfter).Unix(),
		By: map[string]int{}, // the tries are counted within it
	}
	if last.Day == next.Day {
		next.Today += last.Today
	}
	if next.Today > codesADay {
		return challenge{}, fault.TooMany(tomorrow.Sub(now))
	}
	return next, nil
}

// open tells whether the challenge's code can still be right, if it comes from
// somebody who has tries left.
func (c challenge) open(purpose string, now time.Time) bool {
	return c.V > 0 && !c.Used && c.Tries < triesInAll(purpose) && now.Before(time.UnixMilli(c.Sent).Add(codeLifetime))
}

// code is the six digits of a challenge.
func (s *service) code(ctx context.Context, purpose, challengeID string) (string, error) {
	mac, err := s.keys.MAC(ctx, purposed("code", purpose, challengeID))
	if err != nil {
		return "", fmt.Errorf("identity: code: %w", err)
	}
	return fmt.Sprintf("%06d", binary.BigEndian.Uint64(mac)%1_000_000), nil
}

// guess tells whether a code is right for the challenge of an address. Each
// guess is counted before it is looked at, so guesses at once count too.
//
// Each caller has tries of their own, and all callers together have triesInAll,
// however many addresses they have. So it takes five strangers to use up those
// of a registration code; then another has to be sent.
func (s *service) guess(ctx context.Context, purpose, address, ip, guess string) (c challenge, right bool, err error) {
	c, err = s.challenges.get(ctx, purpose, address)
	if err != nil || !c.open(purpose, s.now()) {
		return c, false, err
	}
	guesser := throttle.Subject(throttle.Caller(ip))
	if c.By[guesser] >= codeTries {
		return c, false, nil
	}
	counted, err := s.challenges.count(ctx, c, guesser, triesInAll(purpose))
	if err != nil || !counted {
		return c, false, err
	}
	code, err := s.code(ctx, purpose, c.ID)
	return c, err == nil && subtle.ConstantTimeCompare([]byte(code), []byte(guess)) == 1, err
}

// challenges stores them.
type challenges struct{ table crosstenant.Table }

// get reads the challenge of an address; the zero one where there is none.
func (s challenges) get(ctx context.Context, purpose, address string) (c challenge, err error) {
	err = s.table.Get(ctx, crosstenant.Challenge(purpose, address), &c)
	if err != nil && !errors.Is(err, table.ErrNotFound) {
		return c, fmt.Errorf("identity: challenge: %w", err)
	}
	return c, nil
}

// replace puts the next challenge in the place of the last, with whatever also
// adds, all or nothing. Whoever did so in between has sent one: the caller
// waits.
func (s challenges) replace(ctx context.Context, k table.Key, last, next challenge, also func(*table.Tx)) error {
	next.Item = table.At(k, challengeVersion)
	return s.table.Write(ctx, func(tx *table.Tx, _ int) error {
		put := s.table.Put(next)
		if last.V == 0 {
			put.If("attribute_not_exists(pk)")
		} else {
			put.If("id = ?", last.ID)
		}
		tx.Put(put, fault.TooMany(codePause))
		also(tx)
		return nil
	})
}

var errNoGuess = errors.New("identity: the challenge takes no more guesses")

// count counts a guess, unless there were enough of the guesser or in all. It is
// a transaction, because as such it waits for another guess that was right.
func (s challenges) count(ctx context.Context, c challenge, guesser string, inAll int) (bool, error) {
	err := s.table.Write(ctx, func(tx *table.Tx, _ int) error {
		tx.Update(s.table.Update(c.Key()).Add("n", 1).SetExpr("g.$ = if_not_exists(g.$, ?) + ?", guesser, guesser, 0, 1).
			If("id = ? AND n < ? AND attribute_not_exists(u)", c.ID, inAll).
			If("attribute_not_exists(g.$) OR g.$ < ?", guesser, guesser, codeTries), errNoGuess)
		return nil
	})
	if errors.Is(err, errNoGuess) {
		return false, nil
	}
	return err == nil, err
}

// giveBack takes a guess that was right, and did not use the challenge up, out
// of the count. Where that fails, a guess too many has been counted.
func (s challenges) giveBack(ctx context.Context, c challenge, guesser string) {
	_ = s.table.Update(c.Key()).Add("n", -1).SetExpr("g.$ = g.$ - ?", guesser, guesser, 1).
		If("id = ? AND g.$ > ?", c.ID, guesser, 0).Run(ctx)
}

// use adds to a transaction that the code was right, which it is once.
func (s challenges) use(tx *table.Tx, c challenge, failed error) {
	tx.Update(s.table.Update(c.Key()).Set("u", true).If("id = ? AND attribute_not_exists(u)", c.ID), failed)
}
