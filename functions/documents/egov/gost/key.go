package gost

import (
	"errors"
	"math/big"
	"slices"
)

// ErrKey is bytes that are no point of the curve.
var ErrKey = errors.New("gost: not a public key of this curve")

// PublicKey is a point that is on its curve.
type PublicKey struct {
	Curve *Curve
	x, y  *big.Int
}

// PublicKey reads a key as certificates hold it: x and y, each with its least significant byte first.
func (c *Curve) PublicKey(raw []byte) (*PublicKey, error) {
	if len(raw) != 2*c.Size {
		return nil, ErrKey
	}
	k := &PublicKey{Curve: c, x: Number(raw[:c.Size]), y: Number(raw[c.Size:])}
	if !c.Contains(k.x, k.y) {
		return nil, ErrKey
	}
	return k, nil
}

// Number reads a number whose least significant byte comes first, as hashes, keys and signatures have it.
func Number(raw []byte) *big.Int {
	raw = slices.Clone(raw)
	slices.Reverse(raw)
	return new(big.Int).SetBytes(raw)
}

// Verify tells whether a signature, r and then s, is of this key and this hash.
func (k *PublicKey) Verify(hash, signature []byte) bool {
	c := k.Curve
	if len(signature) != 2*c.Size || len(hash) != c.Size {
		return false
	}
	r, s := Number(signature[:c.Size]), Number(signature[c.Size:])
	if r.Sign() == 0 || s.Sign() == 0 || r.Cmp(c.Q) >= 0 || s.Cmp(c.Q) >= 0 {
		return false
	}
	v := new(big.Int).ModInverse(c.Exponent(hash), c.Q)
	m := new(big.Int).Mul(s, v)
	n := new(big.Int).Mul(r, v)
	m.Mod(m, c.Q)
	n.Neg(n).Mod(n, c.Q)
	x, _, ok := c.sum(m, n, k.x, k.y)
	return ok && x.Mod(x, c.Q).Cmp(r) == 0
}

// Exponent is the number e that stands for a hash in a signature; it is never 0.
func (c *Curve) Exponent(hash []byte) *big.Int {
	e := Number(hash)
	if e.Mod(e, c.Q).Sign() == 0 {
		e.SetInt64(1)
	}
	return e
}
