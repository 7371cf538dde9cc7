package search

import (
	"context"
	"encoding/binary"
	"runtime"
	"time"
	"weak"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/kinds"

	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/tenant"
)

// What tests of this package see and set.
type (
	Manifest = manifest
	Stored   = stored
	Rebuild  = rebuild
	Garbage  = garbage
)

// Late is how far back a merge looks for entries that came late, GarbageFor how long a file stays that nobody needs.
const (
	Late       = late
	DeepEvery  = deepEvery
	GarbageFor = garbageFor
	SettleFor  = settleFor
	Crowd      = crowd
	SoonAge    = soonAge
)

// IsSound tells whether a merge may have written a manifest.
func IsSound(m *Manifest, now time.Time) bool { return m.isSound(now) }

// NewID makes an id of a file.
func (m *Merger) NewID() uuid.UUID { return m.newID() }

// SetPortion changes how many records a rebuild reads at a time.
func (m *Merger) SetPortion(n int) { m.portion = n }

// SetReadFor changes how long a merge reads records before it stores what it has.
func (m *Merger) SetReadFor(d time.Duration) { m.readFor = d }

// SetMost changes how many changes a merge takes in.
func (m *Merger) SetMost(n int) { m.most = n }

// SetRows changes how many rows a file has at most.
func (m *Merger) SetRows(n int64) { m.rows = n }

// Knows tells of how many kinds an instance remembers anything but segments.
func (m *Memory) Knows() int { return len(m.own) + len(m.views) + len(m.asked) }

// Alive tells how many bytes of segments are in memory, kept or in use. seen are those that it has found before.
func (m *Memory) Alive(seen map[weak.Pointer[segment.Segment]]bool) (bytes int64) {
	m.mu.Lock()
	for _, o := range m.kept.by {
		seen[weak.Make(o.Segment)] = true
	}
	m.mu.Unlock()
	runtime.GC()
	for pointer := range seen {
		if s := pointer.Value(); s != nil {
			bytes += int64(s.Size())
		}
	}
	return bytes
}

// Many is how many kinds an instance may know before it looks which of them it need not.
const Many = many

// Holds tells which revision of the manifest an instance works with; 0 if it has none.
func (m *Memory) Holds(ix Index) int64 {
	if is := m.held(ix.key()); is != nil {
		return is.Revision
	}
	return 0
}

// Wide is how many segments one search loads at a time, MostLoading how many bytes all searches of an instance do.
const (
	Wide        = wide
	MostLoading = mostLoading
)

// FileID is the id of a file by a number.
func FileID(n int) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[:], uint64(n)+1)
	return id
}

// NewLoading returns a Memory that loads segments in another way than from a bucket.
func NewLoading(now func() time.Time, most int64, load func(ctx context.Context, s Stored) (*segment.Segment, error)) *Memory {
	m := NewMemory(nil, now, most)
	m.load = func(ctx context.Context, _ kindKey, s stored) (*segment.Segment, error) { return load(ctx, s) }
	return m
}

// Open returns segments of a kind.
func (m *Memory) Open(ctx context.Context, company tenant.ID, kind kinds.Code, list []Stored) ([]*segment.Segment, error) {
	return m.open(ctx, kindKey{company, kind}, list)
}

// SetWide changes how many segments one search loads at a time.
func (m *Memory) SetWide(n int) { m.wide = n }

// Look has what a search has of the segments of a manifest: all of them in memory, put together.
func (m *Memory) Look(ctx context.Context, company tenant.ID, kind kinds.Code, is *Manifest) error {
	k := kindKey{company, kind}
	segments, err := m.open(ctx, k, is.Segments)
	if err == nil {
		m.together(k, is, segments)
	}
	return err
}

// Keeps tells how many segments of a kind are kept, and how many bytes of all.
func (m *Memory) Keeps(company tenant.ID, kind kinds.Code) (segments int, bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key := range m.kept.by {
		if key.kindKey == (kindKey{company, kind}) {
			segments++
		}
	}
	return segments, m.kept.bytes
}

// InTurn tells whether a search would ask for segments that it does without.
func InTurn(ix Index) bool { return (&sight{Index: ix}).inTurn() }
