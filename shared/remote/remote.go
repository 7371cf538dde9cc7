// Package remote calls services of others whose addresses are configuration: it waits a short
// time, reads a small answer, and follows nobody to another address.
//
// What never goes in here: addresses from requests or from what strangers sent, which need other
// bounds (shared/remote/public, functions/identity/oidc), and what the answers mean.
package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

const (
	patience = 5 * time.Second // for one call
	most     = 64 << 10        // bytes of an answer
)

// Client calls services. Its errors are for the log.
type Client struct{ http *http.Client }

// New makes a client, which connects to nobody before it is used.
func New() *Client {
	dialer := &net.Dialer{Timeout: patience / 2}
	return &Client{&http.Client{
		Timeout: patience,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: patience / 2, MaxIdleConnsPerHost: 2,
			IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 16 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Post sends a body and returns the answer, which is of status 200.
func (c *Client) Post(ctx context.Context, address, mediaType string, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("remote: %w", err)
	}
	r.Header.Set("Content-Type", mediaType)
	return c.do(r)
}

// Get returns what is at an address.
func (c *Client) Get(ctx context.Context, address string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("remote: %w", err)
	}
	return c.do(r)
}

func (c *Client) do(r *http.Request) ([]byte, error) {
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, fmt.Errorf("remote: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("remote: %s answers %s", r.URL.Redacted(), answer.Status)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, most+1))
	if err == nil && len(body) > most {
		err = errors.New("the answer is too large")
	}
	if err != nil {
		return nil, fmt.Errorf("remote: %s: %w", r.URL.Redacted(), err)
	}
	return body, nil
}
