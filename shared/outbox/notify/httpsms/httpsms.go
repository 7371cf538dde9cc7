// Package httpsms sends SMS through a provider that speaks HTTP and JSON. Only the worker links it.
//
// A message is a POST to the provider's address with a bearer token, and the body
//
//	{"id": "…", "to": "+77011234567", "text": "…", "callback": "https://…"}
//
// The id is the header Idempotency-Key too, and is the same however often the message is sent. A
// provider that doesn't speak like that is reached through an adapter of one's own.
//
// Any 2xx means that the provider has taken the message. A 4xx means that it never will, except
// those that say nothing about the message: 401, 408, 409, 425 and 429. What answers a request that
// the provider has not taken, or that it can't have read, was not sent. After everything else the
// outcome is unknown.
package httpsms

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/shared/outbox/notify"
)

// timeout is how long one attempt may take: several fit into the worker's time for a message.
const timeout = 8 * time.Second

// maxAnswer is how many bytes of an answer are read; nothing in it is needed.
const maxAnswer = 4 << 10

// Sender sends SMS through one provider.
type Sender struct {
	client               *http.Client
	url, token, callback string
}

// New makes a Sender. callback is the address for the provider's reports; without one it makes none.
func New(url, token, callback string) Sender {
	dialer := &net.Dialer{Timeout: timeout / 2}
	return Sender{
		url: url, token: token, callback: callback,
		client: &http.Client{
			Timeout:   timeout,
			Transport: &http.Transport{DialContext: dialer.DialContext, TLSHandshakeTimeout: timeout / 2, MaxIdleConnsPerHost: 16},
			// A redirect would send the text and the token to an address that nobody configured.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

type body struct {
	ID       string `json:"id"`
	To       string `json:"to"`
	Text     string `json:"text"`
	Callback string `json:"callback,omitempty"`
}

// Traits are those of a provider that obeys the Idempotency-Key.
func (s Sender) Traits(notify.Channel) notify.Traits {
	return notify.Traits{Once: true, Reports: s.callback != ""}
}

// Send sends an SMS.
func (s Sender) Send(ctx context.Context, m notify.Message) error {
	if m.Channel != notify.SMS {
		return fmt.Errorf("httpsms: message %s: %w: no way to send %s", m.ID, notify.ErrNotSent, m.Channel)
	}
	encoded, err := json.Marshal(body{m.ID, m.To, m.Text, s.callback})
	if err != nil {
		return fmt.Errorf("httpsms: message %s: %w: %w", m.ID, notify.ErrRefused, err)
	}
	ctx, reached := notify.Watch(ctx)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(encoded))
	if err != nil {
		return fmt.Errorf("httpsms: message %s: %w: %w", m.ID, notify.ErrNotSent, err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", m.ID)
	answer, err := s.client.Do(r)
	switch {
	case err != nil && !reached():
		return fmt.Errorf("httpsms: message %s: %w: %w", m.ID, notify.ErrNotSent, err)
	case err != nil:
		return fmt.Errorf("httpsms: message %s: %w", m.ID, err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswer)) // so that the connection can be used again
	return outcome(m.ID, answer.StatusCode)
}

// outcome is what an answer's status says.
func outcome(id string, status int) error {
	switch {
	case status >= 200 && status < 300:
		return nil
	case status == http.StatusRequestTimeout, status == http.StatusConflict, // another attempt may still be under way
		status == http.StatusBadGateway, status == http.StatusGatewayTimeout: // a proxy that doesn't know
		return fmt.Errorf("httpsms: message %s: status %d", id, status)
	case status == http.StatusUnauthorized, status == http.StatusTooEarly, status == http.StatusTooManyRequests,
		status < 400, status >= 500:
		return fmt.Errorf("httpsms: message %s: %w: status %d", id, notify.ErrNotSent, status)
	}
	return fmt.Errorf("httpsms: message %s: %w: status %d", id, notify.ErrRefused, status)
}
