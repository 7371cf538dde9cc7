package platform

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// A start that follows a kill finds the port and the data folder, once the killed
// one has let go of them.
func TestARestartWaitsForWhatIsHeld(t *testing.T) { synctest.Test(t, restartWaits) }

func restartWaits(t *testing.T) {
	held, err := listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(300*time.Millisecond, func() { _ = held.Close() })
	again, err := listen(t.Context(), held.Addr().String())
	if err != nil {
		t.Fatalf("the port: %v", err)
	}
	start := time.Now()
	if _, err := listen(t.Context(), again.Addr().String()); !errors.Is(err, syscall.EADDRINUSE) || time.Since(start) < holding {
		t.Errorf("a port that stays held, after %s: %v", time.Since(start), err)
	}
	_ = again.Close()

	name := filepath.Join(t.TempDir(), "lock")
	lock, err := lockFolder(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(300*time.Millisecond, func() { _ = lock.Close() })
	next, err := lockFolder(t.Context(), name)
	if err != nil {
		t.Fatalf("the folder: %v", err)
	}
	_ = next.Close()
	start = time.Now()
	if _, err := lockFolder(t.Context(), filepath.Join(name, "nowhere")); err == nil || time.Since(start) > 0 {
		t.Errorf("a folder that can't be, after %s: %v", time.Since(start), err)
	}
}
