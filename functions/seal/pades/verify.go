package pades

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/functions/seal/pdf"
)

// Why a file isn't one that was signed and is unchanged.
var (
	ErrUnreadable  = errors.New("pades: it can't be read as a PDF")
	ErrUnsigned    = errors.New("pades: it has no signature of ours")
	ErrManySigned  = errors.New("pades: it has more than one signature")
	ErrNotWhole    = errors.New("pades: the signature doesn't cover the whole file")
	ErrChanged     = errors.New("pades: it was changed after it was signed")
	ErrSignature   = errors.New("pades: the signature")
	ErrCertificate = errors.New("pades: the certificate isn't one that is trusted")
)

// Levels of a signature.
const (
	LevelBB = "B-B"
	LevelBT = "B-T"
)

// Sum is the SHA-256 of a certificate.
type Sum [sha256.Size]byte

// SumOf is the sum of a certificate.
func SumOf(x *x509.Certificate) Sum { return sha256.Sum256(x.Raw) }

// Trust says whose signatures and time stamps are taken: a chain of certificates has to contain one of
// these. Without any for time stamps, each is taken that holds by itself.
type Trust struct {
	Seal, Stamp []Sum
}

// Verdict is what a signature says that holds.
type Verdict struct {
	Level       string
	Claimed     time.Time // when it was signed, as the signer says
	Stamp       *Stamp    // nil at LevelBB
	Certificate *x509.Certificate
	Prefix      int // how many of the first bytes are the file as it was before
}

// Verify tells whether a file was signed, and is as it was then to the last byte.
func Verify(data []byte, trust Trust) (Verdict, error) {
	f, err := pdf.Read(data)
	if err != nil {
		return Verdict{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	d, at, err := signatureOf(f)
	if err != nil {
		return Verdict{}, err
	}
	der, err := covered(data, d, at)
	if err != nil {
		return Verdict{}, err
	}
	v := Verdict{Level: LevelBB}
	prefix, ok := d.number(prefixKey)
	if !ok || prefix <= 0 || prefix >= at {
		return Verdict{}, ErrUnsigned
	}
	v.Prefix = prefix
	if v.Claimed, err = time.Parse("(D:20060102150405Z)", string(d.raw("M"))); err != nil {
		return Verdict{}, ErrUnsigned
	}
	c, err := decode(der)
	if err != nil {
		return Verdict{}, fmt.Errorf("%w: %w", ErrSignature, err)
	}
	h := sha256.New()
	h.Write(data[:at])
	h.Write(data[at+len(d.raw("Contents")):])
	if err := c.verify(h.Sum(nil)); err != nil {
		if errors.Is(err, errDigest) {
			return Verdict{}, ErrChanged
		}
		return Verdict{}, fmt.Errorf("%w: %w", ErrSignature, err)
	}
	if low, err := lowest(c.signature); err != nil || !bytes.Equal(low, c.signature) {
		return Verdict{}, fmt.Errorf("%w: it was rewritten", ErrSignature)
	}
	if err := v.stamp(c, trust.Stamp); err != nil {
		return Verdict{}, err
	}
	if canonical, err := c.encode(); err != nil || !bytes.Equal(canonical, der) {
		return Verdict{}, fmt.Errorf("%w: it was rewritten", ErrSignature)
	}
	if string(pdf.Hex(c.chainSum())) != string(d.raw(chainKey)) {
		return Verdict{}, fmt.Errorf("%w: its certificates were replaced", ErrSignature)
	}
	v.Certificate = c.leaf()
	when := v.Claimed
	if v.Stamp != nil {
		when = v.Stamp.Time
	}
	if err := leads(c.certificates, trust.Seal, x509.ExtKeyUsageAny, when); err != nil {
		return Verdict{}, fmt.Errorf("%w: %w", ErrCertificate, err)
	}
	return v, nil
}

// stamp checks the time stamp, if there is one.
func (v *Verdict) stamp(c *cms, trusted []Sum) error {
	if c.stamp == nil {
		return nil
	}
	token, err := decode(c.stamp)
	if err != nil {
		return stampFault(err)
	}
	digest := sha256.Sum256(c.signature)
	s, _, err := token.stamped(digest[:], trusted)
	if err != nil {
		return stampFault(err)
	}
	if len(trusted) > 0 && !s.Trusted {
		return stampFault(errUntrusted)
	}
	token.stamp = nil
	if canonical, err := token.encode(); err != nil || !bytes.Equal(canonical, c.stamp) {
		return stampFault(errors.New("it was rewritten"))
	}
	v.Level, v.Stamp = LevelBT, &s
	return nil
}

var errUntrusted = errors.New("its certificate leads to none that is trusted")

// anchor is the place in a chain of the first certificate that is trusted; -1 if there is none.
func anchor(chain []*x509.Certificate, trusted []Sum) int {
	return slices.IndexFunc(chain, func(x *x509.Certificate) bool { return slices.Contains(trusted, SumOf(x)) })
}

// leads tells whether a chain, of which each is the issuer of the one before, leads to a certificate
// that is trusted.
func leads(chain []*x509.Certificate, trusted []Sum, use x509.ExtKeyUsage, at time.Time) error {
	i := anchor(chain, trusted)
	if i < 0 {
		return errUntrusted
	}
	roots, between := x509.NewCertPool(), x509.NewCertPool()
	roots.AddCert(chain[i])
	for _, x := range chain[:i] {
		between.AddCert(x)
	}
	_, err := chain[0].Verify(x509.VerifyOptions{
		Roots: roots, Intermediates: between, CurrentTime: at, KeyUsages: []x509.ExtKeyUsage{use},
	})
	return err
}

// whole tells whether a chain's last certificate is trusted or issued by itself: of any other nothing
// would tell that it was changed.
func whole(chain []*x509.Certificate, trusted []Sum) bool {
	last := chain[len(chain)-1]
	return last.CheckSignatureFrom(last) == nil || slices.Contains(trusted, SumOf(last))
}

// dictionary is a signature's, with helpers to read it.
type dictionary pdf.Dict

func (d dictionary) raw(key pdf.Name) pdf.Raw {
	raw, _ := d[key].(pdf.Raw)
	return raw
}

func (d dictionary) number(key pdf.Name) (int, bool) { return d.raw(key).Int() }

// signatureOf finds the file's signature, and where its Contents begin. There must be exactly one,
// among the fields of the form.
func signatureOf(f *pdf.File) (d dictionary, at int, err error) {
	var found []pdf.Ref
	for r := range f.Objects() {
		v, err := f.Object(r)
		if err != nil {
			return nil, 0, fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
		if object, ok := v.(pdf.Dict); ok && object["ByteRange"] != nil {
			found = append(found, r)
			d = dictionary(object)
		}
	}
	switch len(found) {
	case 0:
		return nil, 0, ErrUnsigned
	case 1:
	default:
		return nil, 0, ErrManySigned
	}
	if err := inForm(f, found[0]); err != nil {
		return nil, 0, err
	}
	ranges, _ := d["ByteRange"].(pdf.Array)
	if len(ranges) != 4 {
		return nil, 0, ErrNotWhole
	}
	raw, _ := ranges[1].(pdf.Raw)
	at, ok := raw.Int()
	if !ok || at <= f.At(found[0]) {
		return nil, 0, ErrNotWhole
	}
	return d, at, nil
}

// inForm tells whether a signature is the one of the form.
func inForm(f *pdf.File, signature pdf.Ref) error {
	catalog, err := f.Dict(f.Trailer["Root"])
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	form, err := f.Dict(catalog["AcroForm"])
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	fields, err := f.Array(form["Fields"])
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	signed := 0
	for _, field := range fields {
		d, err := f.Dict(field)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
		if d["FT"] != pdf.Name("Sig") {
			continue
		}
		if signed++; d["V"] != signature {
			return ErrManySigned
		}
	}
	if signed != 1 {
		return ErrUnsigned
	}
	return nil
}

// covered returns the CMS of a signature whose Contents begin at a place, if its byte range is all
// the rest of the file.
func covered(data []byte, d dictionary, at int) ([]byte, error) {
	contents := string(d.raw("Contents"))
	to := at + len(contents)
	ranges, _ := d["ByteRange"].(pdf.Array)
	want := []int{0, at, to, len(data) - to}
	for i, v := range ranges {
		raw, _ := v.(pdf.Raw)
		if n, ok := raw.Int(); !ok || n != want[i] {
			return nil, ErrNotWhole
		}
	}
	if len(contents) < 2 || to > len(data) || contents != string(data[at:to]) || contents[0] != '<' || contents[len(contents)-1] != '>' {
		return nil, ErrNotWhole
	}
	digits := contents[1 : len(contents)-1]
	padded, err := hex.DecodeString(digits)
	if err != nil || digits != strings.ToLower(digits) {
		return nil, fmt.Errorf("%w: it was rewritten", ErrSignature)
	}
	length, ok := elementLength(padded)
	if !ok || len(bytes.Trim(padded[length:], "\x00")) > 0 {
		return nil, fmt.Errorf("%w: it was rewritten", ErrSignature)
	}
	return padded[:length], nil
}

// elementLength is how many bytes the DER element at the beginning has.
func elementLength(der []byte) (int, bool) {
	if len(der) < 4 || der[0] != 0x30 || der[1] != 0x82 { // a sequence of 256 to 65,535 bytes
		return 0, false
	}
	n := 4 + int(der[2])<<8 + int(der[3])
	return n, n <= len(der)
}
