package keys

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
)

// Sealer returns the key that seals documents, on P-256. It signs SHA-256 digests; a signature is in
// DER. The signer works as long as the context does.
type Sealer func(ctx context.Context) (crypto.Signer, error)

// SealerFromKMS uses a key of a key service. The client is made, and the public key read, when it is
// first needed.
func SealerFromKMS(client func() KMS, key string) Sealer {
	client = once(client)
	var mu sync.Mutex
	var public *ecdsa.PublicKey
	return func(ctx context.Context) (crypto.Signer, error) {
		mu.Lock()
		defer mu.Unlock()
		if public == nil {
			read, err := publicKeyOf(ctx, client(), key)
			if err != nil {
				return nil, err
			}
			public = read
		}
		return sealKey{public, func(digest []byte) ([]byte, error) { return client().Sign(ctx, key, digest) }}, nil
	}
}

// SealerFromFile uses a key that follows from the secret of a developer's file of keys, which is made
// if it is missing.
func SealerFromFile(path string) (Sealer, error) {
	content, err := open(path)
	if err != nil {
		return nil, err
	}
	private, err := derivedKey(content.Secret)
	if err != nil {
		return nil, fmt.Errorf("keys: %s: %w", path, err)
	}
	return func(context.Context) (crypto.Signer, error) {
		return sealKey{&private.PublicKey, func(digest []byte) ([]byte, error) { return private.Sign(nil, digest, crypto.SHA256) }}, nil
	}, nil
}

// derivedKey makes a private key from the secret. Of 2³² numbers of that length one is no private key; then the next is
// tried.
func derivedKey(secret []byte) (private *ecdsa.PrivateKey, err error) {
	for n := range 4 {
		number, err := derived(secret, "seal "+strconv.Itoa(n))
		if err != nil {
			return nil, err
		}
		if private, err = ecdsa.ParseRawPrivateKey(elliptic.P256(), number); err == nil {
			return private, nil
		}
	}
	return nil, errors.New("the secret gives no key")
}

// sealKey is the key that seals.
type sealKey struct {
	public *ecdsa.PublicKey
	sign   signer
}

// Public returns the public half, an *ecdsa.PublicKey.
func (k sealKey) Public() crypto.PublicKey { return k.public }

// Sign signs a SHA-256 digest. The source of randomness is the key's own.
func (k sealKey) Sign(_ io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	if opts == nil || opts.HashFunc() != crypto.SHA256 || len(digest) != sha256.Size {
		return nil, errors.New("keys: the seal signs SHA-256 digests")
	}
	signature, err := k.sign(digest)
	if err != nil {
		return nil, fmt.Errorf("keys: seal: %w", err)
	}
	return signature, nil
}
