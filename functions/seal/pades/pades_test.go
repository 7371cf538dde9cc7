package pades_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/big"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/seal/pades"
	"github.com/tenantry/tenantry/functions/seal/pdf"
	"github.com/tenantry/tenantry/functions/seal/pdf/pdftest"
	"github.com/tenantry/tenantry/infra/local/tsa"
	"github.com/tenantry/tenantry/infra/sealcert/certificate"
)

func now() time.Time { return time.Date(2026, 11, 22, 9, 30, 0, 0, time.UTC) }

// bench is all that a signature needs.
type bench struct {
	key     *ecdsa.PrivateKey
	chain   []*x509.Certificate
	service *tsa.Service
}

func newBench(t testing.TB) *bench {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := certificate.SelfIssued(key, certificate.Name{Common: "Seal"}, now().Add(-time.Hour), now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	service, err := tsa.New(now)
	if err != nil {
		t.Fatal(err)
	}
	return &bench{key: key, chain: []*x509.Certificate{leaf}, service: service}
}

func (b *bench) trust() pades.Trust {
	return pades.Trust{Seal: []pades.Sum{pades.SumOf(b.chain[len(b.chain)-1])}, Stamp: []pades.Sum{pades.SumOf(b.service.Root())}}
}

// stamp asks the service in process.
func (b *bench) stamp(_ context.Context, of []byte) ([]byte, error) {
	q := pades.NewStampQuery(of, []byte("a nonce"), nil)
	body, err := q.Encode()
	if err != nil {
		return nil, err
	}
	r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/timestamp-query")
	w := httptest.NewRecorder()
	b.service.ServeHTTP(w, r)
	answer, err := io.ReadAll(w.Body)
	if err != nil {
		return nil, err
	}
	token, _, err := q.Token(answer, now(), b.trust().Stamp)
	return token, err
}

// sign signs a file of one page as the function seal does.
func (b *bench) sign(t testing.TB, data []byte, stamped bool, change func(*pades.Signature)) ([]byte, error) {
	t.Helper()
	f, err := pdf.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := f.Dict(f.Trailer["Root"])
	if err != nil {
		t.Fatal(err)
	}
	u := f.Update()
	s := pades.Signature{Signer: b.key, Chain: b.chain, At: now(), Name: "Seal", Reason: "All have signed"}
	if stamped {
		s.Stamp = b.stamp
	}
	if change != nil {
		change(&s)
	}
	field, page := u.Reserve(), pdf.Ref{Number: 3}
	changed := pdf.Dict{}
	old, err := f.Dict(page)
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range old {
		changed[key] = value
	}
	changed["Annots"] = pdf.Array{field}
	u.Set(page, changed)
	return s.Sign(t.Context(), f, u, catalog, field, page, [2]pdf.Raw{"<01>", "<02>"})
}

func (b *bench) signed(t testing.TB, stamped bool) []byte {
	t.Helper()
	whole, err := b.sign(t, pdftest.Page(), stamped, nil)
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

func TestSign(t *testing.T) {
	b := newBench(t)
	for level, stamped := range map[string]bool{pades.LevelBB: false, pades.LevelBT: true} {
		t.Run(level, func(t *testing.T) {
			whole := b.signed(t, stamped)
			v, err := pades.Verify(whole, b.trust())
			if err != nil {
				t.Fatal(err)
			}
			page := pdftest.Page()
			if !bytes.HasPrefix(whole, page) || v.Prefix != len(page) || !v.Claimed.Equal(now()) || v.Level != level || !v.Certificate.Equal(b.chain[0]) {
				t.Errorf("%+v", v)
			}
			if stamped != (v.Stamp != nil) || stamped && (!v.Stamp.Time.Equal(now()) || v.Stamp.Policy != tsa.Policy().String() || !v.Stamp.Trusted) {
				t.Errorf("%+v", v.Stamp)
			}
		})
	}
}

// What a key and a certificate have to be.
func TestSignRefuses(t *testing.T) {
	b, other := newBench(t), newBench(t)
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	page := pdftest.Page()
	for name, c := range map[string]struct {
		data   []byte
		change func(*pades.Signature)
		want   string
	}{
		"no certificate":            {page, func(s *pades.Signature) { s.Chain = nil }, "no certificate"},
		"another key's certificate": {page, func(s *pades.Signature) { s.Chain = other.chain }, "isn't of the key"},
		"another curve":             {page, func(s *pades.Signature) { s.Signer = p384 }, "P-256"},
		"a chain that is none":      {page, func(s *pades.Signature) { s.Chain = append(s.Chain, other.chain...) }, "issuer of the one before"},
		"a key that can't be used":  {page, func(s *pades.Signature) { s.Signer = broken{s.Signer} }, "out of reach"},
		"a service that can't stamp": {page, func(s *pades.Signature) {
			s.Stamp = func(context.Context, []byte) ([]byte, error) { return nil, io.EOF }
		}, "EOF"},
		"a stamp without end": {page, func(s *pades.Signature) {
			s.Stamp = func(context.Context, []byte) ([]byte, error) { return make([]byte, 16<<10), nil }
		}, "room for"},
		"a signed file": {b.signed(t, false), nil, "signature already"},
		"a file with permissions": {pdftest.Section(page, fmt.Sprintf("/Root 1 0 R/Prev %d", pdftest.Table(page)), map[int]string{
			1: "<</Type/Catalog/Pages 2 0 R/Perms<</UR3 5 0 R>>>>",
		}), nil, "signature already"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := b.sign(t, c.data, false, c.change); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Error(err)
			}
		})
	}
}

type broken struct{ crypto.Signer }

func (broken) Sign(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) {
	return nil, errors.New("out of reach")
}

// A form keeps its fields.
func TestAForm(t *testing.T) {
	b := newBench(t)
	page := pdftest.Page()
	data := pdftest.Section(page, fmt.Sprintf("/Root 1 0 R/Prev %d", pdftest.Table(page)), map[int]string{
		1: "<</Type/Catalog/Pages 2 0 R/AcroForm 5 0 R>>", 5: "<</Fields[6 0 R]/DA(/Helv 0 Tf)>>", 6: "<</FT/Tx/T(name)>>",
	})
	whole, err := b.sign(t, data, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := pades.Verify(whole, b.trust()); err != nil || v.Prefix != len(data) {
		t.Error(v, err)
	}
	f, err := pdf.Read(whole)
	if err != nil {
		t.Fatal(err)
	}
	catalog, _ := f.Dict(f.Trailer["Root"])
	form, _ := f.Dict(catalog["AcroForm"])
	if fields, _ := f.Array(form["Fields"]); len(fields) != 2 || fields[0] != (pdf.Ref{Number: 6}) || form["DA"] == nil {
		t.Error(form)
	}
}

// An authority may stand above the seal's certificate.
func TestAChain(t *testing.T) {
	b := newBench(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Root"}, NotBefore: now().Add(-time.Hour), NotAfter: now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	root, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "Seal"}, NotBefore: now().Add(-time.Minute), NotAfter: now().Add(time.Minute),
		KeyUsage: x509.KeyUsageDigitalSignature,
	}
	if der, err = x509.CreateCertificate(rand.Reader, leaf, root, b.key.Public(), key); err != nil {
		t.Fatal(err)
	}
	issued, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	b.chain = []*x509.Certificate{issued, root}
	leafAlone := pades.Trust{Seal: []pades.Sum{pades.SumOf(issued)}}
	late := func(by time.Duration) func(*pades.Signature) {
		return func(s *pades.Signature) { s.At = now().Add(by) }
	}
	for _, c := range []struct {
		name    string
		stamped bool
		by      time.Duration
		want    error
	}{
		{"in time", false, 0, nil},
		{"after it expired", false, 2 * time.Minute, pades.ErrCertificate},
		{"the stamp beats the signer's clock", true, 2 * time.Minute, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			whole, err := b.sign(t, pdftest.Page(), c.stamped, late(c.by))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := pades.Verify(whole, b.trust()); !errors.Is(err, c.want) {
				t.Error(err)
			}
			if _, err := pades.Verify(whole, leafAlone); !errors.Is(err, c.want) {
				t.Error("of the leaf alone:", err)
			}
		})
	}
	// What the leaf's issuer says of itself is covered too, though only the leaf is trusted.
	whole, err := b.sign(t, pdftest.Page(), false, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(whole, []byte(hex.EncodeToString(root.Raw)))
	for i := 0; i < 2*len(root.Raw); i += 7 {
		changed := bytes.Clone(whole)
		changed[at+i] = "0123456789abcdef"[(bytes.IndexByte([]byte("0123456789abcdef"), whole[at+i])+1)%16]
		if _, err := pades.Verify(changed, leafAlone); err == nil {
			t.Errorf("digit %d of the root isn't missed", i)
		}
	}
}

func TestVerifyRefuses(t *testing.T) {
	b, other := newBench(t), newBench(t)
	whole, page := b.signed(t, true), pdftest.Page()
	later := func(objects map[int]string) []byte {
		return pdftest.Section(whole, fmt.Sprintf("/Root 1 0 R/Prev %d", pdftest.Table(whole)), objects)
	}
	for _, c := range []struct {
		name  string
		data  []byte
		trust pades.Trust
		want  error
	}{
		{"nothing", nil, b.trust(), pades.ErrUnreadable},
		{"a file that nobody signed", page, b.trust(), pades.ErrUnsigned},
		{"a byte behind it", append(bytes.Clone(whole), '\n'), b.trust(), pades.ErrNotWhole},
		{"its beginning", whole[:len(whole)-1], b.trust(), pades.ErrNotWhole},
		{"a later update", later(map[int]string{3: "<</Type/Page/Parent 2 0 R>>"}), b.trust(), pades.ErrNotWhole},
		{"a later update that hides the form", later(map[int]string{1: "<</Type/Catalog/Pages 2 0 R>>"}), b.trust(), pades.ErrUnsigned},
		{"a later signature", func() []byte {
			again, err := other.sign(t, later(map[int]string{1: "<</Type/Catalog/Pages 2 0 R>>"}), false, nil)
			if err != nil {
				t.Fatal(err)
			}
			return again
		}(), b.trust(), pades.ErrManySigned},
		{"a page that was changed", bytes.Replace(whole, []byte("100 100 l"), []byte("200 100 l"), 1), b.trust(), pades.ErrChanged},
		{"another's seal", whole, pades.Trust{Seal: other.trust().Seal, Stamp: b.trust().Stamp}, pades.ErrCertificate},
		{"another's time stamp", whole, pades.Trust{Seal: b.trust().Seal, Stamp: other.trust().Stamp}, pades.ErrStamp},
		{"nobody trusted", whole, pades.Trust{}, pades.ErrCertificate},
	} {
		t.Run(c.name, func(t *testing.T) {
			if v, err := pades.Verify(c.data, c.trust); !errors.Is(err, c.want) {
				t.Errorf("%+v, %v", v, err)
			}
		})
	}
	if v, err := pades.Verify(whole, pades.Trust{Seal: b.trust().Seal}); err != nil || v.Stamp.Trusted {
		t.Errorf("without trust in a time-stamp service: %+v, %v", v, err)
	}
}

// No byte of a sealed file can be another one, nothing can be inserted, appended or cut, whatever
// readers say to it. The places are drawn anew from a seed that is told.
func TestTenThousandPlaces(t *testing.T) {
	b := newBench(t)
	b.service.Set(tsa.Verbose)
	whole := b.signed(t, true)
	if _, err := pades.Verify(whole, b.trust()); err != nil {
		t.Fatal(err)
	}
	const places = 10_000
	var wait sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for worker := range workers {
		wait.Go(func() {
			random := mathrand.New(mathrand.NewPCG(13, uint64(worker)))
			for range places / workers {
				at := random.IntN(len(whole))
				if random.IntN(2) == 0 { // most of the file is the room that its signature didn't need
					at = bytes.Index(whole, []byte("/Contents <")) + random.IntN(6000)
				}
				var changed []byte
				how := random.IntN(10)
				switch how {
				case 0:
					changed = append(append(bytes.Clone(whole[:at]), byte(random.Uint32())), whole[at:]...)
				case 1:
					changed = append(bytes.Clone(whole[:at]), whole[at+1:]...)
				case 2:
					changed = append(bytes.Clone(whole), whole[at:min(at+random.IntN(100)+1, len(whole))]...)
				case 3, 4:
					changed = bytes.Clone(whole)
					changed[at] ^= 1 << random.IntN(8)
				case 5, 6:
					changed = bytes.Clone(whole)
					const digits = "0123456789abcdefABCDEF"
					changed[at] = digits[random.IntN(len(digits))]
				default:
					changed = bytes.Clone(whole)
					changed[at] = byte(random.Uint32())
				}
				if bytes.Equal(changed, whole) {
					continue
				}
				if _, err := pades.Verify(changed, b.trust()); err == nil {
					t.Errorf("byte %d, changed as %d, isn't missed: %q", at, how, changed[max(0, at-20):min(at+20, len(changed))])
				}
			}
		})
	}
	wait.Wait()
}

// A CMS may hold more than ours do: what isn't expected is refused, where it may stand too.
func TestOtherElements(t *testing.T) {
	b := newBench(t)
	whole := b.signed(t, true)
	from := bytes.Index(whole, []byte("/Contents <")) + len("/Contents <")
	for at := from; at < from+5000; at += 2 { // of what isn't room
		for _, tag := range []string{"a0", "a1"} {
			changed := bytes.Clone(whole)
			copy(changed[at:], tag)
			if _, err := pades.Verify(changed, b.trust()); err == nil && !bytes.Equal(changed, whole) {
				t.Errorf("byte %d: %s isn't missed", at, tag)
			}
		}
	}
}

func FuzzVerify(f *testing.F) {
	b := newBench(f)
	whole := b.signed(f, true)
	f.Add(whole)
	f.Add(b.signed(f, false))
	f.Add(pdftest.Page())
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := pades.Verify(data, b.trust()); err == nil && len(data) < 100 {
			t.Error("it is signed")
		}
	})
}
