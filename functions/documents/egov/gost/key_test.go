package gost_test

import (
	"math/big"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/functions/documents/egov/gost"
)

func number(t *testing.T, s string) *big.Int {
	t.Helper()
	n, ok := new(big.Int).SetString(s, 16)
	if !ok {
		t.Fatalf("%q is no number", s)
	}
	return n
}

func little(n *big.Int, size int) []byte {
	b := n.FillBytes(make([]byte, size))
	slices.Reverse(b)
	return b
}

// The first example of RFC 7091, section 7.1, which has a curve of its own.
func TestExampleOfTheStandard(t *testing.T) {
	c := &gost.Curve{
		P:    number(t, "8000000000000000000000000000000000000000000000000000000000000431"),
		A:    number(t, "7"),
		B:    number(t, "5fbff498aa938ce739b8e022fbafef40563f6e6a3472fc2a514c0ce9dae23b7e"),
		Q:    number(t, "8000000000000000000000000000000150fe8a1892976154c59cfc193accf5b3"),
		X:    number(t, "2"),
		Y:    number(t, "8e2a8a0e65147d4bd6316030e16d19c85c97f0a9ca267122b96abbcea7e8fc8"),
		Size: 32,
	}
	x, y, ok := c.Multiply(number(t, "7a929ade789bb9be10ed359dd39a72c11b60961f49397eee1d19ce9891ec3b28"))
	if !ok || x.Cmp(number(t, "7f2b49e270db6d90d8595bec458b50c58585ba1d4e9b788f6689dbd8e56fd80b")) != 0 ||
		y.Cmp(number(t, "26f1b489d6701dd185c8413a977b3cbbaf64d1c593d26627dffb101a87ff77da")) != 0 {
		t.Fatalf("the public key is %x, %x", x, y)
	}
	key, err := c.PublicKey(append(little(x, 32), little(y, 32)...))
	if err != nil {
		t.Fatal(err)
	}
	hash := little(number(t, "2dfbc1b372d89a1188c09c52e0eec61fce52032ab1022e8e67ece6672b043ee5"), 32)
	signature := append(
		little(number(t, "41aa28d2f1ab148280cd9ed56feda41974053554a42767b83ad043fd39dc0493"), 32),
		little(number(t, "1456c64ba4642a1653c235a98a60249bcd6d3f746b631df928014f6c5bf9c40"), 32)...,
	)
	if !key.Verify(hash, signature) {
		t.Error("the signature of the example does not verify")
	}
}

// signed are signatures of the bytes "test123" that gostcrypto 1.2.5, another implementation, has
// made with its own keys.
func signed(t *testing.T, size int) (c *gost.Curve, key *gost.PublicKey, hash, signature []byte) {
	t.Helper()
	var raw string
	h := gost.New512()
	if c = gost.Curve512(); size == gost.Size256 {
		c, h = gost.Curve256(), gost.New256()
		raw = "393985a9182e376c016157daa7badc96e9a866d3126b4cf28ac7824ee58c53e251e83600445693680be1a0bbcfb7831d93b75208b7da2b6f01d49f2423d90bfa"
		signature = unhex(t, "0a850dc007b1bf6bf8ae59a6fc8a39da1812093331e9356b1febebae4b2aba068923a2b15c97906f3c5d9ad1852d651844d4047260e8a1e6709fc61757764308")
	} else {
		raw = "46dfda2b7f385de9982d3c0887cc3be206d86d1f52dfaacf54bb16e55c7ff8fd33fb3e9bcd1d19dcb7bd695448cb70284fe617124c099616c509b6393c925ac3" +
			"77dcfa5d31e879261f0d3e8f3735b557c5156e0cb93b4d58c5021ab1ca2f71ce02d790f828f7f2c133871d263d08065388d6d1ff592cfca412d26c4deed7f653"
		signature = unhex(t, "19412fe14066d5e6dec1c958896b9e4d9d7e14e1117bf6f9e2e4fac019992e53f43932f6ebb0f105f7000bdf6375d47a490f724b02dd9100e531f0caab734b7c"+
			"078a5bcd4abac2555d090438e1245a4e078b63355f1897d3c6cee4628dc830b82b23455112d24498bc2497ce35b66ba7493c4f6918cbb44a87c1ad70960dac06")
	}
	key, err := c.PublicKey(unhex(t, raw))
	if err != nil {
		t.Fatal(err)
	}
	h.Write([]byte("test123"))
	return c, key, h.Sum(nil), signature
}

func TestVerify(t *testing.T) {
	for _, size := range []int{gost.Size512, gost.Size256} {
		c, key, hash, good := signed(t, size)
		order, zero := little(c.Q, size), make([]byte, size)
		// Where this fits, it would be a second signature made of the first one.
		larger := little(new(big.Int).Mod(new(big.Int).Add(gost.Number(good[size:]), c.Q), new(big.Int).Lsh(big.NewInt(1), uint(8*size))), size)
		other := slices.Clone(hash)
		other[0] ^= 1
		for _, row := range []struct {
			name            string
			hash, signature []byte
			want            bool
		}{
			{"the signature", hash, good, true},
			{"another hash", other, good, false},
			{"r is 0", hash, append(slices.Clone(zero), good[size:]...), false},
			{"s is 0", hash, append(slices.Clone(good[:size]), zero...), false},
			{"both are 0", hash, make([]byte, 2*size), false},
			{"r is the order", hash, append(slices.Clone(order), good[size:]...), false},
			{"s is the order", hash, append(slices.Clone(good[:size]), order...), false},
			{"s is larger by the order", hash, append(slices.Clone(good[:size]), larger...), false},
			{"s and r are exchanged", hash, append(slices.Clone(good[size:]), good[:size]...), false},
			{"cut", hash, good[:2*size-1], false},
			{"longer", hash, append(slices.Clone(good), 0), false},
			{"nothing", hash, nil, false},
			{"a shorter hash", hash[1:], good, false},
		} {
			t.Run(row.name, func(t *testing.T) {
				if got := key.Verify(row.hash, row.signature); got != row.want {
					t.Errorf("size %d: got %v, want %v", size, got, row.want)
				}
			})
		}
		for i := range good {
			bad := slices.Clone(good)
			bad[i] ^= 0x40
			if key.Verify(hash, bad) {
				t.Errorf("size %d: it verifies with byte %d changed", size, i)
			}
		}
	}
}

// Keys that are the curve's point, and its negative: their sum is a double, and infinity.
func TestKeysAtTheEdge(t *testing.T) {
	for _, c := range []*gost.Curve{gost.Curve512(), gost.Curve256()} {
		hash := little(big.NewInt(3), c.Size)
		for _, d := range []*big.Int{big.NewInt(1), new(big.Int).Sub(c.Q, big.NewInt(1))} {
			x, y, _ := c.Multiply(d)
			key, err := c.PublicKey(append(little(x, c.Size), little(y, c.Size)...))
			if err != nil {
				t.Fatal(err)
			}
			k := new(big.Int).Rsh(c.Q, 3)
			r, _, _ := c.Multiply(k)
			r.Mod(r, c.Q)
			s := new(big.Int).Mul(r, d)
			s.Add(s, k.Mul(k, c.Exponent(hash))).Mod(s, c.Q)
			if !key.Verify(hash, append(little(r, c.Size), little(s, c.Size)...)) {
				t.Errorf("size %d: a signature by the key %x does not verify", c.Size, d)
			}
		}
	}
}

func TestCurves(t *testing.T) {
	for _, c := range []*gost.Curve{gost.Curve512(), gost.Curve256()} {
		if !c.Contains(c.X, c.Y) {
			t.Errorf("size %d: its point is not on the curve", c.Size)
		}
		if _, _, ok := c.Multiply(c.Q); ok {
			t.Errorf("size %d: the order times its point is not infinity", c.Size)
		}
		last := new(big.Int).Sub(c.Q, big.NewInt(1))
		if x, y, ok := c.Multiply(last); !ok || x.Cmp(c.X) != 0 || y.Cmp(new(big.Int).Sub(c.P, c.Y)) != 0 {
			t.Errorf("size %d: the order less 1 times its point is not the point's negative", c.Size)
		}
		off := append(little(c.X, c.Size), little(new(big.Int).Add(c.Y, big.NewInt(1)), c.Size)...)
		larger := append(little(c.X, c.Size), little(new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(8*c.Size)), big.NewInt(1)), c.Size)...)
		for name, raw := range map[string][]byte{"beside the curve": off, "a coordinate beyond the field": larger, "cut": off[1:], "nothing": nil} {
			if _, err := c.PublicKey(raw); err == nil {
				t.Errorf("size %d: a key %s is taken", c.Size, name)
			}
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	c := gost.Curve512()
	x, y, _ := c.Multiply(big.NewInt(12345678901))
	key, err := c.PublicKey(append(little(x, 64), little(y, 64)...))
	if err != nil {
		b.Fatal(err)
	}
	half := new(big.Int).Rsh(c.Q, 1)
	signature := append(little(half, 64), little(new(big.Int).Sub(half, big.NewInt(987654321)), 64)...)
	for b.Loop() {
		key.Verify(little(new(big.Int).Rsh(half, 1), 64), signature)
	}
}
