package keystest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"path/filepath"
	"testing"

	"github.com/tenantry/tenantry/shared/keys"
)

// Sealer makes a key that seals, which nobody else has.
func Sealer(t testing.TB) keys.Sealer {
	t.Helper()
	s, err := keys.SealerFromFile(filepath.Join(t.TempDir(), "keys.json"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// RunSealer checks an implementation. open gives the same key each time.
func RunSealer(t *testing.T, open func(t *testing.T) keys.Sealer) {
	digest := sha256.Sum256([]byte("document"))
	signer := func(t *testing.T, s keys.Sealer) crypto.Signer {
		t.Helper()
		k, err := s(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	public := func(t *testing.T, k crypto.Signer) *ecdsa.PublicKey {
		t.Helper()
		p, ok := k.Public().(*ecdsa.PublicKey)
		if !ok || p.Curve != elliptic.P256() {
			t.Fatalf("the public key is a %T", k.Public())
		}
		return p
	}
	t.Run("what it signs verifies", func(t *testing.T) {
		s := open(t)
		for range 2 {
			k := signer(t, s)
			signature, err := k.Sign(rand.Reader, digest[:], crypto.SHA256)
			if err != nil || !ecdsa.VerifyASN1(public(t, k), digest[:], signature) {
				t.Fatalf("%x, %v", signature, err)
			}
		}
	})
	t.Run("the key is the same each time, and nobody else's", func(t *testing.T) {
		one := public(t, signer(t, open(t)))
		if !one.Equal(signer(t, open(t)).Public()) || one.Equal(signer(t, Sealer(t)).Public()) {
			t.Error("it is not")
		}
	})
	t.Run("it signs SHA-256 digests alone", func(t *testing.T) {
		k, long := signer(t, open(t)), sha512.Sum512(nil)
		for name, row := range map[string]struct {
			digest []byte
			opts   crypto.SignerOpts
		}{
			"another hash": {long[:], crypto.SHA512}, "a cut digest": {digest[:31], crypto.SHA256}, "no hash": {digest[:], nil},
			"a hash of another name": {digest[:], crypto.SHA3_256},
		} {
			if signature, err := k.Sign(rand.Reader, row.digest, row.opts); err == nil || signature != nil {
				t.Errorf("%s: %x", name, signature)
			}
		}
	})
}
