// Package access is the access token: its claims, how it is made and how it is verified.
// Identity makes tokens, the authorizer verifies them.
//
// What never goes in here: the check whether the sign-in that a token names is still alive.
// The authorizer does it with every request; a token claims nothing that can change.
package access

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/keys"
)

const (
	issuer    = "tenantry"
	tokenType = "access"

	// maxLength is far above the length of our tokens; a longer text is refused without
	// parsing it.
	maxLength = 2048
)

// Claims are what an access token says.
type Claims struct {
	Type   string `json:"token_type"`
	User   int64  `json:"user_id"`
	Family string `json:"family"` // the sign-in that it came of
	// Cross says that the token was given out at a cross login: its holder has no
	// password or refresh token of the sign-in, and may not pass it on.
	Cross bool `json:"cross,omitempty"`
	jwt.RegisteredClaims
}

// Token makes an access token.
func Token(
	ctx context.Context, k keys.Keys, user int64, family string, id uuid.UUID, now time.Time, lifetime time.Duration,
) (string, error) {
	return sign(ctx, k, Claims{User: user, Family: family}, id, now, lifetime)
}

// CrossToken makes the access token that a cross login gives.
func CrossToken(
	ctx context.Context, k keys.Keys, user int64, family string, id uuid.UUID, now time.Time, lifetime time.Duration,
) (string, error) {
	return sign(ctx, k, Claims{User: user, Family: family, Cross: true}, id, now, lifetime)
}

func sign(ctx context.Context, k keys.Keys, c Claims, id uuid.UUID, now time.Time, lifetime time.Duration) (string, error) {
	c.Type = tokenType
	c.RegisteredClaims = jwt.RegisteredClaims{
		ID: id.String(), Issuer: issuer, IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(lifetime)),
	}
	return k.Sign(ctx, c)
}

// ErrInvalid says that a token is not valid. Any other error of Verify means that this could
// not be checked.
var ErrInvalid = errors.New("access: the token does not hold")

// Verify checks a token: it must be an access token, signed with ES256 by one of our keys, and
// not expired. Its claims were true when it was made.
func Verify(ctx context.Context, k keys.Keys, token string, now time.Time) (Claims, error) {
	if len(token) > maxLength || strings.Count(token, ".") != 2 {
		return Claims{}, ErrInvalid
	}
	var outage error // a failure of the keys, which says nothing about the token
	claims := Claims{}
	parser := jwt.NewParser( // iat decides nothing: the clocks of two functions differ a little
		jwt.WithValidMethods([]string{jwt.SigningMethodES256.Alg()}), jwt.WithStrictDecoding(),
		jwt.WithTimeFunc(func() time.Time { return now }), jwt.WithExpirationRequired(), jwt.WithIssuer(issuer),
	)
	_, err := parser.ParseWithClaims(token, &claims, func(t *jwt.Token) (any, error) {
		kid, ok := t.Header["kid"].(string)
		if _, critical := t.Header["crit"]; !ok || critical {
			return nil, ErrInvalid
		}
		public, err := k.Public(ctx, kid)
		if err != nil && !errors.Is(err, keys.ErrUnknownKey) {
			outage = err
		}
		return public, err
	})
	switch {
	case outage != nil:
		return Claims{}, fmt.Errorf("access: %w", outage)
	case err != nil:
		return Claims{}, ErrInvalid
	case claims.Type != tokenType, claims.User <= 0, uuid.Validate(claims.Family) != nil, len(claims.Family) != 36:
		return Claims{}, ErrInvalid
	}
	return claims, nil
}
