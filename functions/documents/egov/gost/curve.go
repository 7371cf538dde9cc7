package gost

import "math/big"

// Curve is a curve y² = x³ + ax + b over the integers modulo P, and a point of the order Q on it.
type Curve struct {
	P, A, B, Q, X, Y *big.Int
	Size             int // of a coordinate in bytes
}

func number(hex string) *big.Int {
	n, _ := new(big.Int).SetString(hex, 16)
	return n
}

// Curve512 is the curve of GOST 2015 with 512 bits: id-tc26-gost-3410-12-512-paramSetA of RFC 7836.
func Curve512() *Curve {
	const nearly = "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
	return &Curve{
		P: number(nearly + "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffdc7"),
		A: number(nearly + "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffdc4"),
		B: number("e8c2505dedfc86ddc1bd0b2b6667f1da34b82574761cb0e879bd081cfd0b6265" +
			"ee3cb090f30d27614cb4574010da90dd862ef9d4ebee4761503190785a71c760"),
		Q: number(nearly + "27e69532f48d89116ff22b8d4e0560609b4b38abfad2b85dcacdb1411f10b275"),
		X: number("3"),
		Y: number("7503cfe87a836ae3a61b8816e25450e6ce5e1c93acf1abc1778064fdcbefa921" +
			"df1626be4fd036e93d75e6a50e3a41e98028fe5fc235f5b889a589cb5215f2a4"),
		Size: Size512,
	}
}

// Curve256 is the curve of GOST 2015 with 256 bits: id-tc26-gost-3410-2012-256-paramSetA of RFC 7836.
func Curve256() *Curve {
	return &Curve{
		P:    number("fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffd97"),
		A:    number("c2173f1513981673af4892c23035a27ce25e2013bf95aa33b22c656f277e7335"),
		B:    number("295f9bae7428ed9ccc20e7c359a9d41a22fccd9108e17bf7ba9337a6f8ae9513"),
		Q:    number("400000000000000000000000000000000fd8cddfc87b6635c115af556c360c67"),
		X:    number("91e38443a5e82c0d880923425712b2bb658b9196932e02c78b2582fe742daa28"),
		Y:    number("32879423ab1a0375895786c4bb46e9565fde0b5344766740af268adb32322e5c"),
		Size: Size256,
	}
}

// Contains tells whether a point is on the curve.
func (c *Curve) Contains(x, y *big.Int) bool {
	if x.Sign() < 0 || y.Sign() < 0 || x.Cmp(c.P) >= 0 || y.Cmp(c.P) >= 0 {
		return false
	}
	right := c.mul(x, x)
	right = c.mul(right.Add(right, c.A), x)
	right.Add(right, c.B).Mod(right, c.P)
	return c.mul(y, y).Cmp(right) == 0
}

// Multiply returns n times the curve's point, and nothing for a multiple of its order.
func (c *Curve) Multiply(n *big.Int) (x, y *big.Int, ok bool) {
	return c.sum(n, new(big.Int), c.X, c.Y)
}

// sum is m times the curve's point and n times another: both in one pass over the bits.
func (c *Curve) sum(m, n, x, y *big.Int) (sumX, sumY *big.Int, ok bool) {
	var both point
	both.set(c.X, c.Y)
	c.add(&both, x, y)
	bothX, bothY, bothOK := c.affine(&both)
	var p point // at infinity
	for i := max(m.BitLen(), n.BitLen()) - 1; i >= 0; i-- {
		c.double(&p)
		switch {
		case m.Bit(i) == 1 && n.Bit(i) == 1 && bothOK:
			c.add(&p, bothX, bothY)
		case m.Bit(i) == 1 && n.Bit(i) == 0:
			c.add(&p, c.X, c.Y)
		case m.Bit(i) == 0 && n.Bit(i) == 1:
			c.add(&p, x, y)
		}
	}
	return c.affine(&p)
}

// point is a point in Jacobian coordinates, (X/Z², Y/Z³): so sums need no division. Where z is 0
// it is the point at infinity.
type point struct{ x, y, z big.Int }

func (p *point) set(x, y *big.Int) {
	p.x.Set(x)
	p.y.Set(y)
	p.z.SetInt64(1)
}

func (c *Curve) affine(p *point) (x, y *big.Int, ok bool) {
	if p.z.Sign() == 0 {
		return nil, nil, false
	}
	inverse := new(big.Int).ModInverse(&p.z, c.P)
	square := c.mul(inverse, inverse)
	return c.mul(&p.x, square), c.mul(&p.y, c.mul(square, inverse)), true
}

func (c *Curve) mul(a, b *big.Int) *big.Int {
	n := new(big.Int).Mul(a, b)
	return n.Mod(n, c.P)
}

func (c *Curve) sub(a, b *big.Int) *big.Int {
	n := new(big.Int).Sub(a, b)
	if n.Sign() < 0 {
		n.Add(n, c.P)
	}
	return n
}

func (c *Curve) times(a *big.Int, n int64) *big.Int { return c.mul(a, big.NewInt(n)) }

// double makes p twice itself.
func (c *Curve) double(p *point) {
	if p.z.Sign() == 0 {
		return
	}
	yy, zz := c.mul(&p.y, &p.y), c.mul(&p.z, &p.z)
	s := c.times(c.mul(&p.x, yy), 4)
	m := c.times(c.mul(&p.x, &p.x), 3)
	m.Add(m, c.mul(c.A, c.mul(zz, zz)))
	x := c.sub(c.mul(m, m), c.times(s, 2))
	z := c.times(c.mul(&p.y, &p.z), 2)
	y := c.sub(c.mul(m, c.sub(s, x)), c.times(c.mul(yy, yy), 8))
	p.x, p.y, p.z = *x, *y, *z
}

// add adds a point that is not at infinity.
func (c *Curve) add(p *point, x, y *big.Int) {
	if p.z.Sign() == 0 {
		p.set(x, y)
		return
	}
	zz := c.mul(&p.z, &p.z)
	h := c.sub(c.mul(x, zz), &p.x)
	r := c.sub(c.mul(y, c.mul(zz, &p.z)), &p.y)
	if h.Sign() == 0 {
		if r.Sign() == 0 {
			c.double(p)
			return
		}
		*p = point{}
		return
	}
	hh := c.mul(h, h)
	hhh, v := c.mul(hh, h), c.mul(&p.x, hh)
	x3 := c.sub(c.sub(c.mul(r, r), hhh), c.times(v, 2))
	y3 := c.sub(c.mul(r, c.sub(v, x3)), c.mul(&p.y, hhh))
	z3 := c.mul(&p.z, h)
	p.x, p.y, p.z = *x3, *y3, *z3
}
