package identity

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/keys/access"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/web"
)

// crossLifetime is how long a cross-login token can be exchanged.
const crossLifetime = 60 * time.Second

// crossing is a cross-login token that was issued; it is stored under the token's hash.
type crossing struct {
	table.Item
	User    int64  `dynamo:"u"`
	Family  string `dynamo:"f"`   // the sign-in that issued it
	Expires int64  `dynamo:"e"`   // Unix seconds
	TTL     int64  `dynamo:"ttl"` // Unix seconds
}

const crossingVersion = 1

type crossings struct{ table crosstenant.Table }

func crossingKey(token uuid.UUID) table.Key {
	sum := sha256.Sum256([]byte("cross\x00" + token.String()))
	return crosstenant.Cross(base64.RawURLEncoding.EncodeToString(sum[:]))
}

func (s crossings) add(ctx context.Context, token uuid.UUID, c crossing) error {
	c.Item = table.At(crossingKey(token), crossingVersion)
	if err := s.table.Put(c).Run(ctx); err != nil {
		return fmt.Errorf("identity: cross login of %d: %w", c.User, err)
	}
	return nil
}

// take removes a token. won is true for the one call that removed it.
func (s crossings) take(ctx context.Context, token uuid.UUID) (c crossing, won bool, err error) {
	err = s.table.Delete(crossingKey(token)).If("attribute_exists(pk)").OldValue(ctx, &c)
	if dynamo.IsCondCheckFailed(err) {
		return crossing{}, false, nil
	}
	if err != nil {
		return crossing{}, false, fmt.Errorf("identity: cross login: %w", err)
	}
	return c, true, nil
}

type crossToken struct {
	Token string `json:"token"`
}

type crossIn struct {
	Body struct {
		Token decode.Optional[string] `json:"token" required:"true" example:"9b2f6c1e-4d3a-4c57-8a55-0f3f6b7f2d11"`
	}
}

var (
	errCross = fault.Field("token", say.CrossLoginTokenWrong)
	// errCrossed prevents a stolen access token from being renewed for ever by cross logins.
	errCrossed = fault.New(fault.Forbidden, say.CrossLoginIssuesNothing).
			Coded()
)

// issueCross is throttled, because the account is known here. An exchange needs no throttle,
// because nobody can guess a token.
func (s *service) issueCross(ctx context.Context, r *web.Request, _ *struct{}) (crossToken, error) {
	p := r.Principal
	if p.Cross {
		return crossToken{}, errCrossed
	}
	account := strconv.FormatInt(p.User, 10)
	if _, err := s.throttle.Take(ctx, pairCount(issueCross, account, r.IP), accountCount(issueCross, account)); err != nil {
		return crossToken{}, err
	}
	token, expires := s.newUUID(), s.now().Add(crossLifetime)
	err := s.crossings.add(ctx, token, crossing{
		User: p.User, Family: p.Family, Expires: expires.Unix(), TTL: expires.Add(sweepAfter).Unix(),
	})
	return crossToken{token.String()}, err
}

// exchangeCross gives an access token that belongs to the sign-in that issued the cross-login
// token. Whatever ends that sign-in therefore ends this session too, and no further record has
// to be written.
func (s *service) exchangeCross(ctx context.Context, _ *web.Request, in *crossIn) (crossToken, error) {
	text := in.Body.Token.Value
	token, err := uuid.Parse(text)
	if err != nil || len(text) != 36 {
		return crossToken{}, errCross
	}
	c, won, err := s.crossings.take(ctx, token)
	if err != nil {
		return crossToken{}, err
	}
	now := s.now()
	if !won || now.Unix() >= c.Expires {
		return crossToken{}, errCross
	}
	origin, alive, err := s.families.get(ctx, c.User, c.Family, now)
	if err != nil {
		return crossToken{}, err
	}
	if !alive {
		return crossToken{}, errCross
	}
	lifetime := min(s.lifetime.access, time.Unix(origin.Expires, 0).Sub(now))
	out, err := access.CrossToken(ctx, s.keys, c.User, c.Family, s.newUUID(), now, lifetime)
	if err != nil {
		return crossToken{}, fmt.Errorf("identity: cross login of %d: %w", c.User, err)
	}
	return crossToken{out}, nil
}
