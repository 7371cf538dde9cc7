package record

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/listing/folding"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Scope says in which company a unit of work happens, on whose behalf, and when.
type Scope struct {
	Table *table.Tenant
	Actor audit.Actor
	// Role is that of the caller in the company; empty where nobody calls.
	Role tenant.Role
	// Now is the clock, for leases and due times; records are stamped with Actor.At.
	Now func() time.Time
	// Wrong is what is already known to be wrong with the body of the request. If it holds any
	// error, nothing is written and no id is given out; the remaining checks still run, and all
	// errors are answered as one fault.
	Wrong fault.FieldErrors
	// Zone gives the time zone of the company, for date-times of custom fields that have no offset; nil refuses these.
	Zone func() (*time.Location, error)
	// Search is what this instance remembers for searches; nil reads records instead.
	Search *search.Memory
	// Through runs the transaction; nil means Table. It is the platform's handle where a unit
	// of work also writes items that belong to no company.
	Through listing.Writer
	// Numbers are unused ids for new records, which the caller has reserved (listing.Reserve) for this
	// unit of work alone. If they are too few, it reserves more.
	Numbers map[kinds.Code][]int64
}

// ForMessage is the scope in which a message is carried out: in its company, and on behalf of itself. A message of no company is
// dropped.
func ForMessage(c *table.Conn, m outbox.Message, now func() time.Time) (Scope, error) {
	company, ok := m.Tenant()
	if !ok {
		return Scope{}, fmt.Errorf("%w: of no company", outbox.ErrDrop)
	}
	return Scope{Table: table.Of(c, company), Actor: audit.Actor{Request: m.ID, At: now().UTC()}, Now: now}, nil
}

// OpenMessage is ForMessage for a message that has a body, which it decodes. One that can't be read is dropped.
func OpenMessage(c *table.Conn, m outbox.Message, now func() time.Time, body any) (Scope, error) {
	if err := m.Decode(body); err != nil {
		return Scope{}, fmt.Errorf("%w: %w", outbox.ErrDrop, err)
	}
	return ForMessage(c, m, now)
}

// Listing is the listing of a kind of records.
func (s Scope) Listing(k kinds.Code) listing.Listing {
	return listing.Of(s.Table, k, folding.Ask(s.Table, k, s.Now))
}

// moment is the time of the request, as records store it.
func (s Scope) moment() moment.Micros { return moment.Of(s.Actor.At) }

// Answer stores the answer of a request, for a client that repeats the request.
type Answer interface {
	// Keep adds the answer to the transaction that makes it true. It is called when every
	// record is as it will be written, and again after a conflict.
	Keep(ctx context.Context, tx *table.Tx) error
}

// Do runs a unit of work: it writes what decide makes of the company's records, in one
// transaction with the history and with the answer a, which is nil in the worker. If data that
// decide has read was changed meanwhile, decide is called again and reads anew; it must not
// carry over anything from the call before. An error of decide ends the unit of work. If it is
// a fault of wrong fields, the errors found so far are added to it.
//
// The error is decide's, or a fault of what is wrong with the records, or the error of an
// operation of Also, or idempotency.ErrTaken, or table.ErrTooLarge, or a fault Unavailable:
// other requests were faster again and again, or the outcome is not known.
func (s Scope) Do(ctx context.Context, a Answer, decide func(w *Work) error) error {
	reserved, beforehand, try := map[kinds.Code][]int64{}, map[string]bool{}, 0
	for k, ids := range s.Numbers {
		reserved[k] = slices.Clone(ids)
	}
	return table.Anew(ctx, table.Tries, func() error {
		w := newWork(s, reserved)
		try++
		w.try, w.beforehand = try, beforehand
		if err := decide(w); err != nil {
			return w.withErrors(err)
		}
		return w.commit(ctx, a)
	}, raced)
}

// Rehearse runs the decision of a unit of work and all checks, and writes nothing: it answers with
// the error that Do would. The decision must not ask for numbers (Number, Next).
func (s Scope) Rehearse(ctx context.Context, decide func(w *Work) error) error {
	w := newWork(s, nil)
	w.try, w.trial = 1, true
	if err := decide(w); err != nil {
		return w.withErrors(err)
	}
	return w.check(ctx, theEnd)
}

// Trial runs a unit of work as Do does, up to its transaction, and gives it up there: it answers with the error that Do would until then,
// and writes nothing. No number is used up, so new records have numbers for the time being, which no record has.
func (s Scope) Trial(ctx context.Context, decide func(w *Work) error) error {
	return table.Anew(ctx, table.Tries, func() error {
		w := newWork(s, nil)
		w.try, w.trial = 1, true
		if err := decide(w); err != nil {
			return w.withErrors(err)
		}
		return w.ready(ctx)
	}, nil)
}

// Reading is a unit of work that writes nothing. Code that only shows records uses it to call
// functions that take a Work.
func (s Scope) Reading() *Work { return newWork(s, nil) }

// raced tells whether a unit of work failed because another one has reserved a unique value.
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
		w.remember()
		return nil
	}
	// If a transaction was sent twice, the second attempt may fail because the first one
	// succeeded.
	if table.Unavailable(err) || table.Refused(err) {
		if did, lookErr := happened(ctx); lookErr == nil && did {
			w.remember()
			return nil
		}
	}
	return w.explain(ctx, err)
}

// remember lets the searches of this instance find at once what was written.
func (w *Work) remember() {
	for _, p := range w.tracked {
		if entry, ok := p.indexed(); ok {
			kind, id := p.kindAndID()
			w.scope.Search.Wrote(w.scope.Table.ID(), kind.Code, id, entry)
		}
	}
}

// ready checks everything, gives new records their ids, runs what was left for the end, and
// prepares what is written. imported are the holds of records that an import has written itself.
func (w *Work) ready(ctx context.Context, imported ...held) error {
	if err := w.number(ctx, theEnd); err != nil {
		return err
	}
	for _, do := range w.last {
		if err := do(ctx); err != nil {
			return err
		}
	}
	return w.prepare(imported)
}

// explain turns the failed condition of an item beside a record into the fault of its cause; it returns any other error as it is.
func (w *Work) explain(ctx context.Context, err error) error {
	if failed := new(besideError); errors.As(err, &failed) {
		return w.refused(ctx, failed)
	}
	return err
}

// proof returns the function that finds out whether the unit of work took place, for when the answer to its transaction was lost. It
// looks for the first of these that there is:
//
//   - a message that was sent, the best proof, because no other attempt can have left it;
//   - a revision that was made;
//   - a record that was appended;
//   - entries, which are their own proof: where they are as the unit of work has them, nothing is left to do, whoever wrote them.
//
// What only stores an answer or arms messages, and records without history (Kind.Unaudited), may simply be repeated: for these the
// function says no. Anything else is a mistake in our code.
func (w *Work) proof() (happened func(context.Context) (bool, error), err error) {
	if len(w.sends) > 0 {
		key := w.sends[0].Key()
		return func(ctx context.Context) (bool, error) { return w.sent(ctx, key) }, nil
	}
	if len(w.revisions) > 0 {
		log, r := audit.Of(w.scope.Table, w.scope.Actor), w.revisions[0]
		return func(ctx context.Context) (bool, error) { return log.Happened(ctx, r.Kind, r.ID, r.Number) }, nil
	}
	for _, p := range w.tracked {
		if key, ok := p.appends(); ok {
			return func(ctx context.Context) (bool, error) { return w.appended(ctx, key) }, nil
		}
	}
	if len(w.additions) > 0 && len(w.months)+len(w.also) == 0 && w.additions.areEntries() {
		return w.entered, nil
	}
	derived := slices.ContainsFunc(w.tracked, func(p tracked) bool { return p.unaudited() })
	if derived || len(w.additions)+len(w.months)+len(w.also) == 0 {
		return func(context.Context) (bool, error) { return false, nil }, nil
	}
	return nil, errors.New("record: a unit of work that makes no revision, appends nothing and leaves no message " +
		"could not be found to have happened")
}

// sent tells whether a message was left. A message that was carried out is kept for a week.
func (w *Work) sent(ctx context.Context, key table.Key) (bool, error) {
	var item table.Item
	err := w.scope.Table.Get(ctx, key, &item)
	if errors.Is(err, table.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// appended tells whether a record was appended by this very request.
func (w *Work) appended(ctx context.Context, key table.Key) (bool, error) {
	var item table.Attributes
	err := w.scope.Table.Get(ctx, key, &item)
	if errors.Is(err, table.ErrNotFound) {
		return false, nil
	}
	return err == nil && item.Text(requestAttribute) == w.scope.Actor.Request, err
}

// stage says whether the decision may still change what a check is about.
type stage bool

const (
	midway stage = false
	theEnd stage = true
)

// Check checks what the unit of work holds so far, as Number does, without giving out ids. It
// is for a decision that does something irreversible, such as storing bytes, and must do so
// only if nothing is wrong. The items at the keys more are read in the same call, for a decision that needs
// them next.
func (w *Work) Check(ctx context.Context, more ...table.Key) error {
	return w.check(ctx, midway, more...)
}

// CheckAll checks what Check does, and the unique values and the limit on the number of records
// too, as the end does. It is for a decision that has made all its records and takes numbers next,
// so that it uses none up if something is wrong.
func (w *Work) CheckAll(ctx context.Context) error { return w.check(ctx, theEnd) }

// Number checks what the unit of work holds so far, in one read, and gives new records their
// ids. It is for a decision that needs the ids; otherwise Do calls it at the end. Everything
// that is wrong is one fault, and then no id is given out. Unique values and the limit on the
// number of records are checked only at the end.
func (w *Work) Number(ctx context.Context) error { return w.number(ctx, midway) }

func (w *Work) number(ctx context.Context, at stage) error {
	if err := w.check(ctx, at); err != nil {
		return err
	}
	wanted := map[kinds.Code]int{}
	for _, p := range w.tracked {
		if k, ok := p.unnumbered(); ok {
			wanted[k]++
		}
	}
	for _, p := range w.tracked {
		k, ok := p.unnumbered()
		if !ok {
			continue
		}
		id, err := w.next(ctx, k, wanted[k])
		if err != nil {
			return err
		}
		w.at[p.number(w, id)] = p
		w.Know(nil, w.scope.Table.Beside(k, id)) // a new number has nothing beside it
		wanted[k]--
	}
	return nil
}

// next is an unused id of a kind. It first uses ids that an earlier attempt reserved and did
// not use; if there are none, it reserves wanted ids at once. A trial takes the last ids that there can be, which no
// record gets: they are given out from 1 on.
func (w *Work) next(ctx context.Context, k kinds.Code, wanted int) (int64, error) {
	if w.trial {
		w.used[k]++
		return table.MaxID - int64(w.used[k]) + 1, nil
	}
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
