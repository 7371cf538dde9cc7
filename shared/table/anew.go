package table

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
)

// ErrRevision says that an item has changed since a change was decided on it.
var ErrRevision = errors.New("table: another revision")

// ErrContended is the cause of the fault of a change that lost the race in every attempt.
// Nothing has been written then.
var ErrContended = errors.New("table: others were faster each time")

// Tries is how often a change is attempted while other requests are faster.
const Tries = 10

// Anew runs try, which decides and writes a change, and runs it again as long as another
// request was faster: its error is ErrRevision, or lost returns true for it; lost may be nil.
// try has to read anew each time. After so many tries the error is a fault Unavailable because
// of ErrContended.
func Anew(ctx context.Context, tries int, try func() error, lost func(error) bool) error {
	for n := 1; ; n++ {
		err := try()
		if err == nil || !errors.Is(err, ErrRevision) && (lost == nil || !lost(err)) {
			return err
		}
		if n == tries {
			return fault.ErrUnavailable.Because(fmt.Errorf("%w: %v", ErrContended, err)) //nolint:errorlint // it is no race any more
		}
		// Wait a random time that grows with each try, so that others can finish.
		t := time.NewTimer(rand.N(time.Duration(n) * 5 * time.Millisecond)) //nolint:gosec // jitter, not a secret
		select {
		case <-ctx.Done():
			t.Stop()
			return fault.ErrUnavailable.Because(ctx.Err())
		case <-t.C:
		}
	}
}
