package gost

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// primes are those of the curves and of their orders, and one that is far from a power of 2.
func primes() []*big.Int {
	return []*big.Int{
		Curve512().P, Curve256().P, Curve512().Q, Curve256().Q,
		number("8000000000000000000000000000000000000000000000000000000000000431"), // of the example of RFC 7091
	}
}

// Elements add, subtract and multiply as numbers modulo the prime do.
func TestField(t *testing.T) {
	fields := map[string]*field{}
	for _, p := range primes() {
		fields[p.Text(16)] = newField(p)
	}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(primes()).Draw(t, "prime")
		f := fields[p.Text(16)]
		draw := func(name string) *big.Int {
			// Numbers at both ends are where carries go wrong.
			n := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, len(p.Bytes())).Draw(t, name))
			if rapid.Bool().Draw(t, name+" from above") {
				n.Sub(p, n)
			}
			return n.Mod(n, p)
		}
		x, y := draw("x"), draw("y")
		for name, operation := range map[string]struct {
			element func(z, x, y *element)
			number  func(x, y *big.Int) *big.Int
		}{
			"sum":        {f.add, new(big.Int).Add},
			"difference": {f.sub, new(big.Int).Sub},
			"product":    {f.mul, new(big.Int).Mul},
		} {
			a, b := f.of(x), f.of(y)
			var z element
			operation.element(&z, &a, &b)
			want := operation.number(x, y)
			if got := f.number(&z); got.Cmp(want.Mod(want, p)) != 0 {
				t.Errorf("the %s of %x and %x modulo %x is %x", name, x, y, p, got)
			}
			operation.element(&a, &a, &b) // also into one of the two
			if a != z {
				t.Errorf("the %s is another where it replaces x", name)
			}
		}
	})
}
