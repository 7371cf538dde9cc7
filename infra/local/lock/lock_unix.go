//go:build unix

// Package lock keeps other processes from a file while this one has it.
package lock

import (
	"errors"
	"os"
	"syscall"
)

// File locks a file for this process alone, and waits for a process that has it if that is wanted. The lock ends when the file is closed
// or the process ends, even if it is killed.
func File(name string, wait bool) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	err = syscall.EINTR
	for errors.Is(err, syscall.EINTR) {
		err = syscall.Flock(int(f.Fd()), how)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
