package deliver_test

import (
	"encoding/base64"
	"strings"
	"testing"
)

// decoded are the bytes of a secret.
func decoded(t *testing.T, secret string) []byte {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(raw) != 32 {
		t.Fatalf("%q: %d bytes, %v", secret, len(raw), err)
	}
	return raw
}
