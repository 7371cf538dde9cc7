package client

import (
	"context"

	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/search"
)

// Named finds the clients in whose names all words are, for lists of records that show a client.
// It reads the search index, so it may lag behind changes by about a second.
func Named(ctx context.Context, s record.Scope, words []string) (map[int64]bool, error) {
	ids, err := Kind().Index(s).IDs(ctx, search.Query{InName: words})
	if err != nil {
		return nil, err
	}
	found := make(map[int64]bool, len(ids))
	for _, id := range ids {
		found[id] = true
	}
	return found, nil
}

// Narrow makes a query one for the records of those clients in whose names all words of a text are.
// column is the letter of a record's client in the search index. It is for records that have no
// text of their own that could be searched.
func Narrow(ctx context.Context, s record.Scope, q *search.Query, text, column string) error {
	words := search.Words(text)
	if q.Words = nil; len(words) == 0 {
		return nil
	}
	found, err := Named(ctx, s, words)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		q.IDs = []int64{} // nothing is read to find none
		return nil
	}
	q.Where(func(e search.Entry) bool { return e.Has(column) && found[e.Number(column)] })
	return nil
}
