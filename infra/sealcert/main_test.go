package main

import (
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "keys.json")
	output := func(args ...string) (string, error) {
		var out strings.Builder
		err := run(t.Context(), append(args, "-keys", file), &out)
		return out.String(), err
	}
	text, err := output("-name", "Acme documents", "-organization", "Acme", "-country", "KZ")
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode([]byte(text))
	x, err := x509.ParseCertificate(block.Bytes)
	if err != nil || x.Subject.String() != "CN=Acme documents,O=Acme,C=KZ" || x.IsCA || x.KeyUsage&x509.KeyUsageDigitalSignature == 0 {
		t.Errorf("%v, %v", x.Subject, err)
	}
	request, err := output("-name", "Acme documents", "-request")
	if err != nil {
		t.Fatal(err)
	}
	block, _ = pem.Decode([]byte(request))
	if r, err := x509.ParseCertificateRequest(block.Bytes); err != nil || r.CheckSignature() != nil || r.Subject.CommonName != "Acme documents" {
		t.Error(err)
	}
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var other strings.Builder
	if err := run(t.Context(), []string{"-name", "Other", "-keys", filepath.Join(folder, "other.json")}, &other); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, says string }{
		"what it made":                 {text, ""},
		"another key's":                {other.String(), "isn't of the seal's key"},
		"one that didn't issue it":     {text + other.String(), "certificate 2 didn't issue"},
		"too much of it":               {strings.Repeat(text, 10), "leave the root out"},
		"a request":                    {request, "stands among the certificates"},
		"nothing":                      {"", "no certificate"},
		"a certificate that is broken": {strings.Replace(text, "MII", "MIX", 1), "certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			said, err := output("-check", write("chain.pem", c.text))
			if c.says == "" && (err != nil || !strings.Contains(said, "CN=Acme documents")) || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("%q, %v", said, err)
			}
		})
	}
	for name, args := range map[string][]string{
		"no name": {}, "too many years": {"-name", "x", "-years", "31"}, "two keys": {"-kms", "x"}, "no such flag": {"-x"}, "no such file": {"-check", "none"},
	} {
		if said, err := output(args...); err == nil {
			t.Errorf("%s: %q", name, said)
		}
	}
}
