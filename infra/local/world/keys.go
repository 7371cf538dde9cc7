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
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/tenantry/tenantry/shared/keys"
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
