package nca

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"hash"
	"math/big"
	"slices"

	"github.com/tenantry/tenantry/functions/documents/egov/gost"
)

// Kind is a kind of keys.
type Kind string

// The kinds.
const (
	RSA     Kind = "rsa"
	GOST512 Kind = "gost512"
	GOST256 Kind = "gost256"
)

// algorithms are the object identifiers of a kind.
type algorithms struct {
	key, curve, hash, signature asn1.ObjectIdentifier
	new                         func() hash.Hash
}

func (k Kind) algorithms() algorithms {
	kazakh := func(arcs ...int) asn1.ObjectIdentifier {
		return append(asn1.ObjectIdentifier{1, 2, 398, 3, 10, 1}, arcs...)
	}
	switch k {
	case GOST512:
		return algorithms{kazakh(1, 2, 2), kazakh(1, 2, 2, 1), kazakh(3, 3), kazakh(1, 2, 3, 2), gost.New512}
	case GOST256:
		return algorithms{kazakh(1, 2, 1), kazakh(1, 2, 1, 1), kazakh(3, 2), kazakh(1, 2, 3, 1), gost.New256}
	}
	return algorithms{pkcs(1, 1), nil, asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1}, pkcs(1, 11), sha256.New}
}

func (k Kind) digest(data []byte) []byte {
	h := k.algorithms().new()
	h.Write(data)
	return h.Sum(nil)
}

func (k Kind) curve() *gost.Curve {
	if k == GOST256 {
		return gost.Curve256()
	}
	return gost.Curve512()
}

// algorithm is written with NULL as its parameters, as the NCA writes all of them.
func algorithm(id asn1.ObjectIdentifier) pkix.AlgorithmIdentifier {
	return pkix.AlgorithmIdentifier{Algorithm: id, Parameters: asn1.NullRawValue}
}

// key is a private key of any kind.
type key struct {
	kind   Kind
	rsa    *rsa.PrivateKey
	number *big.Int // of GOST
}

const rsaBits = 2048

func newKey(kind Kind) (k key, err error) {
	k.kind = kind
	if kind == RSA {
		k.rsa, err = rsa.GenerateKey(rand.Reader, rsaBits)
		return k, err
	}
	k.number = below(kind.curve().Q)
	return k, nil
}

// below returns a number from 1 to limit − 1.
func below(limit *big.Int) *big.Int {
	n, _ := rand.Int(rand.Reader, new(big.Int).Sub(limit, big.NewInt(1))) // the reader never fails
	return n.Add(n, big.NewInt(1))
}

func (k key) bytes() []byte {
	if k.rsa != nil {
		return x509.MarshalPKCS1PrivateKey(k.rsa)
	}
	return k.number.Bytes()
}

func readKey(kind Kind, raw []byte) (k key, err error) {
	k.kind = kind
	if kind == RSA {
		k.rsa, err = x509.ParsePKCS1PrivateKey(raw)
		return k, err
	}
	k.number = new(big.Int).SetBytes(raw)
	return k, nil
}

// info is the public key as certificates hold it.
func (k key) info() []byte {
	if k.rsa != nil {
		return der(struct {
			Algorithm pkix.AlgorithmIdentifier
			Key       asn1.BitString
		}{algorithm(k.kind.algorithms().key), bits(x509.MarshalPKCS1PublicKey(&k.rsa.PublicKey))})
	}
	c, a := k.kind.curve(), k.kind.algorithms()
	x, y, _ := c.Multiply(k.number)
	return der(struct {
		Algorithm pkix.AlgorithmIdentifier
		Key       asn1.BitString
	}{
		pkix.AlgorithmIdentifier{Algorithm: a.key, Parameters: asn1.RawValue{FullBytes: der([]asn1.ObjectIdentifier{a.curve, a.hash})}},
		bits(der(append(little(x, c.Size), little(y, c.Size)...))),
	})
}

func bits(b []byte) asn1.BitString { return asn1.BitString{Bytes: b, BitLength: 8 * len(b)} }

func little(n *big.Int, size int) []byte {
	b := n.FillBytes(make([]byte, size))
	slices.Reverse(b)
	return b
}

// sign signs the hash of its kind.
func (k key) sign(digest []byte) ([]byte, error) {
	if k.rsa != nil {
		return rsa.SignPKCS1v15(rand.Reader, k.rsa, crypto.SHA256, digest)
	}
	c := k.kind.curve()
	for {
		n := below(c.Q)
		r, _, ok := c.Multiply(n)
		if !ok || r.Mod(r, c.Q).Sign() == 0 {
			continue
		}
		s := new(big.Int).Mul(r, k.number)
		s.Add(s, n.Mul(n, c.Exponent(digest))).Mod(s, c.Q)
		if s.Sign() == 0 {
			continue
		}
		return append(little(r, c.Size), little(s, c.Size)...), nil
	}
}

// signed is what all certificates and answers are: something, and a signature of it.
func (k key) signed(content []byte, more ...asn1.RawValue) ([]byte, error) {
	signature, err := k.sign(k.kind.digest(content))
	if err != nil {
		return nil, fmt.Errorf("signing: %w", err)
	}
	return der(struct {
		Content   asn1.RawValue
		Algorithm pkix.AlgorithmIdentifier
		Signature asn1.BitString
		More      []asn1.RawValue `asn1:"explicit,tag:0,optional,omitempty"`
	}{asn1.RawValue{FullBytes: content}, algorithm(k.kind.algorithms().signature), bits(signature), more}), nil
}
