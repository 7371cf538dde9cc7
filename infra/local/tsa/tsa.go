// Package tsa is the local platform's time-stamp service (RFC 3161). It tells the machine's time, and
// nobody trusts it but what was given its root.
//
// It has modes in which it does what a service must not do, for tests.
package tsa

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"sync"
	"time"
)

// Mode is what the service does.
type Mode string

// The modes. All but the first two are faults, and answers in them must be refused.
const (
	Right      Mode = ""
	Verbose    Mode = "verbose"     // right, but not as terse as it could be: other certificates, attributes, algorithms
	Down       Mode = "down"        // 503
	Slow       Mode = "slow"        // answers when the caller has gone
	Refuses    Mode = "refuses"     // a status of rejection
	Garbage    Mode = "garbage"     // no time stamp at all
	OtherNonce Mode = "other_nonce" // of another request
	NoNonce    Mode = "no_nonce"
	OtherData  Mode = "other_data"  // a stamp of other bytes
	OtherTime  Mode = "other_time"  // an hour ago
	OtherKey   Mode = "other_key"   // signed by another key than the certificate's
	OtherUse   Mode = "other_use"   // by a certificate that isn't for time stamps
	OtherRoot  Mode = "other_root"  // by a service that nobody knows
	OtherStamp Mode = "other_stamp" // the text was changed after it was signed
	Expired    Mode = "expired"     // by a certificate that isn't valid any more
	OtherName  Mode = "other_name"  // the signature names another certificate than its own
	Unnamed    Mode = "unnamed"     // the signature names none
	Large      Mode = "large"       // a stamp without end
)

// Policy is what the service's stamps name as theirs.
func Policy() asn1.ObjectIdentifier { return asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 32473, 1} } // of examples, RFC 5612

// Service answers requests for time stamps.
type Service struct {
	now func() time.Time

	mu     sync.Mutex
	mode   Mode
	serial int64

	root          *x509.Certificate
	right, wrong  signer
	gone, unknown signer
	rsa           func() (signer, error) // made when it is first needed: such a key takes long
}

type signer struct {
	key   crypto.Signer
	chain []*x509.Certificate
}

// New makes a service with new keys.
func New(now func() time.Time) (*Service, error) {
	ca, err := authority("Local time-stamp root", now())
	if err != nil {
		return nil, err
	}
	return under(ca, now)
}

// under makes a service below a root.
func under(ca signer, now func() time.Time) (*Service, error) {
	s := &Service{now: now}
	at := now().Truncate(time.Second)
	other, err := authority("Another root", at)
	if err != nil {
		return nil, err
	}
	s.root = ca.chain[0]
	stamping := []x509.ExtKeyUsage{x509.ExtKeyUsageTimeStamping}
	for to, by := range map[*signer]func() (signer, error){
		&s.right: func() (signer, error) { return ca.issue("Local time-stamp service", at, false, stamping) },
		&s.wrong: func() (signer, error) {
			return ca.issue("A signer", at, false, []x509.ExtKeyUsage{x509.ExtKeyUsageEmailProtection})
		},
		&s.gone:    func() (signer, error) { return ca.issue("Yesterday's", at.Add(-2*lifetime), false, stamping) },
		&s.unknown: func() (signer, error) { return other.issue("A stranger", at, false, stamping) },
	} {
		if *to, err = by(); err != nil {
			return nil, err
		}
	}
	s.rsa = sync.OnceValues(func() (signer, error) { return ca.issue("Local time-stamp service, RSA", at, true, stamping) })
	return s, nil
}

// lifetime is how long the service's certificates are valid.
const lifetime = 10 * 365 * 24 * time.Hour

func authority(name string, at time.Time) (signer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return signer{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: at.Add(-4 * lifetime), NotAfter: at.Add(2 * lifetime),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	return certified(key, template, template, key, nil)
}

func (ca signer) issue(name string, from time.Time, isRSA bool, use []x509.ExtKeyUsage) (signer, error) {
	var key crypto.Signer
	var err error
	if isRSA {
		key, err = rsa.GenerateKey(rand.Reader, 2048)
	} else {
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	if err != nil {
		return signer{}, err
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return signer{}, err
	}
	extension, err := critical(use)
	if err != nil {
		return signer{}, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: from.Add(-time.Hour), NotAfter: from.Add(lifetime), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtraExtensions: []pkix.Extension{extension},
	}
	return certified(key, template, ca.chain[0], ca.key, ca.chain)
}

// critical is an extended key usage that must be understood, as RFC 3161 demands.
func critical(use []x509.ExtKeyUsage) (pkix.Extension, error) {
	purpose := asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 8} // time stamps
	if use[0] == x509.ExtKeyUsageEmailProtection {
		purpose[len(purpose)-1] = 4
	}
	value, err := asn1.Marshal([]asn1.ObjectIdentifier{purpose})
	return pkix.Extension{Id: asn1.ObjectIdentifier{2, 5, 29, 37}, Critical: true, Value: value}, err
}

func certified(key crypto.Signer, template, parent *x509.Certificate, by crypto.Signer, above []*x509.Certificate) (signer, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), by)
	if err != nil {
		return signer{}, fmt.Errorf("tsa: certificate: %w", err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return signer{}, fmt.Errorf("tsa: certificate: %w", err)
	}
	return signer{key: key, chain: append([]*x509.Certificate{certificate}, above...)}, nil
}

// Root is the certificate to which the service's own leads.
func (s *Service) Root() *x509.Certificate { return s.root }

// Set changes what the service does from now on.
func (s *Service) Set(m Mode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mode = m
}

// next is the mode, and the number of a new stamp.
func (s *Service) next() (Mode, int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serial++
	return s.mode, s.serial
}

// ServeHTTP answers a request for a time stamp.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mode, serial := s.next()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4<<10))
	if err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/timestamp-query" {
		http.Error(w, "POST an application/timestamp-query", http.StatusBadRequest)
		return
	}
	switch mode {
	case Down:
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	case Slow:
		<-r.Context().Done()
		return
	}
	answer, err := s.answer(body, mode, serial)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/timestamp-reply")
	_, _ = w.Write(answer) // the caller has gone
}

// by is who signs in a mode.
func (s *Service) by(m Mode) (signer, error) {
	switch m {
	case Verbose:
		return s.rsa()
	case OtherKey:
		return signer{key: s.wrong.key, chain: s.right.chain}, nil
	case OtherUse:
		return s.wrong, nil
	case OtherRoot:
		return s.unknown, nil
	case Expired:
		return s.gone, nil
	}
	return s.right, nil
}

// at is the time that is told in a mode.
func (s *Service) at(m Mode) time.Time {
	if m == OtherTime {
		return s.now().Add(-time.Hour)
	}
	return s.now()
}

func digest(b []byte) []byte {
	sum := sha256.Sum256(b)
	return sum[:]
}
