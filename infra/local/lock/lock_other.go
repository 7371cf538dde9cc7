//go:build !unix

// Package lock keeps other processes from a file while this one has it.
package lock

import "os"

// File opens the file without locking it: on this system nothing prevents that two processes have it.
func File(name string, _ bool) (*os.File, error) {
	return os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
}
