package identity

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

// refreshToken is the content of a refresh token. Its text ends with a MAC of the content, so
// the same token can be computed again and none has to be stored.
type refreshToken struct {
	User       int64
	Family     string
	Generation int64
}

const (
	macLength  = 16  // bytes that are kept of a refresh token's MAC
	maxRefresh = 128 // characters; no token of ours is longer
)

func (r refreshToken) said() string {
	return strconv.FormatInt(r.User, 10) + "." + r.Family + "." + strconv.FormatInt(r.Generation, 10)
}

// next returns the token of the next generation.
func (r refreshToken) next() refreshToken {
	r.Generation++
	return r
}

// familySecret returns the secret from which the next refresh tokens of a family are made.
func (s *service) familySecret(ctx context.Context, r refreshToken) ([]byte, error) {
	return keys.Make(ctx, s.keys, keys.Refresh, r.family())
}

// family is the message whose MAC is the family's secret.
func (r refreshToken) family() []byte {
	return purposed("refresh", strconv.FormatInt(r.User, 10), r.Family)
}

// purposed returns a message for a MAC that can't be equal to a message for another purpose.
func purposed(purpose string, parts ...string) []byte {
	return []byte(purpose + "\x00" + strings.Join(parts, "\x00"))
}

// text returns the token as clients get it.
func (r refreshToken) text(secret []byte) string {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(r.said()))
	return r.said() + "." + base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:macLength])
}

// readRefresh parses a token without checking it. Its content may be trusted only if text
// returns the same token.
func readRefresh(token string) (r refreshToken, ok bool) {
	parts := strings.Split(token, ".")
	if len(token) > maxRefresh || len(parts) != 4 || len(parts[1]) != 36 || uuid.Validate(parts[1]) != nil ||
		len(parts[3]) != base64.RawURLEncoding.EncodedLen(macLength) {
		return r, false
	}
	user, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil {
		return r, false
	}
	generation, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil {
		return r, false
	}
	r = refreshToken{User: user, Family: parts[1], Generation: generation}
	return r, user > 0 && generation > 0 && r.said() == strings.Join(parts[:3], ".")
}

// known reads a token, and its family from the table. ok is false for a text that is no token, and for one whose family has ended
// or never was, or never came to its generation. The key service is not asked before: it has a limit for all, which nobody may
// use up with tokens that are made up.
func (s *service) known(ctx context.Context, token string) (r refreshToken, f crosstenant.FamilyItem, ok bool, err error) {
	if r, ok = readRefresh(token); !ok {
		return r, f, false, nil
	}
	alive := false
	// An answer that is lost is asked for again, because a refresh has little time to find out what became of the one before.
	err = table.Retry(ctx, func() (err error) {
		f, alive, err = s.families.get(ctx, r.User, r.Family, s.now())
		return err
	})
	return r, f, alive && r.Generation <= f.Generation, err
}

// authentic checks a token, and makes the secret of the token that follows it; ok is false if we did not make the token.
// A refresh needs this one call to the key service. A token that was made with a replaced key takes a second call, because
// the current key makes its successor.
func (s *service) authentic(ctx context.Context, r refreshToken, token string) (secret []byte, ok bool, err error) {
	secret, ok, err = keys.Match(ctx, s.keys, keys.Refresh, r.family(), func(secret []byte) bool {
		return hmac.Equal([]byte(r.text(secret)), []byte(token))
	})
	if err != nil {
		return nil, false, fmt.Errorf("identity: refresh token: %w", err)
	}
	return secret, ok, nil
}

// lostAnswer is how long a used refresh token can still be exchanged for the same successor.
const lostAnswer = 10 * time.Second

// reuse says why a refresh token that is no longer current was presented.
type reuse int

const (
	ended    reuse = iota // the family has ended
	repeated              // the answer was lost: the caller gets the same successor again
	stolen                // two clients have tokens of one family
)

// judge decides why the token of a generation was presented but not accepted, given its family
// and the user's current epoch.
func judge(f crosstenant.FamilyItem, generation, epoch int64, now time.Time) reuse {
	switch {
	case !f.Alive(now, epoch):
		return ended
	case f.Generation == generation+1 && now.Sub(time.UnixMilli(f.Rotated)) <= lostAnswer:
		return repeated
	default:
		return stolen
	}
}
