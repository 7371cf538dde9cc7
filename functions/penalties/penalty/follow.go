package penalty

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// below puts a penalty below the item that is its car, at the moment of the violation. A penalty without an item is
// below item 0, by what its car can be found by; if nothing is known of the car, it is below none.
func below(p *Penalty) record.Child {
	at := ""
	if p.ViolatedAt != nil {
		at = record.At(*p.ViolatedAt)
	}
	switch {
	case p.Item != nil:
		return record.Child{Of: kinds.Inventory, ID: *p.Item, At: at}
	case p.plate() == "" && p.passport() == "":
		return record.Child{}
	}
	return record.Child{Of: kinds.Inventory, At: item.Mark(p.plate()) + ":" + item.Mark(p.passport()) + ":" + at}
}

// hasPassport tells whether a penalty without an item, at its place, has one of some tech passports.
func hasPassport(at record.Place, marks []string) bool {
	_, rest, _ := strings.Cut(at.At, ":")
	mark, _, _ := strings.Cut(rest, ":")
	return slices.Contains(marks, mark)
}

// lag is how old a message has to be before it is carried out. By then the indexes show the change that has left it.
const lag = 3 * time.Second

// follower matches penalties again when their orders or cars have changed.
type follower struct {
	conn *table.Conn
	now  func() time.Time
}

// begin returns the scope of a message, once it is old enough.
func (f follower) begin(m outbox.Message) (record.Scope, error) {
	s, err := record.ForMessage(f.conn, m, f.now)
	if until := m.At.Add(lag); err == nil && f.now().Before(until) {
		err = outbox.Later{Until: until}
	}
	return s, err
}

// moved matches the penalties of some items again, from a moment on.
func (f follower) moved(ctx context.Context, m outbox.Message) error {
	since, items, err := order.ParseMoved(m.Body)
	if err != nil {
		return fmt.Errorf("%w: %w", outbox.ErrDrop, err)
	}
	s, err := f.begin(m)
	if err != nil {
		return err
	}
	var all []int64
	for _, id := range items {
		ids, err := placed(ctx, s, id, record.Span{From: record.At(since)}, nil)
		if err != nil {
			return err
		}
		all = append(all, ids...)
	}
	return again(ctx, s, all)
}

// identified matches the penalties of a car again, and those without an item that may be of the car.
func (f follower) identified(ctx context.Context, m outbox.Message) error {
	i, err := item.ParseIdentity(m.Body)
	if err != nil {
		return fmt.Errorf("%w: %w", outbox.ErrDrop, err)
	}
	s, err := f.begin(m)
	if err != nil {
		return err
	}
	if i.Item == 0 { // of many cars
		all, err := placed(ctx, s, 0, record.Span{}, nil)
		if err != nil {
			return err
		}
		return again(ctx, s, all)
	}
	all, err := placed(ctx, s, i.Item, record.Span{}, nil)
	if err != nil {
		return err
	}
	for _, mark := range i.Plates {
		ids, err := placed(ctx, s, 0, record.Span{From: mark, To: mark + ":~"}, nil)
		if err != nil {
			return err
		}
		all = append(all, ids...)
	}
	if len(i.Passports) > 0 {
		ids, err := placed(ctx, s, 0, record.Span{}, func(at record.Place) bool { return hasPassport(at, i.Passports) })
		if err != nil {
			return err
		}
		all = append(all, ids...)
	}
	return again(ctx, s, all)
}

// placed are the penalties below an item, within a span of it, that fit; nil fits all.
func placed(ctx context.Context, s record.Scope, item int64, span record.Span, fits func(record.Place) bool) (ids []int64, err error) {
	places, err := Kind().Places(ctx, s, kinds.Inventory, item, span)
	for _, at := range places {
		if fits == nil || fits(at) {
			ids = append(ids, at.ID)
		}
	}
	return ids, err
}

// portion is how many penalties one message matches; they are done long before the worker's time is over.
const portion = 50

// again matches penalties again, each in a unit of work of its own, which writes something only if somebody else had the
// car. More than a portion are left to further messages. If it can't end, it is called again and does the same.
func again(ctx context.Context, s record.Scope, ids []int64) error {
	if len(ids) <= portion {
		for _, id := range ids {
			if err := rematch(ctx, s, id); err != nil {
				return err
			}
		}
		return nil
	}
	for many := range slices.Chunk(ids, portion*portion) {
		if err := s.Do(ctx, nil, func(w *record.Work) error {
			for some := range slices.Chunk(many, portion) {
				if err := w.Send(Matching, toMatch{some}); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}
