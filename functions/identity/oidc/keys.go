package oidc

import (
	"context"
	"crypto/ecdsa"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// algorithms returns the algorithms that may sign an ID token. All of them are asymmetric: with a
// symmetric one, anybody could sign with the issuer's public key as the secret.
func algorithms() []jose.SignatureAlgorithm {
	return []jose.SignatureAlgorithm{jose.RS256, jose.ES256}
}

const (
	// keysPause is the least time between two reads of the keys, however many tokens name
	// unknown ones.
	keysPause = time.Minute
	// minRSA is the least length of an RSA key in bits.
	minRSA = 2048
)

// keySet is the keys of an issuer. They are fetched when they are first needed, and again if a
// token names one that is not known: issuers change their keys.
type keySet struct {
	fetch func(context.Context) ([]byte, error)
	now   func() time.Time

	mu   sync.Mutex // held while keys are fetched: others who need them wait for the same ones
	at   time.Time
	keys []jose.JSONWebKey
}

// VerifySignature returns the payload of a token that one of the keys has signed.
func (s *keySet) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	signed, err := jose.ParseSignedCompact(token, algorithms())
	if err != nil {
		return nil, err
	}
	id := signed.Signatures[0].Header.KeyID
	keys, err := s.named(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		if payload, err := signed.Verify(key.Key); err == nil && fits(key, signed.Signatures[0].Header.Algorithm) {
			return payload, nil
		}
	}
	return nil, fmt.Errorf("no key %.64q has signed the token", id)
}

// fits tells whether a key may be used with an algorithm.
func fits(key jose.JSONWebKey, algorithm string) bool {
	return key.Algorithm == "" || key.Algorithm == algorithm
}

// named returns the keys with an id. A token without the id of a key gets all of them.
func (s *keySet) named(ctx context.Context, id string) ([]jose.JSONWebKey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.find(id); len(found) > 0 || !s.at.IsZero() && s.now().Sub(s.at) < keysPause {
		return found, nil
	}
	document, err := s.fetch(ctx)
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	keys, err := readKeys(document)
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	s.keys, s.at = keys, s.now()
	return s.find(id), nil
}

func (s *keySet) find(id string) (found []jose.JSONWebKey) {
	for _, key := range s.keys {
		if id == "" || key.KeyID == id {
			found = append(found, key)
		}
	}
	return found
}

// readKeys reads a JSON Web Key Set. A key that can't verify ID tokens is skipped: issuers have
// keys for other purposes beside.
func readKeys(document []byte) (keys []jose.JSONWebKey, err error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(document, &set); err != nil {
		return nil, err
	}
	for _, raw := range set.Keys {
		var key jose.JSONWebKey
		if json.Unmarshal(raw, &key) != nil || key.Use != "" && key.Use != "sig" {
			continue
		}
		switch public := key.Key.(type) {
		case *rsa.PublicKey:
			if public.N.BitLen() >= minRSA {
				keys = append(keys, key)
			}
		case *ecdsa.PublicKey:
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("none that can be used")
	}
	return keys, nil
}
