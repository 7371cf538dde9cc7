package egov_test

import (
	"bytes"
	"encoding/asn1"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/functions/documents/egov"
	"github.com/tenantry/tenantry/infra/local/nca"
)

// A signature is known again by a hash that nobody but its signer can change.
func TestSumOfSignatures(t *testing.T) {
	w := newWorld(t)
	sum := func(cms []byte) []byte {
		v, _ := verifier(t, w)
		s, err := v.Verify(t.Context(), cms, document, egov.Expected{IIN: iin})
		if err != nil {
			t.Fatal(err)
		}
		return s.SHA256
	}
	for _, kind := range kinds() {
		cms := cmsOf(t, w.person[kind], nca.Message{Content: document, At: now})
		want := sum(cms)
		if len(want) != 32 {
			t.Errorf("%s: a hash of %d bytes", kind, len(want))
		}
		// An attribute that isn't signed is the last thing in the signer, which is the last thing in the CMS.
		unsigned := []byte{0xa1, 0x0f, 0x30, 0x0d, 0x06, 0x03, 0x2a, 0x03, 0x04, 0x31, 0x06, 0x04, 0x04, 'a', 'b', 'c', 'd'}
		if got := sum(withAtEnd(t, cms, unsigned, 4)); !bytes.Equal(got, want) {
			t.Errorf("%s: beside an attribute that isn't signed it is another one", kind)
		}
		if got := sum(cmsOf(t, w.person[kind], nca.Message{Content: document, At: now.Add(1e9)})); bytes.Equal(got, want) {
			t.Errorf("%s: another signature is the same one", kind)
		}
	}
}

// withAtEnd adds bytes at the end of what is the last value within the last value, so many levels down.
func withAtEnd(t *testing.T, der, more []byte, levels int) []byte {
	t.Helper()
	var v asn1.RawValue
	if rest, err := asn1.Unmarshal(der, &v); err != nil || len(rest) > 0 {
		t.Fatal(err, len(rest))
	}
	inside := slices.Concat(v.Bytes, more)
	if levels > 0 {
		last := 0
		for at := 0; at < len(v.Bytes); {
			var child asn1.RawValue
			rest, err := asn1.Unmarshal(v.Bytes[at:], &child)
			if err != nil {
				t.Fatal(err)
			}
			last, at = at, len(v.Bytes)-len(rest)
		}
		inside = slices.Concat(v.Bytes[:last], withAtEnd(t, v.Bytes[last:], more, levels-1))
	}
	out, err := asn1.Marshal(asn1.RawValue{Class: v.Class, Tag: v.Tag, IsCompound: v.IsCompound, Bytes: inside})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
