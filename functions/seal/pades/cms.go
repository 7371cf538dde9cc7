package pades

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/sha1" //nolint:gosec // RFC 5035 names certificates by it; nothing is signed with it
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/crypto/cryptobyte"
	tags "golang.org/x/crypto/cryptobyte/asn1"
)

// maxCertificates is how many certificates one CMS may hold.
const maxCertificates = 16

// cms is a CMS (RFC 5652) with one signer and signed attributes, as far as we need it. It has one
// encoding: what the signature doesn't cover is either as encode writes it or refused.
type cms struct {
	kind         asn1.ObjectIdentifier // of the content
	content      []byte                // nil if it is detached
	certificates []*x509.Certificate   // the signer's first, then each one's issuer
	hash         crypto.Hash
	attributes   []byte // that are signed: a SET
	signature    []byte
	stamp        []byte // the time stamp of the signature, or nil
}

func (c *cms) leaf() *x509.Certificate { return c.certificates[0] }

// encode writes the CMS. What is the same whatever the signer meant is written in one way.
func (c *cms) encode() ([]byte, error) {
	digest, err := digestOID(c.hash)
	if err != nil {
		return nil, err
	}
	var b cryptobyte.Builder
	version := int64(1)
	if !c.kind.Equal(oidData()) {
		version = 3
	}
	algorithm := func(b *cryptobyte.Builder) {
		b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) { b.AddASN1ObjectIdentifier(digest) })
	}
	b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1ObjectIdentifier(oidSignedData())
		b.AddASN1(tagged(0), func(b *cryptobyte.Builder) {
			b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
				b.AddASN1Int64(version)
				b.AddASN1(tags.SET, algorithm)
				b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
					b.AddASN1ObjectIdentifier(c.kind)
					if c.content != nil {
						b.AddASN1(tagged(0), func(b *cryptobyte.Builder) { b.AddASN1OctetString(c.content) })
					}
				})
				b.AddASN1(tagged(0), func(b *cryptobyte.Builder) {
					for _, der := range c.sorted() {
						b.AddBytes(der)
					}
				})
				b.AddASN1(tags.SET, func(b *cryptobyte.Builder) {
					b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) { c.encodeSigner(b, algorithm) })
				})
			})
		})
	})
	return b.Bytes()
}

// sorted are the certificates as DER orders a SET.
func (c *cms) sorted() [][]byte {
	list := make([][]byte, len(c.certificates))
	for i, certificate := range c.certificates {
		list[i] = certificate.Raw
	}
	slices.SortFunc(list, bytes.Compare)
	return list
}

// chainSum is the SHA-256 of the certificates.
func (c *cms) chainSum() []byte {
	h := sha256.New()
	for _, der := range c.sorted() {
		_, _ = h.Write(der) // a hash takes everything
	}
	return h.Sum(nil)
}

func (c *cms) encodeSigner(b *cryptobyte.Builder, algorithm func(*cryptobyte.Builder)) {
	b.AddASN1Int64(1)
	b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddBytes(c.leaf().RawIssuer)
		b.AddASN1BigInt(c.leaf().SerialNumber)
	})
	algorithm(b)
	attributes := slices.Clone(c.attributes)
	attributes[0] = byte(tagged(0)) // it stands for SET here
	b.AddBytes(attributes)
	b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
		if _, ok := c.leaf().PublicKey.(*rsa.PublicKey); ok {
			b.AddASN1ObjectIdentifier(oidRSA())
			b.AddASN1NULL()
			return
		}
		b.AddASN1ObjectIdentifier(oidECDSA(c.hash))
	})
	b.AddASN1OctetString(c.signature)
	if c.stamp != nil {
		b.AddASN1(tagged(1), func(b *cryptobyte.Builder) {
			b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
				b.AddASN1ObjectIdentifier(oidStampToken())
				b.AddASN1(tags.SET, func(b *cryptobyte.Builder) { b.AddBytes(c.stamp) })
			})
		})
	}
}

// decode reads a CMS. It leaves out what encode wouldn't write: certificates that aren't the
// signer's or of who issued it, and unsigned attributes but the time stamp.
func decode(der []byte) (*cms, error) {
	c := &cms{}
	in := cryptobyte.String(der)
	var kind asn1.ObjectIdentifier
	var info, wrapped, data, content, certificates, signers cryptobyte.String
	var version int64
	var held bool
	ok := in.ReadASN1(&info, tags.SEQUENCE) && in.Empty() &&
		info.ReadASN1ObjectIdentifier(&kind) && kind.Equal(oidSignedData()) &&
		info.ReadASN1(&wrapped, tagged(0)) && info.Empty() &&
		wrapped.ReadASN1(&data, tags.SEQUENCE) && wrapped.Empty() &&
		data.ReadASN1Integer(&version) &&
		data.SkipASN1(tags.SET) &&
		data.ReadASN1(&content, tags.SEQUENCE) &&
		content.ReadASN1ObjectIdentifier(&c.kind) &&
		content.ReadOptionalASN1(&wrapped, &held, tagged(0)) && content.Empty() &&
		data.ReadASN1(&certificates, tagged(0)) &&
		data.SkipOptionalASN1(tagged(1)) && // revocations
		data.ReadASN1(&signers, tags.SET) && data.Empty()
	if !ok || held && !readOctets(&wrapped, &c.content) {
		return nil, errMalformed
	}
	var signer cryptobyte.String
	if !signers.ReadASN1(&signer, tags.SEQUENCE) || !signers.Empty() {
		return nil, errors.New("it doesn't have exactly one signer")
	}
	list, err := certificatesIn(certificates)
	if err != nil {
		return nil, err
	}
	return c, c.decodeSigner(signer, list)
}

func readOctets(s *cryptobyte.String, to *[]byte) bool {
	var octets cryptobyte.String
	if !s.ReadASN1(&octets, tags.OCTET_STRING) || !s.Empty() {
		return false
	}
	*to = octets
	return true
}

func certificatesIn(s cryptobyte.String) (list []*x509.Certificate, err error) {
	for !s.Empty() {
		var der cryptobyte.String
		var tag tags.Tag
		if !s.ReadAnyASN1Element(&der, &tag) || len(list) == maxCertificates {
			return nil, errMalformed
		}
		if tag != tags.SEQUENCE {
			continue // attribute certificates and the like
		}
		certificate, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, fmt.Errorf("a certificate of it: %w", err)
		}
		list = append(list, certificate)
	}
	return list, nil
}

func (c *cms) decodeSigner(s cryptobyte.String, list []*x509.Certificate) error {
	var version int64
	var id, digest, algorithm, attributes, signature, unsigned cryptobyte.String
	var tag tags.Tag
	var more bool
	ok := s.ReadASN1Integer(&version) &&
		s.ReadAnyASN1Element(&id, &tag) &&
		s.ReadASN1(&digest, tags.SEQUENCE) &&
		s.ReadASN1Element(&attributes, tagged(0)) &&
		s.ReadASN1(&algorithm, tags.SEQUENCE) &&
		s.ReadASN1(&signature, tags.OCTET_STRING) &&
		s.ReadOptionalASN1(&unsigned, &more, tagged(1)) && s.Empty()
	if !ok {
		return errMalformed
	}
	i := slices.IndexFunc(list, func(x *x509.Certificate) bool { return identifies(id, x) })
	if i < 0 {
		return errors.New("it lacks its signer's certificate")
	}
	c.certificates = upwards(list[i], list)
	c.attributes = slices.Clone(attributes)
	c.attributes[0] = byte(tags.SET)
	c.signature = signature
	var err error
	if c.hash, err = hashOf(digest); err != nil {
		return err
	}
	if err := c.agrees(algorithm); err != nil {
		return err
	}
	for !unsigned.Empty() {
		kind, value, err := attribute(&unsigned)
		if err != nil {
			return err
		}
		if kind.Equal(oidStampToken()) {
			if c.stamp != nil {
				return errors.New("it has two time stamps")
			}
			c.stamp = value
		}
	}
	return nil
}

// identifies tells whether a signer's identifier, which is issuer and number or a key's, means a
// certificate.
func identifies(id cryptobyte.String, x *x509.Certificate) bool {
	var b cryptobyte.Builder
	b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddBytes(x.RawIssuer)
		b.AddASN1BigInt(x.SerialNumber)
	})
	if byIssuer, err := b.Bytes(); err == nil && bytes.Equal(id, byIssuer) {
		return true
	}
	var key cryptobyte.String
	return id.ReadASN1(&key, tags.Tag(0).ContextSpecific()) && len(key) > 0 && bytes.Equal(key, x.SubjectKeyId)
}

// upwards lists a certificate, who issued it, and so on as far as a list reaches.
func upwards(from *x509.Certificate, list []*x509.Certificate) []*x509.Certificate {
	chain := []*x509.Certificate{from}
	for len(chain) <= len(list) {
		last := chain[len(chain)-1]
		i := slices.IndexFunc(list, func(x *x509.Certificate) bool {
			return !slices.ContainsFunc(chain, x.Equal) && bytes.Equal(x.RawSubject, last.RawIssuer) && last.CheckSignatureFrom(x) == nil
		})
		if i < 0 {
			break
		}
		chain = append(chain, list[i])
	}
	return chain
}

// agrees tells whether the algorithm of the signature is that of the signer's key with the hash.
func (c *cms) agrees(algorithm cryptobyte.String) error {
	var kind asn1.ObjectIdentifier
	if !algorithm.ReadASN1ObjectIdentifier(&kind) {
		return errMalformed
	}
	switch c.leaf().PublicKey.(type) {
	case *rsa.PublicKey:
		if kind.Equal(oidRSA()) || kind.Equal(oidRSAWith(c.hash)) {
			return nil
		}
	case *ecdsa.PublicKey:
		if kind.Equal(oidECDSA(c.hash)) {
			return nil
		}
	}
	return fmt.Errorf("it is signed by an algorithm that isn't supported (%v)", kind)
}

// verify tells whether the signer signed a content with this digest.
func (c *cms) verify(digest []byte) error {
	var kind asn1.ObjectIdentifier
	var content, names bool
	set, s := cryptobyte.String(c.attributes), cryptobyte.String(nil)
	if !set.ReadASN1(&s, tags.SET) || !set.Empty() {
		return errMalformed
	}
	for !s.Empty() {
		of, value, err := attribute(&s)
		if err != nil {
			return err
		}
		in, octets := cryptobyte.String(value), []byte(nil)
		switch {
		case of.Equal(oidContentType()):
			if kind != nil || !in.ReadASN1ObjectIdentifier(&kind) || !kind.Equal(c.kind) {
				return errors.New("it signs another kind of content")
			}
		case of.Equal(oidMessageDigest()):
			if content || !readOctets(&in, &octets) || !bytes.Equal(octets, digest) {
				return errDigest
			}
			content = true
		case of.Equal(oidSigningCertificate()), of.Equal(oidSigningCertificateV2()):
			if !names && !c.named(in, of) {
				return errors.New("it names another certificate as the signer's")
			}
			names = true
		}
	}
	if kind == nil || !content || !names {
		return errors.New("it lacks a signed attribute")
	}
	algorithm := x509.ECDSAWithSHA256
	_, isRSA := c.leaf().PublicKey.(*rsa.PublicKey)
	switch {
	case isRSA && c.hash == crypto.SHA256:
		algorithm = x509.SHA256WithRSA
	case isRSA && c.hash == crypto.SHA384:
		algorithm = x509.SHA384WithRSA
	case isRSA:
		algorithm = x509.SHA512WithRSA
	case c.hash == crypto.SHA384:
		algorithm = x509.ECDSAWithSHA384
	case c.hash == crypto.SHA512:
		algorithm = x509.ECDSAWithSHA512
	}
	if err := c.leaf().CheckSignature(algorithm, c.attributes, c.signature); err != nil {
		return fmt.Errorf("its signature: %w", err)
	}
	return nil
}

// named tells whether a signing-certificate attribute (RFC 2634, RFC 5035) names the signer's
// certificate first.
func (c *cms) named(s cryptobyte.String, of asn1.ObjectIdentifier) bool {
	var all, list, first, algorithm, hash cryptobyte.String
	var other bool
	if !s.ReadASN1(&all, tags.SEQUENCE) || !all.ReadASN1(&list, tags.SEQUENCE) || !list.ReadASN1(&first, tags.SEQUENCE) {
		return false
	}
	if of.Equal(oidSigningCertificate()) {
		sum := sha1.Sum(c.leaf().Raw) //nolint:gosec // see the import
		return first.ReadASN1(&hash, tags.OCTET_STRING) && bytes.Equal(hash, sum[:])
	}
	if !first.ReadOptionalASN1(&algorithm, &other, tags.SEQUENCE) || !first.ReadASN1(&hash, tags.OCTET_STRING) {
		return false
	}
	if !other {
		sum := sha256.Sum256(c.leaf().Raw)
		return bytes.Equal(hash, sum[:])
	}
	by, err := hashOf(algorithm)
	if err != nil {
		return false
	}
	h := by.New()
	h.Write(c.leaf().Raw)
	return bytes.Equal(hash, h.Sum(nil))
}

// attribute reads one attribute with one value.
func attribute(s *cryptobyte.String) (kind asn1.ObjectIdentifier, value []byte, err error) {
	var whole, set, element cryptobyte.String
	var tag tags.Tag
	if !s.ReadASN1(&whole, tags.SEQUENCE) || !whole.ReadASN1ObjectIdentifier(&kind) ||
		!whole.ReadASN1(&set, tags.SET) || !whole.Empty() ||
		!set.ReadAnyASN1Element(&element, &tag) || !set.Empty() {
		return nil, nil, errMalformed
	}
	return kind, element, nil
}
