package record

import (
	"fmt"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/table"
)

func (p *one[T]) write(w *Work, tx *table.Tx, c *listing.Counts) error {
	does := p.doing
	if !p.dirty {
		does = reads
	}
	return p.rec.meta().write(w, tx, c, p.kind.Kind.Code, does, p.relied, p.was().Revision, p.rec)
}

// write adds a record to the transaction, which knows no type of records for the same reason as revise. before is the revision
// that was read.
func (m *Meta) write(
	w *Work, tx *table.Tx, c *listing.Counts, kind kinds.Code, does doing, relied bool, before int64, rec any,
) error {
	t, d := w.scope.Table, w.scope.Listing(kind)
	switch {
	case does == reads && relied:
		k := t.Record(kind, m.ID)
		tx.Check(t.Table().Check("pk", k.PK).Range("sk", k.SK).If("'r' = ?", m.Revision), table.ErrRevision)
	case does == reads:
	case does == creates:
		tx.Put(t.Create(rec), fmt.Errorf("record: %s %d exists", kind, m.ID))
		return c.Created(d, m.ID)
	case does == removes:
		tx.Delete(t.Delete(t.Record(kind, m.ID)).If("'r' = ?", before), table.ErrRevision)
		tx.Put(t.Put(rec), nil)
		return c.Deleted(d, m.ID)
	default:
		tx.Put(t.Put(rec).If("'r' = ?", before), table.ErrRevision)
	}
	return nil
}

func (p *one[T]) indexed() (search.Indexed, bool) {
	m := p.rec.meta()
	return m.Indexed, p.dirty && m.Changed > 0 && !p.gone
}

func (p *one[T]) appends() (table.Key, bool) {
	return p.rec.meta().Key(), p.kind.AppendOnly && p.doing == creates
}

func (p *one[T]) unaudited() bool { return p.dirty && p.kind.Unaudited }

func (p *one[T]) uniques() (had, has []Unique) {
	if p.doing == reads {
		return nil, nil
	}
	if p.doing != creates {
		had = p.kind.uniques(p.before)
	}
	if p.doing != removes {
		has = p.kind.uniques(p.rec)
	}
	return had, has
}

func (p *one[T]) values() (had, has []unique.Value) {
	before, after := p.uniques()
	return valuesOf(p.kind.Kind.Code, before), valuesOf(p.kind.Kind.Code, after)
}

func valuesOf(kind kinds.Code, list []Unique) (values []unique.Value) {
	for _, u := range list {
		values = append(values, u.of(kind))
	}
	return values
}

func (p *one[T]) holds() (had, has []Reference) {
	if p.doing == reads || p.gone {
		return nil, nil
	}
	if p.doing != creates {
		had = p.kind.holds(p.before)
	}
	if p.doing != removes {
		has = p.kind.holds(p.rec)
	}
	return had, has
}
