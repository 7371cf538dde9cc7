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
	right := new(big.Int).Mul(x, x)
	right.Add(right, c.A).Mul(right, x).Add(right, c.B).Mod(right, c.P)
	left := new(big.Int).Mul(y, y)
	return left.Mod(left, c.P).Cmp(right) == 0
}

// Multiply returns n times the curve's point, and nothing for a multiple of its order.
func (c *Curve) Multiply(n *big.Int) (x, y *big.Int, ok bool) {
	return c.sum(n, new(big.Int), c.X, c.Y)
}

// sum is m times the curve's point and n times another: both in one pass over the bits.
func (c *Curve) sum(m, n, x, y *big.Int) (sumX, sumY *big.Int, ok bool) {
	f := newField(c.P)
	g := arithmetic{field: f, a: f.of(c.A), one: f.of(big.NewInt(1))}
	own, other := affine{f.of(c.X), f.of(c.Y)}, affine{f.of(x), f.of(y)}
	var sum point
	g.plus(&sum, &own)
	g.plus(&sum, &other)
	both, finite := g.affine(&sum)
	var p point // at infinity
	for i := max(m.BitLen(), n.BitLen()) - 1; i >= 0; i-- {
		g.twice(&p)
		switch {
		case m.Bit(i) == 1 && n.Bit(i) == 1 && finite:
			g.plus(&p, &both)
		case m.Bit(i) == 1 && n.Bit(i) == 0:
			g.plus(&p, &own)
		case m.Bit(i) == 0 && n.Bit(i) == 1:
			g.plus(&p, &other)
		}
	}
	at, ok := g.affine(&p)
	if !ok {
		return nil, nil, false
	}
	return f.number(&at.x), f.number(&at.y), true
}

// affine is a point that is not at infinity.
type affine struct{ x, y element }

// point is a point in Jacobian coordinates, (x/z², y/z³): so sums need no division. Where z is 0
// it is the point at infinity.
type point struct{ x, y, z element }

// arithmetic adds points of a curve.
type arithmetic struct {
	*field
	a, one element
}

func (g *arithmetic) affine(p *point) (at affine, ok bool) {
	if p.z.zero() {
		return at, false
	}
	inverse := g.of(new(big.Int).ModInverse(g.number(&p.z), g.p))
	var square element
	g.mul(&square, &inverse, &inverse)
	g.mul(&at.x, &p.x, &square)
	g.mul(&square, &square, &inverse)
	g.mul(&at.y, &p.y, &square)
	return at, true
}

// twice makes p twice itself.
func (g *arithmetic) twice(p *point) {
	if p.z.zero() {
		return
	}
	var yy, s, m, t, x, y, z element
	g.mul(&yy, &p.y, &p.y)
	g.mul(&s, &p.x, &yy)
	g.double(&s)
	g.double(&s) // 4xy²
	g.mul(&t, &p.z, &p.z)
	g.mul(&t, &t, &t)
	g.mul(&t, &t, &g.a)
	g.mul(&m, &p.x, &p.x)
	g.add(&t, &t, &m)
	g.double(&m)
	g.add(&m, &m, &t) // 3x² + az⁴
	g.mul(&x, &m, &m)
	g.sub(&x, &x, &s)
	g.sub(&x, &x, &s)
	g.mul(&z, &p.y, &p.z)
	g.double(&z)
	g.mul(&yy, &yy, &yy)
	g.double(&yy)
	g.double(&yy)
	g.double(&yy) // 8y⁴
	g.sub(&y, &s, &x)
	g.mul(&y, &y, &m)
	g.sub(&y, &y, &yy)
	*p = point{x, y, z}
}

func (g *arithmetic) double(e *element) { g.add(e, e, e) }

// plus makes p the sum of p and a point.
func (g *arithmetic) plus(p *point, q *affine) {
	if p.z.zero() {
		*p = point{q.x, q.y, g.one}
		return
	}
	var zz, h, r, hh, hhh, v, x, y, z element
	g.mul(&zz, &p.z, &p.z)
	g.mul(&h, &q.x, &zz)
	g.sub(&h, &h, &p.x)
	g.mul(&zz, &zz, &p.z)
	g.mul(&r, &q.y, &zz)
	g.sub(&r, &r, &p.y)
	if h.zero() {
		if r.zero() {
			g.twice(p)
			return
		}
		*p = point{}
		return
	}
	g.mul(&hh, &h, &h)
	g.mul(&hhh, &hh, &h)
	g.mul(&v, &p.x, &hh)
	g.mul(&x, &r, &r)
	g.sub(&x, &x, &hhh)
	g.sub(&x, &x, &v)
	g.sub(&x, &x, &v)
	g.sub(&y, &v, &x)
	g.mul(&y, &y, &r)
	g.mul(&hhh, &hhh, &p.y)
	g.sub(&y, &y, &hhh)
	g.mul(&z, &p.z, &h)
	*p = point{x, y, z}
}
