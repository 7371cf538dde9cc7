package penalty

import (
	"context"
	"errors"
	"strconv"

	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/nullable"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// Row is what a registry sends of one penalty. Its functions apply what was sent, and leave the rest.
type Row struct {
	OuterID *int64
	Fields  func(f *Fields)
	Car     Part[Car]
	Driver  Part[Driver]
	Company Part[Company]
}

// Part is what a registry sends of a part of a penalty.
type Part[P any] struct {
	Sent  bool
	Apply func(part *P) // nil for null: the penalty has no such part
}

// Take applies a row in a unit of work: to the penalty that has its outer_id, or to a new one. path
// is that of its errors. The caller settles the penalty.
func Take(ctx context.Context, w *record.Work, row *Row, path string) (*Penalty, error) {
	id, err := row.owner(ctx, w)
	if err != nil {
		return nil, err
	}
	if id == 0 {
		p := &Penalty{}
		Kind().Create(w, path, p)
		p.OuterID = row.OuterID
		row.Fields(&p.Fields)
		if errs := w.Errors(path); p.Protocol == "" && !errs.Has("protocol_number") {
			errs.Add("protocol_number", say.Required)
		}
		row.parts(p, p.Created)
		return p, nil
	}
	p, err := Kind().EditAt(ctx, w, id, path)
	if errors.Is(err, fault.ErrNotFound) {
		return nil, table.ErrRevision // it was deleted after its outer_id was looked up
	}
	if err != nil {
		return nil, err
	}
	p.Feed(row.Fields)
	row.parts(p, moment.Of(w.Scope().Actor.At))
	return p, nil
}

// owner is the id of the penalty that has the row's outer_id; 0 if no penalty has it.
func (row *Row) owner(ctx context.Context, w *record.Work) (int64, error) {
	k, ok := row.key(w.Scope().Table)
	if !ok {
		return 0, nil
	}
	found, err := w.Item(ctx, k)
	return unique.Owner(found), err
}

// key is the key of the reservation of the row's outer_id, if it has one.
func (row *Row) key(t *table.Tenant) (table.Key, bool) {
	if row.OuterID == nil {
		return table.Key{}, false
	}
	return unique.Value{Kind: kinds.Penalty, Name: "outer_id", Value: strconv.FormatInt(*row.OuterID, 10)}.Key(t), true
}

// RowKeys are the keys of what Take and Settle read first, for callers that read several items at once.
func RowKeys(t *table.Tenant, row *Row) []table.Key {
	keys := Needs(t)
	if k, ok := row.key(t); ok {
		keys = append(keys, k)
	}
	return keys
}

func (row *Row) parts(p *Penalty, now moment.Micros) {
	apply(row.Car, &p.Car, now)
	apply(row.Driver, &p.Driver, now)
	apply(row.Company, &p.Company, now)
}

// part is what the parts of a penalty have in common.
type part[P any] interface {
	*P
	times() *Times
	same(other *P) bool
}

// apply applies what was sent of a part. The times of a part say when the registry changed it.
func apply[P any, At part[P]](sent Part[P], at *At, now moment.Micros) {
	switch {
	case !sent.Sent:
		return
	case sent.Apply == nil:
		*at = nil
		return
	}
	next := new(P)
	if *at != nil {
		*next = *(*at)
	}
	sent.Apply(next)
	switch t := At(next).times(); {
	case *at == nil:
		*t = Times{Created: now, Updated: now}
	case !(*at).same(next):
		t.Updated = now
	}
	*at = next
}

func (t *Times) times() *Times { return t }

func (c *Car) same(o *Car) bool {
	return nullable.Same(c.OuterID, o.OuterID) && nullable.Same(c.Number, o.Number) &&
		nullable.Same(c.TechPassport, o.TechPassport) && nullable.Same(c.PublishedAt, o.PublishedAt)
}

func (d *Driver) same(o *Driver) bool {
	return nullable.Same(d.OuterID, o.OuterID) && nullable.Same(d.IIN, o.IIN) && nullable.Same(d.Document, o.Document) &&
		nullable.Same(d.FirstName, o.FirstName) && nullable.Same(d.LastName, o.LastName) && nullable.Same(d.MiddleName, o.MiddleName) &&
		nullable.Same(d.IssueDate, o.IssueDate)
}

func (c *Company) same(o *Company) bool {
	return nullable.Same(c.OuterID, o.OuterID) && nullable.Same(c.BIN, o.BIN) && nullable.Same(c.Name, o.Name)
}

// SetNumber sets the number of a car, in the form in which the numbers of items are kept.
func (c *Car) SetNumber(number *string) {
	if c.Number = number; number != nil {
		plate := item.Plate(*number)
		c.Number = &plate
	}
}
