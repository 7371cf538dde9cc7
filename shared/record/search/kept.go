package search

import (
	"container/heap"

	"github.com/tenantry/tenantry/shared/record/search/segment"
)

// kept are the segments that an instance keeps, up to a number of bytes. If they have more, what is worth least is forgotten. What a
// segment is worth grows with each use, by the time that this saves for each byte that it takes. One that comes later begins with what the
// last one was worth that was forgotten, so what is not used any more goes at last. That is GreedyDual-Size-Frequency (L. Cherkasova,
// 1998). One search of a large kind therefore takes little room from small ones that are searched often; it would take all that it needs
// if the least recently used went.
type kept struct {
	most, bytes int64
	floor       float64 // what the last one was worth that was forgotten
	by          map[segmentKey]*opened
	heap        worths
}

// perGet is how many bytes of memory take as long to load and open as a GET takes to begin: 18 ms, at 12 ns a byte.
const perGet = 1_500_000

// mostUses is as many uses as count. If more did, what was used much would stay for hours after its last use.
const mostUses = 15

type opened struct {
	key segmentKey
	*segment.Segment
	uses, worth float64
	at          int // in the heap
}

// use returns a segment, and counts that; nil if it isn't kept.
func (k *kept) use(key segmentKey) *segment.Segment {
	o := k.by[key]
	if o == nil {
		return nil
	}
	k.value(o)
	heap.Fix(&k.heap, o.at)
	return o.Segment
}

// value counts a use.
func (k *kept) value(o *opened) {
	o.uses = min(o.uses+1, mostUses)
	o.worth = k.floor + o.uses*(1+perGet/float64(o.Size()))
}

// add keeps a segment, and returns what is forgotten for it, which may be this one.
func (k *kept) add(key segmentKey, s *segment.Segment) (gone []segmentKey) {
	o := &opened{key: key, Segment: s}
	k.value(o)
	k.by[key] = o
	heap.Push(&k.heap, o)
	for k.bytes += int64(s.Size()); k.bytes > k.most; {
		least := k.heap[0]
		k.floor = least.worth
		k.forget(least.key)
		gone = append(gone, least.key)
	}
	return gone
}

func (k *kept) forget(key segmentKey) {
	o := k.by[key]
	heap.Remove(&k.heap, o.at)
	delete(k.by, key)
	k.bytes -= int64(o.Size())
}

// worths are segments, for container/heap, which has the one that is worth least first.
type worths []*opened

func (w worths) Len() int           { return len(w) }
func (w worths) Less(i, j int) bool { return w[i].worth < w[j].worth }

func (w worths) Swap(i, j int) {
	w[i], w[j] = w[j], w[i]
	w[i].at, w[j].at = i, j
}

// Push is called with an *opened.
func (w *worths) Push(x any) {
	o := x.(*opened) //nolint:forcetypeassert // see above
	o.at = len(*w)
	*w = append(*w, o)
}

// Pop takes the last one away.
func (w *worths) Pop() any {
	last := len(*w) - 1
	o := (*w)[last]
	(*w)[last] = nil
	*w = (*w)[:last]
	return o
}
