package nca

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509/pkix"
	"encoding/asn1"
	"io"
	"math/big"
	"net/http"
	"time"
)

// Answers says how the responder answers.
type Answers struct {
	Status      int           // an HTTP status instead of an answer, such as 503
	Code        int           // a status of OCSP instead of an answer, such as 3: try later
	Late        time.Duration // how much older the answer is than it should be
	Early       time.Duration // of Late alone: the answer is new, but what it tells is as old as this
	Over        bool          // what it tells is no longer true since an hour
	NoNonce     bool
	OtherNonce  bool
	OtherSerial bool
	OtherKey    bool    // the answer is about a certificate of an authority with another key
	Changed     bool    // after it was signed
	By          *Holder // who signs, with their certificate
	Plain       bool    // the authority signs itself, without a certificate
	Unknown     bool    // the centre knows no certificates
	Bare        bool    // without the certificate of the responder
}

// Answer has the responder answer otherwise from now on.
func (c *Centre) Answer(as Answers) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers = as
}

// ocspType is an object identifier of OCSP.
func ocspType(number int) asn1.ObjectIdentifier {
	return asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, number}
}

type certID struct {
	Hash   pkix.AlgorithmIdentifier
	Name   []byte
	Key    []byte
	Serial *big.Int
}

type request struct {
	Content struct {
		Requests   []struct{ ID certID }
		Extensions []pkix.Extension `asn1:"explicit,tag:2,optional"`
	}
}

type single struct {
	ID     certID
	Status asn1.RawValue
	This   time.Time `asn1:"generalized"`
	Next   time.Time `asn1:"generalized,explicit,tag:0,optional"`
}

type response struct {
	Responder  asn1.RawValue
	Produced   time.Time `asn1:"generalized"`
	Responses  []single
	Extensions []pkix.Extension `asn1:"explicit,tag:1,optional,omitempty"`
}

const (
	mostRequest = 16 << 10

	malformedRequest = 1
	unauthorized     = 6
)

// ServeHTTP answers as an OCSP responder.
func (c *Centre) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostRequest))
	if err != nil || r.Method != http.MethodPost {
		http.Error(w, "This is an OCSP responder: POST a request.", http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	as := c.answers
	c.mu.Unlock()
	if as.Status != 0 {
		http.Error(w, http.StatusText(as.Status), as.Status)
		return
	}
	answer, code := c.respond(body, as)
	if as.Code != 0 {
		code = as.Code
	}
	if code != 0 {
		answer = der(struct{ Code asn1.Enumerated }{asn1.Enumerated(code)})
	}
	w.Header().Set("Content-Type", "application/ocsp-response")
	_, _ = w.Write(answer)
}

// respond returns the answer, or a status.
func (c *Centre) respond(body []byte, as Answers) (answer []byte, code int) {
	var q request
	if rest, err := asn1.Unmarshal(body, &q); err != nil || len(rest) > 0 || len(q.Content.Requests) != 1 {
		return nil, malformedRequest
	}
	id := q.Content.Requests[0].ID
	of := c.asked(id)
	if of == nil {
		return nil, unauthorized
	}
	now := c.now().Add(-as.Late).UTC().Truncate(time.Second)
	s := single{ID: id, Status: c.status(of[authority], id.Serial, as), This: now.Add(-as.Early)}
	if as.OtherSerial {
		s.ID.Serial = new(big.Int).Add(id.Serial, big.NewInt(1))
	}
	if as.OtherKey {
		s.ID.Key = make([]byte, len(id.Key))
	}
	if as.Over {
		s.Next = now.Add(-time.Hour)
	}
	by := of[responder]
	switch {
	case as.By != nil:
		by = as.By
	case as.Plain:
		by = of[authority]
	}
	answer, err := by.answer(s, now, q.nonce(as), as)
	if err != nil {
		return nil, malformedRequest
	}
	return answer, 0
}

// asked returns the holders under the authority that a question names, and nil if no authority has that name.
func (c *Centre) asked(id certID) []*Holder {
	for _, kind := range []Kind{RSA, GOST512} {
		if sum := sha256.Sum256(c.of(kind)[authority].says.Subject.FullBytes); bytes.Equal(sum[:], id.Name) {
			return c.of(kind)
		}
	}
	return nil
}

// status is good [0], revoked [1] or unknown [2].
func (c *Centre) status(of *Holder, serial *big.Int, as Answers) asn1.RawValue {
	for _, h := range c.People() {
		if h.issuer != of || h.says.Serial.Cmp(serial) != 0 || as.Unknown {
			continue
		}
		c.mu.Lock()
		revoked := h.Revoked
		c.mu.Unlock()
		if !revoked {
			return asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 0}
		}
		at, _ := asn1.MarshalWithParams(h.From.UTC(), "generalized")
		return tagged(1, at)
	}
	return asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 2}
}

func (q request) nonce(as Answers) []pkix.Extension {
	for _, e := range q.Content.Extensions {
		if e.Id.Equal(ocspType(2)) && !as.NoNonce {
			if as.OtherNonce {
				e.Value = bytes.Clone(e.Value)
				e.Value[len(e.Value)-1] ^= 1
			}
			return []pkix.Extension{e}
		}
	}
	return nil
}

func (h *Holder) answer(s single, now time.Time, extensions []pkix.Extension, as Answers) ([]byte, error) {
	content := response{Responder: tagged(1, h.says.Subject.FullBytes), Produced: now, Responses: []single{s}, Extensions: extensions}
	var inside []asn1.RawValue
	if !as.Plain && !as.Bare {
		inside = []asn1.RawValue{{FullBytes: h.Certificate}}
	}
	signed := der(content)
	basic, err := h.key.signed(signed, inside...)
	if err != nil {
		return nil, err
	}
	if as.Changed {
		content.Responses[0].This = s.This.Add(-time.Second)
		basic = bytes.Replace(basic, signed, der(content), 1)
	}
	type typed struct {
		Type     asn1.ObjectIdentifier
		Response []byte
	}
	return der(struct {
		Code  asn1.Enumerated
		Bytes typed `asn1:"explicit,tag:0"`
	}{Bytes: typed{ocspType(1), basic}}), nil
}
