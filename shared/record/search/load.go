package search

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/record/search/segment"
)

const (
	// wide is how many segments one search loads at a time. A kind of 2,000,000 records has some 60, of about 2 MB. One after the other,
	// each would wait for the bucket's first byte; 16 at a time fill what a function of one core gets of the network and decodes
	// meanwhile, and more would only wait for each other.
	wide = 16
	// mostLoading is how many bytes of segments an instance loads at a time, for all searches together. They come on top of what it keeps,
	// because what is loaded is kept only then. A segment that alone has more is loaded alone.
	mostLoading = 128 << 20
)

// errUnread says that the bucket did not answer.
var errUnread = errors.New("search: a segment can't be read now")

// errBroken says that a segment is missing, or is not what the manifest says.
var errBroken = errors.New("search: a segment is missing or broken")

// open returns segments of a manifest, in its order. It loads side by side those that it does not have. If one can't be had, it ends the
// loads of the others, and returns when they have ended.
func (m *Memory) open(ctx context.Context, k kindKey, list []stored) ([]*segment.Segment, error) {
	segments := make([]*segment.Segment, len(list))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(m.wide)
	for i, s := range list {
		if segments[i] = m.find(keyOf(k, s)); segments[i] != nil {
			continue
		}
		g.Go(func() (err error) {
			defer func() { // nobody else would, and the process would end
				if v := recover(); v != nil {
					err = fmt.Errorf("%w: %s of %s: panic: %v", errBroken, s.ID, k.kind, v)
				}
			}()
			segments[i], err = m.segment(ctx, k, s)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return segments, nil
}

// segment returns a segment, which it loads if it does not have it. Who wants it meanwhile waits for that load. If that fails, which may
// be because its caller has gone, the next one tries for itself.
func (m *Memory) segment(ctx context.Context, of kindKey, s stored) (*segment.Segment, error) {
	k := keyOf(of, s)
	for {
		found, loaded := m.findOrBegin(k)
		switch {
		case found != nil:
			return found, nil
		case loaded == nil:
			return m.loadOne(ctx, k, s)
		}
		select {
		case <-loaded:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// findOrBegin returns a segment; or, where it is being loaded, what is closed when that has ended; or neither: then the caller loads it.
func (m *Memory) findOrBegin(k segmentKey) (found *segment.Segment, loaded <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if found := m.kept.use(k); found != nil {
		return found, nil
	}
	if loaded := m.loading[k]; loaded != nil {
		return nil, loaded
	}
	m.loading[k] = make(chan struct{})
	return nil, nil
}

// loadOne loads a segment, and remembers it. The caller has begun that by findOrBegin.
func (m *Memory) loadOne(ctx context.Context, k segmentKey, s stored) (*segment.Segment, error) {
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		close(m.loading[k])
		delete(m.loading, k)
	}()
	weight := min(s.Bytes, mostLoading)
	if err := m.room.Acquire(ctx, weight); err != nil {
		return nil, err
	}
	defer m.room.Release(weight)
	loaded, err := m.load(ctx, k.kindKey, s)
	if err != nil {
		return nil, err
	}
	m.keep(k, loaded)
	return loaded, nil
}

// read reads a segment from the bucket.
func (m *Memory) read(ctx context.Context, k kindKey, s stored) (*segment.Segment, error) {
	data, err := m.files.GetSegment(ctx, k.company, k.kind, s.ID, s.Version)
	if errors.Is(err, files.ErrNotFound) || errors.Is(err, files.ErrTooLarge) {
		return nil, fmt.Errorf("%w: %s of %s: %w", errBroken, s.ID, k.kind, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnread, err)
	}
	if sum := sha256.Sum256(data); string(sum[:]) != string(s.SHA256) {
		return nil, fmt.Errorf("%w: %s of %s has another checksum", errBroken, s.ID, k.kind)
	}
	loaded, err := segment.Open(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %s of %s: %w", errBroken, s.ID, k.kind, err)
	}
	return loaded, nil
}
