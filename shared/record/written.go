package record

import (
	"fmt"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/table"
)

func (p *trackedRecord[T]) write(w *Work, tx *table.Tx, c *listing.Counts) error {
	m, kind := p.rec.meta(), p.kind.Kind.Code
	t, d, before := w.scope.Table, w.scope.Listing(kind), p.was().Revision
	switch {
	case !p.dirty && p.relied:
		k := t.Record(kind, m.ID)
		tx.Check(t.Table().Check("pk", k.PK).Range("sk", k.SK).If("'r' = ?", m.Revision), table.ErrRevision)
	case !p.dirty || p.action == onlyRead:
	case p.action == create:
		tx.Put(t.Create(p.rec), fmt.Errorf("record: %s %d exists", kind, m.ID))
		return c.Created(d, m.ID)
	case p.action == remove:
		tx.Delete(t.Delete(t.Record(kind, m.ID)).If("'r' = ?", before), table.ErrRevision)
		tx.Put(t.Put(p.rec), nil)
		return c.Deleted(d, m.ID)
	default:
		tx.Put(t.Put(p.rec).If("'r' = ?", before), table.ErrRevision)
	}
	return nil
}

func (p *trackedRecord[T]) indexed() (search.Indexed, bool) {
	m := p.rec.meta()
	return m.Indexed, p.dirty && m.Changed > 0 && !p.gone
}

func (p *trackedRecord[T]) appends() (table.Key, bool) {
	return p.rec.meta().Key(), p.kind.AppendOnly && p.action == create
}

func (p *trackedRecord[T]) unaudited() bool { return p.dirty && p.kind.Unaudited }

func (p *trackedRecord[T]) uniques() (had, has []Unique) {
	if p.action == onlyRead {
		return nil, nil
	}
	if p.action != create {
		had = p.kind.uniques(p.before)
	}
	if p.action != remove {
		has = p.kind.uniques(p.rec)
	}
	return had, has
}

func (p *trackedRecord[T]) uniqueValues() (had, has []unique.Value) {
	before, after := p.uniques()
	return valuesOf(p.kind.Kind.Code, before), valuesOf(p.kind.Kind.Code, after)
}

func valuesOf(kind kinds.Code, list []Unique) (values []unique.Value) {
	for _, u := range list {
		values = append(values, u.of(kind))
	}
	return values
}

func (p *trackedRecord[T]) holds() (had, has []Reference) {
	if p.action == onlyRead || p.gone {
		return nil, nil
	}
	if p.action != create {
		had = p.kind.holds(p.before)
	}
	if p.action != remove {
		has = p.kind.holds(p.rec)
	}
	return had, has
}
