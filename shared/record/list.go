package record

import (
	"context"
	"fmt"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/search"
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
func (k Kind[T]) Page(ctx context.Context, s Scope, q search.Query, of Window) (page []T, count int, err error) {
	by := append(slices.Clip(q.Order), search.By{Field: search.ID, Descending: true}) // equal ones: the newest first
	byID := q.IsAny() && by[0].Field == search.ID
	if of.Last { // read the first page of the reversed list
		for i := range by {
			by[i].Descending = !by[i].Descending
		}
		of.Offset = 0
	}
	q.Order, q.Offset, q.Size = by, of.Offset, of.Size
	if byID {
		page, count, err = listing.Page[T](ctx, s.Listing(k.Kind.Code), q.Offset, q.Size, by[0].Descending)
	} else {
		page, count, err = k.Index(s).Page(ctx, q)
	}
	if err != nil {
		return nil, 0, err
	}
	if of.Last {
		if rest := count % of.Size; rest > 0 && rest < len(page) {
			page = page[:rest]
		}
		slices.Reverse(page)
	}
	return page, count, nil
}

// All reads all records of a kind with a limit (Most), in the order of Sorted, with one query
// for each MB of them. Imports make no records of such a kind, so all that are there are
// visible, and no count is needed. If the kind has sums, the query is consistent, because the
// sums that are shown with the records are; otherwise the result may lag behind changes by
// about a second.
func (k Kind[T]) All(ctx context.Context, s Scope) ([]T, error) {
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
		list = append(list, *rec)
	}
	if k.Sorted != nil {
		slices.SortStableFunc(list, func(a, b T) int { return k.Sorted(&a, &b) })
	}
	return list, nil
}

// IsSearched tells whether the records are in the search index. Only then do their lists have
// filters, and orders other than by id.
func (k Kind[T]) IsSearched() bool { return k.Name != nil || len(k.Columns) > 0 }

// HasText tells whether the records have a text that a search can find them by.
func (k Kind[T]) HasText() bool {
	return k.Name != nil || k.More != nil || slices.ContainsFunc(k.Columns, column.Column[T].IsText)
}

// Index is the search index of the kind.
func (k Kind[T]) Index(s Scope) search.Index[T] {
	ix := search.Index[T]{
		Tenant: s.Table, Kind: k.Kind.Code, Listing: s.Listing(k.Kind.Code), TextBytes: k.TextBytes(), Digits: k.spellings,
		Values: func(item table.Attributes) (search.Values, error) {
			var rec T
			err := item.Decode(&rec)
			return k.values(&rec), err
		},
	}
	if k.More == nil && !slices.ContainsFunc(k.Columns, column.Column[T].IsText) { // only the name has to be read
		ix.Needs = []string{kinds.Name}
		ix.Values = func(item table.Attributes) (search.Values, error) {
			return search.Values{Name: item.Text(kinds.Name)}, nil
		}
	}
	return ix
}

// values are what the search index stores about a record, except the time of its last change.
func (k Kind[T]) values(rec *T) search.Values {
	v := search.Values{Numbers: map[string]int64{}, Texts: map[string]string{}}
	if k.Name != nil {
		v.Name = k.Name(rec)
	}
	if k.More != nil {
		v.More = k.More(rec)
	}
	for _, c := range k.Columns {
		c.Put(rec, &v)
	}
	return v
}

// otherBytes is the size of an entry apart from its columns and its text: the keys of the
// company and the record, the time of the last change, and what tells these values apart.
const otherBytes = 65

// TextBytes is how many bytes of a name, and of the other text that is searched, an entry has
// room for.
func (k Kind[T]) TextBytes() int {
	room := search.EntryBytes - otherBytes
	for _, c := range k.Columns {
		room -= c.Most()
	}
	return min(room, search.TextBytes)
}

// spellings are the digit sequences by which a search finds an entry.
func (k Kind[T]) spellings(e search.Entry) (list []string) {
	for _, c := range k.Columns {
		list = append(list, c.Spellings(e)...)
	}
	return list
}

// Words are the words of a search text. A text that as a whole is a number with separators,
// such as a telephone number, is one word.
func (k Kind[T]) Words(text string) []string {
	for _, c := range k.Columns {
		if word, ok := c.Whole(text); ok {
			return []string{word}
		}
	}
	return search.Words(text)
}
