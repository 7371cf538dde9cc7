// Package certificate makes the certificate of the seal's key: one that the key issues to itself, or
// a request with which an authority issues one.
package certificate

import (
	"crypto"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/tenantry/tenantry/functions/seal/pades"
)

// Name is who seals.
type Name struct {
	Organization string
	Common       string
	Country      string // two letters
}

func (n Name) subject() (pkix.Name, error) {
	if n.Common == "" {
		return pkix.Name{}, errors.New("the seal's certificate needs a name")
	}
	subject := pkix.Name{CommonName: n.Common}
	if n.Organization != "" {
		subject.Organization = []string{n.Organization}
	}
	if n.Country != "" {
		subject.Country = []string{n.Country}
	}
	return subject, nil
}

// documentSigning is the purpose of RFC 9336.
func documentSigning() asn1.ObjectIdentifier {
	return asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 36}
}

// SelfIssued returns a certificate that a key issues to itself. It can sign documents and issue
// nothing.
func SelfIssued(key crypto.Signer, name Name, from, until time.Time) (*x509.Certificate, error) {
	subject, err := name.subject()
	if err != nil {
		return nil, err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, fmt.Errorf("the seal's key: %w", err)
	}
	// The number is of the key and the validity, so that the same input gives the same name.
	sum := sha256.Sum256(fmt.Appendf(public, "%s %s", from.UTC().Format(time.RFC3339), until.UTC().Format(time.RFC3339)))
	sum[0] &= 0x7F
	id := sha256.Sum256(public)
	template := &x509.Certificate{
		SerialNumber: new(big.Int).SetBytes(sum[:16]),
		Subject:      subject,
		NotBefore:    from, NotAfter: until,
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment,
		UnknownExtKeyUsage:    []asn1.ObjectIdentifier{documentSigning()},
		BasicConstraintsValid: true,
		SubjectKeyId:          id[:20],
		SignatureAlgorithm:    x509.ECDSAWithSHA256,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("the seal's certificate: %w", err)
	}
	return x509.ParseCertificate(der)
}

// Request returns a PKCS 10 request for a certificate of a key, in PEM.
func Request(key crypto.Signer, name Name) ([]byte, error) {
	subject, err := name.subject()
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{
		Subject: subject, SignatureAlgorithm: x509.ECDSAWithSHA256,
	}, key)
	if err != nil {
		return nil, fmt.Errorf("the request for the seal's certificate: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}), nil
}

// MaxChain is how long a chain in PEM may be, because all variables of a function have 4 KB together.
const MaxChain = 3072

// Check reads a chain as the parameter SealChain holds it, and says what keeps it from being one.
func Check(key crypto.Signer, text []byte, now time.Time) (chain []*x509.Certificate, err error) {
	if len(text) > MaxChain {
		return nil, fmt.Errorf("it has %d characters, of %d: leave the root out", len(text), MaxChain)
	}
	if chain, err = pades.Certificates(text); err != nil {
		return nil, err
	}
	public, ok := chain[0].PublicKey.(interface{ Equal(crypto.PublicKey) bool })
	if !ok || !public.Equal(key.Public()) {
		return nil, errors.New("the first certificate isn't of the seal's key")
	}
	for i, x := range chain {
		switch {
		case now.Before(x.NotBefore) || now.After(x.NotAfter):
			return nil, fmt.Errorf("certificate %d isn't valid today", i+1)
		case i > 0 && chain[i-1].CheckSignatureFrom(x) != nil:
			return nil, fmt.Errorf("certificate %d didn't issue the one before it", i+1)
		}
	}
	return chain, nil
}

// PEM writes a chain as the parameter SealChain holds it, the key's certificate first.
func PEM(chain ...*x509.Certificate) []byte {
	var text []byte
	for _, x := range chain {
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: x.Raw})...)
	}
	return text
}
