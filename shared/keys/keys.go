// Package keys signs access tokens, and makes the MACs of one-time codes, of refresh tokens, of the chains of signing
// records, and those that are the secrets of webhooks. Each use has keys of its own: a list, whose first key makes, and all
// of which verify. So a key is replaced without ending what it has made: the new one comes first, the old one stays behind it
// for a while.
//
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
	// Secrets lists the keys of a use. The first one makes MACs, and all of them verify.
	Secrets(use Use) []ID
	// MAC is the HMAC-SHA-256 of a message under a key of a use, or ErrUnknownKey if the use has no such key. A message
	// has at most MaxMessage bytes. See Make and Match.
	MAC(ctx context.Context, use Use, key ID, message []byte) ([]byte, error)
}

// Use is what a MAC is for. No key has two uses.
type Use string

// The uses.
const (
	Codes   Use = "codes"   // one-time codes
	Refresh Use = "refresh" // refresh tokens
	Chains  Use = "chains"  // chains of signing records
	Hooks   Use = "hooks"   // secrets of webhooks
)

// ID names a key among those of its use. It follows from the key's name, and says nothing else about it. It is short because
// it is stored with each stage of a signing record.
type ID [3]byte

func idOf(name string) (id ID) {
	sum := sha256.Sum256([]byte(name))
	copy(id[:], sum[:])
	return id
}

// MaxMessage is the length of the longest message that has a MAC. It is KMS's own limit.
const MaxMessage = 4096

// ErrTooLong says that a message is longer than MaxMessage.
var ErrTooLong = errors.New("keys: the message is too long for a MAC")

// ErrUnknownKey says that no key has the kid, or the id.
var ErrUnknownKey = errors.New("keys: no key has this kid")

// Make is the MAC of a message under the key that makes those of a use.
func Make(ctx context.Context, k Keys, use Use, message []byte) ([]byte, error) {
	list := k.Secrets(use)
	if len(list) == 0 {
		return nil, fmt.Errorf("keys: no key of %s is configured", use)
	}
	return k.MAC(ctx, use, list[0], message)
}

// Match tells whether a MAC of a message under one of the keys of a use fits. It asks for one MAC after the other: under the
// key that makes first, which in most cases is the only one. made is the MAC under that key, whichever fits.
func Match(ctx context.Context, k Keys, use Use, message []byte, fits func(mac []byte) bool) (made []byte, ok bool, err error) {
	made, err = Make(ctx, k, use, message)
	if err != nil || fits(made) {
		return made, err == nil, err
	}
	for _, key := range k.Secrets(use)[1:] {
		mac, err := k.MAC(ctx, use, key, message)
		if err != nil {
			return nil, false, err
		}
		if fits(mac) {
			return made, true, nil
		}
	}
	return made, false, nil
}

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
