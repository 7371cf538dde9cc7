// Package tsa is the local platform's time-stamp service (RFC 3161). It tells the machine's time, and
// nobody trusts it but what was given its root.
//
// It has modes in which it does what a service must not do, for tests. Its tokens are made by a library of others, so that who reads
// them and who writes them don't share a mistake.
package tsa

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"sync"
	"time"

	"github.com/tenantry/tenantry/infra/local/keypair"
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

	root, right, wrong, gone, unknown tls.Certificate
	rsa                               func() (tls.Certificate, error) // made when it is first needed: such a key takes long
}

// New makes a service with new keys.
func New(now func() time.Time) (*Service, error) {
	root, err := authority("Local time-stamp root", now())
	if err != nil {
		return nil, err
	}
	return under(root, now)
}

// Open makes a service whose root is in a file, which is made if it is missing: so what was sealed
// before the platform was started again is verified as it was.
func Open(path string, now func() time.Time) (*Service, error) {
	root, err := keypair.Open(path, func() (tls.Certificate, error) { return authority("Local time-stamp root", now()) })
	if err != nil {
		return nil, fmt.Errorf("tsa: %w", err)
	}
	return under(root, now)
}

// The purposes of certificates.
const (
	emailProtection = 4
	timeStamping    = 8
)

// under makes a service below a root.
func under(root tls.Certificate, now func() time.Time) (*Service, error) {
	at := now().Truncate(time.Second)
	other, err := authority("Another root", at)
	if err != nil {
		return nil, err
	}
	s := &Service{now: now, root: root}
	var faults [4]error
	s.right, faults[0] = keypair.New(certificate("Local time-stamp service", at, timeStamping), &root)
	s.wrong, faults[1] = keypair.New(certificate("A signer", at, emailProtection), &root)
	s.gone, faults[2] = keypair.New(certificate("Yesterday's", at.Add(-2*lifetime), timeStamping), &root)
	s.unknown, faults[3] = keypair.New(certificate("A stranger", at, timeStamping), &other)
	s.rsa = sync.OnceValues(func() (tls.Certificate, error) {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			return tls.Certificate{}, err
		}
		return keypair.Certify(key, certificate("Local time-stamp service, RSA", at, timeStamping), &root)
	})
	return s, errors.Join(faults[:]...)
}

// lifetime is how long the service's certificates are valid.
const lifetime = 10 * 365 * 24 * time.Hour

func authority(name string, at time.Time) (tls.Certificate, error) {
	return keypair.New(&x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: at.Add(-4 * lifetime), NotAfter: at.Add(2 * lifetime),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}, nil)
}

// certificate has one purpose, which must be understood, as RFC 3161 demands.
func certificate(name string, from time.Time, purpose int) *x509.Certificate {
	value, _ := asn1.Marshal([]asn1.ObjectIdentifier{{1, 3, 6, 1, 5, 5, 7, 3, purpose}}) // an identifier can always be written
	return &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, NotBefore: from.Add(-time.Hour), NotAfter: from.Add(lifetime),
		KeyUsage:        x509.KeyUsageDigitalSignature,
		ExtraExtensions: []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 37}, Critical: true, Value: value}},
	}
}

// Root is the certificate to which the service's own leads.
func (s *Service) Root() *x509.Certificate { return s.root.Leaf }

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
