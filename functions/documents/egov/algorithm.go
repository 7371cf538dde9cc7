package egov

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"hash"

	"github.com/tenantry/tenantry/functions/documents/egov/gost"
)

// hashing is a hash that is taken.
type hashing struct {
	name string
	new  func() hash.Hash
	rsa  crypto.Hash // 0 for hashes of GOST
	gost int         // the size in bytes, 0 for others
}

func (h hashing) sum(data []byte) []byte {
	s := h.new()
	s.Write(data)
	return s.Sum(nil)
}

// byIdentifier returns the hash of a digest algorithm, or of a signature algorithm that names one.
// A signature algorithm that is the same for all hashes has none: the zero value.
func byIdentifier(id asn1.ObjectIdentifier) (hashing, error) {
	switch id.String() {
	case "2.16.840.1.101.3.4.2.1", "1.2.840.113549.1.1.11":
		return hashing{name: "SHA-256", new: sha256.New, rsa: crypto.SHA256}, nil
	case "2.16.840.1.101.3.4.2.2", "1.2.840.113549.1.1.12":
		return hashing{name: "SHA-384", new: sha512.New384, rsa: crypto.SHA384}, nil
	case "2.16.840.1.101.3.4.2.3", "1.2.840.113549.1.1.13":
		return hashing{name: "SHA-512", new: sha512.New, rsa: crypto.SHA512}, nil
	case "1.2.398.3.10.1.3.3", "1.2.398.3.10.1.1.2.3.2":
		return hashing{name: "Streebog-512", new: gost.New512, gost: gost.Size512}, nil
	case "1.2.398.3.10.1.3.2", "1.2.398.3.10.1.1.2.3.1":
		return hashing{name: "Streebog-256", new: gost.New256, gost: gost.Size256}, nil
	case "1.2.840.113549.1.1.1", "1.2.398.3.10.1.1.2.2", "1.2.398.3.10.1.1.2.1":
		return hashing{}, nil
	case "1.2.840.113549.1.1.10":
		return hashing{}, ErrPSS
	case "1.3.14.3.2.26", "1.3.14.3.2.29", "1.2.840.113549.1.1.5", // SHA-1
		"2.16.840.1.101.3.4.2.4", "1.2.840.113549.1.1.14", // SHA-224
		"1.2.840.113549.2.2", "1.2.840.113549.1.1.2", "1.2.840.113549.2.5", "1.2.840.113549.1.1.4": // MD2, MD5
		return hashing{}, ErrWeakHash
	case "1.2.398.3.10.1.3.1", "1.2.398.3.10.1.1.1.1", "1.2.398.3.10.1.1.1.2":
		return hashing{}, ErrOldGOST
	}
	return hashing{}, ErrAlgorithm.Because(fmt.Errorf("egov: algorithm %s", id))
}

// publicKey is a key of one of the two kinds.
type publicKey struct {
	rsa  *rsa.PublicKey
	gost *gost.PublicKey
}

func (k publicKey) String() string {
	if k.gost != nil {
		return fmt.Sprintf("GOST 34.10-2015 %d", 8*k.gost.Curve.Size)
	}
	return fmt.Sprintf("RSA %d", k.rsa.N.BitLen())
}

const (
	shortestRSA = 2048
	longestRSA  = 8192 // a longer one makes us work without use
)

// subjectKey reads the key of a certificate. That of RSA was read by crypto/x509.
func subjectKey(info []byte, read any) (publicKey, error) {
	if k, ok := read.(*rsa.PublicKey); ok {
		if n := k.N.BitLen(); n < shortestRSA || n > longestRSA {
			return publicKey{}, ErrWeakKey
		}
		return publicKey{rsa: k}, nil
	}
	var spki struct {
		Algorithm struct {
			ID         asn1.ObjectIdentifier
			Parameters asn1.RawValue `asn1:"optional"`
		}
		Key asn1.BitString
	}
	if err := unmarshal(info, &spki); err != nil {
		return publicKey{}, ErrMalformed.Because(err)
	}
	id := spki.Algorithm.ID.String()
	var curve *gost.Curve
	switch id {
	case "1.2.398.3.10.1.1.2.2":
		curve = gost.Curve512()
	case "1.2.398.3.10.1.1.2.1":
		curve = gost.Curve256()
	case "1.2.398.3.10.1.1.1.1":
		return publicKey{}, ErrOldGOST
	default:
		return publicKey{}, ErrWeakKey.Because(fmt.Errorf("egov: a key of the algorithm %s", id))
	}
	var set struct {
		Curve asn1.ObjectIdentifier
		Hash  asn1.ObjectIdentifier `asn1:"optional"`
	}
	if err := unmarshal(spki.Algorithm.Parameters.FullBytes, &set); err != nil {
		return publicKey{}, ErrMalformed.Because(err)
	}
	if set.Curve.String() != id+".1" {
		return publicKey{}, ErrWeakKey.Because(fmt.Errorf("egov: a key of the curve %s", set.Curve))
	}
	var point []byte
	if err := unmarshal(spki.Key.Bytes, &point); err != nil {
		return publicKey{}, ErrMalformed.Because(err)
	}
	k, err := curve.PublicKey(point)
	if err != nil {
		return publicKey{}, ErrMalformed.Because(err)
	}
	return publicKey{gost: k}, nil
}

// verify tells whether a signature of a hash is of the key. Kinds that don't belong together are
// no signature.
func (k publicKey) verify(h hashing, sum, signature []byte) bool {
	switch {
	case k.rsa != nil && h.rsa != 0:
		return rsa.VerifyPKCS1v15(k.rsa, h.rsa, sum, signature) == nil
	case k.gost != nil && h.gost == k.gost.Curve.Size:
		return k.gost.Verify(sum, signature)
	}
	return false
}

// signedBy checks the signature of a certificate, of an answer or of a list, whose algorithm names
// its hash.
func (k publicKey) signedBy(algorithm pkix.AlgorithmIdentifier, signed []byte, signature asn1.BitString) error {
	h, err := byIdentifier(algorithm.Algorithm)
	switch {
	case err != nil:
		return err
	case h.new == nil:
		return ErrAlgorithm
	case !k.verify(h, h.sum(signed), signature.RightAlign()):
		return ErrBadSignature
	}
	return nil
}
