package nca

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"strings"
	"time"
)

// extensions are those of a certificate that don't depend on keys.
type extensions []pkix.Extension

// Bits of a key's usage.
const (
	DigitalSignature = 0x80
	CertSign         = 0x04

	nonRepudiation  = 0x40
	keyEncipherment = 0x20
	crlSign         = 0x02
)

func usage(bits byte) pkix.Extension {
	unused := 0
	for bits>>unused&1 == 0 {
		unused++
	}
	return extension(asn1.ObjectIdentifier{2, 5, 29, 15}, true, asn1.BitString{Bytes: []byte{bits}, BitLength: 8 - unused})
}

func uses(all ...asn1.ObjectIdentifier) pkix.Extension {
	return extension(asn1.ObjectIdentifier{2, 5, 29, 37}, false, all)
}

func extension(id asn1.ObjectIdentifier, critical bool, value any) pkix.Extension {
	return pkix.Extension{Id: id, Critical: critical, Value: der(value)}
}

// der writes what can always be written.
func der(value any) []byte {
	out, err := asn1.Marshal(value)
	if err != nil {
		panic(err)
	}
	return out
}

func authorityExtensions() extensions {
	return extensions{
		extension(basicConstraints(), true, struct{ CA bool }{true}), usage(CertSign | crlSign),
	}
}

func responderExtensions() extensions {
	return extensions{
		usage(DigitalSignature), uses(asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 9}),
		extension(asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 5}, false, asn1.NullRawValue),
	}
}

// extensions are those that the NCA writes for a person's key.
func (p Person) extensions() extensions {
	if p.Responder {
		return responderExtensions()
	}
	all := []asn1.ObjectIdentifier{{1, 3, 6, 1, 5, 5, 7, 3, 4}} // protection of e-mail
	if p.SigningIn {
		all[0] = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 2} // a client of TLS
	}
	if p.BIN == "" {
		all = append(all, asn1.ObjectIdentifier{1, 2, 398, 3, 3, 4, 1, 1})
	} else {
		organisation := asn1.ObjectIdentifier{1, 2, 398, 3, 3, 4, 1, 2}
		all = append(all, organisation, append(organisation[:len(organisation):len(organisation)], int(p.Right)))
	}
	if p.ClientToo {
		all = append(all, asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 2})
	}
	bits := byte(DigitalSignature | nonRepudiation)
	switch {
	case p.KeyUsage != 0:
		bits = p.KeyUsage
	case p.SigningIn:
		bits = DigitalSignature | keyEncipherment
	}
	e := extensions{usage(bits), uses(all...)}
	switch {
	case p.CA > 0:
		e = append(e, extension(basicConstraints(), true, struct {
			CA   bool
			Most int
		}{true, p.CA - 1}))
	case p.CA < 0:
		e = append(e, extension(basicConstraints(), true, struct{ CA bool }{true}))
	}
	return e
}

func basicConstraints() asn1.ObjectIdentifier { return asn1.ObjectIdentifier{2, 5, 29, 19} }

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

type tbsCertificate struct {
	Version    int `asn1:"explicit,tag:0"`
	Serial     *big.Int
	Algorithm  pkix.AlgorithmIdentifier
	Issuer     asn1.RawValue
	Validity   struct{ From, Till time.Time }
	Subject    asn1.RawValue
	Key        asn1.RawValue
	Extensions []pkix.Extension `asn1:"explicit,tag:3"`
}

// certify writes the certificate of a holder, signed by its issuer.
func (h *Holder) certify(subject pkix.RDNSequence, use extensions) (err error) {
	t := &h.read
	*t = tbsCertificate{
		Version: 2, Serial: serial(), Algorithm: algorithm(h.issuer.Kind.algorithms().signature),
		Subject: asn1.RawValue{FullBytes: der(subject)}, Key: asn1.RawValue{FullBytes: h.key.info()},
		Extensions: append(use,
			extension(asn1.ObjectIdentifier{2, 5, 29, 14}, false, h.keyID()),
			extension(asn1.ObjectIdentifier{2, 5, 29, 35}, false, struct {
				ID []byte `asn1:"tag:0"`
			}{h.issuer.keyID()})),
	}
	t.Validity.From, t.Validity.Till = h.From.UTC(), h.Till.UTC()
	t.Issuer = h.issuer.read.Subject // of a root, its own
	h.Certificate, err = h.issuer.key.signed(der(*t))
	return err
}

// serial is a positive number of 20 bytes.
func serial() *big.Int {
	n := make([]byte, 20)
	_, _ = rand.Read(n) // it never fails
	n[0] = n[0]&0x3F | 0x40
	return new(big.Int).SetBytes(n)
}

// keyID is the identifier of a holder's key.
func (h *Holder) keyID() []byte {
	sum := sha256.Sum256(h.key.info())
	return sum[:20]
}

// parse returns what is needed again of a certificate.
func parse(certificate []byte) (tbsCertificate, error) {
	var outer struct {
		Content   tbsCertificate
		Algorithm pkix.AlgorithmIdentifier
		Signature asn1.BitString
	}
	_, err := asn1.Unmarshal(certificate, &outer)
	return outer.Content, err
}
