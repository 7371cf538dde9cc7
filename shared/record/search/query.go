package search

import "github.com/tenantry/tenantry/shared/record/search/segment"

// Query is what a list asks for.
type Query = segment.Query

// mostNamed is how many records a query may name to have them read by their ids. More of them cost less in the segments.
const mostNamed = 1000

// namedIDs returns the ids that a query names, if it names no more than mostNamed. No other record can match then.
func namedIDs(q Query) (ids []int64, named bool) {
	for _, c := range q.Where {
		if c.Field == segment.ID && c.Is == segment.OneOf && !c.Not && len(c.Set) <= mostNamed && (!named || len(c.Set) < len(ids)) {
			ids, named = c.Set, true
		}
	}
	return ids, named
}
