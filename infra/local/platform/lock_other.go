//go:build !unix

package platform

import "os"

// lockFile opens the file without locking it: on this system nothing prevents two runs in one folder.
func lockFile(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
}
