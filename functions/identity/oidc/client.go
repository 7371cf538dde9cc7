package oidc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

const (
	maxAnswer = 256 << 10 // bytes
	dialTime  = 2 * time.Second
)

// newClient makes the client for the calls to an issuer. It follows no redirects, uses no
// proxy, and connects to public addresses only. A private address is dialed only if the
// configuration itself names it as the issuer's host, as the local platform's does. It speaks HTTP/1.1, as all clients of
// functions do (infra/local/lambdaruntime).
func newClient(issuer string) *http.Client {
	var own string
	if u, err := url.Parse(issuer); err == nil && here(u.Hostname()) {
		own = u.Hostname()
	}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		d := net.Dialer{Timeout: dialTime}
		if host, _, err := net.SplitHostPort(address); err != nil || own == "" || host != own {
			d.Control = publicOnly
		}
		return d.DialContext(ctx, network, address)
	}
	return &http.Client{
		Timeout: patience,
		Transport: bounded{&http.Transport{
			DialContext: dial, TLSHandshakeTimeout: dialTime,
			MaxResponseHeaderBytes: 16 << 10, MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute,
		}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// publicOnly is called with the address that a name was resolved to, right before it is dialed.
// So it does not matter what a name resolves to at other times.
func publicOnly(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if !public(to.Addr()) {
		return fmt.Errorf("%s is not a public address", to.Addr())
	}
	return nil
}

// here tells whether a host is a private address, or a name of this machine.
func here(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	address, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && !public(address)
}

// public tells whether an address belongs to somebody on the internet. Prefixes that lead to
// IPv4 addresses are not public, because such an address could be a private one.
func public(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsGlobalUnicast() || a.IsPrivate() || a.Zone() != "" {
		return false
	}
	return !slices.ContainsFunc([]string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "240.0.0.0/4",
		"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16",
		"fec0::/10",
	}, func(reserved string) bool { return netip.MustParsePrefix(reserved).Contains(a) })
}

// bounded reads no more of an answer than maxAnswer.
type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer.Body = &boundedBody{ReadCloser: answer.Body, left: maxAnswer}
	return answer, nil
}

var errHuge = errors.New("the answer is too large")

type boundedBody struct {
	io.ReadCloser
	left int
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left+1)])
	if b.left -= n; b.left < 0 {
		return 0, errHuge
	}
	return n, err
}

// calling returns a context with which the libraries use our client.
func (i *Issuer) calling(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, i.client)
}

// get reads a document.
func (i *Issuer) get(ctx context.Context, address string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	answer, err := i.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d", answer.StatusCode)
	}
	return io.ReadAll(answer.Body)
}
