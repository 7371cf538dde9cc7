package search

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"

	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/tenant"
)

const (
	// ownFor is how long an instance remembers its own changes, which the index of changes may not show yet.
	ownFor = 10 * time.Second
	// askEvery is how long an instance that has asked for a merge waits before it asks again.
	askEvery = 20 * time.Second
	// heldPart is which part of what an instance may keep a search holds at once: an eighth. What it holds may be forgotten meanwhile, so
	// it comes on top of what is kept. Kinds that take more are searched range by range.
	heldPart = 8
	// many is how many kinds an instance may know before it looks which of them it need not.
	many = 1000
)

// Memory is what an instance of a function remembers between requests: segments, the manifests that it works with, and
// its own latest changes. It is safe for concurrent use. A nil Memory remembers nothing, and searches read records.
type Memory struct {
	files *files.Store
	now   func() time.Time
	quiet bool // it never asks for a merge, because it is a Merger's

	load func(ctx context.Context, k kindKey, s stored) (*segment.Segment, error)
	room *semaphore.Weighted // bytes of segments that are being loaded
	wide int                 // segments that one search loads at a time

	mu      sync.Mutex
	loading map[segmentKey]chan struct{} // closed when the load has ended
	kept    kept
	views   map[kindKey]*held
	own     map[kindKey][]own
	asked   map[kindKey]time.Time
	many    int // from how many kinds on it tidies
}

type kindKey struct {
	company tenant.ID
	kind    kinds.Code
}

type segmentKey struct {
	kindKey
	id      uuid.UUID
	version string
	sum     string // so that a manifest which was tampered with opens nothing that was opened before
}

// held is a manifest that the instance works with, and its segments put together; these are nil if one of them was forgotten.
type held struct {
	*manifest
	set *segment.Set
}

type own struct {
	id    int64
	entry Indexed
	at    time.Time
}

// NewMemory returns a Memory that keeps up to most bytes of segments, which lie in a bucket.
func NewMemory(from *files.Store, now func() time.Time, most int64) *Memory {
	m := &Memory{
		files: from, now: now, many: many, room: semaphore.NewWeighted(mostLoading), wide: wide,
		loading: map[segmentKey]chan struct{}{}, kept: kept{most: most, by: map[segmentKey]*opened{}},
		views: map[kindKey]*held{}, own: map[kindKey][]own{}, asked: map[kindKey]time.Time{},
	}
	m.load = m.read
	return m
}

func keyOf(k kindKey, s stored) segmentKey { return segmentKey{k, s.ID, s.Version, string(s.SHA256)} }

func (m *Memory) find(k segmentKey) *segment.Segment {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.kept.use(k)
}

// keep remembers a segment, and forgets others if that is too much.
func (m *Memory) keep(k segmentKey, s *segment.Segment) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, gone := range m.kept.add(k, s) {
		if h := m.views[gone.kindKey]; h != nil {
			h.set = nil
		}
	}
}

// held returns the manifest that the instance works with; nil if it has none.
func (m *Memory) held(k kindKey) *manifest {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if h := m.views[k]; h != nil {
		return h.manifest
	}
	return nil
}

// hold makes the instance work with a manifest, and forgets segments of the kind that this manifest does not have.
func (m *Memory) hold(k kindKey, is *manifest) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if is == nil {
		delete(m.views, k)
		return
	}
	m.tidy()
	m.views[k] = &held{manifest: is}
	needed := map[uuid.UUID]bool{}
	for _, s := range is.Segments {
		needed[s.ID] = true
	}
	for key := range m.kept.by {
		if key.kindKey == k && !needed[key.id] {
			m.kept.forget(key)
		}
	}
}

// together makes the instance work with a manifest, and returns its segments put together. That is kept as long as all of them are.
func (m *Memory) together(k kindKey, is *manifest, segments []*segment.Segment) *segment.Set {
	m.mu.Lock()
	var set *segment.Set
	if h := m.views[k]; h != nil && h.manifest == is {
		set = h.set
	}
	m.mu.Unlock()
	if set != nil {
		return set
	}
	set = segment.NewSet(segments)
	m.hold(k, is)
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := 0
	for key := range m.kept.by {
		if key.kindKey == k {
			kept++
		}
	}
	if h := m.views[k]; h != nil && h.manifest == is && kept == len(segments) {
		h.set = set
	}
	return set
}

// drop forgets all segments of a kind.
func (m *Memory) drop(k kindKey) { m.hold(k, &manifest{}); m.hold(k, nil) }

// Wrote remembers a change that this instance has made, so that it finds it at once.
func (m *Memory) Wrote(company tenant.ID, kind kinds.Code, id int64, entry Indexed) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	k := kindKey{company, kind}
	m.own[k] = append(m.fresh(k), own{id, entry, m.now()})
	m.tidy()
}

// tidy forgets what is of no use any more of companies that are idle, once the instance knows many of them.
func (m *Memory) tidy() {
	if len(m.own)+len(m.views)+len(m.asked) < m.many {
		return
	}
	maps.DeleteFunc(m.own, func(k kindKey, _ []own) bool { return len(m.fresh(k)) == 0 })
	maps.DeleteFunc(m.asked, func(_ kindKey, at time.Time) bool { return m.now().Sub(at) >= askEvery })
	maps.DeleteFunc(m.views, func(_ kindKey, h *held) bool { return h.set == nil })
	m.many = max(many, 2*(len(m.own)+len(m.views)+len(m.asked)))
}

// written returns the changes that this instance has made lately.
func (m *Memory) written(k kindKey) []own {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.fresh(k)
	if m.own[k] = list; len(list) == 0 {
		delete(m.own, k)
	}
	return list
}

// fresh returns the own changes that are still to be remembered.
func (m *Memory) fresh(k kindKey) []own {
	list := m.own[k]
	for len(list) > 0 && m.now().Sub(list[0].at) > ownFor {
		list = list[1:]
	}
	return list
}

// mayAsk tells whether it is time to ask for a merge.
func (m *Memory) mayAsk(k kindKey) bool {
	if m.quiet {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if at, ok := m.asked[k]; ok && m.now().Sub(at) < askEvery {
		return false
	}
	m.asked[k] = m.now()
	return true
}
