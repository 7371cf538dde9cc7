package order

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
)

// MostStays is how many documents, and how many changes of the order, Reopen looks at for what stays: the newest.
const MostStays = 50

// Reopen undoes the return of a line of an order, or, as long as its item is out, its hand-out: the line, the calendar of its item, fees,
// services and the status of the order are what they were before. It returns what stays although it came afterwards, the newest first.
func Reopen(ctx context.Context, w *record.Work, o *Order, id int64) ([]Stay, error) {
	l, err := stillThere(Lines().Edit(ctx, w, id))
	if err != nil {
		return nil, err
	}
	now := w.Scope().Actor.At
	done, err := o.checkReopen(l, now)
	if err != nil {
		return nil, err
	}
	lines, err := o.loadToReopen(ctx, w, l)
	if err != nil {
		return nil, err
	}
	others, err := o.partsOf(ctx, w, l)
	if err != nil {
		return nil, err
	}
	rental := append([]*Line{l}, others...)
	p, err := newPricer(ctx, w, o.Point, rental...)
	if err != nil {
		return nil, err
	}
	undone := UndoneHandOut
	o.Lines = slices.Clone(o.Lines) // Edit copies shallowly: what was before has the same slice
	if l.state() == Returned {
		undone = UndoneReturn
		err = o.bringOut(rental, done.At, p)
	} else {
		err = o.undoHandOut(ctx, w, l, done, p)
	}
	if err != nil {
		return nil, err
	}
	var conflicts Conflicts
	err = conflicts.take(calendar.Change(ctx, w, l.Item, func(c *calendar.Calendar) error {
		return c.Reopen(l.entry(o.returnPoint()), done.At, now)
	}))
	if err != nil {
		return nil, err
	}
	if err := o.refuse(conflicts); err != nil {
		return nil, errBooked.With("conflicts", []calendar.ItemConflict(conflicts))
	}
	o.turnBack(lines)
	w.Happened(LineReopened{On: o.onLine(l), Line: l.ID, Inventory: l.Item, Undone: undone, Status: o.Status})
	var c Changes
	for _, part := range rental {
		c.Lines = append(c.Lines, part.besides(Lines().Before(w, part.ID)))
	}
	if err := o.sayArranged(w, c); err != nil {
		return nil, err
	}
	if err := o.follow(ctx, w, p.unbounded(), 1+len(rental)); err != nil {
		return nil, err
	}
	if err := settle(ctx, w, o); err != nil {
		return nil, err
	}
	return o.stays(ctx, w, done)
}

// loadToReopen reads, in one call, what reopening a line asks for and its answer shows, and returns the lines of the order. A referral that
// was paid for what would be undone is refused.
func (o *Order) loadToReopen(ctx context.Context, w *record.Work, l *Line) ([]*Line, error) {
	t := w.Scope().Table
	keys := append(ShownKeys(t, o), t.Company(), t.Calendar(l.Item))
	var referrals []*Referral
	if o.rewarded(l) {
		for _, id := range o.Referrals {
			keys = append(keys, t.Record(kinds.Referral, id))
		}
	}
	if err := w.Load(ctx, distinct(keys)...); err != nil {
		return nil, err
	}
	lines, _, err := loaded(ctx, w, o)
	if err != nil || !o.rewarded(l) {
		return lines, err
	}
	for _, id := range o.Referrals {
		r, err := stillThere(Referrals().Read(ctx, w, id))
		if err != nil {
			return nil, err
		}
		referrals = append(referrals, r)
	}
	return lines, checkUnpaid(referrals)
}

// undoHandOut undoes the hand-out of a line. What one is priced by that was changed since is read only then.
func (o *Order) undoHandOut(ctx context.Context, w *record.Work, l *Line, done *Done, p pricer) (err error) {
	var of offer
	if l.Type == Rental && !l.isSince(done) {
		d := &Draft{Line: l}
		if of, err = d.readOffer(ctx, w); err != nil {
			return err
		}
		if err = p.today(ctx, w, Changes{Lines: []*Draft{d}}); err != nil {
			return err
		}
	}
	return o.takeIn(l, done, p, of)
}

// stays are the documents that were made of an order since something was done, its refunds and the returns of its deposits. Documents may
// lag a second behind. Refunds that were taken back are not among them.
func (o *Order) stays(ctx context.Context, w *record.Work, done *Done) ([]Stay, error) {
	s := w.Scope()
	last := Kind().Before(w, o.ID).Revision
	entries, err := audit.Between(ctx, s.Table, kinds.Of(kinds.Order), o.ID, max(done.Revision, last-MostStays)+1, last)
	if err != nil {
		return nil, err
	}
	places, err := documents().Places(ctx, s, kinds.Order, o.ID, record.Span{From: record.At(done.At), Newest: true, Most: MostStays})
	if err != nil {
		return nil, err
	}
	list := staysOf(entries)
	for _, p := range places {
		at, err := p.Time()
		if err != nil {
			return nil, err
		}
		list = append(list, Stay{Kind: StayDocument, ID: p.ID, At: encode.Instant(at)})
	}
	slices.SortStableFunc(list, func(a, b Stay) int { return cmp.Compare(b.At, a.At) })
	return thoseThere(ctx, w, list)
}

// thoseThere leaves out refunds that were deleted since, names each refund once, and gives it the amount that it has now.
func thoseThere(ctx context.Context, w *record.Work, list []Stay) ([]Stay, error) {
	var keys []table.Key
	for _, s := range list {
		if s.Kind == StayRefund {
			keys = append(keys, ledger.Postings().Key(w.Scope().Table, s.ID))
		}
	}
	if err := w.Load(ctx, distinct(keys)...); err != nil {
		return nil, err
	}
	stays, seen := make([]Stay, 0, len(list)), map[int64]bool{}
	for _, s := range list {
		if s.Kind == StayRefund {
			p, err := ledger.Postings().Read(ctx, w, s.ID)
			if errors.Is(err, fault.ErrNotFound) || seen[s.ID] {
				continue
			}
			if err != nil {
				return nil, err
			}
			amount := p.Amount.Neg()
			s.Amount, seen[s.ID] = &amount, true
		}
		stays = append(stays, s)
	}
	return stays, nil
}
