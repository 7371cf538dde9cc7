package platform

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/tenantry/tenantry/infra/local/lock"
)

// holding is how long a start waits for things that the run before it still holds: a process that was killed takes a
// moment to end.
const holding = 3 * time.Second

// whileHeld repeats try while isHeld says of its error that another process holds the thing, until holding is over.
func whileHeld(ctx context.Context, isHeld func(error) bool, try func() error) error {
	for end := time.Now().Add(holding); ; {
		err := try()
		if err == nil || !isHeld(err) || time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// lockFolder locks a data folder. It waits for a moment if another process still holds the lock.
func lockFolder(ctx context.Context, name string) (f *os.File, err error) {
	err = whileHeld(ctx, func(err error) bool { return errors.Is(err, syscall.EWOULDBLOCK) }, func() error {
		f, err = lock.File(name, false)
		return err
	})
	return f, err
}

// unheard says why nothing can listen on an address. A port that another program has is the reason that people meet most.
func unheard(addr string, err error) string {
	if _, port, split := net.SplitHostPort(addr); split == nil && errors.Is(err, syscall.EADDRINUSE) {
		return "Port " + port + " is taken"
	}
	return fmt.Sprintf("Can't listen on %s: %v", addr, err)
}

// listen listens on an address. It waits for a moment if another process still holds the address.
func listen(ctx context.Context, addr string) (l net.Listener, err error) {
	err = whileHeld(ctx, func(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }, func() error {
		l, err = new(net.ListenConfig).Listen(ctx, "tcp", addr)
		return err
	})
	return l, err
}
