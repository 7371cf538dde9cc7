package egov_test

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/documents/egov"
	"github.com/tenantry/tenantry/infra/local/nca"
	"github.com/tenantry/tenantry/shared/fault"
)

// refused checks that a CMS is refused for one reason alone. Only the reasons that are the
// certification centre's own are found by asking it.
func refused(t *testing.T, cms []byte, who egov.Expected, want error, asks bool) {
	t.Helper()
	v, n := verifier(t, newWorld(t))
	got, err := v.Verify(t.Context(), cms, document, who)
	if !errors.Is(err, want) {
		t.Fatalf("got %v, want %v", err, want)
	}
	if len(got.Certificate) > 0 || len(got.OCSP) > 0 {
		t.Errorf("a signature is told: %+v", got)
	}
	if (len(n.asked) > 0) != asks {
		t.Errorf("asked: %v", n.asked)
	}
}

func TestRefusedMessages(t *testing.T) {
	w := newWorld(t)
	for _, kind := range kinds() {
		for _, row := range []struct {
			name    string
			message nca.Message
			want    error
			only    nca.Kind
		}{
			{"SHA-1", nca.Message{SHA1: true}, egov.ErrWeakHash, nca.RSA},
			{"PSS", nca.Message{PSS: true}, egov.ErrPSS, nca.RSA},
			{"no attributes", nca.Message{NoAttributes: true}, egov.ErrNoAttributes, ""},
			{"no message digest", nca.Message{NoDigest: true}, egov.ErrNoAttributes, ""},
			{"two message digests", nca.Message{TwiceDigest: true}, egov.ErrMalformed, ""},
			{"another content type", nca.Message{OtherType: true}, egov.ErrMalformed, ""},
			{"the document inside", nca.Message{Attached: true}, egov.ErrAttached, ""},
			{"two signers", nca.Message{AlsoBy: w.head[nca.GOST512]}, egov.ErrTwoSigners, ""},
			{"nobody", nca.Message{Nobody: true}, egov.ErrNoSigner, ""},
			{"no certificate", nca.Message{NoChain: true}, egov.ErrNoCertificate, ""},
			{"another document", nca.Message{Content: []byte("%PDF-1.7 another document")}, egov.ErrOtherDocument, ""},
			{"no document", nca.Message{Content: []byte{}}, egov.ErrOtherDocument, ""},
			{"another's key of another kind", nca.Message{Key: w.person[nca.GOST512]}, egov.ErrBadSignature, nca.GOST256},
		} {
			if row.only != "" && row.only != kind {
				continue
			}
			t.Run(string(kind)+", "+row.name, func(t *testing.T) {
				if row.message.Content == nil {
					row.message.Content = document
				}
				refused(t, cmsOf(t, w.person[kind], row.message), egov.Expected{IIN: iin}, row.want, false)
			})
		}
	}
}

func TestRefusedCertificates(t *testing.T) {
	w := newWorld(t)
	person := egov.Expected{IIN: iin}
	company := egov.Expected{BIN: bin, Company: true}
	strange, err := nca.New(func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range kinds() {
		of := func(p nca.Person) nca.Person {
			p.Name, p.Kind = "СӘРСЕНБАЕВА ӘСЕЛ", kind
			if p.IIN == "" {
				p.IIN = iin
			}
			if p.BIN != "" {
				p.Organisation = "ТОО «Прокат»"
			}
			return p
		}
		for _, row := range []struct {
			name   string
			person nca.Person
			who    egov.Expected
			want   error
			asks   bool
		}{
			{"expired", nca.Person{From: now.AddDate(-1, 0, 0), Till: now.Add(-time.Second)}, person, egov.ErrExpired, false},
			{"not valid yet", nca.Person{From: now.Add(time.Second)}, person, egov.ErrNotYet, false},
			{"revoked", nca.Person{Revoked: true}, person, egov.ErrRevoked, true},
			{"for signing in", nca.Person{SigningIn: true}, person, egov.ErrUsage, false},
			{"an organisation's, for signing in", nca.Person{BIN: bin, Right: nca.Head, SigningIn: true}, company, egov.ErrUsage, false},
			{"not for what binds its holder", nca.Person{KeyUsage: x509.KeyUsageDigitalSignature}, person, egov.ErrUsage, false},
			{"for documents and for signing in", nca.Person{ClientToo: true}, person, egov.ErrUsage, false},
			{"an authority's", nca.Person{CA: -1}, person, egov.ErrUsage, false},
			{"another person's", nca.Person{IIN: other}, person, egov.ErrWrongPerson, false},
			{"another organisation's", nca.Person{BIN: "191151000429", Right: nca.Head}, company, egov.ErrWrongPerson, false},
			{"another person's of the organisation", nca.Person{BIN: bin, IIN: other, Right: nca.Head}, egov.Expected{BIN: bin, IIN: iin, Company: true}, egov.ErrWrongPerson, false},
			{"an employee's", nca.Person{BIN: bin, Right: nca.Employee}, company, egov.ErrNoRight, false},
			{"a person's where an organisation signs", nca.Person{}, company, egov.ErrPersonKey, false},
			{"an organisation's where a person signs", nca.Person{BIN: bin, Right: nca.Head}, person, egov.ErrCompanyKey, false},
			{"nobody's, as the signer has no IIN", nca.Person{}, egov.Expected{}, egov.ErrNobody, false},
			{"nobody's, as the company has no BIN", nca.Person{BIN: bin, Right: nca.Head}, egov.Expected{Company: true}, egov.ErrNobody, false},
			{"a number that is none", nca.Person{IIN: "92113040123"}, egov.Expected{IIN: "92113040123"}, egov.ErrWrongPerson, false},
			{"no number where none is expected", nca.Person{IIN: "X"}, egov.Expected{}, egov.ErrNobody, false},
		} {
			t.Run(string(kind)+", "+row.name, func(t *testing.T) {
				h, err := w.centre.Again(w.person[kind], of(row.person))
				if err != nil {
					t.Fatal(err)
				}
				refused(t, cmsOf(t, h, nca.Message{Content: document}), row.who, row.want, row.asks)
			})
		}
		t.Run(string(kind)+", who may sign for the organisation is taken", func(t *testing.T) {
			h, err := w.centre.Again(w.person[kind], of(nca.Person{BIN: bin, Right: nca.MaySign}))
			if err != nil {
				t.Fatal(err)
			}
			v, _ := verifier(t, w)
			if _, err := v.Verify(t.Context(), cmsOf(t, h, nca.Message{Content: document}), document, company); err != nil {
				t.Error(err)
			}
		})
		t.Run(string(kind)+", another centre's with the same names", func(t *testing.T) {
			h, err := strange.Again(w.person[kind], of(nca.Person{}))
			if err != nil {
				t.Fatal(err)
			}
			refused(t, cmsOf(t, h, nca.Message{Content: document, Chain: true}), person, egov.ErrUntrusted, false)
		})
		t.Run(string(kind)+", the key of somebody else", func(t *testing.T) {
			h, err := w.centre.Issue(of(nca.Person{}))
			if err != nil {
				t.Fatal(err)
			}
			refused(t, cmsOf(t, w.person[kind], nca.Message{Content: document, Key: h}), person, egov.ErrBadSignature, false)
		})
	}
}

// Who issues certificates must be an authority with the right to, however the chain looks.
func TestChains(t *testing.T) {
	w := newWorld(t)
	const kind = nca.GOST512
	authority := nca.Person{Name: "А Б", IIN: other, Kind: kind, CA: -1, KeyUsage: x509.KeyUsageCertSign}
	with := func(change func(*nca.Person)) nca.Person {
		p := authority
		change(&p)
		return p
	}
	for _, row := range []struct {
		name  string
		chain []nca.Person // below the centre's authority, from the top
		want  error
	}{
		{"an authority more", []nca.Person{authority}, nil},
		{"an authority that allows none below", []nca.Person{with(func(p *nca.Person) { p.CA = 1 })}, nil},
		{"below one that allows none", []nca.Person{with(func(p *nca.Person) { p.CA = 1 }), authority}, egov.ErrUntrusted},
		{"two authorities more", []nca.Person{authority, authority}, nil},
		{"three authorities more", []nca.Person{authority, authority, authority}, egov.ErrUntrusted},
		{"a person", []nca.Person{{Name: "А Б", IIN: other, Kind: kind}}, egov.ErrUntrusted},
		{"no authority, with the usage of one", []nca.Person{with(func(p *nca.Person) { p.CA = 0 })}, egov.ErrUntrusted},
		{"an authority without the usage", []nca.Person{with(func(p *nca.Person) { p.KeyUsage = x509.KeyUsageDigitalSignature })}, egov.ErrUntrusted},
		{"an authority that has expired", []nca.Person{with(func(p *nca.Person) { p.Till = now.Add(-time.Second) })}, egov.ErrUntrusted},
		{"an authority that is not valid yet", []nca.Person{with(func(p *nca.Person) { p.From = now.Add(time.Second) })}, egov.ErrUntrusted},
	} {
		t.Run(row.name, func(t *testing.T) {
			by, err := w.centre.Issue(row.chain[0])
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range append(row.chain[1:], nca.Person{Name: "СӘРСЕНБАЕВА ӘСЕЛ", IIN: iin, Kind: kind}) {
				if by, err = w.centre.Below(by, p); err != nil {
					t.Fatal(err)
				}
			}
			cms := cmsOf(t, by, nca.Message{Content: document, Chain: true})
			if row.want != nil {
				refused(t, cms, egov.Expected{IIN: iin}, row.want, false)
				return
			}
			// The responder doesn't answer for authorities that it doesn't know: it was asked, so the chain is believed.
			refused(t, cms, egov.Expected{IIN: iin}, egov.ErrUnreachable, true)
		})
	}
}

// A CMS of which any byte was changed is refused, and always with a fault.
func TestChangedBytes(t *testing.T) {
	w := newWorld(t)
	for kind, step := range map[nca.Kind]int{nca.RSA: 1, nca.GOST512: 3} { // GOST takes longer
		good := cmsOf(t, w.person[kind], nca.Message{Content: document, At: now})
		v, _ := verifier(t, w)
		for i := 0; i < len(good); i += step {
			bad := bytes.Clone(good)
			bad[i] ^= 0x01
			_, err := v.Verify(t.Context(), bad, document, egov.Expected{IIN: iin})
			if _, ok := fault.As(err); !ok {
				t.Errorf("%s, byte %d: %v", kind, i, err)
			}
		}
	}
}

func TestCut(t *testing.T) {
	w := newWorld(t)
	good := cmsOf(t, w.person[nca.GOST512], nca.Message{Content: document})
	v, _ := verifier(t, w)
	for n := range good {
		if _, err := v.Verify(t.Context(), good[:n], document, egov.Expected{IIN: iin}); !errors.Is(err, egov.ErrMalformed) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
	}
}

func TestRefusedBytes(t *testing.T) {
	w := newWorld(t)
	other, err := asn1.Marshal(struct{ Type asn1.ObjectIdentifier }{asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		cms  []byte
		want error
	}{
		{"nothing", nil, egov.ErrMalformed},
		{"text", []byte("Подписано"), egov.ErrMalformed},
		{"an empty sequence", []byte{0x30, 0}, egov.ErrMalformed},
		{"another CMS", other, egov.ErrMalformed},
		{"a certificate", w.person[nca.RSA].Certificate, egov.ErrMalformed},
		{"too large", make([]byte, 2*egov.Most+1), egov.ErrTooLarge},
		{"too large, as base64", bytes.Repeat([]byte("MAAA"), egov.Most/3+1), egov.ErrTooLarge},
	} {
		t.Run(row.name, func(t *testing.T) { refused(t, row.cms, egov.Expected{IIN: iin}, row.want, false) })
	}
}

func TestOff(t *testing.T) {
	for name, v := range map[string]*egov.Verifier{"nil": nil, "without roots": {Roots: " \n"}} {
		if _, err := v.Verify(t.Context(), nil, nil, egov.Expected{IIN: iin}); !errors.Is(err, egov.ErrOff) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
