package child

import (
	"fmt"
	"net"
)

// FreePort returns a loopback port on which nobody listened a moment ago. Another process may take the port first, so
// the caller has to be ready to ask for another.
func FreePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("child: no free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
