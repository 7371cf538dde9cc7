package identity

import (
	"context"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/throttle"
)

// codePurpose is what a one-time code is for. A code for one purpose is not valid for another.
type codePurpose string

// The purposes of one-time codes.
const (
	register codePurpose = "register"
	reset    codePurpose = "reset"
)

const (
	codeLifetime = 10 * time.Minute
	codePause    = 60 * time.Second // between two codes to one address
	codeTries    = 5                // guesses of one caller, see guess
	codesADay    = 10               // to one address, in a day of UTC
)

// triesInAll is how many guesses at one code all callers together have. It bounds the
// probability that a code is guessed: 1 in 40,000 for a registration, where a correct guess
// takes nothing from anybody, and 1 in 200,000 for a password, where a correct guess gives
// away an account. For a password, a stranger who knows that a code was sent can use up the
// guesses of the account's owner, who then asks for another code.
func triesInAll(purpose codePurpose) int {
	if purpose == register {
		return 5 * codeTries
	}
	return codeTries
}

// challenge is the code that was last sent to an address for a purpose. The code itself is not
// stored: it is a MAC of the purpose and ID.
type challenge struct {
	table.Item
	ID    string         `dynamo:"id"`
	Sent  int64          `dynamo:"s"`            // Unix milliseconds
	Tries int            `dynamo:"n"`            // guesses in all
	By    map[string]int `dynamo:"g,allowempty"` // guesses of each caller
	Used  bool           `dynamo:"u,omitempty"`  // the code was used; it works only once
	Day   string         `dynamo:"d"`
	Today int            `dynamo:"c"` // codes sent that day, including this one
	TTL   int64          `dynamo:"ttl"`
	// Language is kept from the request that asked for the code, because its sender may have no account that has a language.
	Language say.Language `dynamo:"la,omitempty"`
}

const challengeVersion = 1

// issue returns the challenge that follows the last one, which may be the zero value. If it is
// too early for another, it returns an error that says how long to wait.
func issue(last challenge, id string, now time.Time) (challenge, error) {
	if wait := time.UnixMilli(last.Sent).Add(codePause).Sub(now); last.V > 0 && wait > 0 {
		return challenge{}, fault.TooMany(wait)
	}
	today := now.UTC().Truncate(24 * time.Hour)
	tomorrow := today.AddDate(0, 0, 1)
	next := challenge{
		ID: id, Sent: now.UnixMilli(), Day: today.Format(time.DateOnly), Today: 1, TTL: tomorrow.Add(sweepAfter).Unix(),
		By: map[string]int{}, // an empty map, because count updates single entries of it
	}
	if last.Day == next.Day {
		next.Today += last.Today
	}
	if next.Today > codesADay {
		return challenge{}, fault.TooMany(tomorrow.Sub(now))
	}
	return next, nil
}

// open tells whether the challenge's code could still be accepted, from a caller who has
// guesses left.
func (c challenge) open(purpose codePurpose, now time.Time) bool {
	return c.V > 0 && !c.Used && c.Tries < triesInAll(purpose) && now.Before(time.UnixMilli(c.Sent).Add(codeLifetime))
}

// code returns the six digits of a challenge.
func (s *service) code(ctx context.Context, purpose codePurpose, challengeID string) (string, error) {
	mac, err := keys.Make(ctx, s.keys, keys.Codes, purposed("code", string(purpose), challengeID))
	if err != nil {
		return "", fmt.Errorf("identity: code: %w", err)
	}
	return digits(mac), nil
}

// isCode tells whether a text is the code of a challenge. While the key is replaced, the one that was sent may be of either.
func (s *service) isCode(ctx context.Context, purpose codePurpose, challengeID, text string) (bool, error) {
	_, right, err := keys.Match(ctx, s.keys, keys.Codes, purposed("code", string(purpose), challengeID), func(mac []byte) bool {
		return subtle.ConstantTimeCompare([]byte(digits(mac)), []byte(text)) == 1
	})
	if err != nil {
		return false, fmt.Errorf("identity: code: %w", err)
	}
	return right, nil
}

func digits(mac []byte) string { return fmt.Sprintf("%06d", binary.BigEndian.Uint64(mac)%1_000_000) }

// guess tells whether a code is correct for the challenge of an address. It counts each guess
// before it checks it, so that concurrent guesses count too.
//
// Each caller has a number of guesses, and all callers together have triesInAll, however many
// IP addresses they use. So it takes five strangers to use up the guesses for a registration
// code; then another code has to be sent.
func (s *service) guess(ctx context.Context, purpose codePurpose, address, ip, guess string) (c challenge, right bool, err error) {
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
	right, err = s.isCode(ctx, purpose, c.ID, guess)
	return c, right, err
}

// challenges stores challenges.
type challenges struct{ table crosstenant.Table }

// get reads the challenge of an address; it returns the zero value if there is none.
func (s challenges) get(ctx context.Context, purpose codePurpose, address string) (c challenge, err error) {
	err = s.table.Get(ctx, crosstenant.Challenge(string(purpose), address), &c)
	if err != nil && !errors.Is(err, table.ErrNotFound) {
		return c, fmt.Errorf("identity: challenge: %w", err)
	}
	return c, nil
}

// replace replaces the last challenge by the next one, in one transaction with what also adds.
// If another request has replaced it meanwhile, that request has sent a code, and the caller
// has to wait.
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

// count counts a guess, unless the guesser or all callers together have none left. It uses a
// transaction, because a transaction conflicts with the one in which a correct guess uses the
// challenge.
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

// giveBack undoes the count of a guess that was correct but did not use up the challenge. If
// that fails, one guess too many stays counted.
func (s challenges) giveBack(ctx context.Context, c challenge, guesser string) {
	_ = s.table.Update(c.Key()).Add("n", -1).SetExpr("g.$ = g.$ - ?", guesser, guesser, 1).
		If("id = ? AND g.$ > ?", c.ID, guesser, 0).Run(ctx)
}

// use adds to a transaction that the code was used, which is possible only once.
func (s challenges) use(tx *table.Tx, c challenge, failed error) {
	tx.Update(s.table.Update(c.Key()).Set("u", true).If("id = ? AND attribute_not_exists(u)", c.ID), failed)
}
