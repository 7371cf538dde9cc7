package nca

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1" //nolint:gosec // so that tests see it refused
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"time"
)

// Message is a CMS to be made. With content and time alone it is one as NCALayer makes it.
type Message struct {
	Content []byte
	At      time.Time // of the signing-time attribute, which isn't there if this is zero

	// What else can be had.
	Chain bool // the certificates of the authorities below the root are inside too
	ByKey bool // the signer is named by the identifier of the key

	// What has to be refused.
	SHA1         bool
	PSS          bool
	NoAttributes bool
	NoDigest     bool
	TwiceDigest  bool
	OtherType    bool // the signed content type is another than that of the content
	Attached     bool
	Nobody       bool
	NoChain      bool // no certificate at all is inside
	AlsoBy       *Holder
	Key          *Holder // whose key signs instead of the holder's own
}

// pkcs is an object identifier of PKCS #1, #7 or #9.
func pkcs(standard, number int) asn1.ObjectIdentifier {
	return asn1.ObjectIdentifier{1, 2, 840, 113549, 1, standard, number}
}

func dataType() asn1.ObjectIdentifier       { return pkcs(7, 1) }
func signedDataType() asn1.ObjectIdentifier { return pkcs(7, 2) }
func messageDigest() asn1.ObjectIdentifier  { return pkcs(9, 4) }

type signedData struct {
	Version int
	Digests []pkix.AlgorithmIdentifier `asn1:"set"`
	Content struct {
		Type    asn1.ObjectIdentifier
		Content []byte `asn1:"explicit,tag:0,optional,omitempty"`
	}
	Certificates asn1.RawValue `asn1:"optional"`
	Signers      []signerInfo  `asn1:"set"`
}

type signerInfo struct {
	Version    int
	Name       asn1.RawValue
	Digest     pkix.AlgorithmIdentifier
	Attributes asn1.RawValue `asn1:"optional"`
	Algorithm  pkix.AlgorithmIdentifier
	Signature  []byte
}

type cmsAttribute struct {
	Type   asn1.ObjectIdentifier
	Values []any `asn1:"set"`
}

// Sign makes a detached CMS, DER.
func (h *Holder) Sign(content []byte, at time.Time) ([]byte, error) {
	return h.Make(Message{Content: content, At: at})
}

// Make makes a CMS as it is told to.
func (h *Holder) Make(m Message) ([]byte, error) {
	d := signedData{Version: 1}
	d.Content.Type = dataType()
	if m.Attached {
		d.Content.Content = m.Content
	}
	var inside []byte
	for _, by := range []*Holder{h, m.AlsoBy} {
		if by == nil || m.Nobody {
			continue
		}
		s, err := by.signer(m)
		if err != nil {
			return nil, err
		}
		d.Signers, d.Digests = append(d.Signers, s), append(d.Digests, s.Digest)
		inside = append(inside, by.Certificate...)
	}
	for by := h.issuer; m.Chain && by != by.issuer; by = by.issuer {
		inside = append(inside, by.Certificate...)
	}
	if !m.NoChain {
		d.Certificates = tagged(0, inside)
	}
	return der(struct {
		Type    asn1.ObjectIdentifier
		Content asn1.RawValue
	}{signedDataType(), tagged(0, der(d))}), nil
}

func tagged(tag int, content []byte) asn1.RawValue {
	return asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: tag, IsCompound: true, Bytes: content}
}

func (h *Holder) signer(m Message) (s signerInfo, err error) {
	a := h.Kind.algorithms()
	s = signerInfo{Version: 1, Digest: algorithm(a.hash), Algorithm: algorithm(a.signature)}
	digest := h.Kind.digest
	if m.SHA1 {
		s.Digest, s.Algorithm = algorithm(asn1.ObjectIdentifier{1, 3, 14, 3, 2, 26}), algorithm(pkcs(1, 5))
		digest = func(b []byte) []byte { sum := sha1.Sum(b); return sum[:] } //nolint:gosec // as above
	}
	s.Name.FullBytes = der(struct {
		Issuer asn1.RawValue
		Serial *big.Int
	}{h.says.Issuer, h.says.Serial})
	if m.ByKey {
		s.Version, s.Name = 3, asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 0, Bytes: h.keyID()}
	}
	sum := digest(m.Content)
	if !m.NoAttributes {
		signed := m.attributes(sum)
		sum = digest(signed)
		s.Attributes.FullBytes = append([]byte{0xA0}, signed[1:]...) // the set, tagged 0
	}
	k := h.key
	if m.Key != nil {
		k = m.Key.key
	}
	switch {
	case m.PSS:
		s.Algorithm = algorithm(pkcs(1, 10))
		s.Signature, err = rsa.SignPSS(rand.Reader, k.rsa, crypto.SHA256, sum, nil)
	case m.SHA1:
		s.Signature, err = rsa.SignPKCS1v15(rand.Reader, k.rsa, crypto.SHA1, sum)
	default:
		s.Signature, err = k.sign(sum)
	}
	return s, err
}

// attributes are the signed attributes as a set, DER.
func (m Message) attributes(digest []byte) []byte {
	content := dataType()
	if m.OtherType {
		content = signedDataType()
	}
	all := []cmsAttribute{{pkcs(9, 3), []any{content}}}
	if !m.At.IsZero() {
		all = append(all, cmsAttribute{pkcs(9, 5), []any{m.At.UTC()}})
	}
	if !m.NoDigest {
		all = append(all, cmsAttribute{messageDigest(), []any{digest}})
	}
	if m.TwiceDigest {
		all = append(all, cmsAttribute{messageDigest(), []any{digest}})
	}
	set, err := asn1.MarshalWithParams(all, "set")
	if err != nil {
		panic(err) // it can always be written
	}
	return set
}
