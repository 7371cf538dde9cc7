package tsa

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"math/big"
	"time"

	"github.com/smallstep/pkcs7"
)

// query is a TimeStampReq.
type query struct {
	Version      int
	Imprint      asn1.RawValue
	Policy       asn1.ObjectIdentifier `asn1:"optional"`
	Nonce        *big.Int              `asn1:"optional"`
	Certificates bool                  `asn1:"optional"`
	Extensions   asn1.RawValue         `asn1:"optional,tag:0"`
}

// stamp is a TSTInfo.
type stamp struct {
	Version  int
	Policy   asn1.ObjectIdentifier
	Imprint  asn1.RawValue
	Serial   int64
	At       asn1.RawValue // a GeneralizedTime with a fraction, which the standard library doesn't write
	Accuracy struct{ Seconds int }
	Nonce    *big.Int `asn1:"optional"`
}

// answer is a TimeStampResp.
func (s *Service) answer(body []byte, m Mode, serial int64) ([]byte, error) {
	var q query
	if rest, err := asn1.Unmarshal(body, &q); err != nil || len(rest) > 0 || q.Version != 1 {
		return nil, errors.New("no request for a time stamp")
	}
	var out struct {
		Status struct{ Code int }
		Token  asn1.RawValue `asn1:"optional"`
	}
	switch m {
	case Garbage:
		return []byte("<html>It works!</html>"), nil
	case Large:
		return make([]byte, 64<<20), nil
	case Refuses:
		out.Status.Code = 2
		return asn1.Marshal(out)
	case OtherNonce:
		q.Nonce = big.NewInt(1)
	case NoNonce:
		q.Nonce = nil
	case OtherData:
		q.Imprint.FullBytes = bytes.Clone(q.Imprint.FullBytes)
		q.Imprint.FullBytes[len(q.Imprint.FullBytes)-1] ^= 1
	}
	var err error
	if out.Token.FullBytes, err = s.token(q, m, serial); err != nil {
		return nil, err
	}
	return asn1.Marshal(out)
}

// by is who signs in a mode.
func (s *Service) by(m Mode) (tls.Certificate, error) {
	switch m {
	case Verbose:
		return s.rsa()
	case OtherKey:
		return tls.Certificate{PrivateKey: s.wrong.PrivateKey, Leaf: s.right.Leaf, Certificate: s.right.Certificate}, nil
	case OtherUse:
		return s.wrong, nil
	case OtherRoot:
		return s.unknown, nil
	case Expired:
		return s.gone, nil
	}
	return s.right, nil
}

func pkcs9(arcs ...int) asn1.ObjectIdentifier {
	return append(asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9}, arcs...)
}

// certificates is a SigningCertificateV2, which names the signer's certificate by its hash.
func certificates(named *x509.Certificate) pkcs7.Attribute {
	type hash struct{ Sum []byte }
	sum := sha256.Sum256(named.Raw)
	return pkcs7.Attribute{Type: pkcs9(16, 2, 47), Value: struct{ All []hash }{[]hash{{sum[:]}}}}
}

// token is the CMS of a stamp.
func (s *Service) token(q query, m Mode, serial int64) ([]byte, error) {
	by, err := s.by(m)
	if err != nil {
		return nil, err
	}
	at, named := s.now(), by.Leaf
	var more pkcs7.SignerInfoConfig
	switch m {
	case OtherTime:
		at = at.Add(-time.Hour)
	case OtherName:
		named = s.unknown.Leaf
	case Verbose:
		more.ExtraUnsignedAttributes = []pkcs7.Attribute{{Type: pkcs9(99), Value: []byte("whatever")}}
	}
	if m != Unnamed {
		more.ExtraSignedAttributes = []pkcs7.Attribute{certificates(named)}
	}
	content, err := asn1.Marshal(stamp{
		Version: 1, Policy: Policy(), Imprint: q.Imprint, Serial: serial, Nonce: q.Nonce, Accuracy: struct{ Seconds int }{1},
		At: asn1.RawValue{Tag: asn1.TagGeneralizedTime, Bytes: []byte(at.UTC().Format("20060102150405.000Z"))},
	})
	if err != nil {
		return nil, err
	}
	data, err := pkcs7.NewSignedData(content)
	if err != nil {
		return nil, err
	}
	inside := data.GetSignedData()
	inside.Version, inside.ContentInfo.ContentType = 3, pkcs9(16, 1, 4)
	data.SetDigestAlgorithm(pkcs7.OIDDigestAlgorithmSHA256)
	if m == Verbose {
		data.AddCertificate(s.unknown.Leaf)
	}
	if err := data.AddSigner(by.Leaf, by.PrivateKey, more); err != nil {
		return nil, err
	}
	for _, above := range by.Certificate[1:] {
		data.AddCertificate(&x509.Certificate{Raw: above})
	}
	switch m {
	case OtherStamp:
		inside.ContentInfo.Content.Bytes[len(inside.ContentInfo.Content.Bytes)-1] ^= 1
	case Verbose:
		inside.DigestAlgorithmIdentifiers[0].Parameters = asn1.NullRawValue
		inside.SignerInfos[0].DigestAlgorithm.Parameters = asn1.NullRawValue
		inside.SignerInfos[0].DigestEncryptionAlgorithm.Parameters = asn1.NullRawValue
	}
	return data.Finish()
}
