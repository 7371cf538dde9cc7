package egov

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"
)

// What RFC 5652 calls SignedData, as far as it matters.
type signedData struct {
	Version int
	Digests []pkix.AlgorithmIdentifier `asn1:"set"`
	Content struct {
		Type    asn1.ObjectIdentifier
		Content asn1.RawValue `asn1:"optional,explicit,tag:0"`
	}
	Certificates asn1.RawValue `asn1:"optional,tag:0"`
	Lists        asn1.RawValue `asn1:"optional,tag:1"`
	Signers      asn1.RawValue
}

type signerInfo struct {
	Version    int
	Name       asn1.RawValue // issuer and serial number, or [0] with the identifier of the key
	Digest     pkix.AlgorithmIdentifier
	Attributes asn1.RawValue `asn1:"optional,tag:0"`
	Algorithm  pkix.AlgorithmIdentifier
	Signature  []byte
	Unsigned   asn1.RawValue `asn1:"optional,tag:1"`
}

type attribute struct {
	Type   asn1.ObjectIdentifier
	Values asn1.RawValue `asn1:"set"`
}

// Object identifiers of CMS.
const (
	isSignedData    = "1.2.840.113549.1.7.2"
	isData          = "1.2.840.113549.1.7.1"
	isContentType   = "1.2.840.113549.1.9.3"
	isMessageDigest = "1.2.840.113549.1.9.4"
	isSigningTime   = "1.2.840.113549.1.9.5"
)

const mostCertificates = 8

// message is a CMS of one signer.
type message struct {
	signer       signerInfo
	hash         hashing
	certificates []*certificate
	digest       []byte // of the content, as it was signed
	signedAt     *time.Time
}

func malformed(format string, args ...any) error {
	return ErrMalformed.Because(fmt.Errorf("egov: "+format, args...))
}

// parse reads a CMS and checks all that it says by itself.
func parse(der []byte) (*message, error) {
	data, err := open(der)
	if err != nil {
		return nil, err
	}
	m := &message{}
	if err := m.readSigner(data.Signers.Bytes); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(data.Digests, m.hashedBy) {
		return nil, malformed("the signer's hash isn't listed")
	}
	if err := m.readAttributes(); err != nil {
		return nil, err
	}
	return m, m.readCertificates(data.Certificates.Bytes)
}

// open reads what is around the signers.
func open(der []byte) (*signedData, error) {
	var info struct {
		Type    asn1.ObjectIdentifier
		Content asn1.RawValue `asn1:"explicit,tag:0"`
	}
	if err := unmarshal(der, &info); err != nil {
		return nil, ErrMalformed.Because(err)
	}
	if info.Type.String() != isSignedData {
		return nil, malformed("a CMS of the type %s", info.Type)
	}
	data := &signedData{}
	if err := unmarshal(info.Content.Bytes, data); err != nil {
		return nil, ErrMalformed.Because(err)
	}
	switch {
	case data.Version < 1 || data.Version > 5:
		return nil, malformed("a CMS of the version %d", data.Version)
	case data.Signers.Class != asn1.ClassUniversal || data.Signers.Tag != asn1.TagSet:
		return nil, malformed("the signers are no set")
	case data.Content.Type.String() != isData:
		return nil, malformed("content of the type %s", data.Content.Type)
	case len(data.Content.Content.FullBytes) > 0:
		return nil, ErrAttached
	}
	return data, nil
}

func (m *message) readSigner(set []byte) error {
	signers, err := values(set)
	switch {
	case err != nil:
		return ErrMalformed.Because(err)
	case len(signers) == 0:
		return ErrNoSigner
	case len(signers) > 1:
		return ErrTwoSigners
	}
	if err := unmarshal(signers[0].FullBytes, &m.signer); err != nil {
		return ErrMalformed.Because(err)
	}
	if m.hash, err = byIdentifier(m.signer.Digest.Algorithm); err != nil {
		return err
	}
	signature, err := byIdentifier(m.signer.Algorithm.Algorithm)
	switch {
	case err != nil:
		return err
	case m.hash.new == nil || !bare(m.signer.Digest) || !bare(m.signer.Algorithm):
		return malformed("the hash %s is none, or has parameters", m.signer.Digest.Algorithm)
	case signature.new != nil && signature.name != m.hash.name:
		return malformed("hashed with %s, signed with %s", m.hash.name, signature.name)
	}
	return nil
}

func (m *message) hashedBy(a pkix.AlgorithmIdentifier) bool {
	return a.Algorithm.Equal(m.signer.Digest.Algorithm) && bare(a)
}

// bare tells whether an algorithm has no parameters, as all that are taken.
func bare(a pkix.AlgorithmIdentifier) bool {
	return len(a.Parameters.FullBytes) == 0 || bytes.Equal(a.Parameters.FullBytes, asn1.NullBytes)
}

// readAttributes reads the signed attributes. Each stands there once, with one value.
func (m *message) readAttributes() error {
	all, err := values(m.signer.Attributes.Bytes)
	if err != nil {
		return ErrMalformed.Because(err)
	}
	seen := map[string]bool{}
	for _, raw := range all {
		var a attribute
		if err := unmarshal(raw.FullBytes, &a); err != nil {
			return ErrMalformed.Because(err)
		}
		id := a.Type.String()
		if seen[id] {
			return malformed("the attribute %s stands there twice", id)
		}
		seen[id] = true
		switch id {
		case isContentType:
			var of asn1.ObjectIdentifier
			if err := unmarshal(a.Values.Bytes, &of); err != nil || of.String() != isData {
				return malformed("a signed content of the type %s", of)
			}
		case isMessageDigest:
			if err := unmarshal(a.Values.Bytes, &m.digest); err != nil {
				return ErrMalformed.Because(err)
			}
		case isSigningTime:
			var at time.Time
			if err := unmarshal(a.Values.Bytes, &at); err != nil {
				return ErrMalformed.Because(err)
			}
			at = at.UTC()
			m.signedAt = &at
		}
	}
	if !seen[isContentType] || m.digest == nil {
		return ErrNoAttributes
	}
	return nil
}

func (m *message) readCertificates(set []byte) error {
	all, err := values(set)
	if err != nil {
		return ErrMalformed.Because(err)
	}
	if len(all) > mostCertificates {
		return malformed("%d certificates", len(all))
	}
	for _, raw := range all {
		if raw.FullBytes[0] != tagSequence {
			continue // a kind of certificates that nobody issues
		}
		c, err := parseCertificate(raw.FullBytes)
		if err != nil {
			return ErrMalformed.Because(err)
		}
		m.certificates = append(m.certificates, c)
	}
	return nil
}

// leaf returns the certificate that the signer names.
func (m *message) leaf() (*certificate, error) {
	var named struct {
		Issuer asn1.RawValue
		Serial *big.Int
	}
	byKey := m.signer.Name.Class == asn1.ClassContextSpecific && m.signer.Name.Tag == 0
	if version := map[bool]int{false: 1, true: 3}[byKey]; m.signer.Version != version {
		return nil, malformed("a signer of the version %d", m.signer.Version)
	}
	if !byKey {
		if err := unmarshal(m.signer.Name.FullBytes, &named); err != nil {
			return nil, ErrMalformed.Because(err)
		}
	}
	for _, c := range m.certificates {
		if byKey && len(c.SubjectKeyId) > 0 && bytes.Equal(c.SubjectKeyId, m.signer.Name.Bytes) ||
			!byKey && bytes.Equal(c.RawIssuer, named.Issuer.FullBytes) && c.SerialNumber.Cmp(named.Serial) == 0 {
			return c, nil
		}
	}
	return nil, ErrNoCertificate
}

// signs checks that the signer has signed these bytes with the key of a certificate.
func (m *message) signs(content []byte, c *certificate) error {
	if c.keyErr != nil {
		return c.keyErr
	}
	// What is signed are the attributes as a set; here they stand under another tag.
	attributes := wrap(tagSet, m.signer.Attributes.Bytes)
	if !c.key.verify(m.hash, m.hash.sum(attributes), m.signer.Signature) {
		return ErrBadSignature
	}
	if !bytes.Equal(m.hash.sum(content), m.digest) {
		return ErrOtherDocument.Because(errors.New("egov: another message digest"))
	}
	return nil
}

// sum is a hash by which a signature is known again, however it is sent. It is that of the signer's signed attributes and of the
// signature of them, which only the signer's key makes anew. How the CMS is encoded, which certificates it has, and what stands
// beside the signature unsigned, anybody can change, and changes nothing here.
func (m *message) sum() []byte {
	h := sha256.New()
	for _, part := range [][]byte{wrap(tagSet, m.signer.Attributes.Bytes), m.signer.Signature} {
		_, _ = h.Write(part) // a hash takes everything
	}
	return h.Sum(nil)
}

// since is nil if the signing time doesn't lie before a time.
func (m *message) since(t time.Time) error {
	switch {
	case t.IsZero(), m.signedAt != nil && !m.signedAt.Before(t):
		return nil
	case m.signedAt == nil:
		return ErrTime.Because(errors.New("egov: no signing time"))
	}
	return ErrTime.Because(fmt.Errorf("egov: signed at %s, before %s", m.signedAt, t))
}
