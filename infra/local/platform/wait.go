package platform

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
	"time"
)

// patience is how long a start waits for what the run before it may still hold: one
// that was killed takes a moment to die.
const patience = 3 * time.Second

// whileHeld tries again as long as an error says that somebody else holds a thing,
// until patience is over.
func whileHeld(ctx context.Context, isHeld func(error) bool, try func() error) error {
	for end := time.Now().Add(patience); ; {
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

// lockFolder takes a data folder by its lock, when whoever had it is gone.
func lockFolder(ctx context.Context, name string) (f *os.File, err error) {
	err = whileHeld(ctx, func(err error) bool { return errors.Is(err, syscall.EWOULDBLOCK) }, func() error {
		f, err = lockFile(name)
		return err
	})
	return f, err
}

// listen takes an address, when whoever had it is gone.
func listen(ctx context.Context, addr string) (l net.Listener, err error) {
	err = whileHeld(ctx, func(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }, func() error {
		l, err = new(net.ListenConfig).Listen(ctx, "tcp", addr)
		return err
	})
	return l, err
}
