package search

import (
	"context"

	"github.com/tenantry/tenantry/shared/record/search/segment"
)

// prepare sets what is searched: a set in memory, or, if it is nil, files that are streamed; and the changes. It returns whether these
// have all columns that a query names. All files of a manifest have the same columns, so the first ones tell.
func (s *sight) prepare(ctx context.Context, set *segment.Set, files []stored, entries []segment.Entry, q Query) (known bool, err error) {
	s.view, s.files, s.entries = nil, files, entries
	if set != nil {
		s.view = set.View(s.Shape, entries)
		return s.view.Knows(q), nil
	}
	all, i := s.ranges(), 0
	if s.endKept(all) {
		i = len(all) - 1
	}
	v, err := s.part(ctx, all[i])
	return err == nil && v.Knows(q), err
}

// views calls do with views one after the other, of ascending ids, that together are all that is searched.
func (s *sight) views(ctx context.Context, do func(v *segment.View, ids segment.Span) error) error {
	if s.view != nil {
		return do(s.view, segment.Everything())
	}
	return s.stream(ctx, s.ranges(), false, do)
}

// stream calls do with views of ranges one after the other, or the last first. do must not keep a view, so that its files can be forgotten.
func (s *sight) stream(
	ctx context.Context, all []segment.Span, down bool, do func(v *segment.View, ids segment.Span) error,
) error {
	for i, ids := range all {
		if down {
			ids = all[len(all)-1-i]
		}
		v, err := s.part(ctx, ids)
		if err == nil {
			err = do(v, ids)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ranges are of so few files each that a search holds half of its part of the memory, and another file of each generation.
func (s *sight) ranges() []segment.Span {
	return ranges(s.files, func(f stored) int64 { return f.Bytes }, s.Memory.kept.most/heldPart/2)
}

// endKept tells whether the last file is in memory, which means that the last pass ended there. The next pass then goes the other way:
// in the same direction each file would have been forgotten just before it is needed.
func (s *sight) endKept(all []segment.Span) bool {
	files, _ := overlapping(s.files, all[len(all)-1])
	return s.Memory.find(keyOf(s.key(), files[len(files)-1])) != nil
}

// part is the view of a range of ids.
func (s *sight) part(ctx context.Context, ids segment.Span) (*segment.View, error) {
	files, _ := overlapping(s.files, ids)
	segments, err := s.Memory.open(ctx, s.key(), files)
	if err != nil {
		return nil, err
	}
	return segment.NewRange(segments, ids).View(s.Shape, among(s.entries, ids)), nil
}

// find gets the ids of a query's page, and how many records match in all.
func (s *sight) find(ctx context.Context, q Query) (ids []int64, count int, err error) {
	if s.view != nil {
		ids, count = s.view.Find(q)
		return ids, count, nil
	}
	return segment.Stream(func(do func(v *segment.View)) error {
		all := s.ranges()
		return s.stream(ctx, all, s.endKept(all), func(v *segment.View, _ segment.Span) error {
			do(v)
			return nil
		})
	}).Find(q)
}
