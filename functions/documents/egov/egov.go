// Package egov verifies signatures that people of Kazakhstan make with NCALayer and their keys of
// the National Certification Centre (NCA): detached CMS, RSA or GOST 2015.
//
// A signature counts if all of this is so:
//
//   - the CMS is whole, at most 64 KB, has one signer, signed attributes and no document inside;
//   - it signs the very bytes that we have, by a hash and a key that are still safe;
//   - its certificate leads to a root of the configuration, and everything on the way is valid now;
//   - the certificate is for signing documents, and for a person or for an organisation as expected;
//   - its IIN or BIN is that of the signer;
//   - its signing time does not lie before what there was to sign;
//   - the NCA, asked now, says that the certificate was not revoked.
//
// If the NCA can't be asked, nothing is signed (ErrUnreachable).
//
// What never goes in here: HTTP (the Network is given), documents and their states, and any address
// from a certificate: who is asked is configuration alone.
package egov

import (
	"context"
	"strings"
	"sync"
	"time"
)

// Most is the size of the largest CMS that is read, however it is written down.
const Most = 64 << 10

// Network reaches the services of the NCA. Its errors are for the log.
type Network interface {
	// Post sends a body and returns the whole answer, which must be of status 200.
	Post(ctx context.Context, address, mediaType string, body []byte) ([]byte, error)
	// Get returns what is at an address.
	Get(ctx context.Context, address string) ([]byte, error)
}

// Verifier verifies signatures. Nothing is parsed before the first one. Without roots, and where it is
// nil, it refuses all with ErrOff.
type Verifier struct {
	Roots   string   // as ParseTrust reads them
	OCSP    []string // addresses, asked in this order until one gives an answer that holds
	Network Network
	Now     func() time.Time

	parsing sync.Once
	trust   *Trust
	problem error
}

// Expected is who has to have signed.
type Expected struct {
	IIN     string // a person's, and must be that of the certificate where it isn't empty
	BIN     string // an organisation's, likewise
	Company bool   // an organisation signs: its head, or who has the right to sign for it
	// Since is what the signing time must not lie before; zero: there may be none.
	Since time.Time
}

// Signature is what a signature that counts says, and the evidence of it.
type Signature struct {
	Subject   string // the certificate's subject as it is shown: "CN=…, SERIALNUMBER=IIN…"
	Name      string
	IIN, BIN  string // BIN is empty in the certificate of a person
	Serial    string // hexadecimal
	Issuer    string
	Algorithm string // such as "RSA 2048, SHA-256" and "GOST 34.10-2015 512"

	NotBefore, NotAfter time.Time

	CMS               []byte // DER
	SHA256            []byte // of the signature itself; see message.sum
	Certificate       []byte // DER
	CertificateSHA256 []byte
	OCSP              []byte     // the NCA's answer, DER
	SignedAt          *time.Time // what the signer's own clock said, so it proves nothing
}

// On is nil if signatures can be verified, else ErrOff: nobody is trusted.
func (v *Verifier) On() error {
	if v == nil || strings.TrimSpace(v.Roots) == "" {
		return ErrOff
	}
	return nil
}

// Verify checks that a CMS is a signature of the content by who is expected. Its errors are the
// faults of this package, and else ours: the configuration is wrong.
func (v *Verifier) Verify(ctx context.Context, cms, content []byte, who Expected) (Signature, error) {
	if err := v.On(); err != nil {
		return Signature{}, err
	}
	der, err := decode(cms)
	if err != nil {
		return Signature{}, err
	}
	m, err := parse(der)
	if err != nil {
		return Signature{}, err
	}
	leaf, err := m.leaf()
	if err != nil {
		return Signature{}, err
	}
	if err := m.signs(content, leaf); err != nil {
		return Signature{}, err
	}
	at := v.Now()
	for _, check := range []error{leaf.validAt(at), leaf.forDocuments(), leaf.of(who), m.since(who.Since)} {
		if check != nil {
			return Signature{}, check
		}
	}
	issuer, err := v.trusted(ctx, leaf, m.certificates, at)
	if err != nil {
		return Signature{}, err
	}
	answer, err := v.ask(ctx, leaf, issuer)
	if err != nil {
		return Signature{}, err
	}
	iin, bin := leaf.numbers()
	return Signature{
		Subject: shown(leaf.Subject), Name: leaf.Subject.CommonName, IIN: iin, BIN: bin,
		Serial: leaf.SerialNumber.Text(16), Issuer: shown(leaf.Issuer), Algorithm: leaf.key.String() + ", " + m.hash.name,
		NotBefore: leaf.NotBefore.UTC(), NotAfter: leaf.NotAfter.UTC(),
		CMS: der, SHA256: m.sum(), Certificate: leaf.Raw, CertificateSHA256: fingerprint(leaf.Raw), OCSP: answer, SignedAt: m.signedAt,
	}, nil
}

// trusted returns the authority that issued a certificate, if it leads to a root. Those in the CMS
// may stand between; certificates that can't be fetched are no reason to refuse one for good.
func (v *Verifier) trusted(ctx context.Context, leaf *certificate, sent []*certificate, at time.Time) (*certificate, error) {
	v.parsing.Do(func() { v.trust, v.problem = ParseTrust(v.Roots) })
	if v.problem != nil {
		return nil, v.problem
	}
	roots, others, missing := v.trust.load(ctx, v.Network)
	w := walk{roots: roots, others: append(others, sent...), at: at, tries: tries}
	issuer, err := w.issuer(leaf, 0)
	if err != nil && missing != nil {
		return nil, ErrUnreachable.Because(missing)
	}
	return issuer, err
}
