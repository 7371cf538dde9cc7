package nca

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"strings"
)

// der writes what can always be written.
func der(value any) []byte {
	out, err := asn1.Marshal(value)
	if err != nil {
		panic(err)
	}
	return out
}

// ofAuthority is what the certificate of an authority says.
func ofAuthority() *x509.Certificate {
	return &x509.Certificate{
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign, BasicConstraintsValid: true, IsCA: true, MaxPathLen: -1,
	}
}

// ofResponder is what that of a responder says, which needs no word on whether it was revoked.
func ofResponder() *x509.Certificate {
	return &x509.Certificate{
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageOCSPSigning},
		ExtraExtensions: []pkix.Extension{{Id: ocspType(5), Value: asn1.NullBytes}},
	}
}

// certificate is what the NCA writes for a person's key.
func (p Person) certificate() *x509.Certificate {
	if p.Responder {
		return ofResponder()
	}
	t := &x509.Certificate{
		KeyUsage:           x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment,
		ExtKeyUsage:        []x509.ExtKeyUsage{x509.ExtKeyUsageEmailProtection},
		UnknownExtKeyUsage: []asn1.ObjectIdentifier{{1, 2, 398, 3, 3, 4, 1, 1}},
	}
	if p.SigningIn {
		t.KeyUsage = x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment
		t.ExtKeyUsage[0] = x509.ExtKeyUsageClientAuth
	}
	if p.KeyUsage != 0 {
		t.KeyUsage = p.KeyUsage
	}
	if p.ClientToo {
		t.ExtKeyUsage = append(t.ExtKeyUsage, x509.ExtKeyUsageClientAuth)
	}
	if p.BIN != "" {
		t.UnknownExtKeyUsage = []asn1.ObjectIdentifier{{1, 2, 398, 3, 3, 4, 1, 2}, {1, 2, 398, 3, 3, 4, 1, 2, int(p.Right)}}
	}
	if p.CA != 0 {
		t.BasicConstraintsValid, t.IsCA, t.MaxPathLen, t.MaxPathLenZero = true, true, max(p.CA-1, -1), p.CA == 1
	}
	return t
}

// subject is the name of a person as the NCA writes it.
func (p Person) subject() pkix.RDNSequence {
	surname, rest, _ := strings.Cut(p.Name, " ")
	name, patronymic, _ := strings.Cut(rest, " ")
	n := pkix.RDNSequence{
		attribute(3, strings.TrimSpace(surname+" "+name)), attribute(4, surname), attribute(5, "IIN"+p.IIN), attribute(6, "KZ"),
	}
	if p.BIN != "" {
		n = append(n, attribute(10, p.Organisation), attribute(11, "BIN"+p.BIN))
	}
	if patronymic != "" {
		n = append(n, attribute(42, patronymic))
	}
	return n
}

func attribute(number int, value string) pkix.RelativeDistinguishedNameSET {
	return pkix.RelativeDistinguishedNameSET{{Type: asn1.ObjectIdentifier{2, 5, 4, number}, Value: value}}
}

// content is what of a certificate is signed.
type content struct {
	Version    int `asn1:"explicit,tag:0"`
	Serial     *big.Int
	Algorithm  pkix.AlgorithmIdentifier
	Issuer     asn1.RawValue
	Validity   asn1.RawValue
	Subject    asn1.RawValue
	Key        asn1.RawValue
	Extensions asn1.RawValue `asn1:"tag:3"`
}

// read returns the content of a certificate.
func read(certificate []byte) (content, error) {
	var whole struct {
		Content   content
		Algorithm pkix.AlgorithmIdentifier
		Signature asn1.BitString
	}
	_, err := asn1.Unmarshal(certificate, &whole)
	return whole.Content, err
}

// certify writes the certificate of a holder, signed by its issuer. The standard library knows no GOST, so it writes one of another
// key, of which key and signature are exchanged.
func (h *Holder) certify(subject pkix.RDNSequence, t *x509.Certificate) error {
	_, other, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	t.RawSubject, t.NotBefore, t.NotAfter = der(subject), h.From, h.Till
	t.SubjectKeyId, t.AuthorityKeyId = h.keyID(), h.issuer.keyID()
	parent := &x509.Certificate{RawSubject: t.RawSubject}
	if h.issuer != h {
		parent.RawSubject = h.issuer.says.Subject.FullBytes
	}
	written, err := x509.CreateCertificate(rand.Reader, t, parent, other.Public(), other)
	if err == nil {
		h.says, err = read(written)
	}
	if err != nil {
		return err
	}
	h.says.Algorithm, h.says.Key.FullBytes = algorithm(h.issuer.Kind.algorithms().signature), h.key.info()
	h.Certificate, err = h.issuer.key.signed(der(h.says))
	return err
}

// keyID is the identifier of a holder's key.
func (h *Holder) keyID() []byte {
	sum := sha256.Sum256(h.key.info())
	return sum[:20]
}
