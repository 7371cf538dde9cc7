package pades

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/cryptobyte"
	tags "golang.org/x/crypto/cryptobyte/asn1"
)

// maxSkew is how far the clock of a time-stamp service may be from ours.
const maxSkew = 5 * time.Minute

// Stamp is what a time stamp (RFC 3161) says.
type Stamp struct {
	Time        time.Time
	Policy      string
	Certificate *x509.Certificate // of the service
	Trusted     bool              // it leads to a certificate that the caller trusts
}

// StampQuery is one request for a time stamp of a signature.
type StampQuery struct {
	digest []byte
	nonce  *big.Int
	policy asn1.ObjectIdentifier
}

// NewStampQuery asks for a time stamp of bytes. The nonce is random; a policy of the service may be
// demanded.
func NewStampQuery(of, nonce []byte, policy asn1.ObjectIdentifier) StampQuery {
	digest := sha256.Sum256(of)
	return StampQuery{digest: digest[:], nonce: new(big.Int).SetBytes(nonce), policy: policy}
}

// Encode is the body of the request, application/timestamp-query.
func (q StampQuery) Encode() ([]byte, error) {
	var b cryptobyte.Builder
	b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1Int64(1)
		b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
			b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) { b.AddASN1ObjectIdentifier(oidSHA256()) })
			b.AddASN1OctetString(q.digest)
		})
		if q.policy != nil {
			b.AddASN1ObjectIdentifier(q.policy)
		}
		b.AddASN1BigInt(q.nonce)
		b.AddASN1Boolean(true) // with its certificate
	})
	return b.Bytes()
}

// Token returns the time stamp in an answer, application/timestamp-reply, if it is what was asked
// for, is of about this moment, and leads to a certificate that is trusted (Trust.Stamp). The token has
// only the certificates that lead from the service's upwards to that one, and is written as Verify
// demands it.
func (q StampQuery) Token(answer []byte, now time.Time, trusted []Sum) (token []byte, s Stamp, err error) {
	in := cryptobyte.String(answer)
	var response, status, given cryptobyte.String
	var code int64
	if !in.ReadASN1(&response, tags.SEQUENCE) || !in.Empty() ||
		!response.ReadASN1(&status, tags.SEQUENCE) || !status.ReadASN1Integer(&code) {
		return nil, s, stampFault(errMalformed)
	}
	if code > 1 {
		return nil, s, stampFault(fmt.Errorf("the service refused, with status %d", code))
	}
	if !response.ReadASN1Element(&given, tags.SEQUENCE) || !response.Empty() {
		return nil, s, stampFault(errMalformed)
	}
	c, err := decode(given)
	if err != nil {
		return nil, s, stampFault(err)
	}
	if i := anchor(c.certificates, trusted); i >= 0 {
		c.certificates = c.certificates[:i+1]
	}
	s, nonce, err := c.stamped(q.digest, trusted)
	switch {
	case err != nil:
		return nil, s, stampFault(err)
	case nonce == nil || nonce.Cmp(q.nonce) != 0:
		return nil, s, stampFault(errors.New("it answers another request"))
	case q.policy != nil && s.Policy != q.policy.String():
		return nil, s, stampFault(fmt.Errorf("it is of the policy %s", s.Policy))
	case s.Time.Sub(now).Abs() > maxSkew:
		return nil, s, stampFault(fmt.Errorf("it says that it is %s", s.Time.Format(time.RFC3339)))
	case len(trusted) > 0 && !s.Trusted:
		return nil, s, stampFault(errUntrusted)
	}
	c.stamp = nil
	token, err = c.encode()
	return token, s, err
}

// ErrStamp says that a time stamp is not what it should be.
var ErrStamp = errors.New("pades: the time stamp")

func stampFault(err error) error { return fmt.Errorf("%w: %w", ErrStamp, err) }

// stamped checks a time stamp of bytes with this SHA-256, and returns what it says.
func (c *cms) stamped(digest []byte, trusted []Sum) (s Stamp, nonce *big.Int, err error) {
	if !c.kind.Equal(oidStampInfo()) || c.content == nil {
		return s, nil, errors.New("it is none")
	}
	h := c.hash.New()
	h.Write(c.content)
	if err := c.verify(h.Sum(nil)); err != nil {
		return s, nil, err
	}
	imprint, nonce, s, err := readInfo(c.content)
	switch {
	case err != nil:
		return s, nil, err
	case !bytes.Equal(imprint, digest):
		return s, nil, errDigest
	}
	s.Certificate = c.leaf()
	if err := stamps(s.Certificate, s.Time); err != nil {
		return s, nil, err
	}
	s.Trusted = leads(c.certificates, trusted, x509.ExtKeyUsageTimeStamping, s.Time) == nil && whole(c.certificates, trusted)
	return s, nonce, nil
}

// stamps tells whether a certificate is one of a time-stamp service, and was valid at a moment.
func stamps(x *x509.Certificate, at time.Time) error {
	critical := slices.ContainsFunc(x.Extensions, func(e pkixExtension) bool {
		return e.Critical && e.Id.Equal(asn1.ObjectIdentifier{2, 5, 29, 37})
	})
	switch {
	case !critical || len(x.ExtKeyUsage) != 1 || x.ExtKeyUsage[0] != x509.ExtKeyUsageTimeStamping || len(x.UnknownExtKeyUsage) > 0:
		return errors.New("its certificate isn't for time stamps alone")
	case at.Before(x.NotBefore) || at.After(x.NotAfter):
		return errors.New("its certificate wasn't valid at its time")
	}
	return nil
}

// readInfo reads a TSTInfo.
func readInfo(der []byte) (imprint []byte, nonce *big.Int, s Stamp, err error) {
	in := cryptobyte.String(der)
	var info, hashed, algorithm, octets, moment cryptobyte.String
	var policy asn1.ObjectIdentifier
	var version int64
	var serial big.Int
	if !in.ReadASN1(&info, tags.SEQUENCE) || !in.Empty() ||
		!info.ReadASN1Integer(&version) || version != 1 ||
		!info.ReadASN1ObjectIdentifier(&policy) ||
		!info.ReadASN1(&hashed, tags.SEQUENCE) ||
		!hashed.ReadASN1(&algorithm, tags.SEQUENCE) || !hashed.ReadASN1(&octets, tags.OCTET_STRING) || !hashed.Empty() ||
		!info.ReadASN1Integer(&serial) ||
		!info.ReadASN1(&moment, tags.GeneralizedTime) {
		return nil, nil, s, errMalformed
	}
	var by asn1.ObjectIdentifier
	if !algorithm.ReadASN1ObjectIdentifier(&by) || !by.Equal(oidSHA256()) {
		return nil, nil, s, errDigest
	}
	if s.Time, err = generalized(string(moment)); err != nil {
		return nil, nil, s, err
	}
	s.Policy = policy.String()
	for _, optional := range []tags.Tag{tags.SEQUENCE, tags.BOOLEAN} { // accuracy, ordering
		if !info.SkipOptionalASN1(optional) {
			return nil, nil, s, errMalformed
		}
	}
	if info.PeekASN1Tag(tags.INTEGER) {
		nonce = new(big.Int)
		if !info.ReadASN1Integer(nonce) {
			return nil, nil, s, errMalformed
		}
	}
	return octets, nonce, s, nil
}

// generalized reads a GeneralizedTime, which in a time stamp may have a fraction.
func generalized(text string) (time.Time, error) {
	whole, zulu := strings.CutSuffix(text, "Z")
	layout := "20060102150405"
	if i := strings.IndexByte(whole, '.'); i >= 0 {
		layout += "." + strings.Repeat("0", len(whole)-i-1)
	}
	at, err := time.Parse(layout, whole)
	if err != nil || !zulu || len(whole) > len("20060102150405.000000000") {
		return time.Time{}, fmt.Errorf("its time %q can't be read", text)
	}
	return at, nil
}
