// Package allowance limits what reads cost: each user of a company, and the company as a whole, may
// read so many units in an hour beyond what every page of a plain list costs.
//
// An allowance is a bucket that fills evenly: after an hour without reads it is whole. What is stored
// of it is one moment, the one at which it will be whole again, which each use puts off by the time in
// which that much comes back. There are therefore no windows at whose ends somebody has twice as much, and
// whoever has used everything up waits for seconds and not for the rest of an hour.
//
// What a search costs is known when it has been made. So a request is refused if nothing is left before
// it, and pays after it; the last one may leave a debt, which has to come back first.
//
// An instance of a function remembers what it has used and writes it to the table only when it is more than
// a small part of the allowance, all of it at once; that write's answer tells what all instances together
// have used. Up to the part, nothing is written: of what an instance has not written, one part comes back in an
// hour, so a company that searches now and then costs no call. An instance that has heard that nothing is
// left asks nobody until then.
//
// However many instances there are, and whatever they know of each other, together they let through at most
// the allowance, what has come back since, and of each instance one part and one request. For when an
// instance lets somebody through again after it has heard that nothing is left, all that was used up to then
// has come back; so what is owed at any moment was used by each instance at most once. An answer that
// was lost may be paid twice. If the table can't be written, an instance goes on by what it has used itself:
// the same table answers the searches, and refusing them for want of a count helps nobody.
//
// Nobody but a company's users draws on its allowance, and a user's is a fraction of it, so that one user
// can't use it up for the others; several together can.
//
// What never goes in here: which requests draw, and how a refusal looks.
package allowance

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	// Window is the time in which an allowance comes back as a whole.
	Window = time.Hour
	// part is which part of an allowance an instance does not write: a hundredth.
	part = 100
	// most is how many allowances an instance remembers.
	most = 10_000
	// sweepAfter is how long an item stays after its allowance is whole, whatever was owed when it was written.
	sweepAfter = 48 * time.Hour

	version = 1
)

// Limits are how many read units a user and a company may read in an hour; 0 is no limit.
type Limits struct{ User, Company int64 }

// Reader is who draws on the allowances of a company: a user, or a feed.
type Reader struct{ User, Feed int64 }

// The names of the two policies, as answers name them.
const (
	ofUser    = "user"
	ofCompany = "company"
)

// Keeper is the memory of one instance. It is safe for concurrent use.
type Keeper struct {
	limits Limits
	now    func() time.Time

	mu    sync.Mutex
	known map[table.Key]*account
}

// New makes the memory of an instance.
func New(l Limits, now func() time.Time) *Keeper {
	return &Keeper{limits: l, now: now, known: map[table.Key]*account{}}
}

// account is what an instance knows of one allowance.
type account struct {
	limit     float64
	whole     time.Time // when all of it is there again, as the table said last
	unwritten float64   // what this instance has used and has not written
	at        time.Time // up to when unwritten has come back
}

// left is how many units are left; it is below zero where some are owed.
func (a *account) left(now time.Time) float64 {
	used := a.unwritten
	if a.whole.After(now) {
		used += a.units(a.whole.Sub(now))
	}
	return a.limit - used
}

// units is how many units come back in a time, and span the time in which they do.
func (a *account) units(in time.Duration) float64 { return a.limit * in.Seconds() / Window.Seconds() }

func (a *account) span(units float64) time.Duration {
	return time.Duration(math.Ceil(units/a.limit*float64(Window.Milliseconds()))) * time.Millisecond
}

// use adds what was used, and returns what is to be written of it.
func (a *account) use(now time.Time, units float64) (write float64) {
	if now.After(a.at) {
		a.unwritten, a.at = max(0, a.unwritten-a.units(now.Sub(a.at))/part), now
	}
	a.unwritten += units
	if a.unwritten <= a.limit/part {
		return 0
	}
	write, a.unwritten = a.unwritten, 0
	return write
}

// Request is a request that may draw on the allowances.
type Request struct {
	keeper *Keeper
	table  *table.Tenant
	of     []allowance

	mu      sync.Mutex
	drawn   bool
	refused error
}

// allowance is one of those that a request draws on.
type allowance struct {
	policy string // as answers name it
	key    table.Key
	limit  float64
}

type key struct{}

// Begin returns a context by which a request of a reader can draw. The result is nil if there are no limits.
func (k *Keeper) Begin(ctx context.Context, t *table.Tenant, by Reader) (context.Context, *Request) {
	r := &Request{keeper: k, table: t}
	if k.limits.User > 0 {
		own := t.UserAllowance(by.User)
		if by.Feed != 0 {
			own = t.FeedAllowance(by.Feed)
		}
		r.of = append(r.of, allowance{ofUser, own, float64(k.limits.User)})
	}
	if k.limits.Company > 0 {
		r.of = append(r.of, allowance{ofCompany, t.Allowance(), float64(k.limits.Company)})
	}
	if len(r.of) == 0 {
		return ctx, nil
	}
	return context.WithValue(ctx, key{}, r), r
}

// Draw says that a request reads what has no bound of its own. The error is a fault if nothing is left of an
// allowance; then nothing may be read. It does nothing where the context has no Request: the worker's reads, and
// those of requests that write.
func Draw(ctx context.Context) error {
	r, _ := ctx.Value(key{}).(*Request)
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.drawn { // what has begun goes on: it pays at its end
		return r.refused
	}
	k := r.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	var wait time.Duration
	for _, of := range r.of {
		wait = max(wait, k.account(of, now).wait(now))
	}
	r.drawn = true
	if wait > 0 {
		r.refused = fault.TooMany(wait).With("code", "read_allowance")
	}
	return r.refused
}

// wait is how long it takes until a unit is left; 0 or less if one is.
func (a *account) wait(now time.Time) time.Duration { return a.span(1 - a.left(now)) }

// account returns what is known of an allowance. The keeper is locked.
func (k *Keeper) account(of allowance, now time.Time) *account {
	if a := k.known[of.key]; a != nil {
		return a
	}
	if len(k.known) >= most {
		k.forget(now)
	}
	a := &account{limit: of.limit, at: now}
	k.known[of.key] = a
	return a
}

// forget removes what need not be known: allowances that are whole, or all of them if none is.
func (k *Keeper) forget(now time.Time) {
	for key, a := range k.known {
		if a.use(now, 0); a.left(now) == a.limit {
			delete(k.known, key)
		}
	}
	if len(k.known) >= most {
		clear(k.known)
	}
}

// Pay charges a request that has drawn for the units that it has read. One that was refused pays nothing: else whoever
// tries again too early would wait the longer. An error says that the table does not
// know it yet; then a later request pays.
func (r *Request) Pay(ctx context.Context, units float64) error {
	r.mu.Lock()
	pays := r.drawn && r.refused == nil
	r.mu.Unlock()
	if !pays || units <= 0 {
		return nil
	}
	var payments sync.WaitGroup
	errs := make([]error, len(r.of))
	for i, of := range r.of {
		k := r.keeper
		k.mu.Lock()
		now := k.now()
		a := k.account(of, now)
		write, whole := a.use(now, units), a.whole
		k.mu.Unlock()
		if write == 0 {
			continue
		}
		payments.Go(func() {
			whole, err := r.write(ctx, of.key, whole, a.span(write))
			k.mu.Lock()
			defer k.mu.Unlock()
			if errs[i] = err; err != nil {
				a.unwritten += write
				return
			}
			a.whole = whole
		})
	}
	payments.Wait()
	return errors.Join(errs...)
}

// write puts the moment off at which an allowance is whole again, and returns it. whole is what is known of it.
func (r *Request) write(ctx context.Context, of table.Key, whole time.Time, by time.Duration) (time.Time, error) {
	now := r.keeper.now()
	if whole.Before(now) {
		whole = now
	}
	var after struct {
		Whole int64 `dynamo:"w"` // Unix milliseconds
	}
	isWhole := !whole.After(now)
	for tries := 1; ; tries++ { // whoever is faster only puts it off, so each way is wrong at most once, and the last one is right
		u := r.table.Update(of).
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
