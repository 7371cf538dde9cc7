package table

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
)

// ErrRevision says that an item is not what a change was decided on.
var ErrRevision = errors.New("table: another revision")

// ErrContended is the cause of the fault of whoever was never fast enough. Nothing
// has happened then.
var ErrContended = errors.New("table: others were faster each time")

// Tries is how often a change is decided because others are faster.
const Tries = 10

// Anew decides and writes a change, again while another was faster: its error is
// ErrRevision, or one of which lost says so; lost may be nil. try reads anew each
// time. Who is not fast enough so many times gets a fault Unavailable because of
// ErrContended.
func Anew(ctx context.Context, tries int, try func() error, lost func(error) bool) error {
	for n := 1; ; n++ {
		err := try()
		if err == nil || !errors.Is(err, ErrRevision) && (lost == nil || !lost(err)) {
			return err
		}
		if n == tries {
			return fault.ErrUnavailable.Because(fmt.Errorf("%w: %v", ErrContended, err)) //nolint:errorlint // it is no race any more
		}
		// Others finish meanwhile: a random time that grows with each try.
		t := time.NewTimer(rand.N(time.Duration(n) * 5 * time.Millisecond)) //nolint:gosec // jitter, not a secret
		select {
		case <-ctx.Done():
			t.Stop()
			return fault.ErrUnavailable.Because(ctx.Err())
		case <-t.C:
		}
	}
}
