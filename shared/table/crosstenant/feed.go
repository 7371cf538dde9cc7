package crosstenant

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// FeedItem says of which company a feed token is, and which one there. tenants/feed writes it
// together with the company's own record of the token; the authorizer reads it.
type FeedItem struct {
	table.Item
	Tenant tenant.ID `dynamo:"t"`
	ID     int64     `dynamo:"id"`
	tenant.Standing
}

// FeedVersion is the schema version of a FeedItem.
const FeedVersion = 1

const (
	feedPrefix = "tnt_feed_" // by which scanners of secrets recognise a token
	feedBytes  = 32
)

// FeedText is a feed token as a client sends it.
func FeedText(secret [feedBytes]byte) string {
	return feedPrefix + base64.RawURLEncoding.EncodeToString(secret[:])
}

// IsFeedToken tells whether a bearer token claims to be a feed's, and not an access token.
func IsFeedToken(text string) bool { return strings.HasPrefix(text, feedPrefix) }

// FeedHash is the hash of a feed token, by which it is stored: the token itself is stored nowhere.
// It is false for a text that FeedText can't have made. One round of SHA-256 is enough, because
// nobody can guess 32 random bytes.
func FeedHash(text string) (hash string, ok bool) {
	encoded, ok := strings.CutPrefix(text, feedPrefix)
	if !ok || len(encoded) != base64.RawURLEncoding.EncodedLen(feedBytes) {
		return "", false
	}
	if _, err := base64.RawURLEncoding.Strict().DecodeString(encoded); err != nil {
		return "", false
	}
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:]), true
}
