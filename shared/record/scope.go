package record

import (
	"context"
	"errors"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/listing/folding"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/table"
)

// Scope is in which company a unit of work happens, on whose behalf, and when.
type Scope struct {
	Table *table.Tenant
	Actor audit.Actor
	Now   func() time.Time
	// Wrong is what is wrong already with the body that asks for the unit of work. With
	// any of it nothing is written and no number is taken; what else is wrong is found
	// out, and all of it is one fault.
	Wrong fault.FieldErrors
	// Through runs the transaction; nil is Table. It is the platform's handle
	// where a unit of work writes what belongs to no company, too.
	Through listing.Writer
}

// Listing is that of a kind of records.
func (s Scope) Listing(k kinds.Code) listing.Listing {
	return listing.Of(s.Table, k, folding.Ask(s.Table, k, s.Now))
}

// micros is the time of the request as records keep it.
func (s Scope) micros() int64 { return s.Actor.At.UnixMicro() }

// Answer is how the answer of a request is kept for whoever sends the request
// again.
type Answer interface {
	// Keep adds it to the transaction that makes it true. It is called when every
	// record is as it will be written, and again after a conflict.
	Keep(ctx context.Context, tx *table.Tx) error
}

// Do runs a unit of work: what decide makes of the company's records, in one
// transaction with its history and its answer, which is nil in the worker. decide
// is called anew, and reads anew, where what it was decided on has changed: it
// must not keep what it did the time before. Its errors end the matter; a fault of
// wrong fields takes with it what was found wrong until then.
//
// An error is decide's, a fault of what is wrong with the records, that of an
// operation of Also, idempotency.ErrTaken, table.ErrTooLarge, or a fault
// Unavailable: others were faster again and again, or the outcome is not known.
func (s Scope) Do(ctx context.Context, a Answer, decide func(w *Work) error) error {
	reserved, again := map[kinds.Code][]int64{}, false
	return table.Anew(ctx, table.Tries, func() error {
		w := newWork(s, reserved)
		w.again, again = again, true
		if err := decide(w); err != nil {
			return w.with(err)
		}
		return w.commit(ctx, a)
	}, raced)
}

// Reading is a unit of work that writes nothing: for what shows records, as others
// are decided.
func (s Scope) Reading() *Work { return newWork(s, nil) }

// raced tells whether a unit of work lost a race that it did not see coming.
func raced(err error) bool {
	var taken *unique.TakenError
	return errors.As(err, &taken)
}

// commit writes what was decided.
func (w *Work) commit(ctx context.Context, a Answer) error {
	if err := w.ready(ctx); err != nil {
		return err
	}
	if w.isEmpty() && a == nil {
		return nil
	}
	happened, err := w.proof()
	if err != nil {
		return err
	}
	through := w.scope.Through
	if through == nil {
		through = w.scope.Table
	}
	err = listing.Write(ctx, through, func(tx *table.Tx, c *listing.Counts) error {
		if a != nil {
			if err := a.Keep(ctx, tx); err != nil {
				return err
			}
		}
		return w.write(tx, c)
	})
	if err == nil {
		return nil
	}
	// A transaction that was sent twice may have failed because of itself.
	if table.Unavailable(err) || table.Refused(err) {
		if did, lookErr := happened(ctx); lookErr == nil && did {
			return nil
		}
	}
	return w.told(ctx, err)
}

// ready checks and numbers everything, and settles what is written.
func (w *Work) ready(ctx context.Context) error {
	if err := w.number(ctx, true); err != nil {
		return err
	}
	return w.prepare()
}

// told is what a caller is told of the error of a transaction.
func (w *Work) told(ctx context.Context, err error) error {
	if failed := new(besideError); errors.As(err, &failed) {
		return w.refused(ctx, failed)
	}
	return err
}

// looks is how a unit of work is found to have happened.
type looks func(ctx context.Context) (bool, error)

// proof is the look by which a unit of work whose answer was lost is found to
// have happened: at a revision that it made, or at a record that it appended.
// One that writes nothing but an answer, or arms messages, has none and needs
// none: whoever sends the request again finds the answer, or arms them once more.
func (w *Work) proof() (looks, error) {
	for _, r := range w.revisions {
		log := audit.Of(w.scope.Table, w.scope.Actor)
		return func(ctx context.Context) (bool, error) { return log.Happened(ctx, r.Kind, r.ID, r.Number) }, nil
	}
	for _, p := range w.parts {
		if key, ok := p.appends(); ok {
			return func(ctx context.Context) (bool, error) { return w.appended(ctx, key) }, nil
		}
	}
	if len(w.sums)+len(w.sends)+len(w.also) == 0 {
		return func(context.Context) (bool, error) { return false, nil }, nil
	}
	return nil, errors.New("record: a unit of work that makes no revision and appends nothing could not be found to have happened")
}

// appended tells whether this very request appended a record.
func (w *Work) appended(ctx context.Context, key table.Key) (bool, error) {
	var item table.Attributes
	err := w.scope.Table.Get(ctx, key, &item)
	if errors.Is(err, table.ErrNotFound) {
		return false, nil
	}
	return err == nil && item.Text(requestAttribute) == w.scope.Actor.Request, err
}

// Check checks what the unit of work holds so far, as Number does, and gives no
// numbers: for a decision that does what can't be undone, such as storing bytes, only
// where nothing is wrong.
func (w *Work) Check(ctx context.Context) error { return w.check(ctx, false) }

// Number checks what the unit of work holds so far, in one read, and gives new
// records their numbers: for a decision that needs these. Do calls it at the
// latest. All that is wrong is one fault, and what is refused takes no number.
// Unique values, and how many records there may be, are checked at the end.
func (w *Work) Number(ctx context.Context) error { return w.number(ctx, false) }

func (w *Work) number(ctx context.Context, end bool) error {
	if err := w.check(ctx, end); err != nil {
		return err
	}
	wanted := map[kinds.Code]int{}
	for _, p := range w.parts {
		if k, ok := p.unnumbered(); ok {
			wanted[k]++
		}
	}
	for _, p := range w.parts {
		k, ok := p.unnumbered()
		if !ok {
			continue
		}
		id, err := w.next(ctx, k, wanted[k])
		if err != nil {
			return err
		}
		w.at[p.number(w, id)] = p
		wanted[k]--
	}
	return nil
}

// next is a number of a kind that nothing has; so many are taken at once where another
// try has left none.
func (w *Work) next(ctx context.Context, k kinds.Code, wanted int) (int64, error) {
	if w.used[k] == len(w.reserved[k]) {
		first, err := w.scope.Listing(k).Reserve(ctx, wanted)
		if err != nil {
			return 0, err
		}
		for id := range int64(wanted) {
			w.reserved[k] = append(w.reserved[k], first+id)
		}
	}
	w.used[k]++
	return w.reserved[k][w.used[k]-1], nil
}
