package keys

import (
	"context"
	"crypto/ecdsa"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/golang-jwt/jwt/v5"

	"github.com/tenantry/tenantry/shared/table/meter"
)

// KMS is the three calls to a key service that Keys needs. shared/keys/awskms
// makes them.
type KMS interface {
	// PublicKey is the public half of a signing key, as an X.509
	// SubjectPublicKeyInfo in DER.
	PublicKey(ctx context.Context, key string) ([]byte, error)
	// Sign signs a SHA-256 digest with ECDSA; the signature is in DER.
	Sign(ctx context.Context, key string, digest []byte) ([]byte, error)
	// MAC is the HMAC-SHA-256 of a message.
	MAC(ctx context.Context, key string, message []byte) ([]byte, error)
}

// counted counts the calls of a key service for whoever's request they are made.
type counted struct{ service KMS }

func count(ctx context.Context) { meter.From(ctx).Add(meter.Usage{KMSCalls: 1}) }

func (c counted) PublicKey(ctx context.Context, key string) ([]byte, error) {
	count(ctx)
	return c.service.PublicKey(ctx, key)
}

func (c counted) Sign(ctx context.Context, key string, digest []byte) ([]byte, error) {
	count(ctx)
	return c.service.Sign(ctx, key, digest)
}

func (c counted) MAC(ctx context.Context, key string, message []byte) ([]byte, error) {
	count(ctx)
	return c.service.MAC(ctx, key, message)
}

// once returns the client of a key service, which is made when it is first asked for and counts its calls.
func once(client func() KMS) func() KMS {
	return sync.OnceValue(func() KMS { return counted{client()} })
}

// Names are the names of the keys of a key service.
type Names struct {
	Signing []string         // the first one signs, all of them verify
	Secrets map[Use][]string // of each use, the first one makes, all of them verify
}

// secret is a key of a use.
type secret struct {
	id   ID
	name string
}

type kmsKeys struct {
	client  func() KMS
	signing []string
	secrets map[Use][]secret

	mu     sync.Mutex
	loaded []publicKey // the public keys of signing[0], [1], …, as far as they were needed
}

type publicKey struct {
	web webKey
	key *ecdsa.PublicKey
}

// FromKMS uses keys of a key service. The client is made, and the first call made, only when
// needed. A public key is read once in the life of the process, and an unknown kid costs no call
// once all keys are known.
func FromKMS(client func() KMS, names Names) Keys {
	k := &kmsKeys{client: once(client), signing: names.Signing, secrets: map[Use][]secret{}}
	for use, list := range names.Secrets {
		for _, name := range list {
			// A key is the same key by its id and by its ARN, which ends with the id.
			k.secrets[use] = append(k.secrets[use], secret{idOf(name[strings.LastIndex(name, "/")+1:]), name})
		}
	}
	return k
}

// load gives the first n public keys, asking for those that are not known yet.
func (k *kmsKeys) load(ctx context.Context, n int) ([]publicKey, error) {
	if n > len(k.signing) || n == 0 {
		return nil, errors.New("keys: no signing key is configured")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := len(k.loaded); i < n; i++ {
		public, err := publicKeyOf(ctx, k.client(), k.signing[i])
		if err != nil {
			return nil, err
		}
		web, err := webKeyOf(public)
		if err != nil {
			return nil, err
		}
		k.loaded = append(k.loaded, publicKey{web, public})
	}
	return k.loaded[:n:n], nil
}

// publicKeyOf reads the public half of a key.
func publicKeyOf(ctx context.Context, client KMS, key string) (*ecdsa.PublicKey, error) {
	der, err := client.PublicKey(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("keys: public key %s: %w", key, err)
	}
	parsed, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, fmt.Errorf("keys: public key %s: %w", key, err)
	}
	return onP256(parsed)
}

// Sign makes a token with the first key.
func (k *kmsKeys) Sign(ctx context.Context, claims jwt.Claims) (string, error) {
	current, err := k.load(ctx, 1)
	if err != nil {
		return "", err
	}
	return signed(claims, current[0].web.ID, func(digest []byte) ([]byte, error) {
		return k.client().Sign(ctx, k.signing[0], digest)
	})
}

// Public finds a key by its kid, trying the key that signs first.
func (k *kmsKeys) Public(ctx context.Context, kid string) (*ecdsa.PublicKey, error) {
	for n := 1; n <= max(1, len(k.signing)); n++ {
		list, err := k.load(ctx, n)
		if err != nil {
			return nil, err
		}
		if p := list[n-1]; p.web.ID == kid {
			return p.key, nil
		}
	}
	return nil, ErrUnknownKey
}

// Set lists the public keys.
func (k *kmsKeys) Set(ctx context.Context) ([]byte, error) {
	loaded, err := k.load(ctx, len(k.signing))
	if err != nil {
		return nil, err
	}
	list := make([]webKey, len(loaded))
	for i, p := range loaded {
		list[i] = p.web
	}
	return setOf(list)
}

// Secrets lists the keys of a use.
func (k *kmsKeys) Secrets(use Use) (list []ID) {
	for _, s := range k.secrets[use] {
		list = append(list, s.id)
	}
	return list
}

// MAC asks for the MAC of a message.
func (k *kmsKeys) MAC(ctx context.Context, use Use, key ID, message []byte) ([]byte, error) {
	if len(message) > MaxMessage {
		return nil, ErrTooLong
	}
	for _, s := range k.secrets[use] {
		if s.id != key {
			continue
		}
		mac, err := k.client().MAC(ctx, s.name, message)
		if err != nil {
			return nil, fmt.Errorf("keys: mac: %w", err)
		}
		return mac, nil
	}
	return nil, ErrUnknownKey
}
