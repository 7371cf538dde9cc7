package segment

import (
	"math"
	"slices"
)

// MergeAll merges without a limit.
func MergeAll(shape Shape, segments []*Segment, changes []Entry, dropGone bool) ([]byte, error) {
	data, _, err := Merge(shape, segments, changes, dropGone, Limit{Everything(), math.MaxInt, math.MaxInt})
	return data, err
}

// IDs are the ids of all records that a query matches, ascending.
func (v *View) IDs(q Query) (ids []int64) {
	for row := range v.Each(q) {
		ids = append(ids, row.ID())
	}
	slices.Sort(ids)
	return ids
}

// FindWithin is Find with other bounds.
func (s Stream) FindWithin(q Query, first, sample, sorted int) (ids []int64, count int, err error) {
	return s.find(q, bounds{first, sample, sorted})
}
