package record

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/table"
)

// Window is the part of a list that is asked for.
type Window struct {
	Offset, Size int
	Last         bool // instead of Offset: the last page, if the list is cut into pages of Size
}

// Page reads the records that match a query, within the window, and the number of all that
// match. The result may lag behind changes by about a second. Ids are given out in the order of
// creation. So a query without filters, ordered by id, is answered by the listing, and costs
// the same at any offset.
func (k *Kind[T]) Page(ctx context.Context, s Scope, q search.Query, of Window) (page []T, count int, err error) {
	return k.PageAlong(ctx, s, q, of, nil)
}

// PageAlong is Page, and reads what is shown beside the records of the page; along may be nil. Work.KnowAlong gives that to a
// unit of work.
func (k *Kind[T]) PageAlong(
	ctx context.Context, s Scope, q search.Query, of Window, along *search.Along,
) (page []T, count int, err error) {
	by := append(slices.Clip(q.Order), segment.By{Field: segment.ID, Descending: true}) // equal ones: the newest first
	byID := q.IsAny() && by[0].Field == segment.ID
	if of.Last { // read the first page of the reversed list
		for i := range by {
			by[i].Descending = !by[i].Descending
		}
		of.Offset = 0
	}
	q.Order, q.Offset, q.Size = by, of.Offset, of.Size
	var found []table.Attributes
	if byID {
		found, count, err = s.Listing(k.Kind.Code).Page(ctx, q.Offset, q.Size, by[0].Descending)
	} else {
		index := k.Index(s)
		index.Along = along
		found, count, err = index.Page(ctx, q)
	}
	if err != nil {
		return nil, 0, err
	}
	if page, err = table.DecodeAll[T](found); err != nil {
		return nil, 0, err
	}
	if byID && along != nil {
		if err := along.Read(ctx, s.Table, idsOf(page)); err != nil {
			return nil, 0, err
		}
	}
	if of.Last {
		if rest := count % of.Size; rest > 0 && rest < len(page) {
			page = page[:rest]
		}
		slices.Reverse(page)
	}
	return page, count, nil
}

func idsOf[T Stored](page []T) []int64 {
	ids := make([]int64, len(page))
	for i := range page {
		ids[i] = page[i].meta().ID
	}
	return ids
}

// Each is Index.Each with the records themselves.
func (k *Kind[T]) Each(ctx context.Context, s Scope, q search.Query, size int, do func(recs []T) error) (count int, err error) {
	return k.Index(s).Each(ctx, q, size, func(found []table.Attributes) error {
		recs, err := table.DecodeAll[T](found)
		if err != nil {
			return err
		}
		return do(recs)
	})
}

// All reads all records of a kind with a limit (Most), in the order of Sorted, with one query
// for each MB of them. Imports make no records of such a kind, so all that are there are
// visible, and no count is needed. If the kind has sums, the query is consistent, because the
// sums that are shown with the records are; otherwise the result may lag behind changes by
// about a second.
func (k *Kind[T]) All(ctx context.Context, s Scope) ([]T, error) {
	var rows []table.Attributes
	q := s.Table.Table().Get("pk", s.Table.Records(k.Kind.Code)).Order(dynamo.Ascending)
	if err := q.Consistent(len(k.Kind.Sums) > 0).All(ctx, &rows); err != nil {
		return nil, fmt.Errorf("record: all %s: %w", k.Kind.Many, err)
	}
	list := make([]T, 0, len(rows))
	for _, row := range rows {
		rec, err := k.decode(row)
		if err != nil {
			return nil, err
		}
		list = append(list, rec)
	}
	if k.Sorted != nil {
		slices.SortStableFunc(list, k.Sorted)
	}
	return list, nil
}

// Removed reads the records of the archive, in the order of their ids, each when it is asked for.
func (k *Kind[T]) Removed(ctx context.Context, s Scope) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		rows := s.Table.Table().Get("pk", s.Table.Archive(k.Kind.Code, 0).PK).Order(dynamo.Ascending).Iter()
		for {
			var row table.Attributes
			if !rows.Next(ctx, &row) {
				break
			}
			if rec, err := k.decode(row); !yield(rec, err) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(none, fmt.Errorf("record: removed %s: %w", k.Kind.Many, err))
		}
	}
}

// IsSearched tells whether the records can be searched. Only then do their lists have
// filters, and orders other than by id. The list of a kind with Most is an array, which nobody searches.
func (k *Kind[T]) IsSearched() bool { return (k.Name != nil || len(k.Columns) > 0) && k.Most == 0 }

// HasText tells whether the records have a text that a search can find them by.
func (k *Kind[T]) HasText() bool {
	return k.Name != nil || k.More != nil || slices.ContainsFunc(k.Columns, isText)
}

func isText[T Stored](c column.Column[T]) bool { return c.IsText }

// Fields are what a list can be filtered and ordered by: what every record has, and the columns.
func (k *Kind[T]) Fields() []column.Field {
	list := slices.Grow(column.Common(k.IsSearched()), len(k.Columns))
	for _, c := range k.Columns {
		list = append(list, c.Field)
	}
	return list
}

// Index is the search of the kind's records.
func (k *Kind[T]) Index(s Scope) search.Index {
	return search.Index{
		Kind: k.Searched(), Tenant: s.Table, Listing: s.Listing(k.Kind.Code), Memory: s.Search, Now: s.Now,
	}
}

// Searched is the kind as the search knows it.
func (k *Kind[T]) Searched() search.Kind {
	shape := segment.Shape{{Letter: column.Created}, {Letter: column.Updated}}
	of := search.Kind{Code: k.Kind.Code, Shape: shape, Version: k.SearchVersion}
	of.Values = func(item table.Attributes) (search.Values, error) {
		rec, err := k.decode(item)
		if err != nil {
			return search.Values{}, err
		}
		return k.searchValues(rec), nil
	}
	for _, c := range k.Columns {
		of.Shape = append(of.Shape, c.Stored())
	}
	return of
}

// searchValues are what the search knows of a record.
func (k *Kind[T]) searchValues(rec T) search.Values {
	m := rec.meta()
	v := search.Values{
		Numbers: map[string]int64{column.Created: int64(m.Created), column.Updated: int64(m.Updated)}, Texts: map[string]string{},
	}
	if k.Name != nil {
		v.Name = search.Searchable(k.Name(rec))
	}
	if k.More != nil {
		v.More = search.Searchable(k.More(rec))
	}
	for _, c := range k.Columns {
		c.Put(rec, &v)
	}
	if k.Extras != nil {
		v.Extra, v.Within = searchedParts(k.Extras(rec))
	}
	return v
}

// searchedParts are the free parts whose custom fields filter lists: that of the record, and those within it.
func searchedParts(parts []Extra) (own []byte, within map[string][]byte) {
	for _, e := range parts {
		switch part, nested := strings.CutSuffix(e.Field, "."+extraField); {
		case e.Key == "":
		case nested:
			within = map[string][]byte{part: e.JSON}
		default:
			own = e.JSON
		}
	}
	return own, within
}
