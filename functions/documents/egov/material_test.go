package egov

import (
	"crypto/x509"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

// The certification centre's own test material is in NCANode, an open program (MIT): certificates,
// answers of its responder, and CMSs made with its own cryptographic library. It is not in this
// repository. NCANODE names the folder of a copy of NCANode, and without it these tests are skipped.
func material(t *testing.T, path string) []byte {
	t.Helper()
	folder := os.Getenv("NCANODE")
	if folder == "" {
		t.Skip("NCANODE names no copy of NCANode")
	}
	content, err := os.ReadFile(filepath.Join(folder, "src/test", path))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func authority(t *testing.T, name string) *certificate {
	t.Helper()
	der, err := decode(material(t, "resources/ca/"+name))
	if err != nil {
		t.Fatal(err)
	}
	c, err := parseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A CMS that NCANode has made with the centre's library: one signer with GOST 2015, one with RSA.
func TestMaterialCMS(t *testing.T) {
	source := material(t, "groovy/kz/ncanode/unit/service/CmsServiceTest.groovy")
	found := regexp.MustCompile(`SIGNED_DETACHED_CMS = '([^']+)'`).FindSubmatch(source)
	if found == nil {
		t.Fatal("there is no CMS")
	}
	der, err := decode(found[1])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parse(der); !errors.Is(err, ErrTwoSigners) {
		t.Errorf("both signers: %v", err)
	}
	signed, err := open(der)
	if err != nil {
		t.Fatal(err)
	}
	signers, err := values(signed.Signers.Bytes)
	if err != nil || len(signers) != 2 {
		t.Fatalf("%d signers, %v", len(signers), err)
	}
	for i, want := range []string{"GOST 34.10-2015 512, Streebog-512, IIN 123456789012", "RSA 2048, SHA-256, IIN 123456789011"} {
		m := &message{}
		if err := errors.Join(m.readSigner(signers[i].FullBytes), m.readAttributes(), m.readCertificates(signed.Certificates.Bytes)); err != nil {
			t.Fatal(err)
		}
		c, err := m.leaf()
		if err != nil {
			t.Fatal(err)
		}
		iin, _ := c.numbers()
		if got := c.key.String() + ", " + m.hash.name + ", IIN " + iin; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if err := m.signs([]byte("test123"), c); err != nil {
			t.Errorf("%s: %v", want, err)
		}
		if err := m.signs([]byte("test124"), c); !errors.Is(err, ErrOtherDocument) {
			t.Errorf("%s, another document: %v", want, err)
		}
		if err := errors.Join(c.forDocuments(), c.of(Expected{IIN: iin})); err != nil {
			t.Errorf("%s: %v", want, err)
		}
		if c.key.gost != nil {
			if err := authority(t, "nca_gost2015_test.cer").issued(c); err != nil {
				t.Errorf("%s: %v", want, err)
			}
		}
	}
}

// Answers of the centre's responder, with GOST 2015.
func TestMaterialOCSP(t *testing.T) {
	ca := authority(t, "nca_gost2015_test.cer")
	for _, name := range []string{"ocsp_response_individual_2015.bin", "ocsp_response_ceo_2015_revoked.bin"} {
		answer := material(t, "resources/ocsp/"+name)
		var outer ocspResponse
		var basic ocspBasic
		if err := unmarshal(answer, &outer); err != nil {
			t.Fatal(err)
		}
		if err := unmarshal(outer.Bytes.Response, &basic); err != nil {
			t.Fatal(err)
		}
		v := &Verifier{Now: func() time.Time { return basic.Signed.Produced }}
		serial := basic.Signed.Responses[0].ID.Serial
		q, _, err := v.question(&certificate{Certificate: &x509.Certificate{SerialNumber: serial}}, ca)
		if err != nil {
			t.Fatal(err)
		}
		if q.nonce, err = extension(basic.Signed.Extensions, isNonce); err != nil {
			t.Fatal(err)
		}
		single, err := q.read(answer)
		if err != nil || bool(single.Good) || len(single.Revoked.FullBytes) == 0 {
			t.Errorf("%s: %+v, %v", name, single, err)
		}
		basic.Signed.Produced = basic.Signed.Produced.Add(time.Hour)
		q.at = basic.Signed.Produced
		if _, err := q.read(answer); err == nil {
			t.Errorf("%s: it is taken an hour later", name)
		}
	}
}

func TestMaterialCertificates(t *testing.T) {
	for _, row := range []struct {
		name     string
		key, use error
	}{
		{"individual_valid_sign_2004_rsa.cer", nil, nil},
		{"individual_valid_sign_2004_rsa_auth.cer", nil, ErrUsage},
		{"ceo_valid_sign_2004_gost.cer", ErrOldGOST, nil},
	} {
		der, err := decode(material(t, "resources/certs/"+row.name))
		if err != nil {
			t.Fatal(err)
		}
		c, err := parseCertificate(der)
		if err != nil {
			t.Fatal(err)
		}
		if !errors.Is(c.keyErr, row.key) || !errors.Is(c.forDocuments(), row.use) {
			t.Errorf("%s: %v, %v", row.name, c.keyErr, c.forDocuments())
		}
		if row.key == nil {
			if err := authority(t, "nca_rsa_test.crt").issued(c); err != nil {
				t.Errorf("%s: %v", row.name, err)
			}
		}
	}
}
