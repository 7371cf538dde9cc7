package crosstenant

import (
	"crypto/sha256"
	"encoding/base64"
	"hash/crc32"
	"io"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/scope"
)

// KeyItem is a key for programs as the authorizer needs it: all that decides about a request, so that one read is enough. tenants/key
// writes it together with the company's own record of the key; the authorizer alone writes Day.
type KeyItem struct {
	table.Item
	Tenant   tenant.ID      `dynamo:"t"`
	ID       int64          `dynamo:"id"`
	Scopes   scope.Set      `dynamo:"s"`
	Networks []netip.Prefix `dynamo:"w,omitempty"` // from where it may be used; none: from anywhere
	Expires  moment.Micros  `dynamo:"x,omitempty"` // 0: never
	Day      string         `dynamo:"d,omitempty"` // of its last use, in UTC: 2026-03-02
	tenant.Standing
}

// KeyVersion is the schema version of a KeyItem.
const KeyVersion = 1

// Admits tells whether a key may be used at a moment, by a caller with an address. An address that can't be read is in no network.
func (k KeyItem) Admits(at time.Time, address string) bool {
	if k.Expires != 0 && moment.Of(at) >= k.Expires {
		return false
	}
	if len(k.Networks) == 0 {
		return true
	}
	from, err := netip.ParseAddr(address)
	return err == nil && slices.ContainsFunc(k.Networks, func(n netip.Prefix) bool { return n.Contains(from.Unmap()) })
}

const (
	keyPrefix = "tnt_key_" // by which scanners of secrets recognise a key
	keyRandom = 30         // characters, of which nobody guesses any: 178 bits
	keySum    = 6          // characters that a CRC32 of what is before takes

	base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// KeyText draws the text of a new key from a source of random bytes. Each character is as likely as any other: a byte that would
// favour some of them is drawn again.
func KeyText(random io.Reader) (string, error) {
	text, one := []byte(keyPrefix), make([]byte, 1)
	for len(text) < len(keyPrefix)+keyRandom {
		if _, err := io.ReadFull(random, one); err != nil {
			return "", err
		}
		if fair := 256 - 256%len(base62); int(one[0]) < fair {
			text = append(text, base62[int(one[0])%len(base62)])
		}
	}
	return string(text) + sumOf(string(text)), nil
}

// sumOf is the checksum of a text. By it a mistyped or cut key, and most of what somebody makes up, is known without a look.
func sumOf(text string) string {
	sum, digits := crc32.ChecksumIEEE([]byte(text)), make([]byte, keySum)
	for i := range digits {
		digits[keySum-1-i] = base62[sum%uint32(len(base62))]
		sum /= uint32(len(base62))
	}
	return string(digits)
}

// IsKey tells whether a bearer token claims to be a key for programs, and not an access token.
func IsKey(text string) bool { return strings.HasPrefix(text, keyPrefix) }

// KeyHash is the hash of a key, by which it is stored: the key itself is stored nowhere. It is false for a text that KeyText can't have
// made. One round of SHA-256 is enough, because nobody can guess 30 random characters.
func KeyHash(text string) (hash string, ok bool) {
	drawn, ok := strings.CutPrefix(text, keyPrefix)
	if !ok || len(drawn) != keyRandom+keySum || strings.Trim(drawn, base62) != "" {
		return "", false
	}
	if end := len(text) - keySum; sumOf(text[:end]) != text[end:] {
		return "", false
	}
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:]), true
}
