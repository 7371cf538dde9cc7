package identity

import (
	"context"
	"fmt"

	"github.com/tenantry/tenantry/functions/identity/credential"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/keys/access"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/web"
)

type tokens struct {
	Access  string `json:"access"`
	Refresh string `json:"refresh"`
}

type loginIn struct {
	Body struct {
		Username decode.Optional[string] `json:"username" required:"true" example:"ann@example.com"`
		Password decode.Optional[string] `json:"password" required:"true" example:"correct horse battery staple"`
	}
}

type refreshIn struct {
	Body struct {
		Refresh decode.Optional[string] `json:"refresh" required:"true" example:"1.11111111-1111-4111-8111-111111111111.c2VjcmV0"`
	}
}

var errNoAccount = fault.New(fault.Unauthenticated, say.SignInWrong)

func (s *service) login(ctx context.Context, r *web.Request, in *loginIn) (tokens, error) {
	address := crosstenant.Fold(in.Body.Username.Value)
	try, err := s.tries.Take(ctx, address, r.IP)
	if err != nil {
		return tokens{}, err
	}
	u, known, err := s.users.byEmail(ctx, address)
	if err != nil {
		return tokens{}, err
	}
	stored := credential.Nobody
	if known {
		stored = u.Password
	}
	right, err := s.passwords.Matches(ctx, stored, in.Body.Password.Value)
	if err != nil {
		return tokens{}, err
	}
	if !right || !known {
		return tokens{}, errNoAccount
	}
	s.tries.GiveBack(ctx, try)
	s.tries.Remember(ctx, address, r.IP)
	return s.signIn(ctx, u, nil)
}

// signIn starts a family, together with what also adds, and gives its first tokens.
func (s *service) signIn(ctx context.Context, u user, also func(*table.Tx)) (tokens, error) {
	first := refreshToken{User: u.ID, Family: s.newUUID().String(), Generation: firstGeneration}
	secret, err := s.familySecret(ctx, first)
	if err != nil {
		return tokens{}, fmt.Errorf("identity: sign-in of %d: %w", u.ID, err)
	}
	in := signIn{User: u.ID, Epoch: u.Epoch, Family: first.Family}
	if err := s.families.start(ctx, in, s.now(), s.lifetime.refresh, also); err != nil {
		return tokens{}, err
	}
	return s.tokensOf(ctx, first, secret)
}

// tokensOf returns a refresh token together with a new access token.
func (s *service) tokensOf(ctx context.Context, r refreshToken, secret []byte) (tokens, error) {
	token, err := s.accessToken(ctx, r.User, r.Family)
	return tokens{Access: token, Refresh: r.text(secret)}, err
}

func (s *service) accessToken(ctx context.Context, user int64, family string) (string, error) {
	token, err := access.Token(ctx, s.keys, user, family, s.newUUID(), s.now(), s.lifetime.access)
	if err != nil {
		return "", fmt.Errorf("identity: access token of %d: %w", user, err)
	}
	return token, nil
}

// presented returns a refresh token that a caller presents, its family, which is alive, and the secret of its successors. It is
// ErrBadToken if we did not make the token, or its family has ended.
func (s *service) presented(ctx context.Context, text string) (r refreshToken, f crosstenant.FamilyItem, secret []byte, err error) {
	r, f, ok, err := s.known(ctx, text)
	if ok && err == nil {
		secret, ok, err = s.authentic(ctx, r, text)
	}
	if !ok && err == nil {
		err = fault.ErrBadToken
	}
	return r, f, secret, err
}

func (s *service) refresh(ctx context.Context, _ *web.Request, in *refreshIn) (tokens, error) {
	r, was, secret, err := s.presented(ctx, in.Body.Refresh.Value)
	if err != nil {
		return tokens{}, err
	}
	now := s.now()
	rotated, f, err := s.families.rotate(ctx, r, was.Epoch, now, s.lifetime.refresh)
	if err != nil {
		return tokens{}, err
	}
	if rotated {
		return s.tokensOf(ctx, r.next(), secret)
	}
	switch judge(f, r.Generation, was.Epoch, now) {
	case repeated:
		return s.tokensOf(ctx, r.next(), secret)
	case stolen:
		_, err = s.families.revoke(ctx, r.User, r.Family, now)
	case ended:
	}
	if err == nil {
		err = fault.ErrBadToken
	}
	return tokens{}, err
}

// logout ends the family of a refresh token, even if that token was used already.
func (s *service) logout(ctx context.Context, _ *web.Request, in *refreshIn) (struct{}, error) {
	r, _, _, err := s.presented(ctx, in.Body.Refresh.Value)
	if err != nil {
		return struct{}{}, err
	}
	ended, err := s.families.revoke(ctx, r.User, r.Family, s.now())
	if err == nil && !ended { // it had ended before this request
		err = fault.ErrBadToken
	}
	return struct{}{}, err
}
