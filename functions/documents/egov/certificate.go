package egov

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"slices"
	"strings"
	"time"
)

// certificate is a certificate of any kind; crypto/x509 reads those of GOST too, but not their keys.
type certificate struct {
	*x509.Certificate
	key       publicKey
	keyErr    error // why the key can't be used
	algorithm pkix.AlgorithmIdentifier
	signature asn1.BitString
}

func parseCertificate(der []byte) (*certificate, error) {
	read, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	var outer struct {
		Signed    asn1.RawValue
		Algorithm pkix.AlgorithmIdentifier
		Signature asn1.BitString
	}
	if err := unmarshal(der, &outer); err != nil {
		return nil, err
	}
	c := &certificate{Certificate: read, algorithm: outer.Algorithm, signature: outer.Signature}
	c.key, c.keyErr = subjectKey(read.RawSubjectPublicKeyInfo, read.PublicKey)
	return c, nil
}

func (c *certificate) equal(other *certificate) bool { return bytes.Equal(c.Raw, other.Raw) }

// couldIssue tells whether the names and key identifiers say that c issued another certificate.
func (c *certificate) couldIssue(other *certificate) bool {
	return bytes.Equal(c.RawSubject, other.RawIssuer) &&
		(len(c.SubjectKeyId) == 0 || len(other.AuthorityKeyId) == 0 || bytes.Equal(c.SubjectKeyId, other.AuthorityKeyId))
}

// issued tells whether c is an authority, and signed another certificate.
func (c *certificate) issued(other *certificate) error {
	switch {
	case !c.BasicConstraintsValid || !c.IsCA || c.KeyUsage != 0 && c.KeyUsage&x509.KeyUsageCertSign == 0:
		return ErrUntrusted.Because(fmt.Errorf("egov: %s is no authority", c.Subject))
	case c.keyErr != nil:
		return ErrUntrusted.Because(c.keyErr)
	}
	if err := c.key.signedBy(other.algorithm, other.RawTBSCertificate, other.signature); err != nil {
		return ErrUntrusted.Because(err)
	}
	return nil
}

// validAt checks the dates.
func (c *certificate) validAt(at time.Time) error {
	switch {
	case at.Before(c.NotBefore):
		return ErrNotYet
	case at.After(c.NotAfter):
		return ErrExpired
	}
	return nil
}

// Extended key usages of the NCA.
const (
	usagePerson       = "1.2.398.3.3.4.1.1"
	usageOrganisation = "1.2.398.3.3.4.1.2"
	usageHead         = "1.2.398.3.3.4.1.2.1"
	usageMaySign      = "1.2.398.3.3.4.1.2.2"
)

func (c *certificate) has(usage string) bool {
	return slices.ContainsFunc(c.UnknownExtKeyUsage, func(id asn1.ObjectIdentifier) bool { return id.String() == usage })
}

// forDocuments checks that the certificate is one for signing documents. Those for signing in have
// the usage of a TLS client.
func (c *certificate) forDocuments() error {
	signs := c.KeyUsage&x509.KeyUsageContentCommitment != 0 && slices.Contains(c.ExtKeyUsage, x509.ExtKeyUsageEmailProtection)
	if !signs || slices.Contains(c.ExtKeyUsage, x509.ExtKeyUsageClientAuth) || c.IsCA || len(c.UnhandledCriticalExtensions) > 0 {
		return ErrUsage
	}
	return nil
}

// of checks that the certificate is that of the person or organisation who has to sign.
func (c *certificate) of(who Expected) error {
	iin, bin := c.numbers()
	switch person, organisation := c.has(usagePerson), c.has(usageOrganisation); {
	case person == organisation:
		return ErrUsage
	case who.Company && person:
		return ErrPersonKey
	case !who.Company && organisation:
		return ErrCompanyKey
	case who.Company && !c.has(usageHead) && !c.has(usageMaySign):
		return ErrNoRight
	case who.Company && who.BIN == "", !who.Company && who.IIN == "":
		return ErrNobody
	case who.Company && bin != who.BIN, who.IIN != "" && iin != who.IIN:
		return ErrWrongPerson
	}
	return nil
}

const digits = 12

// numbers returns the IIN and the BIN of the subject. One that stands there twice is none.
func (c *certificate) numbers() (iin, bin string) {
	find := func(attribute, prefix string) (found string) {
		for _, name := range c.Subject.Names {
			text, ok := name.Value.(string)
			if !ok || name.Type.String() != attribute || !strings.HasPrefix(text, prefix) {
				continue
			}
			n := strings.TrimPrefix(text, prefix)
			if found != "" || len(n) != digits || strings.Trim(n, "0123456789") != "" {
				return ""
			}
			found = n
		}
		return found
	}
	return find("2.5.4.5", "IIN"), find("2.5.4.11", "BIN")
}

// shown writes a name in the order of the certificate, without the e-mail address: it is printed in what all signers get.
func shown(name pkix.Name) string {
	parts := make([]string, 0, len(name.Names))
	for _, n := range name.Names {
		id := n.Type.String()
		switch id {
		case "2.5.4.3":
			id = "CN"
		case "2.5.4.4":
			id = "SURNAME"
		case "2.5.4.5":
			id = "SERIALNUMBER"
		case "2.5.4.6":
			id = "C"
		case "2.5.4.7":
			id = "L"
		case "2.5.4.8":
			id = "ST"
		case "2.5.4.10":
			id = "O"
		case "2.5.4.11":
			id = "OU"
		case "2.5.4.42":
			id = "GIVENNAME"
		case "1.2.840.113549.1.9.1":
			continue
		}
		parts = append(parts, fmt.Sprintf("%s=%v", id, n.Value))
	}
	return strings.Join(parts, ", ")
}

func fingerprint(der []byte) []byte {
	sum := sha256.Sum256(der)
	return sum[:]
}
