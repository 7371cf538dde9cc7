// Package public calls addresses that strangers chose, such as the receivers of webhooks. It connects to public
// addresses alone, whatever a name resolves to when, and bounds how long a call takes and how much is read.
//
// A connection's address is checked right before it is connected to (Client.control). What Check finds wrong before that,
// the owner of a receiver is told early. A stranger's name that leads to public servers of ours fails at TLS, because
// nobody certifies them for it.
//
// What never goes in here: what is sent and how it is signed, when a call is made again, and addresses of configuration,
// which package remote calls.
package public

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"
)

const (
	patience = 15 * time.Second // for one call, from its name to the end of its answer
	dialTime = 5 * time.Second  // for a name and a connection, and as long again for TLS
	kept     = 1 << 10          // bytes of an answer's body that are shown
	most     = 64 << 10         // bytes of an answer's body that are read
	idle     = 64               // connections that are kept, to all hosts together
	perHost  = 10               // of them to one host: as many as are called at once
)

// Options say what a Client may reach besides strangers, and what not.
type Options struct {
	// Loopback lets the machine itself be reached, on any port and by http too. It is for the local platform alone: on
	// Lambda the Runtime API is there.
	Loopback bool
	// Refused says which hosts are ours, so that nobody lets us call ourselves. It gets a name in lower case and
	// in its ASCII form, without a dot at its end, or an IP address; nil refuses none.
	Refused   func(host string) bool
	UserAgent string
	// Now is the clock by which an answer's time is told.
	Now func() time.Time
}

// Client calls receivers. One can be used by many at once.
type Client struct {
	options   Options
	patience  time.Duration
	dialer    net.Dialer
	transport *http.Transport
}

// New makes a client, which connects to nobody before it is used.
func New(o Options) *Client {
	c := &Client{options: o, patience: patience}
	c.dialer = net.Dialer{Timeout: dialTime, Control: c.control}
	// A transport has no proxy unless it is given one, and it follows no redirects and keeps no cookies: a client does.
	c.transport = &http.Transport{
		DialContext: c.dial, TLSHandshakeTimeout: dialTime, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
		MaxIdleConns: idle, MaxIdleConnsPerHost: perHost, IdleConnTimeout: 30 * time.Second,
		MaxResponseHeaderBytes: 16 << 10, DisableCompression: true,
	}
	return c
}

// Answer is what a receiver said.
type Answer struct {
	Status int
	Body   string // the first 1 KB; what is no UTF-8 is replaced
	Took   time.Duration
}

// Post sends a body. Any status is an answer, that of a redirect too.
//
// An error that is a message (package say) tells the receiver's owner why there is no answer, or that it did not end in time; then the
// status may be there. Any other error is of ctx. A receiver may get the same call twice, if it closes a connection that is
// kept to it.
func (c *Client) Post(ctx context.Context, address string, header http.Header, body []byte) (Answer, error) {
	to, err := c.parse(address)
	if err != nil {
		return Answer{}, err
	}
	bounded, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	r, err := http.NewRequestWithContext(bounded, http.MethodPost, to.String(), bytes.NewReader(body))
	if err != nil {
		return Answer{}, errURL
	}
	maps.Copy(r.Header, header)
	r.Header.Set("User-Agent", c.options.UserAgent)
	// A key without a value is not sent. It tells the transport to call again where a kept connection turns out to be closed,
	// which is the rule after a function has slept.
	r.Header["X-Idempotency-Key"] = nil

	begun := c.options.Now()
	answer, err := c.send(r)
	answer.Took = c.options.Now().Sub(begun)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("public: %w", context.Cause(ctx))
	}
	return answer, err
}

func (c *Client) send(r *http.Request) (Answer, error) {
	response, err := c.transport.RoundTrip(r)
	if err != nil {
		return Answer{}, reason(err)
	}
	defer response.Body.Close()
	answer := Answer{Status: response.StatusCode}
	if answer.Status == http.StatusSwitchingProtocols {
		return answer, nil // what comes then is no body: it ends by no deadline
	}
	start, err := io.ReadAll(io.LimitReader(response.Body, kept+utf8.UTFMax))
	if err == nil {
		// What is read to its end leaves a connection that can be kept.
		_, _ = io.CopyN(io.Discard, response.Body, most-int64(len(start)))
	}
	answer.Body = text(start)
	if r.Context().Err() != nil {
		return answer, errSlowAnswer
	}
	return answer, nil // what breaks off is shown as far as it came
}

// text is what is shown of a body that begins with these bytes.
func text(start []byte) string {
	s := strings.ToValidUTF8(string(start), "\uFFFD")
	if len(s) <= kept {
		return s
	}
	end := kept
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}

// dial looks up a name as it stands: the dot at its end keeps the resolver from trying it below other domains too.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, errURL
	}
	if _, err := netip.ParseAddr(host); err != nil && host != "localhost" {
		address = net.JoinHostPort(host+".", port)
	}
	return c.dialer.DialContext(ctx, network, address)
}

// control is called with each address that is tried, right before it is connected to. So it does not matter what a
// name resolves to at other times, or which of its addresses answers first.
func (c *Client) control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	switch {
	case err != nil:
		return errNotPublic
	case c.options.Loopback && to.Addr().IsLoopback():
		return nil
	case !global(to.Addr()):
		return errNotPublic
	case !open(to.Port()):
		return errPort
	default:
		return nil
	}
}
