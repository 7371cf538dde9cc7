package keys

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/golang-jwt/jwt/v5"
)

// secretLength is the length of the platform's secret in bytes.
const secretLength = 32

// keyFile is the file's content. Signing holds private keys in PKCS 8; the first one signs,
// the others are retired and only verify.
type keyFile struct {
	Signing [][]byte `json:"signing"`
	Secret  []byte   `json:"secret"`
}

type fileKeys struct {
	sign    signer
	secrets map[Use][]fileSecret
	list    []webKey // the first is the one that signs
	public  map[string]*ecdsa.PublicKey
}

// fileSecret is a key of a use.
type fileSecret struct {
	id  ID
	key []byte
}

// FromFile reads the keys of a developer's machine. If the file is missing, it is created,
// readable only by its owner; processes that start at the same time all use the same file.
func FromFile(path string) (Keys, error) {
	content, err := open(path)
	if err != nil {
		return nil, err
	}
	k, err := read(content)
	if err != nil {
		return nil, fmt.Errorf("keys: %s: %w", path, err)
	}
	return k, nil
}

// open reads the file, which is made if it is missing.
func open(path string) (content keyFile, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = create(path); err == nil {
			data, err = os.ReadFile(path)
		}
	}
	if err != nil {
		return content, fmt.Errorf("keys: %w", err)
	}
	if err := json.Unmarshal(data, &content); err != nil {
		return content, fmt.Errorf("keys: %s is not a file of keys: %w", path, err)
	}
	if len(content.Signing) == 0 || len(content.Secret) < secretLength {
		return content, fmt.Errorf("keys: %s: a key or the secret is missing", path)
	}
	return content, nil
}

// derived makes a key for one use from the secret. So a file that was written before there was such a use has its key
// too, and nobody who gets MACs under the secret learns anything of it.
func derived(secret []byte, use string) ([]byte, error) {
	return hkdf.Key(sha256.New, secret, []byte("tenantry"), use, sha256.Size)
}

func read(content keyFile) (*fileKeys, error) {
	chain, err := derived(content.Secret, "chain")
	if err != nil {
		return nil, err
	}
	refresh, err := derived(content.Secret, "refresh")
	if err != nil {
		return nil, err
	}
	hooks, err := derived(content.Secret, "hooks")
	if err != nil {
		return nil, err
	}
	k := &fileKeys{public: map[string]*ecdsa.PublicKey{}, secrets: map[Use][]fileSecret{
		Codes:   {{idOf("codes"), content.Secret}},
		Refresh: {{idOf("refresh"), refresh}},
		Chains:  {{idOf("chain"), chain}},
		Hooks:   {{idOf("hook"), hooks}},
	}}
	for i, encoded := range content.Signing {
		parsed, err := x509.ParsePKCS8PrivateKey(encoded)
		if err != nil {
			return nil, err
		}
		private, ok := parsed.(*ecdsa.PrivateKey)
		if !ok {
			return nil, fmt.Errorf("key %d is a %T", i, parsed)
		}
		public, err := onP256(&private.PublicKey)
		if err != nil {
			return nil, err
		}
		web, err := webKeyOf(public)
		if err != nil {
			return nil, err
		}
		k.list = append(k.list, web)
		k.public[web.ID] = public
		if i == 0 {
			k.sign = func(digest []byte) ([]byte, error) { return ecdsa.SignASN1(rand.Reader, private, digest) }
		}
	}
	return k, nil
}

// create writes a temporary file in the same folder and links it to path. So nobody reads a
// half-written file, and an existing file is kept.
func create(path string) error {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return err
	}
	secret := make([]byte, secretLength)
	_, _ = rand.Read(secret) // it never fails
	data, err := json.Marshal(keyFile{Signing: [][]byte{encoded}, Secret: secret})
	if err != nil {
		return err
	}
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	draft, err := os.CreateTemp(folder, ".keys-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	if _, err := draft.Write(data); err != nil {
		return errors.Join(err, draft.Close())
	}
	if err := errors.Join(draft.Sync(), draft.Close()); err != nil {
		return err
	}
	if err := os.Link(draft.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// Sign makes a token with the first key.
func (k *fileKeys) Sign(_ context.Context, claims jwt.Claims) (string, error) {
	return signed(claims, k.list[0].ID, k.sign)
}

// Public finds a key by its kid.
func (k *fileKeys) Public(_ context.Context, kid string) (*ecdsa.PublicKey, error) {
	if public, ok := k.public[kid]; ok {
		return public, nil
	}
	return nil, ErrUnknownKey
}

// Set lists the public keys.
func (k *fileKeys) Set(context.Context) ([]byte, error) { return setOf(k.list) }

// Secrets lists the keys of a use.
func (k *fileKeys) Secrets(use Use) (list []ID) {
	for _, s := range k.secrets[use] {
		list = append(list, s.id)
	}
	return list
}

// MAC makes the MAC of a message.
func (k *fileKeys) MAC(_ context.Context, use Use, key ID, message []byte) ([]byte, error) {
	if len(message) > MaxMessage {
		return nil, ErrTooLong
	}
	for _, s := range k.secrets[use] {
		if s.id == key {
			return mac(s.key, message), nil
		}
	}
	return nil, ErrUnknownKey
}

func mac(secret, message []byte) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write(message)
	return h.Sum(nil)
}
