package search

import (
	"context"
	"crypto/sha256"
	"math"
	"slices"

	"github.com/tenantry/tenantry/shared/record/search/segment"
)

const (
	// mostRows and mostBytes bound a file. An open file then takes about mostKept bytes of memory. Files of this size load side by side
	// within what an instance may load at a time, take room in its memory from few others, and leave a kind of 2,000,000 records with
	// some 60 of them, of which its manifest takes 9 KB.
	mostRows  = 50_000
	mostBytes = 8 << 20
	mostKept  = 12_500_000
)

// sizeOf is how much memory files take together.
func sizeOf(list []stored) (sum int64) {
	for _, s := range list {
		sum += s.Bytes
	}
	return sum
}

// lastGeneration returns the index of the first file of the last generation.
func lastGeneration(list []stored) (from int) {
	for from = len(list) - 1; from > 0 && list[from].Continues; from-- {
	}
	return from
}

// compact returns from which file on all are to be merged with rows that are newer: so that each generation is larger than all that
// are newer, and they are few. Then each row is written a few times, however many merges there are. What fits into one file becomes one: to
// write it again takes milliseconds, and who searches it loads one file.
func compact(segments []stored, rows, file int64) (from int) {
	var starts []int
	for at := len(segments); at > 0; {
		at = lastGeneration(segments[:at])
		starts = append(starts, at)
	}
	from = len(segments)
	for i, start := range starts {
		older := int64(0)
		for _, s := range segments[start:from] {
			older += s.Rows
		}
		if older > ratio*rows && older+rows > file && len(starts)-i < maxSegments {
			break
		}
		from, rows = start, rows+older
	}
	return from
}

// idsOf returns the range of ids that a file may have. It ends where the next part of the same generation begins.
func idsOf(list []stored, i int) segment.Span {
	ids := segment.Span{Low: list[i].First, High: math.MaxInt64}
	if i+1 < len(list) && list[i+1].Continues {
		ids.High = list[i+1].First - 1
	}
	return ids
}

// overlapping are the files that may have any of a range of ids. whole tells whether they have no others.
func overlapping(list []stored, ids segment.Span) (found []stored, whole bool) {
	whole = true
	for i, s := range list {
		if of := idsOf(list, i); of.Low <= ids.High && of.High >= ids.Low {
			found = append(found, s)
			whole = whole && of.Low >= ids.Low && of.High <= ids.High
		}
	}
	return found, whole
}

// ranges cuts all ids into ranges for one pass. A range begins where a file begins. The files that begin within it weigh at most most
// together, unless one alone weighs more. Beside them a range needs at most one file of each generation, which began before it.
func ranges(list []stored, weight func(s stored) int64, most int64) (cut []segment.Span) {
	firsts := make([]int64, len(list))
	for i, s := range list {
		firsts[i] = s.First
	}
	slices.Sort(firsts)
	ids, sum := segment.Everything(), int64(0)
	for i, first := range firsts {
		if i > 0 && first == firsts[i-1] {
			continue
		}
		begin := int64(0)
		for _, s := range list {
			if s.First == first {
				begin += weight(s)
			}
		}
		if sum += begin; sum > most && i > 0 {
			ids.High = first - 1
			cut = append(cut, ids)
			ids, sum = segment.Span{Low: first, High: math.MaxInt64}, begin
		}
	}
	return append(cut, ids)
}

// among are the entries whose ids are in a range.
func among(entries []segment.Entry, ids segment.Span) (found []segment.Entry) {
	for _, e := range entries {
		if ids.Low <= e.ID && e.ID <= ids.High {
			found = append(found, e)
		}
	}
	return found
}

// waiting is how many entries a search would read that come after a mark.
func waiting(entries []segment.Entry, mark int64) (n int) {
	for _, e := range entries {
		if e.Changed > mark {
			n++
		}
	}
	return n
}

// store makes a generation of files and of entries, part by part, and puts its parts into the bucket. all says that there are no older
// files, so that what is gone can be forgotten. A file of whose ids nothing else has any stays as it is.
func (r *run) store(ctx context.Context, old []stored, entries []segment.Entry, all bool) (made []stored, err error) {
	// A file weighs as many rows as its memory would hold.
	weight := func(s stored) int64 { return max(s.Rows, s.Bytes*r.rows/mostKept) }
	for _, ids := range ranges(old, weight, r.rows) {
		files, whole := overlapping(old, ids)
		changes := among(entries, ids)
		if len(files) > 1 || !whole || len(changes) > 0 {
			if files, err = r.storeRange(ctx, ids, files, changes, all); err != nil {
				return nil, err
			}
		}
		made = append(made, files...)
	}
	for i := range made {
		made[i].Continues = i > 0
	}
	return made, nil
}

// storeRange makes the parts of a range; none if it has no rows. Before each, the manifest tells that the file may be there, so that it
// is removed if this merge dies.
func (r *run) storeRange(
	ctx context.Context, ids segment.Span, old []stored, entries []segment.Entry, all bool,
) (made []stored, err error) {
	segments, err := r.Memory.open(ctx, r.key(), old)
	if err != nil {
		return nil, err
	}
	limit := segment.Limit{IDs: ids, Rows: int(r.rows), Bytes: mostBytes}
	data, cuts, err := segment.Merge(r.shape(), segments, entries, all, limit)
	if err != nil {
		return nil, err
	}
	if data == nil {
		for i := range len(cuts) + 1 {
			part := ids
			if i > 0 {
				part.Low = cuts[i-1]
			}
			if i < len(cuts) {
				part.High = cuts[i] - 1
			}
			some, err := r.storeRange(ctx, part, old, among(entries, part), all)
			if err != nil {
				return nil, err
			}
			made = append(made, some...)
		}
		return made, nil
	}
	opened, err := segment.Open(data)
	if err != nil || opened.Rows() == 0 {
		return nil, err
	}
	s := stored{ID: r.newID(), Rows: int64(opened.Rows()), First: opened.First(), Bytes: int64(opened.Size())}
	if err := r.plan(ctx, s.ID); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	s.SHA256 = sum[:]
	s.Version, err = r.files.PutSegment(ctx, r.Tenant.ID(), r.Code, s.ID, data)
	return []stored{s}, err
}
