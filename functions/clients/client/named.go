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
