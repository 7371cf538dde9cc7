package row

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/functions/penalties/penalty"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// ofTraffic is the row of a traffic penalty. It accrues nothing until an order is charged with it, and
// then the row of the order's fee stands for it.
func ofTraffic(p *penalty.Penalty, zone *time.Location) Row {
	r := Row{
		Letter: Penalty.letter(), Source: p.ID, Date: dayOf(p.Created, zone), Order: p.Order, Client: p.Client, Item: p.Item,
		Gone: p.Charged != nil, Of: p.Revision,
	}
	if p.Date != nil {
		r.Date = *p.Date
	}
	return r
}

// FollowPenalties works out the rows of a block of penalties again, and writes those that differ, in one
// transaction.
func FollowPenalties(ctx context.Context, s record.Scope, block int64) error {
	return table.Anew(ctx, table.Tries, func() error {
		w := s.Reading()
		keys := []table.Key{s.Table.Company()}
		first := max(1, block*penalty.PerMessage)
		for id := first; id < (block+1)*penalty.PerMessage; id++ {
			keys = append(keys, penalty.Kind().Key(s.Table, id), Kind().Key(s.Table, idOf(ofPenalty, id)))
		}
		if err := w.Load(ctx, keys...); err != nil {
			return err
		}
		of, err := company.Get(ctx, w)
		if err != nil {
			return err
		}
		zone, err := of.Zone()
		if err != nil {
			return err
		}
		var changes []change
		for id := first; id < (block+1)*penalty.PerMessage; id++ {
			c, err := ofPenaltyNow(ctx, w, id, zone)
			if err != nil {
				return err
			}
			if c != nil {
				changes = append(changes, *c)
			}
		}
		return s.Table.Write(ctx, func(tx *table.Tx, _ int) error {
			sums := days{}
			for _, c := range changes {
				sums.add(c.before, c.after)
				conditional(tx, s, c.before, c.after, penalty.Kind().Key(s.Table, c.after.Source))
			}
			sums.write(tx, s.Table)
			return nil
		})
	}, nil)
}

// ofPenaltyNow is what becomes of the row of a penalty; nil if it stays as it is.
func ofPenaltyNow(ctx context.Context, w *record.Work, id int64, zone *time.Location) (*change, error) {
	p, err := there(penalty.Kind().Read(ctx, w, id))
	if err != nil {
		return nil, err
	}
	before, err := there(Kind().Read(ctx, w, idOf(ofPenalty, id)))
	if err != nil || p == nil && before == nil {
		return nil, err
	}
	after := Row{Letter: Penalty.letter(), Source: id, Gone: true, Of: forever}
	if p != nil {
		after = ofTraffic(p, zone)
	}
	after.ID = idOf(ofPenalty, id)
	switch {
	case before == nil:
		if after.Gone {
			return nil, nil
		}
	case before.Of > after.Of:
		return nil, table.ErrRevision // the penalty was read before it was changed, and its row after that
	case record.Same(before, &after):
		return nil, nil
	}
	return &change{id: after.ID, before: before, after: &after}, nil
}
