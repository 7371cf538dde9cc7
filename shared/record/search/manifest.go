package search

import (
	"bytes"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/table"
)

// manifest is the item that says what the search of a kind is made of: segments, and the time until which these have all
// changes.
type manifest struct {
	table.Item
	Revision int64 `dynamo:"n"` // counts the writes; each write is conditional on it
	// Mark is a time in microseconds since 1970: each entry before it is in a segment. Deep is the last Mark at which a
	// merge has also looked for entries that were late.
	Mark int64 `dynamo:"k"`
	Deep int64 `dynamo:"kd"`
	// Sure is set where Mark lies less than MarkAge behind, because many changes waited: the time from which on the segments may lack
	// entries that came to the index only then. The next merge reads from there.
	Sure int64 `dynamo:"ks,omitempty"`
	// Settled is the revision that was the last one to have records of imports in segments. Who works with an older manifest
	// may miss such records.
	Settled  int64     `dynamo:"sr"`
	Shape    uint32    `dynamo:"f"`            // the fingerprint of all entries
	Custom   uint32    `dynamo:"fc,omitempty"` // that of the columns of custom fields; a search that names none does not compare it
	Segments []stored  `dynamo:"s"`            // the oldest generation first, and of one the lowest ids
	Garbage  []garbage `dynamo:"g,omitempty"`
	Rebuild  *rebuild  `dynamo:"rb,omitempty"`
	Built    bool      `dynamo:"b"` // false before the first rebuild has ended; then Segments are empty
	// Busy is until when, in microseconds, others leave it to a merge that stores files, because each write of theirs would make that merge
	// fail. A merge that fails or dies leaves it behind.
	Busy int64 `dynamo:"bu,omitempty"`
	// Trail tells the last writes apart, the last one at the end, by some bytes that each has drawn. Revisions alone don't: two merges may
	// write the same one, the second where the table was restored to a time before the first.
	Trail []byte `dynamo:"w,omitempty"`

	unread bool // the item is no manifest, but for its revision
}

const manifestVersion = 1

// stored is a segment in the bucket, a file. What one merge has made is a generation. It has several files, its parts, if it is large; all
// ids of one are below those of the next.
type stored struct {
	ID      uuid.UUID `dynamo:"i"`
	Version string    `dynamo:"v"` // of the bucket
	SHA256  []byte    `dynamo:"h"`
	Rows    int64     `dynamo:"r"`
	// Continues says that this is a further part of the generation of the file before it.
	Continues bool `dynamo:"p,omitempty"`
	// First is the lowest id in it, and Bytes what it takes in memory.
	First int64 `dynamo:"l,omitempty"`
	Bytes int64 `dynamo:"b,omitempty"`
}

// garbage is a file that no manifest needs any more, or that a merge which died may have left.
type garbage struct {
	ID uuid.UUID `dynamo:"i"`
	At int64     `dynamo:"a"` // since when
	// Condemned says that the next merge deletes it.
	Condemned bool `dynamo:"d,omitempty"`
}

// rebuild is a rebuild in progress: all records with ids below Next are in Segments.
type rebuild struct {
	Next     int64    `dynamo:"x"`
	Mark     int64    `dynamo:"k"` // when it began
	Shape    uint32   `dynamo:"f"`
	Custom   uint32   `dynamo:"fc,omitempty"`
	Segments []stored `dynamo:"s,omitempty"`
}

const (
	drawn     = 8  // bytes of a Trail for each write
	mostDrawn = 32 // writes that it tells
)

// sign adds a write to the trail.
func (m *manifest) sign(id uuid.UUID) {
	m.Trail = append(slices.Clone(m.Trail[max(0, len(m.Trail)-(mostDrawn-1)*drawn):]), id[:drawn]...)
}

// last returns the bytes that the last write has drawn.
func (m *manifest) last() []byte { return m.Trail[max(0, len(m.Trail)-drawn):] }

// comesFrom tells whether another manifest is this one or an earlier state of it. It is false for one that a restored table has lost, and
// for one that is older than the trail is long.
func (m *manifest) comesFrom(has *manifest) bool {
	for write := range slices.Chunk(m.Trail, drawn) {
		if bytes.Equal(write, has.last()) {
			return true
		}
	}
	return false
}

// manifestOf reads the manifest of a kind; nil if there is none.
func manifestOf(item table.Attributes) *manifest {
	if item == nil {
		return nil
	}
	m := new(manifest)
	if item.Decode(m) != nil {
		return &manifest{Revision: item.Int("n"), unread: true}
	}
	return m
}

const (
	// mostFiles is more files than a manifest can name: with so many its item would be too large.
	mostFiles = 4000
	// mostRevision is more than all merges of a kind can come to.
	mostRevision = 1 << 53
	// ahead is more than clocks differ by.
	ahead = time.Minute
)

// isBusy tells whether another merge stores files now. Who named a later time than a merge whose clock is a little ahead has a wrong
// clock, or meddled.
func (m *manifest) isBusy(now time.Time) bool {
	rest := time.UnixMicro(m.Busy).Sub(now)
	return rest > 0 && rest <= BusyFor+askAgain
}

// isSound tells whether a merge may have written it. Nothing is searched by one that is not.
func (m *manifest) isSound(now time.Time) bool {
	latest := now.Add(ahead).UnixMicro()
	return !m.unread && m.Revision > 0 && m.Revision < mostRevision && m.Mark <= latest && m.Deep <= latest &&
		len(m.Garbage) <= mostFiles && areSound(m.Segments) &&
		(m.Rebuild == nil || m.Rebuild.Mark <= latest && areSound(m.Rebuild.Segments))
}

func areSound(list []stored) bool {
	known := map[uuid.UUID]bool{}
	for i, s := range list {
		misplaced := s.Continues && (i == 0 || s.First <= list[i-1].First)
		if known[s.ID] || s.Version == "" || s.Rows < 0 || s.Bytes <= 0 || s.First < 0 || misplaced {
			return false
		}
		known[s.ID] = true
	}
	return len(list) <= mostFiles
}

// sure is the time before which its segments have each entry.
func (m *manifest) sure() int64 {
	if m.Sure > 0 {
		return min(m.Sure, m.Mark)
	}
	return m.Mark
}

// settles tells whether its segments have the records of an import's range.
func (m *manifest) settles(settled int64) bool { return settled > 0 && settled <= m.Revision }

// follows tells whether the changes since the mark of an older manifest, which an instance has, are all that it lacks: it has all
// imports, late entries and columns that have been taken in, its mark did not come early, and none of its segments is from a time that
// was lost because the table was restored to an earlier one.
func (m *manifest) follows(has *manifest) bool {
	known := map[uuid.UUID]bool{}
	for _, s := range m.Segments {
		known[s.ID] = true
	}
	for _, g := range m.Garbage {
		known[g.ID] = true
	}
	lost := slices.ContainsFunc(has.Segments, func(s stored) bool { return !known[s.ID] })
	early := has.sure() < has.Mark && has.Revision < m.Revision
	fits := has.Deep == m.Deep && has.Shape == m.Shape && has.Custom == m.Custom
	return fits && !early && has.Revision >= m.Settled && !lost && m.comesFrom(has)
}

// discard makes segments garbage.
func (m *manifest) discard(at time.Time, list ...stored) {
	for _, s := range list {
		m.Garbage = append(m.Garbage, garbage{ID: s.ID, At: at.UnixMicro()})
	}
}
