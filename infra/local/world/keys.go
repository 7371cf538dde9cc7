package world

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/keys/access"
)

// century is how long the world's tokens live.
const century = 100 * 365 * 24 * time.Hour

// signingKey derives a key from a text, so that it is the same everywhere, and no secret.
func signingKey(name string) (*ecdsa.PrivateKey, error) {
	secret := sha256.Sum256([]byte("Tenantry's known world: " + name))
	return ecdsa.ParseRawPrivateKey(elliptic.P256(), secret[:])
}

// keyFile returns the content of a key file for keys.FromFile.
func keyFile() ([]byte, error) {
	private, err := signingKey("signing key")
	if err != nil {
		return nil, err
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, err
	}
	secret := sha256.Sum256([]byte("Tenantry's known world: secret of codes"))
	return json.Marshal(map[string]any{"signing": [][]byte{encoded}, "secret": secret[:]})
}

// stableKeys makes the same signature for the same claims each time, so that recording again changes no event.
type stableKeys struct {
	keys.Keys
	private *ecdsa.PrivateKey
	kid     string
}

// newStableKeys returns keys that sign with the key in keyFile, under the name that k gives it.
func newStableKeys(ctx context.Context, k keys.Keys) (*stableKeys, error) {
	private, err := signingKey("signing key")
	if err != nil {
		return nil, err
	}
	encoded, err := k.Set(ctx)
	if err != nil {
		return nil, err
	}
	var set struct {
		Keys []struct {
			ID string `json:"kid"`
		} `json:"keys"`
	}
	if err := json.Unmarshal(encoded, &set); err != nil || len(set.Keys) == 0 {
		return nil, fmt.Errorf("no key in %s: %w", encoded, err)
	}
	return &stableKeys{Keys: k, private: private, kid: set.Keys[0].ID}, nil
}

// foreign returns keys that sign with another key, under the same name.
func (k *stableKeys) foreign() (*stableKeys, error) {
	private, err := signingKey("a key of somebody else")
	return &stableKeys{Keys: k.Keys, private: private, kid: k.kid}, err
}

// Sign signs deterministically (RFC 6979).
func (k *stableKeys) Sign(_ context.Context, claims jwt.Claims) (string, error) {
	token := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
	token.Header["kid"] = k.kid
	text, err := token.SigningString()
	if err != nil {
		return "", err
	}
	digest := sha256.Sum256([]byte(text))
	der, err := k.private.Sign(nil, digest[:], crypto.SHA256)
	if err != nil {
		return "", err
	}
	var pair struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &pair); err != nil {
		return "", err
	}
	signature := make([]byte, 64)
	pair.R.FillBytes(signature[:32])
	pair.S.FillBytes(signature[32:])
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

// epoch is when the world's tokens say that they were made.
func epoch() time.Time { return time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC) }

// family is the sign-in that a refresh token belongs to.
func family(refresh string) string {
	parts := strings.Split(refresh, ".")
	return parts[min(1, len(parts)-1)]
}

// token makes an access token of a sign-in that says that it was made at the epoch, so that it is the same in every world. Of other kinds,
// it is what a cross login gives, or holds for nobody: too old, signed with another key, or of a sign-in that never was.
func (s *story) token(ctx context.Context, name string, of particulars) (string, error) {
	k, at, lifetime, in, sign := s.w.keys, epoch(), century, family(of.Refresh), access.Token
	switch of.Kind {
	case "crossed":
		sign = access.CrossToken
	case "old":
		at, lifetime = at.Add(-24*time.Hour), time.Hour
	case "forged":
		var err error
		if k, err = k.foreign(); err != nil {
			return "", err
		}
	case "lost":
		in = uuid.NewSHA1(uuid.Nil, []byte(name)).String()
	}
	return sign(ctx, k, of.User, in, uuid.NewSHA1(uuid.Nil, []byte(name)), at, lifetime)
}
