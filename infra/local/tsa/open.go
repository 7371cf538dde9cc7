package tsa

import (
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Open makes a service whose root is in a file, which is made if it is missing: so what was sealed
// before the platform was started again is verified as it was.
func Open(path string, now func() time.Time) (*Service, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if data, err = newRoot(now()); err == nil {
			err = os.WriteFile(path, data, 0o600)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("tsa: root: %w", err)
	}
	ca, err := readRoot(data)
	if err != nil {
		return nil, fmt.Errorf("tsa: %s isn't a root's key and certificate: %w", path, err)
	}
	return under(ca, now)
}

const (
	keyBlock         = "PRIVATE KEY"
	certificateBlock = "CERTIFICATE"
)

func newRoot(at time.Time) ([]byte, error) {
	ca, err := authority("Local time-stamp root", at)
	if err != nil {
		return nil, err
	}
	key, err := x509.MarshalPKCS8PrivateKey(ca.key)
	if err != nil {
		return nil, err
	}
	return append(
		pem.EncodeToMemory(&pem.Block{Type: keyBlock, Bytes: key}),
		pem.EncodeToMemory(&pem.Block{Type: certificateBlock, Bytes: ca.chain[0].Raw})...,
	), nil
}

func readRoot(data []byte) (signer, error) {
	first, rest := pem.Decode(data)
	second, _ := pem.Decode(rest)
	if first == nil || second == nil || first.Type != keyBlock || second.Type != certificateBlock {
		return signer{}, errors.New("no PEM of them")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(first.Bytes)
	if err != nil {
		return signer{}, err
	}
	certificate, err := x509.ParseCertificate(second.Bytes)
	if err != nil {
		return signer{}, err
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || !key.PublicKey.Equal(certificate.PublicKey) {
		return signer{}, errors.New("the certificate isn't the key's")
	}
	return signer{key: key, chain: []*x509.Certificate{certificate}}, nil
}
