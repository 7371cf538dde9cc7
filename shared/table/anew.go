package table

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
)

// ErrRevision says that an item is not what a change was decided on.
var ErrRevision = errors.New("table: another revision")

// revisionTries is how often a change is decided anew because another was faster.
const revisionTries = 10

// ErrBusy is the fault of a change that was never fast enough.
var ErrBusy = fault.New(fault.Conflict, "Others are changing this at this moment. Read it and try again.").
	With("code", "revision")

// Optimistic decides and writes a change, again while it fails by ErrRevision:
// the item has changed since it was read. decide reads anew each time.
func Optimistic(ctx context.Context, decide func() error) error {
	for try := range revisionTries {
		err := decide()
		if !errors.Is(err, ErrRevision) {
			return err
		}
		// Others finish meanwhile: a random time that grows with each try.
		t := time.NewTimer(rand.N(time.Duration(try+1) * 5 * time.Millisecond)) //nolint:gosec // jitter, not a secret
		select {
		case <-ctx.Done():
			t.Stop()
			return fault.ErrUnavailable.Because(ctx.Err())
		case <-t.C:
		}
	}
	return ErrBusy
}
