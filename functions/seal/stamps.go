package seal

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/functions/seal/pades"
)

// Bounds of a call of the time-stamp service.
const (
	stampTime = 8 * time.Second
	maxAnswer = 64 << 10
	nonceSize = 16
)

// stamps asks a time-stamp service (RFC 3161) over HTTP.
type stamps struct {
	url     string
	client  *http.Client
	trusted []pades.Sum // certificates of which its chain must have one; none: any chain will do
	now     func() time.Time
}

// stamp returns a time stamp of bytes. It asks once: whoever wants a seal asks again.
func (s *stamps) stamp(ctx context.Context, of []byte) ([]byte, error) {
	nonce := make([]byte, nonceSize)
	_, _ = rand.Read(nonce) // it never fails
	query := pades.NewStampQuery(of, nonce, nil)
	body, err := query.Encode()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, stampTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("seal: time stamp: %w", err)
	}
	request.Header.Set("Content-Type", "application/timestamp-query")
	request.Header.Set("Accept", "application/timestamp-reply")
	response, err := s.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("seal: time stamp: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("seal: time stamp: the service answered %s", response.Status)
	}
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("seal: time stamp: %w", err)
	}
	token, _, err := query.Token(answer, s.now(), s.trusted)
	return token, err
}

// plainClient follows no redirects: an answer comes from the address that is configured, or not at all.
func plainClient() *http.Client {
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}
