package platform

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/documents/egov"
	"github.com/tenantry/tenantry/shared/remote"
)

// Whoever has a key of the platform's certification centre signs, and whoever starts it again finds the same keys. What stands in
// for NCALayer is at one address, so that the second of two platforms has none.
func TestCertification(t *testing.T) {
	s := &Storage{folder: t.TempDir()}
	var told bytes.Buffer
	first, err := startCertification(t.Context(), s, &told)
	if err != nil {
		t.Fatal(err)
	}
	defer first.close()
	second, err := startCertification(t.Context(), s, &told)
	if err != nil {
		t.Fatal(err)
	}
	defer second.close()
	if second.Layer != "" || !strings.Contains(told.String(), "the eGov demo is off") {
		t.Errorf("two stand in for NCALayer: %q, %q; told %q", first.Layer, second.Layer, told.String())
	}
	document := []byte("a document")
	h := first.People()[0]
	cms, err := h.Sign(document, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*certification{first, second} {
		v := egov.Verifier{Roots: c.Roots(), OCSP: []string{c.OCSP}, Network: remote.New(), Now: time.Now}
		if _, err := v.Verify(t.Context(), cms, document, egov.Expected{IIN: h.IIN}); err != nil {
			t.Error(err)
		}
	}
}
