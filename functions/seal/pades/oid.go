package pades

import (
	"crypto"
	"encoding/asn1"
	"errors"
	"fmt"

	"golang.org/x/crypto/cryptobyte"
	tags "golang.org/x/crypto/cryptobyte/asn1"
)

var (
	errMalformed = errors.New("it is malformed")
	errDigest    = errors.New("it signs other bytes")
)

func tagged(n uint8) tags.Tag { return tags.Tag(n).ContextSpecific().Constructed() }

func oidData() asn1.ObjectIdentifier { return asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 1} }

func oidSignedData() asn1.ObjectIdentifier { return asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2} }

func oidContentType() asn1.ObjectIdentifier { return asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 3} }

func oidMessageDigest() asn1.ObjectIdentifier {
	return asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 4}
}
func oidSigningCertificate() asn1.ObjectIdentifier   { return smime(2, 12) }
func oidSigningCertificateV2() asn1.ObjectIdentifier { return smime(2, 47) }
func oidStampToken() asn1.ObjectIdentifier           { return smime(2, 14) }
func oidStampInfo() asn1.ObjectIdentifier            { return smime(1, 4) }

func smime(arc, n int) asn1.ObjectIdentifier {
	return asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, arc, n}
}

func oidSHA256() asn1.ObjectIdentifier { return asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1} }

func oidRSA() asn1.ObjectIdentifier { return asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 1} }

// oidRSAWith is PKCS 1 v1.5 with a hash: 11, 12 and 13 are those of SHA-2.
func oidRSAWith(h crypto.Hash) asn1.ObjectIdentifier {
	return asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 11 + step(h)}
}

// oidECDSA is ECDSA with a hash: 2, 3 and 4 are those of SHA-2.
func oidECDSA(h crypto.Hash) asn1.ObjectIdentifier {
	return asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 2 + step(h)}
}

func step(h crypto.Hash) int { return int(h - crypto.SHA256) }

func digestOID(h crypto.Hash) (asn1.ObjectIdentifier, error) {
	switch h {
	case crypto.SHA256, crypto.SHA384, crypto.SHA512:
		oid := oidSHA256()
		oid[len(oid)-1] += step(h)
		return oid, nil
	}
	return nil, fmt.Errorf("the hash %v isn't supported", h)
}

// hashOf is the hash that an algorithm identifier names: one of SHA-2.
func hashOf(algorithm cryptobyte.String) (crypto.Hash, error) {
	var oid asn1.ObjectIdentifier
	if !algorithm.ReadASN1ObjectIdentifier(&oid) {
		return 0, errMalformed
	}
	for _, h := range []crypto.Hash{crypto.SHA256, crypto.SHA384, crypto.SHA512} {
		if known, err := digestOID(h); err == nil && known.Equal(oid) {
			return h, nil
		}
	}
	return 0, fmt.Errorf("its hash isn't supported (%v)", oid)
}
