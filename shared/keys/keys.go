// Package keys signs access tokens, and makes one-time codes and the chains of signing records.
// On AWS the keys are in KMS and never leave it (FromKMS); on a developer's machine they are in a
// file (FromFile). keystest has the tests that both must pass. The key that seals documents is
// apart (Sealer), because only one function may use it.
//
// What never goes in here: what a token claims (shared/keys/access) or what a
// code is for, and the KMS client itself (shared/keys/awskms), so that a
// function that signs nothing does not carry it.
package keys

import (
	"context"
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/golang-jwt/jwt/v5"
)

// Keys signs and verifies. Implementations are safe for concurrent use and ask
// a remote source only when first needed.
type Keys interface {
	// Sign makes an ES256 JWT with the current key, whose kid is in its header.
	Sign(ctx context.Context, claims jwt.Claims) (string, error)
	// Public returns the verification key with a kid, or ErrUnknownKey if no current or
	// retired key has it.
	Public(ctx context.Context, kid string) (*ecdsa.PublicKey, error)
	// Set is the JSON Web Key Set of all public keys.
	Set(ctx context.Context) ([]byte, error)
	// MAC is the HMAC-SHA-256 of a message under the platform's secret.
	MAC(ctx context.Context, message []byte) ([]byte, error)
	// Chain is the HMAC-SHA-256 of a message under a key that is used for signing records and for
	// nothing else. A message has at most MaxChain bytes.
	Chain(ctx context.Context, message []byte) ([]byte, error)
}

// MaxChain is the length of the longest message that Chain takes. It is KMS's own limit.
const MaxChain = 4096

// ErrTooLong says that a message is longer than MaxChain.
var ErrTooLong = errors.New("keys: the message is too long for a link of a chain")

// ErrUnknownKey says that no key has the kid.
var ErrUnknownKey = errors.New("keys: no key has this kid")

// webKey is a public key as RFC 7517 writes it. The members that RFC 7638
// hashes come first, in its order.
type webKey struct {
	Curve string `json:"crv"`
	Type  string `json:"kty"`
	X     string `json:"x"`
	Y     string `json:"y"`
	ID    string `json:"kid,omitempty"`
	Use   string `json:"use,omitempty"`
	Alg   string `json:"alg,omitempty"`
}

func webKeyOf(public *ecdsa.PublicKey) (webKey, error) {
	point, err := public.Bytes() // 4, x, y
	if err != nil || len(point) != 1+2*coordinate {
		return webKey{}, fmt.Errorf("keys: not a key on P-256: %w", err)
	}
	text := base64.RawURLEncoding.EncodeToString
	k := webKey{Curve: "P-256", Type: "EC", X: text(point[1 : 1+coordinate]), Y: text(point[1+coordinate:])}
	canonical, err := json.Marshal(k)
	if err != nil {
		return webKey{}, fmt.Errorf("keys: %w", err)
	}
	thumbprint := sha256.Sum256(canonical)
	k.ID, k.Use, k.Alg = text(thumbprint[:]), "sig", method.Alg()
	return k, nil
}

func setOf(list []webKey) ([]byte, error) {
	set, err := json.Marshal(map[string][]webKey{"keys": list})
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	return set, nil
}
