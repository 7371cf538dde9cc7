package client

import (
	"context"

	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
)

// Named is true for the records whose client, under the letter of a column, has all of some words in its name: for lists of
// records that show a client. The clients are found in their own index, which may lag behind changes by about a second.
func Named(ctx context.Context, s record.Scope, letter string, words []string) (segment.Condition, error) {
	ids, err := Kind().Index(s).IDs(ctx, search.Query{InName: words})
	return segment.In(letter, ids...), err
}

// Narrow makes a query one for the records of those clients in whose names all words of a text are. It is for records that
// have no text of their own that could be searched.
func Narrow(ctx context.Context, s record.Scope, q *search.Query, text, letter string) error {
	words := search.Words(text)
	if q.Words = nil; len(words) == 0 {
		return nil
	}
	of, err := Named(ctx, s, letter, words)
	if q.Add(of); len(of.Set) == 0 {
		q.Add(segment.In(segment.ID)) // nothing is read to find none
	}
	return err
}
