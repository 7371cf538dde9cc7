package keys

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"

	"github.com/golang-jwt/jwt/v5"
)

// coordinate is the length of a number of P-256 in bytes.
const coordinate = 32

// signer signs a SHA-256 digest and gives the signature as ASN.1 DER, which is
// what both crypto/ecdsa and KMS do.
type signer func(digest []byte) (der []byte, err error)

// method is ES256 with a signer. The library's own ES256 needs a private key, which KMS does
// not reveal.
const method = es256(0)

type es256 int

// Alg names the algorithm.
func (es256) Alg() string { return jwt.SigningMethodES256.Alg() }

// Sign signs with a signer.
func (es256) Sign(text string, key any) ([]byte, error) {
	sign, ok := key.(signer)
	if !ok {
		return nil, fmt.Errorf("keys: %w: %T", jwt.ErrInvalidKeyType, key)
	}
	digest := sha256.Sum256([]byte(text))
	der, err := sign(digest[:])
	if err != nil {
		return nil, err
	}
	return joined(der)
}

// Verify is the library's own.
func (es256) Verify(text string, signature []byte, key any) error {
	return jwt.SigningMethodES256.Verify(text, signature, key)
}

// joined turns a signature from DER into r‖s, as a JWT has it.
func joined(der []byte) ([]byte, error) {
	var pair struct{ R, S *big.Int }
	rest, err := asn1.Unmarshal(der, &pair)
	if err != nil {
		return nil, fmt.Errorf("keys: signature: %w", err)
	}
	for _, n := range []*big.Int{pair.R, pair.S} {
		if n.Sign() <= 0 || n.BitLen() > 8*coordinate {
			return nil, errors.New("keys: signature: a number out of range")
		}
	}
	if len(rest) > 0 {
		return nil, errors.New("keys: signature: more than two numbers")
	}
	out := make([]byte, 2*coordinate)
	pair.R.FillBytes(out[:coordinate])
	pair.S.FillBytes(out[coordinate:])
	return out, nil
}

// signed makes the token of a signer.
func signed(claims jwt.Claims, kid string, sign signer) (string, error) {
	t := jwt.NewWithClaims(method, claims)
	t.Header["kid"] = kid
	text, err := t.SignedString(sign)
	if err != nil {
		return "", fmt.Errorf("keys: sign: %w", err)
	}
	return text, nil
}

// onP256 returns a public key if it is one that ES256 accepts.
func onP256(key any) (*ecdsa.PublicKey, error) {
	public, ok := key.(*ecdsa.PublicKey)
	if !ok || public.Curve != elliptic.P256() {
		return nil, fmt.Errorf("keys: %T is not a key on P-256", key)
	}
	return public, nil
}
