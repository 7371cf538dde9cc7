package record

import (
	"context"
	"math"
	"slices"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
)

// Window is the part of a list that is asked for.
type Window struct {
	Offset, Size int
	Last         bool // instead of Offset: the last part, of lists cut into parts of Size
}

// Page reads the records that a query asks for and the number of those that match
// it. It may lag behind changes by about a second. Ids are given out in the order
// of creation, so a list that asks for nothing but an order by id is the
// listing's, and costs the same at any offset.
func (k Kind[T]) Page(ctx context.Context, s Scope, q search.Query, of Window) (page []T, count int, err error) {
	by := append(slices.Clip(q.Order), search.By{Field: search.ID, Descending: true}) // ties: the newest first
	byID := len(q.Words) == 0 && len(q.InText) == 0 && q.Filter == nil && by[0].Field == search.ID
	if of.Last { // the first part of the list from its other end
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

// All reads all records, the oldest first: of a kind that has Most.
func (k Kind[T]) All(ctx context.Context, s Scope) ([]T, error) {
	list, _, err := listing.Page[T](ctx, s.Listing(k.Kind.Code), 0, math.MaxInt32, false)
	return list, err
}

// Index is the search index of the kind.
func (k Kind[T]) Index(s Scope) search.Index[T] {
	return search.Index[T]{
		Tenant: s.Table, Kind: k.Kind.Code, Listing: s.Listing(k.Kind.Code), Digits: k.Digits,
		Text: func(a table.Attributes) string { return a.Text(kinds.Name) }, Needs: []string{kinds.Name},
	}
}
