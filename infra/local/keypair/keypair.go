// Package keypair makes keys with their certificates for what runs on this machine, and keeps them in files.
package keypair

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Open returns the pair in a file, or one that is made and written there. So who was told to trust it meets it again after a start.
func Open(file string, create func() (tls.Certificate, error)) (tls.Certificate, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		if text, err = written(create()); err == nil {
			err = os.WriteFile(file, text, 0o600)
		}
	}
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("a key and its certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(text, text)
	if err != nil {
		return pair, fmt.Errorf("%s isn't a key and its certificate: %w", file, err)
	}
	return pair, nil
}

// written is a pair as PEM.
func written(pair tls.Certificate, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		return nil, err
	}
	return append(
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Leaf.Raw}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})...,
	), nil
}

// New makes a key on P-256 and certifies it.
func New(template *x509.Certificate, by *tls.Certificate) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	return Certify(key, template, by)
}

// Certify makes the certificate of a key. Another pair issues it; without one, the key signs its own.
func Certify(key crypto.Signer, template *x509.Certificate, by *tls.Certificate) (pair tls.Certificate, err error) {
	parent, signs := template, crypto.PrivateKey(key)
	if by != nil {
		parent, signs, pair.Certificate = by.Leaf, by.PrivateKey, by.Certificate
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signs)
	if err != nil {
		return pair, fmt.Errorf("a certificate: %w", err)
	}
	pair.PrivateKey, pair.Certificate = key, append([][]byte{der}, pair.Certificate...)
	pair.Leaf, err = x509.ParseCertificate(der)
	return pair, err
}
