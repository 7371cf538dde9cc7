package egov

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"
)

// What RFC 6960 says of requests and answers, as far as it matters.
type certID struct {
	Hash   pkix.AlgorithmIdentifier
	Name   []byte
	Key    []byte
	Serial *big.Int
}

type ocspRequest struct {
	Signed struct {
		Requests   []struct{ ID certID }
		Extensions []pkix.Extension `asn1:"explicit,tag:2"`
	}
}

type ocspResponse struct {
	Status asn1.Enumerated
	Bytes  struct {
		Type     asn1.ObjectIdentifier
		Response []byte
	} `asn1:"explicit,tag:0,optional"`
}

type ocspBasic struct {
	Signed       ocspData
	Algorithm    pkix.AlgorithmIdentifier
	Signature    asn1.BitString
	Certificates []asn1.RawValue `asn1:"explicit,tag:0,optional"`
}

type ocspData struct {
	Raw        asn1.RawContent
	Version    int `asn1:"optional,default:0,explicit,tag:0"`
	Responder  asn1.RawValue
	Produced   time.Time `asn1:"generalized"`
	Responses  []ocspSingle
	Extensions []pkix.Extension `asn1:"explicit,tag:1,optional"`
}

type ocspSingle struct {
	ID         certID
	Good       asn1.Flag        `asn1:"tag:0,optional"`
	Revoked    asn1.RawValue    `asn1:"tag:1,optional"`
	Unknown    asn1.Flag        `asn1:"tag:2,optional"`
	This       time.Time        `asn1:"generalized"`
	Next       time.Time        `asn1:"generalized,explicit,tag:0,optional"`
	Extensions []pkix.Extension `asn1:"explicit,tag:1,optional"`
}

const (
	isBasic = "1.3.6.1.5.5.7.48.1.1"
	isNonce = "1.3.6.1.5.5.7.48.1.2"
)

const (
	nonceBytes = 16
	skew       = 5 * time.Minute // by which the clocks of the NCA and ours may differ
	fresh      = 24 * time.Hour  // how old may be what the answer is based on
	mostOCSP   = 64 << 10

	mediaType = "application/ocsp-request"
)

// question is what was asked about a certificate.
type question struct {
	id     certID
	nonce  []byte // as it stands in the extension
	issuer *certificate
	at     time.Time
}

// ask asks the addresses, one after the other, whether a certificate is good. It returns the
// first answer that holds.
func (v *Verifier) ask(ctx context.Context, c, issuer *certificate) (answer []byte, err error) {
	q, request, err := v.question(c, issuer)
	if err != nil {
		return nil, err
	}
	problem := errors.New("egov: no address of an OCSP service")
	for _, address := range v.OCSP {
		answer, err := v.Network.Post(ctx, address, mediaType, request)
		if err != nil {
			problem = fmt.Errorf("egov: %s: %w", address, err)
			continue
		}
		single, err := q.read(answer)
		switch {
		case err != nil:
			problem = fmt.Errorf("egov: the answer of %s: %w", address, err)
		case bool(single.Good):
			return answer, nil
		case len(single.Revoked.FullBytes) > 0:
			return nil, ErrRevoked
		default:
			return nil, ErrUnknownStatus
		}
	}
	return nil, ErrUnreachable.Because(problem)
}

func (v *Verifier) question(c, issuer *certificate) (*question, []byte, error) {
	var info struct {
		Algorithm asn1.RawValue
		Key       asn1.BitString
	}
	if err := unmarshal(issuer.RawSubjectPublicKeyInfo, &info); err != nil {
		return nil, nil, err
	}
	name, key := sha256.Sum256(issuer.RawSubject), sha256.Sum256(info.Key.RightAlign())
	random := make([]byte, nonceBytes)
	rand.Read(random)
	q := &question{nonce: wrap(tagOctets, random), issuer: issuer, at: v.Now(), id: certID{
		Hash: pkix.AlgorithmIdentifier{Algorithm: asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1}, Parameters: asn1.NullRawValue},
		Name: name[:], Key: key[:], Serial: c.SerialNumber,
	}}
	var r ocspRequest
	r.Signed.Requests = []struct{ ID certID }{{q.id}}
	r.Signed.Extensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 2}, Value: q.nonce}}
	request, err := asn1.Marshal(r)
	return q, request, err
}

// read checks everything of an answer but what it says.
func (q *question) read(answer []byte) (*ocspSingle, error) {
	var outer ocspResponse
	var basic ocspBasic
	if len(answer) > mostOCSP {
		return nil, errors.New("too long")
	}
	if err := unmarshal(answer, &outer); err != nil {
		return nil, err
	}
	if outer.Status != 0 {
		return nil, fmt.Errorf("status %d", outer.Status)
	}
	if outer.Bytes.Type.String() != isBasic {
		return nil, errors.New("not a basic answer")
	}
	if err := unmarshal(outer.Bytes.Response, &basic); err != nil {
		return nil, err
	}
	data := &basic.Signed
	nonce, err := extension(data.Extensions, isNonce)
	switch {
	case err != nil:
		return nil, err
	case !bytes.Equal(nonce, q.nonce):
		return nil, errors.New("it has another nonce, or none")
	case data.Produced.Before(q.at.Add(-skew)) || data.Produced.After(q.at.Add(skew)):
		return nil, fmt.Errorf("it is of %s", data.Produced)
	}
	if err := q.signed(&basic); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(data.Responses, func(s ocspSingle) bool { return s.ID.equal(&q.id) })
	if i < 0 {
		return nil, errors.New("it is about another certificate")
	}
	single := &data.Responses[i]
	if _, err := extension(single.Extensions, ""); err != nil {
		return nil, err
	}
	if single.This.After(q.at.Add(skew)) || single.This.Before(q.at.Add(-fresh)) ||
		!single.Next.IsZero() && single.Next.Before(q.at.Add(-skew)) {
		return nil, fmt.Errorf("it tells how things were from %s to %s", single.This, single.Next)
	}
	return single, nil
}

func (id *certID) equal(other *certID) bool {
	return id.Hash.Algorithm.Equal(other.Hash.Algorithm) && bytes.Equal(id.Name, other.Name) &&
		bytes.Equal(id.Key, other.Key) && id.Serial.Cmp(other.Serial) == 0
}

// extension returns the value of an extension. A critical one that nobody here knows is an error.
func extension(all []pkix.Extension, id string) (value []byte, err error) {
	for _, e := range all {
		switch {
		case e.Id.String() == id:
			value = e.Value
		case e.Critical:
			return nil, fmt.Errorf("it has the unknown extension %s", e.Id)
		}
	}
	return value, nil
}

// signed checks that the answer is signed by the authority that issued the certificate, or by one
// to whom this authority has given the right to. Its name for itself doesn't matter then.
func (q *question) signed(basic *ocspBasic) error {
	if len(basic.Certificates) > mostCertificates {
		return errors.New("it has too many certificates")
	}
	err := q.issuer.key.signedBy(basic.Algorithm, basic.Signed.Raw, basic.Signature)
	if err == nil {
		return nil
	}
	for _, raw := range basic.Certificates {
		c, problem := parseCertificate(raw.FullBytes)
		if problem == nil {
			problem = q.responder(c)
		}
		if problem == nil {
			problem = c.key.signedBy(basic.Algorithm, basic.Signed.Raw, basic.Signature)
		}
		if problem == nil {
			return nil
		}
		err = problem
	}
	return fmt.Errorf("its signature: %w", err)
}

func (q *question) responder(c *certificate) error {
	switch {
	case c.keyErr != nil:
		return c.keyErr
	case !slices.Contains(c.ExtKeyUsage, x509.ExtKeyUsageOCSPSigning) || len(c.UnhandledCriticalExtensions) > 0:
		return errors.New("a responder without the right to answer")
	}
	if err := c.validAt(q.at); err != nil {
		return err
	}
	return q.issuer.issued(c)
}
