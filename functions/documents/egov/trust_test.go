package egov_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/documents/egov"
	"github.com/tenantry/tenantry/infra/local/nca"
	"github.com/tenantry/tenantry/shared/fault"
)

// parts are the certificates of PEM.
func parts(t *testing.T, text string) (all [][]byte) {
	t.Helper()
	for rest := []byte(text); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return all
		}
		all = append(all, block.Bytes)
	}
}

func asPEM(der ...[]byte) string {
	var out strings.Builder
	for _, d := range der {
		out.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: d}))
	}
	return out.String()
}

func pin(address string, der []byte) string {
	sum := sha256.Sum256(der)
	return address + " " + hex.EncodeToString(sum[:]) + "\n"
}

func TestTrust(t *testing.T) {
	w := newWorld(t)
	all := parts(t, w.centre.Roots())
	root, authority := all[2], all[3] // of GOST
	const a, b = "http://nca.example/root.cer", "https://nca.example/authority.cer"
	both := map[string][]byte{a: root, b: []byte(asPEM(authority))}
	for _, row := range []struct {
		name  string
		text  string
		files map[string][]byte
		want  error
	}{
		{"PEM", asPEM(root, authority), nil, nil},
		{"the authority first", asPEM(authority, root), nil, nil},
		{"by their hashes", pin(a, root) + pin(b, authority), both, nil},
		{"in one line", strings.ReplaceAll(pin(a, root)+pin(b, authority), "\n", " "), both, nil},
		{"PEM and a hash", asPEM(root) + pin(b, authority), both, nil},
		{"a hash and PEM", pin(a, root) + asPEM(authority), both, nil},
		{"the root alone", asPEM(root), nil, egov.ErrUntrusted},
		{"the authority alone", asPEM(authority), nil, egov.ErrUntrusted},
		{"another kind's", asPEM(all[0], all[1]), nil, egov.ErrUntrusted},
		{"one can't be had", pin(a, root) + pin(b, authority), map[string][]byte{a: root}, egov.ErrUnreachable},
		{"another is there", pin(a, root) + pin(b, authority), map[string][]byte{a: root, b: root}, egov.ErrUnreachable},
		{"one that isn't needed can't be had", asPEM(root, authority) + pin(a, all[0]), nil, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			v, n := verifier(t, w)
			v.Roots = row.text
			n.files = row.files
			cms := cmsOf(t, w.person[nca.GOST512], nca.Message{Content: document})
			if _, err := v.Verify(t.Context(), cms, document, egov.Expected{IIN: iin}); !errors.Is(err, row.want) {
				t.Errorf("got %v, want %v", err, row.want)
			}
		})
	}
}

// With the root alone a CMS counts that has the authority inside.
func TestAuthorityInside(t *testing.T) {
	w := newWorld(t)
	v, _ := verifier(t, w)
	v.Roots = asPEM(parts(t, w.centre.Roots())[2])
	cms := cmsOf(t, w.person[nca.GOST512], nca.Message{Content: document, Chain: true})
	if _, err := v.Verify(t.Context(), cms, document, egov.Expected{IIN: iin}); err != nil {
		t.Error(err)
	}
}

// What couldn't be had is fetched the next time, and what was had isn't fetched again.
func TestFetchedOnce(t *testing.T) {
	w := newWorld(t)
	all := parts(t, w.centre.Roots())
	const a, b = "http://nca.example/root.cer", "http://nca.example/authority.cer"
	v, n := verifier(t, w)
	v.Roots = pin(a, all[2]) + pin(b, all[3])
	cms := cmsOf(t, w.person[nca.GOST512], nca.Message{Content: document})
	n.files = map[string][]byte{a: all[2]}
	if _, err := v.Verify(t.Context(), cms, document, egov.Expected{IIN: iin}); !errors.Is(err, egov.ErrUnreachable) {
		t.Fatal(err)
	}
	n.files = map[string][]byte{b: all[3]}
	for range 2 {
		if _, err := v.Verify(t.Context(), cms, document, egov.Expected{IIN: iin}); err != nil {
			t.Fatal(err)
		}
	}
	const ocsp = "http://ocsp.example/"
	if got, want := strings.Join(n.asked, " "), strings.Join([]string{a, b, b, ocsp, ocsp}, " "); got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
}

func TestParseTrust(t *testing.T) {
	w := newWorld(t)
	root := parts(t, w.centre.Roots())[2]
	sum := strings.Repeat("0f", 32)
	cms := cmsOf(t, w.person[nca.RSA], nca.Message{Content: document})
	forged := append([]byte{}, root...)
	forged[len(forged)-1] ^= 1
	for _, row := range []struct {
		name, text string
		want       bool // it is taken
	}{
		{"nothing", "", true},
		{"spaces", " \n", true},
		{"a pair", "https://pki.example/a.cer " + sum, true},
		{"an address alone", "https://pki.example/a.cer", false},
		{"a hash alone", sum, false},
		{"the other way round", sum + " https://pki.example/a.cer", false},
		{"a hash that is cut", "https://pki.example/a.cer " + sum[2:], false},
		{"a hash that is longer", "https://pki.example/a.cer " + sum + "00", false},
		{"no hash", "https://pki.example/a.cer " + strings.Repeat("xy", 32), false},
		{"a file", "file:///etc/a.cer " + sum, false},
		{"PEM of something else", "-----BEGIN PUBLIC KEY-----\nMAA=\n-----END PUBLIC KEY-----\n", false},
		{"PEM that is cut", asPEM(root)[:200], false},
		{"PEM of no certificate", asPEM([]byte{0x30, 0}), false},
		{"a root that somebody else signed", asPEM(forged), false},
		{"a root", asPEM(root), true},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, err := egov.ParseTrust(row.text); (err == nil) != row.want {
				t.Errorf("got %v", err)
			}
			// A wrong configuration is ours to put right, and is no answer to the signer.
			v, _ := verifier(t, w)
			v.Roots = row.text
			_, err := v.Verify(t.Context(), cms, document, egov.Expected{IIN: iin})
			if _, ok := fault.As(err); err != nil && ok != row.want {
				t.Errorf("a signature: %v", err)
			}
		})
	}
}
