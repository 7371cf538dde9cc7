// Package signature signs deliveries of webhooks as Standard Webhooks says (https://www.standardwebhooks.com), so that receivers verify
// them with the libraries of that specification.
//
// What never goes in here: where secrets come from and how long they hold, HTTP, and what a delivery says. It doesn't verify either,
// because only receivers do.
package signature

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

// The headers of a delivery.
const (
	// ID is the same in each attempt to deliver the same thing.
	ID = "webhook-id"
	// Timestamp is when the attempt is made, in seconds of Unix.
	Timestamp = "webhook-timestamp"
	// Signature has one signature for each secret, separated by spaces.
	Signature = "webhook-signature"
)

const (
	prefix  = "whsec_" // of a secret as people see it
	version = "v1,"    // of a signature by a secret that both sides have
)

// Secret is a secret as its receiver gets it.
func Secret(raw []byte) string { return prefix + base64.StdEncoding.EncodeToString(raw) }

// Headers are the headers of an attempt to deliver a body. While a secret is replaced, the new and the old one sign, and a receiver
// accepts what either has signed. An id has no full stop, because that ends it in what is signed.
func Headers(secrets [][]byte, id string, at time.Time, body []byte) map[string]string {
	stamp := strconv.FormatInt(at.Unix(), 10)
	signatures := make([]string, len(secrets))
	for i, secret := range secrets {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(id + "." + stamp + "."))
		mac.Write(body)
		signatures[i] = version + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	return map[string]string{ID: id, Timestamp: stamp, Signature: strings.Join(signatures, " ")}
}
