package record

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
)

// Listed puts a record into the index of children: the partition of its parent,
// and its place there.
type Listed struct {
	By string `dynamo:"by,omitempty"`
	BS string `dynamo:"bs,omitempty"`
}

// Child is where a record stands below another: in the order of a text that
// sorts, such as a time (see At).
type Child struct {
	Of kinds.Code
	ID int64
	At string
}

func (c Child) listed(t *table.Tenant, k kinds.Code, id int64) Listed {
	if c == (Child{}) {
		return Listed{}
	}
	return Listed{By: t.Children(k, c.Of, c.ID), BS: c.At + "#" + table.SortID(id)}
}

// Span is a part of the records below another: those whose At is between two
// texts, both included; an empty To has no end.
type Span struct {
	From, To string
	Newest   bool // the order: the last At first
	Most     int  // 0: all
}

// Children reads the records of a kind below another, by the index and then
// consistently by their keys, a call for each hundred. The index lags behind by
// about a second, so no rule is decided on who is missing; what is there is as it
// is now, and still below.
func (k Kind[T]) Children(ctx context.Context, s Scope, of kinds.Code, id int64, span Span) ([]T, error) {
	const end = "\uffff" // sorts after every At
	to := span.To + "#" + end
	if span.To == "" {
		to = end
	}
	q := s.Table.Table().Get("by", s.Table.Children(k.Kind.Code, of, id)).
		Range("bs", dynamo.Between, span.From, to).Index("children").Order(dynamo.Order(!span.Newest))
	if span.Most > 0 {
		q = q.SearchLimit(span.Most)
	}
	var rows []table.Item
	if err := q.All(ctx, &rows); err != nil {
		return nil, fmt.Errorf("record: children: %w", err)
	}
	keys := make([]table.Key, len(rows))
	for i, row := range rows {
		keys[i] = row.Key()
	}
	found, err := Look(ctx, s.Table, s.Now(), keys...)
	if err != nil {
		return nil, err
	}
	list := make([]T, 0, len(keys))
	for _, key := range keys {
		if found[key] == nil {
			continue
		}
		rec, err := k.decode(found[key])
		if err != nil {
			return nil, err
		}
		if c := k.Below(rec); c.Of == of && c.ID == id {
			list = append(list, *rec)
		}
	}
	place := func(rec T) string { return metaOf(&rec).BS }
	slices.SortStableFunc(list, func(a, b T) int {
		if span.Newest {
			a, b = b, a
		}
		return strings.Compare(place(a), place(b))
	})
	return list, nil
}
