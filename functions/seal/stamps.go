package seal

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/functions/seal/pades"
	"github.com/tenantry/tenantry/shared/remote"
)

// stamps asks a time-stamp service (RFC 3161) over HTTP.
type stamps struct {
	url     string
	client  *remote.Client
	trusted []pades.Sum // certificates of which its chain must have one; none: any chain will do
	now     func() time.Time
}

const nonceSize = 16

// stamp returns a time stamp of bytes. It asks once: whoever wants a seal asks again.
func (s *stamps) stamp(ctx context.Context, of []byte) ([]byte, error) {
	nonce := make([]byte, nonceSize)
	_, _ = rand.Read(nonce) // it never fails
	query := pades.NewStampQuery(of, nonce, nil)
	body, err := query.Encode()
	if err != nil {
		return nil, err
	}
	answer, err := s.client.Post(ctx, s.url, "application/timestamp-query", body)
	if err != nil {
		return nil, fmt.Errorf("seal: time stamp: %w", err)
	}
	token, _, err := query.Token(answer, s.now(), s.trusted)
	return token, err
}
