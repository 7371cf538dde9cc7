package record

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/table"
)

// Listed puts a record into the index of children: the partition of its parent, and the
// position there.
type Listed struct {
	By string `dynamo:"by,omitempty"`
	BS string `dynamo:"bs,omitempty"`
}

// Child says below which record another one is, and at which position: At is a text that sorts,
// such as a time. It has at most 64 characters: digits, letters, and any of - : . which all
// sort after the character that follows At in the index.
type Child struct {
	Of kinds.Code
	ID int64
	At string
}

const maxPlace = 64

func (c Child) isSortable() bool {
	strange := func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == ':' || r == '.')
	}
	return len(c.At) <= maxPlace && !strings.ContainsFunc(c.At, strange)
}

func (c Child) listed(t *table.Tenant, k kinds.Code, id int64) Listed {
	if c == (Child{}) {
		return Listed{}
	}
	return Listed{By: t.Children(k, c.Of, c.ID), BS: c.At + "#" + table.SortID(id)}
}

// Span is a part of the records below another one: those whose At is between two texts, both
// included; an empty To means no upper limit.
type Span struct {
	From, To string
	Newest   bool // order: the last At first
	Most     int  // 0 means all
}

// Place is a record's place below another one, as the index has it.
type Place struct {
	ID int64
	At string
}

// layout is how a moment is written as the At of a Child.
const layout = "2006-01-02T15:04:05.000000Z"

// At is a moment as the At of a Child.
func At(at moment.Micros) string { return at.Time().UTC().Format(layout) }

// Time is the moment of a place that is one.
func (p Place) Time() (time.Time, error) { return time.Parse(layout, p.At) }

// Places reads the places below another record from the index alone: one call for each MB of
// them. They lag behind by about a second.
func (k *Kind[T]) Places(ctx context.Context, s Scope, of kinds.Code, id int64, span Span) ([]Place, error) {
	var rows []struct {
		BS string `dynamo:"bs"`
	}
	if err := span.query(s.Table, k.Kind.Code, of, id).All(ctx, &rows); err != nil {
		return nil, fmt.Errorf("record: places: %w", err)
	}
	list := make([]Place, len(rows))
	for i, row := range rows {
		at, number, _ := strings.Cut(row.BS, "#")
		id, err := table.ParseSortID(number)
		if err != nil {
			return nil, err
		}
		list[i] = Place{ID: id, At: at}
	}
	return list, nil
}

// query asks the index for the span of the records of kind k below another record.
func (span Span) query(t *table.Tenant, k, of kinds.Code, id int64) *dynamo.Query {
	const end = "~" // sorts after every At
	to := span.To + "#" + end
	if span.To == "" {
		to = end
	}
	q := t.Table().Get("by", t.Children(k, of, id)).Range("bs", dynamo.Between, span.From, to).
		Index("children").Order(dynamo.Order(!span.Newest))
	if span.Most > 0 {
		q = q.SearchLimit(span.Most)
	}
	return q
}

// Children reads the records of a kind below another record: it queries the index and then
// reads the records consistently by their keys, with one call for each hundred. The index lags
// behind by about a second, so no rule may depend on the absence of a record. The records that
// are returned are up to date, and still below the other record.
func (k *Kind[T]) Children(ctx context.Context, s Scope, of kinds.Code, id int64, span Span) (list []T, err error) {
	q := span.query(s.Table, k.Kind.Code, of, id)
	for {
		var rows []table.Item
		next, err := q.AllWithLastEvaluatedKey(ctx, &rows)
		if err != nil {
			return nil, fmt.Errorf("record: children: %w", err)
		}
		below, err := k.below(ctx, s, of, id, rows)
		if err != nil {
			return nil, err
		}
		list = append(list, below...)
		if next == nil || len(list) >= span.Most { // with Most 0 the query has returned everything
			break
		}
		q = q.StartFrom(next) // some were removed or moved since they were indexed
	}
	slices.SortStableFunc(list, func(a, b T) int {
		if span.Newest {
			a, b = b, a
		}
		return cmp.Compare(a.meta().BS, b.meta().BS)
	})
	if span.Most > 0 && len(list) > span.Most {
		list = list[:span.Most]
	}
	return list, nil
}

// below are those records of some index rows that are still below another record.
func (k *Kind[T]) below(ctx context.Context, s Scope, of kinds.Code, id int64, rows []table.Item) (list []T, err error) {
	keys := make([]table.Key, len(rows))
	for i, row := range rows {
		keys[i] = row.Key()
	}
	found, err := Look(ctx, s.Table, s.Now(), keys...)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		if found[key] == nil {
			continue
		}
		rec, err := k.decode(found[key])
		if err != nil {
			return nil, err
		}
		if c := k.Below(rec); c.Of == of && c.ID == id {
			list = append(list, rec)
		}
	}
	return list, nil
}
