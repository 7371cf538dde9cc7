//go:build !unix

package platform

import "os"

// lockFile only opens the file: here nothing keeps two runs from one folder.
func lockFile(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
}
