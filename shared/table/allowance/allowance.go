// Package allowance limits what reads cost: each user of a company, and the company as a whole, may
// read so many units in an hour beyond what every page of a plain list costs.
//
// An allowance is a bucket that fills evenly: after an hour without reads it is whole. shared/table/tokenbucket says how it is
// counted over all instances of a function, and how much they let through together.
//
// What a search costs is known when it has been made. So a request is refused if nothing is left before
// it, and pays after it; the last one may leave a debt, which has to come back first. Where what it has read can't be written,
// the answer is given all the same: the same table answers the searches, and refusing them for want of a count helps nobody.
//
// Nobody but a company's users draws on its allowance, and a user's is a fraction of it, so that one user
// can't use it up for the others; several together can.
//
// What never goes in here: which requests draw, and how a refusal looks.
package allowance

import (
	"context"
	"sync"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tokenbucket"
)

const (
	// Window is the time in which an allowance comes back as a whole.
	Window = time.Hour
	// part is which part of an allowance an instance does not write: a hundredth.
	part = 100
)

// Limits are how many read units a user and a company may read in an hour; 0 is no limit.
type Limits struct{ User, Company int64 }

// Reader is who draws on the allowances of a company: a user, a feed, or a key for programs.
type Reader struct{ User, Feed, Key int64 }

// The names of the two policies, as answers name them.
const (
	ofUser    = "user"
	ofCompany = "company"
)

// Keeper is the memory of one instance. It is safe for concurrent use.
type Keeper struct {
	limits  Limits
	buckets *tokenbucket.Keeper
}

// New makes the memory of an instance.
func New(l Limits, now func() time.Time) *Keeper { return &Keeper{l, tokenbucket.New(now)} }

// Request is a request that may draw on the allowances.
type Request struct {
	buckets *tokenbucket.Keeper
	table   *table.Tenant
	of      []tokenbucket.Bucket

	mu      sync.Mutex
	drawn   bool
	refused error
}

type key struct{}

// Begin returns a context by which a request of a reader can draw. The result is nil if there are no limits.
func (k *Keeper) Begin(ctx context.Context, t *table.Tenant, by Reader) (context.Context, *Request) {
	r := &Request{buckets: k.buckets, table: t}
	own := t.UserAllowance(by.User)
	switch {
	case by.Feed != 0:
		own = t.FeedAllowance(by.Feed)
	case by.Key != 0:
		own = t.KeyAllowance(by.Key)
	}
	r.draws(ofUser, own, k.limits.User)
	r.draws(ofCompany, t.Allowance(), k.limits.Company)
	if len(r.of) == 0 {
		return ctx, nil
	}
	return context.WithValue(ctx, key{}, r), r
}

// draws adds an allowance of so many units in an hour; 0 is no limit.
func (r *Request) draws(policy string, of table.Key, units int64) {
	if units > 0 {
		all := float64(units)
		r.of = append(r.of, tokenbucket.Bucket{Name: policy, Key: of, Tokens: all, Window: Window, Part: all / part})
	}
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
	r.drawn = true
	if _, wait := r.buckets.Empty(r.of...); wait > 0 {
		r.refused = fault.TooManyOf(wait, say.ReadAllowance[int]).Coded()
	}
	return r.refused
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
	return r.buckets.Pay(ctx, r.table, units, r.of...)
}
