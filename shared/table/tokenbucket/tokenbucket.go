// Package tokenbucket counts what somebody may use in a time, over all instances of a function, with few calls of the table.
//
// A bucket fills evenly: in its window an empty one becomes whole. What is stored of it is one moment, the one at which it
// will be whole, which each use puts off by the time in which that much comes back. There are therefore no windows at whose
// ends somebody has twice as much, and whoever has used everything up waits for what he needs and not for the rest of an hour.
//
// An instance of a function remembers what it has used and writes it only when it is more than the bucket's part, all of it at
// once; that write's answer tells what all instances together have used. Up to the part, nothing is written, and an instance
// forgets of what it has not written a hundredth of what comes back meanwhile: so whoever uses little costs no call, ever. An
// instance that has heard that nothing is left asks nobody until then.
//
// However many instances there are, and whatever they know of each other, together they let through in a time t at most
//
//	a whole bucket + what comes back in t + for each instance: the part, what one use takes, and a hundredth of what comes back in t
//
// For when an instance lets somebody through again after it has heard that nothing is left, all that was used up to then has
// come back; so what is owed at any moment was used by each instance at most once, and the last term is what instances forget.
// An answer that was lost may be paid twice. If the table can't be written, an instance goes on by what it has used itself,
// which comes back as if it were written, and tries again after a second.
//
// What never goes in here: who uses what, and how a refusal looks.
package tokenbucket

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/table"
)

const (
	// forgotten is which part of what comes back an instance forgets of what it has not written: a hundredth.
	forgotten = 100
	// most is how many buckets an instance remembers.
	most = 10_000
	// pause is how long an instance leaves a bucket alone that could not be written.
	pause = time.Second
	// sweepAfter is how long an item stays after its bucket is whole, whatever was owed when it was written.
	sweepAfter = 48 * time.Hour

	version = 1
)

// Bucket says which bucket is meant, and how it is filled.
type Bucket struct {
	Name   string // as answers name it
	Key    table.Key
	Tokens float64       // in a whole bucket
	Window time.Duration // in which an empty one becomes whole
	Part   float64       // tokens that an instance does not write
}

// Rate is how many requests may be sent in a second, and at once. Without PerSecond there is no limit.
type Rate struct{ PerSecond, Burst int64 }

// kept is which part of a burst an instance does not write: a twentieth.
const kept = 20

// Bucket returns the bucket of requests with a name and a key.
func (r Rate) Bucket(name string, k table.Key) Bucket {
	all := float64(r.Burst)
	window := time.Duration(all / float64(r.PerSecond) * float64(time.Second))
	return Bucket{Name: name, Key: k, Tokens: all, Window: window, Part: all / kept}
}

// back is how many tokens come back in a time, and span the time in which they do.
func (b Bucket) back(in time.Duration) float64 { return b.Tokens * in.Seconds() / b.Window.Seconds() }

func (b Bucket) span(tokens float64) time.Duration {
	return time.Duration(math.Ceil(tokens/b.Tokens*float64(b.Window)/float64(time.Millisecond))) * time.Millisecond
}

// Table is where buckets are written.
type Table interface {
	Update(k table.Key) *dynamo.Update
}

// Keeper is the memory of one instance. It is safe for concurrent use.
type Keeper struct {
	now func() time.Time

	mu    sync.Mutex
	known map[table.Key]*account
}

// New makes the memory of an instance.
func New(now func() time.Time) *Keeper { return &Keeper{now: now, known: map[table.Key]*account{}} }

// account is what an instance knows of a bucket.
type account struct {
	Bucket
	whole     time.Time // when all of it is there again, as the table said last
	unwritten float64   // what this instance has used and has not written
	at        time.Time // up to when unwritten has come back
	retry     time.Time // before this it isn't written; zero unless that has failed
}

// left is how many tokens are left; it is below zero where some are owed.
func (a *account) left(now time.Time) float64 {
	used := a.unwritten
	if a.whole.After(now) {
		used += a.back(a.whole.Sub(now))
	}
	return a.Tokens - used
}

// wait is how long it takes until a token is left; 0 or less if one is.
func (a *account) wait(now time.Time) time.Duration { return a.span(1 - a.left(now)) }

// forget lets come back what was not written.
func (a *account) forget(now time.Time) {
	if !now.After(a.at) {
		return
	}
	if a.retry.IsZero() {
		a.unwritten = max(0, a.unwritten-a.back(now.Sub(a.at))/forgotten)
	} else if from := latest(a.at, a.whole); now.After(from) { // what was written comes back first
		a.unwritten = max(0, a.unwritten-a.back(now.Sub(from)))
	}
	a.at = now
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// use adds what was used, and returns what is to be written of it.
func (a *account) use(now time.Time, tokens float64) (write float64) {
	a.unwritten += tokens
	if a.unwritten <= a.Part || now.Before(a.retry) {
		return 0
	}
	write, a.unwritten = a.unwritten, 0
	return write
}

// Empty returns the bucket of which nothing is left for the longest time, and how long that is; 0 if each has a token.
func (k *Keeper) Empty(of ...Bucket) (empty Bucket, wait time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.empty(k.now(), of)
}

func (k *Keeper) empty(now time.Time, of []Bucket) (empty Bucket, wait time.Duration) {
	for _, b := range of {
		if w := k.account(b, now).wait(now); w > wait {
			empty, wait = b, w
		}
	}
	return empty, wait
}

// Left returns how many tokens of a bucket are left, and how long it takes until there is one, or, where there is one, until
// the bucket is whole.
func (k *Keeper) Left(of Bucket) (tokens float64, after time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	a := k.account(of, now)
	tokens, after = a.left(now), a.wait(now)
	if after <= 0 {
		after = a.span(a.Tokens - tokens)
	}
	return tokens, after
}

// account returns what is known of a bucket. The keeper is locked.
func (k *Keeper) account(of Bucket, now time.Time) *account {
	if a := k.known[of.Key]; a != nil {
		a.forget(now)
		return a
	}
	if len(k.known) >= most {
		k.forget(now)
	}
	a := &account{Bucket: of, at: now}
	k.known[of.Key] = a
	return a
}

// forget removes what need not be known: buckets that are whole, or all of them if none is.
func (k *Keeper) forget(now time.Time) {
	for key, a := range k.known {
		if a.forget(now); a.left(now) == a.Tokens {
			delete(k.known, key)
		}
	}
	if len(k.known) >= most {
		clear(k.known)
	}
}

// Take uses a token of each bucket if each has one. Else it uses none, and returns what Empty does. An error says that the
// table does not know of it yet; then a later use pays.
func (k *Keeper) Take(ctx context.Context, t Table, of ...Bucket) (empty Bucket, wait time.Duration, err error) {
	k.mu.Lock()
	now := k.now()
	if empty, wait = k.empty(now, of); wait > 0 {
		k.mu.Unlock()
		return empty, wait, nil
	}
	due := k.charge(now, 1, of)
	k.mu.Unlock()
	return empty, 0, k.settle(ctx, t, due)
}

// Pay takes tokens from each bucket, also more than the bucket has, which is then owed. An error means what it does of Take.
func (k *Keeper) Pay(ctx context.Context, t Table, tokens float64, of ...Bucket) error {
	k.mu.Lock()
	due := k.charge(k.now(), tokens, of)
	k.mu.Unlock()
	return k.settle(ctx, t, due)
}

// debt is what is to be written of a bucket.
type debt struct {
	account *account
	tokens  float64
	whole   time.Time // what is known of it
}

// charge notes what was used of buckets, and returns what is to be written of it. The keeper is locked.
func (k *Keeper) charge(now time.Time, tokens float64, of []Bucket) (due []debt) {
	for _, b := range of {
		a := k.account(b, now)
		if write := a.use(now, tokens); write > 0 {
			due = append(due, debt{a, write, a.whole})
		}
	}
	return due
}

// settle writes debts, all at once, and remembers the answers.
func (k *Keeper) settle(ctx context.Context, t Table, due []debt) error {
	var writes sync.WaitGroup
	errs := make([]error, len(due))
	for i, d := range due {
		writes.Go(func() {
			whole, err := k.write(ctx, t, d)
			k.mu.Lock()
			defer k.mu.Unlock()
			if errs[i] = err; err != nil {
				d.account.unwritten, d.account.retry = d.account.unwritten+d.tokens, k.now().Add(pause)
				return
			}
			d.account.whole, d.account.retry = latest(d.account.whole, whole), time.Time{} // answers may come in another order
		})
	}
	writes.Wait()
	return errors.Join(errs...)
}

// write puts the moment off at which a bucket is whole again, and returns it.
func (k *Keeper) write(ctx context.Context, t Table, d debt) (time.Time, error) {
	now, whole, by := k.now(), d.whole, d.account.span(d.tokens)
	if whole.Before(now) {
		whole = now
	}
	var after struct {
		Whole int64 `dynamo:"w"` // Unix milliseconds
	}
	isWhole := !whole.After(now)
	for tries := 1; ; tries++ { // whoever is faster only puts it off, so each way is wrong at most once, and the last one is right
		u := t.Update(d.account.Key).
			Set("v", version).Set("ttl", whole.Add(by+sweepAfter).Unix())
		if isWhole {
			u = u.Set("w", now.Add(by).UnixMilli()).If("attribute_not_exists('w') OR 'w' <= ?", now.UnixMilli())
		} else {
			u = u.Add("w", by.Milliseconds()).If("'w' > ?", now.UnixMilli())
		}
		err := u.OnlyUpdatedValue(ctx, &after)
		if err == nil {
			return time.UnixMilli(after.Whole), nil
		}
		if !dynamo.IsCondCheckFailed(err) || tries == 3 {
			return time.Time{}, err
		}
		isWhole = !isWhole
	}
}
