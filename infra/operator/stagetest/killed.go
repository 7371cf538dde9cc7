package stagetest

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// killer lets a program's requests pass until one of its writes, which is its last.
type killer struct {
	next  http.RoundTripper
	kill  context.CancelFunc
	at    int  // which write is the last, counted from 1; 0: none
	after bool // it is carried out

	mu     sync.Mutex
	writes int
}

// RoundTrip sends a request unless the program is dead.
func (k *killer) RoundTrip(r *http.Request) (*http.Response, error) {
	k.mu.Lock()
	if writes(r) {
		k.writes++
	}
	n := k.writes
	k.mu.Unlock()
	if k.at > 0 && n >= k.at && (!k.after || n > k.at) {
		k.kill()
		return nil, context.Canceled
	}
	answer, err := k.next.RoundTrip(r)
	if k.at > 0 && n == k.at && writes(r) {
		k.kill()
		if err == nil {
			_ = answer.Body.Close() // nobody hears it
		}
		return nil, context.Canceled
	}
	return answer, err
}

// writes tells whether a request of a service of AWS may change something.
func writes(r *http.Request) bool {
	if target := r.Header.Get("X-Amz-Target"); target != "" {
		_, operation, _ := strings.Cut(target, ".")
		for _, reads := range []string{"Get", "BatchGet", "TransactGet", "Query", "Scan", "Describe", "List", "Receive"} {
			if strings.HasPrefix(operation, reads) {
				return false
			}
		}
		return true
	}
	return r.Method != http.MethodGet && r.Method != http.MethodHead
}

// Killed kills a command before and after each of its writes, runs it again each time, and has it checked that it ends the same.
// begin makes a stage, and what is to be done with it; check looks at what became of it.
func Killed(t *testing.T, begin func(t *testing.T) *Stage, run Run, args []string, check func(t *testing.T, s *Stage, said string)) {
	t.Helper()
	all := 0
	t.Run("not killed", func(t *testing.T) {
		s := begin(t)
		k := &killer{next: http.DefaultTransport}
		e, out := s.through(k, s.Endpoints)
		if err := run(t.Context(), e, args); err != nil {
			t.Fatal(err)
		}
		check(t, s, out.String())
		all = k.writes
	})
	if all == 0 && !t.Failed() {
		t.Fatal("the command writes nothing")
	}
	for n := 1; n <= all; n++ {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("write %d, after %t", n, after), func(t *testing.T) {
				s := begin(t)
				ctx, kill := context.WithCancel(t.Context())
				defer kill()
				e, out := s.through(&killer{next: http.DefaultTransport, kill: kill, at: n, after: after}, s.Endpoints)
				if err := run(ctx, e, args); err == nil && ctx.Err() != nil && n < all {
					t.Errorf("a killed command ended well: %s", out)
				}
				said, err := s.Run(t.Context(), run, args...)
				if err != nil {
					t.Fatalf("again: %v\n%s", err, said)
				}
				check(t, s, said)
			})
		}
	}
}
