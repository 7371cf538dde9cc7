//go:build !unix

package program

// lock does nothing: on this system two processes may link the same program at once.
func lock(string) (unlock func(), err error) { return func() {}, nil }
