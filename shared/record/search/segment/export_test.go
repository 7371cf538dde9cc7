package segment

// FindWithin is Find with other bounds.
func (s Stream) FindWithin(q Query, first, sample, sorted int) (ids []int64, count int, err error) {
	return s.find(q, bounds{first, sample, sorted})
}
