package platform

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/infra/local/console"
	"github.com/tenantry/tenantry/infra/local/issuer"
)

// here is the address of the platform on this machine, on whatever addresses it listens.
func here(l net.Listener) string { return "http://" + loopback(port(l)) }

func port(l net.Listener) int {
	if a, ok := l.Addr().(*net.TCPAddr); ok {
		return a.Port
	}
	return 0
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// issuerClient is the platform as its issuer of identities knows it. The secret is new with each start.
func issuerClient(platform net.Listener) issuer.Client {
	return issuer.Client{ID: "tenantry.localhost", Secret: rand.Text(), RedirectURL: here(platform) + console.Returns}
}

// startIssuer starts the issuer of identities on the port after the platform's, or on a free one if that is taken: what was
// linked at another port is found again when the issuer has that port.
func startIssuer(ctx context.Context, platform net.Listener, c issuer.Client) (*issuer.Issuer, error) {
	listen := func(port int) (net.Listener, error) { return new(net.ListenConfig).Listen(ctx, "tcp", loopback(port)) }
	l, err := listen(port(platform) + 1)
	if err != nil {
		l, err = listen(0)
	}
	if err != nil {
		return nil, fmt.Errorf("the issuer of identities: %w", err)
	}
	i, err := issuer.Start(l, c, time.Now)
	if err != nil {
		_ = l.Close()
	}
	return i, err
}
