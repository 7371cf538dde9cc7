package nca_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/smallstep/pkcs7"

	"github.com/tenantry/tenantry/functions/documents/egov"
	"github.com/tenantry/tenantry/infra/local/nca"
)

const iin = "921130401234"

func someone(kind nca.Kind) nca.Person {
	return nca.Person{Name: "СӘРСЕНБАЕВА ӘСЕЛ", IIN: iin, Kind: kind}
}

// signs lets everybody of a centre sign, and has what they sign verified.
func signs(t *testing.T, c *nca.Centre) {
	t.Helper()
	server := httptest.NewServer(c)
	defer server.Close()
	v := egov.Verifier{Roots: c.Roots(), OCSP: []string{server.URL}, Network: network{t}, Now: time.Now}
	document := []byte("a document")
	for _, h := range c.People() {
		cms, err := h.Sign(document, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if h.Kind == nca.RSA { // of which a library of others is the judge, too
			p, err := pkcs7.Parse(cms)
			if err != nil {
				t.Fatal(err)
			}
			p.Content = document
			if err := p.Verify(); err != nil {
				t.Error(err)
			}
		}
		for _, revoked := range []bool{false, true} {
			c.Revoke(h, revoked)
			_, err := v.Verify(t.Context(), cms, document, egov.Expected{IIN: iin})
			if revoked != errors.Is(err, egov.ErrRevoked) || !revoked && err != nil {
				t.Errorf("%s, revoked %v: %v", h.Kind, revoked, err)
			}
		}
	}
}

func TestOpen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "nca.json")
	people := []nca.Person{someone(nca.RSA), someone(nca.GOST512), someone(nca.GOST256), someone(nca.RSA)}
	first, err := nca.Open(file, time.Now, people)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read the keys: %v, %v", info.Mode(), err)
	}
	again, err := nca.Open(file, time.Now, nil)
	if err != nil {
		t.Fatal(err)
	}
	if first.Roots() != again.Roots() || len(again.People()) != len(people) {
		t.Error("it is another centre when it is opened again")
	}
	for i, h := range again.People() {
		if was := first.People()[i]; h.Person != was.Person || !bytes.Equal(h.Certificate, was.Certificate) {
			t.Errorf("%+v was %+v", h.Person, was.Person)
		}
	}
	signs(t, first)
	signs(t, again)
}

func TestOpenBroken(t *testing.T) {
	for name, content := range map[string]string{
		"no JSON":      "keys",
		"cut":          "[]",
		"without keys": "[" + strings.TrimSuffix(strings.Repeat(`{"kind":"rsa"},`, 6), ",") + "]",
	} {
		file := filepath.Join(t.TempDir(), "nca.json")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := nca.Open(file, time.Now, nil); err == nil {
			t.Errorf("%s: it opens", name)
		}
	}
}

func TestResponderRefuses(t *testing.T) {
	c, err := nca.New(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name   string
		method string
		body   string
		want   int
		answer string
	}{
		{"a GET", http.MethodGet, "", http.StatusBadRequest, ""},
		{"what is too long", http.MethodPost, strings.Repeat("a", 20<<10), http.StatusBadRequest, ""},
		{"no request", http.MethodPost, "hello", http.StatusOK, "\x30\x03\x0a\x01\x01"},
	} {
		w := httptest.NewRecorder()
		c.ServeHTTP(w, httptest.NewRequest(row.method, "/", strings.NewReader(row.body)))
		if w.Code != row.want || row.answer != "" && w.Body.String() != row.answer {
			t.Errorf("%s: %d %x", row.name, w.Code, w.Body)
		}
	}
}
