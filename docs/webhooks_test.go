package docs

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"testing"
)

// The signature that webhooks.md shows to those who verify without a library is right.
func TestTheSignatureOfWebhooks(t *testing.T) {
	found := regexp.MustCompile("(?s)secret `whsec_([^`]+)` signs, with the id `([^`]+)` and the timestamp `([^`]+)`, the body\n`([^`]+)` as `v1,([^`]+)`").
		FindStringSubmatch(read(t, "docs/webhooks.md"))
	if found == nil {
		t.Fatal("it shows none")
	}
	key, err := base64.StdEncoding.DecodeString(found[1])
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(found[2] + "." + found[3] + "." + found[4]))
	if want := base64.StdEncoding.EncodeToString(mac.Sum(nil)); found[5] != want {
		t.Errorf("it shows %s, want %s", found[5], want)
	}
}
