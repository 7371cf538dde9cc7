package patience_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tenantry/tenantry/shared/patience"
)

// ofFiles is how long a bucket may be silent.
const ofFiles = 3600 * time.Millisecond

// bucket takes a body in parts, pauses, and answers with a body in parts.
type bucket struct {
	parts       int           // of each body
	pause, last time.Duration // before each part, and before the last one of the answer; below 0 for ever
	requests    int
}

// wait waits for a time, or until the request is given up.
func wait(ctx context.Context, d time.Duration) error {
	after := time.After(d)
	if d < 0 {
		after = nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-after:
		return nil
	}
}

func (b *bucket) Do(r *http.Request) (*http.Response, error) {
	b.requests++
	for range b.parts {
		if err := wait(r.Context(), b.pause); err != nil {
			return nil, err
		}
		if r.Body != nil {
			_, _ = r.Body.Read(make([]byte, 1))
		}
	}
	if err := wait(r.Context(), b.pause); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Body: &slowBody{bucket: b, ctx: r.Context(), left: b.parts}}, nil
}

type slowBody struct {
	*bucket
	ctx    context.Context
	left   int
	closed bool
}

func (s *slowBody) Read(b []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	pause := s.pause
	if s.left--; s.left == 0 && s.last != 0 {
		pause = s.last
	}
	if err := wait(s.ctx, pause); err != nil {
		return 0, err
	}
	b[0] = 'x'
	return 1, nil
}

func (s *slowBody) Close() error { s.closed = true; return nil }

// exchange sends a body, and reads the answer's.
func exchange(ctx context.Context, b *bucket) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, "http://bucket.test/", strings.NewReader(strings.Repeat("x", 100)))
	if err != nil {
		return err
	}
	response, err := patience.Client(b).Do(r)
	if err != nil {
		return err
	}
	_, err = io.ReadAll(response.Body)
	return errors.Join(err, response.Body.Close())
}

// A bucket may take as long as its bytes move. Once it was silent for too long, it is not asked again in the same request.
func TestFiles(t *testing.T) {
	for name, c := range map[string]struct {
		bucket bucket
		fails  bool
		took   time.Duration
	}{
		"at once":                   {bucket{parts: 1}, false, 0},
		"slow, and it moves":        {bucket{parts: 10, pause: 3 * time.Second}, false, 63 * time.Second},
		"no answer":                 {bucket{pause: -1}, true, ofFiles},
		"an answer that breaks off": {bucket{parts: 2, pause: time.Second, last: -1}, true, 4*time.Second + ofFiles},
		"too slow":                  {bucket{parts: 1, pause: 4 * time.Second}, true, ofFiles},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, start := patience.Start(t.Context(), limit), time.Now()
				err := exchange(ctx, &c.bucket)
				var network net.Error
				if silent := errors.As(err, &network) && network.Timeout(); silent != c.fails || time.Since(start) != c.took {
					t.Fatalf("%v after %s, want %s", err, time.Since(start), c.took)
				}
				time.Sleep(time.Hour) // what follows in the same request is asked only if it was not silent
				again := &bucket{}
				if err := exchange(ctx, again); (err != nil) != c.fails || (again.requests == 0) != c.fails {
					t.Errorf("again: %v, %d requests", err, again.requests)
				}
				if err := exchange(patience.Start(t.Context(), limit), &bucket{}); err != nil {
					t.Errorf("another request: %v", err)
				}
				if err := exchange(t.Context(), &bucket{pause: time.Hour}); err != nil {
					t.Errorf("without a patience: %v", err)
				}
			})
		})
	}
}
