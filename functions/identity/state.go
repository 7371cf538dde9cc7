package identity

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/functions/identity/oidc"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

// stateLifetime is how long somebody may take at the issuer.
const stateLifetime = 10 * time.Minute

// statePurpose is what somebody is sent to the issuer for. A state of one purpose is not valid for another.
type statePurpose string

// The purposes for which somebody is sent to the issuer.
const (
	toLink   statePurpose = "link"
	toSignIn statePurpose = "login"
)

// state is what is kept about somebody who was sent to the issuer. It is stored under the hash of its text,
// which only whoever began it knows, and is spent by the one request that ends it.
type state struct {
	table.Item
	Purpose   statePurpose `dynamo:"p"`
	User      int64        `dynamo:"u,omitempty"` // who links
	Challenge string       `dynamo:"c,omitempty"` // of the client that signs in: the hash of its code_verifier
	Nonce     string       `dynamo:"n"`
	Verifier  string       `dynamo:"w"`   // ours, for the issuer
	Expires   int64        `dynamo:"e"`   // Unix seconds
	TTL       int64        `dynamo:"ttl"` // Unix seconds
}

const stateVersion = 1

// errState is the answer to a state that is unknown, spent or expired, and to one of another
// user, purpose or client: whoever presents it learns nothing about it.
var errState = fault.Field("state", say.SignInStateWrong)

// secret returns 43 letters that nobody can guess.
func secret() string {
	random := make([]byte, sha256.Size)
	_, _ = rand.Read(random) // it never fails
	return base64.RawURLEncoding.EncodeToString(random)
}

// challengeOf is the hash of a PKCE verifier, as a client sends it (S256).
func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// hashOf is the name under which something secret or personal is stored.
func hashOf(purpose string, parts ...string) string {
	sum := sha256.Sum256(purposed(purpose, parts...))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// begin sends somebody to the issuer, and returns the address. While the issuer can't be
// reached, nothing is written.
func (s *service) begin(ctx context.Context, st state) (string, error) {
	way := oidc.Attempt{State: s.secret(), Nonce: s.secret(), Verifier: s.secret()}
	address, err := s.issuer.AuthURL(ctx, way)
	if err != nil {
		return "", err
	}
	expires := s.now().Add(stateLifetime)
	st.Nonce, st.Verifier, st.Expires, st.TTL = way.Nonce, way.Verifier, expires.Unix(), expires.Add(sweepAfter).Unix()
	return address, s.states.add(ctx, way.State, st)
}

// end returns who came back from the issuer with a code and a state that fits. What does not fit
// is not spent, so nobody can spend the state of somebody else. The one request that spends it
// may exchange the code.
func (s *service) end(ctx context.Context, code, text string, fits func(state) bool) (oidc.Identity, error) {
	st, err := s.states.get(ctx, text)
	if err != nil {
		return oidc.Identity{}, err
	}
	if st.V == 0 || s.now().Unix() >= st.Expires || !fits(st) {
		return oidc.Identity{}, errState
	}
	if err := s.issuer.Reach(ctx); err != nil {
		return oidc.Identity{}, err
	}
	won, err := s.states.take(ctx, text)
	if err != nil {
		return oidc.Identity{}, err
	}
	if !won {
		return oidc.Identity{}, errState
	}
	return s.issuer.Identify(ctx, code, oidc.Attempt{State: text, Nonce: st.Nonce, Verifier: st.Verifier})
}

// began tells whether a state was begun, to sign in, by the client that knows a PKCE verifier.
func (st state) began(verifier string) bool {
	return st.Purpose == toSignIn && subtle.ConstantTimeCompare([]byte(st.Challenge), []byte(challengeOf(verifier))) == 1
}

// states stores states.
type states struct{ table crosstenant.Table }

func stateKey(text string) table.Key { return crosstenant.State(hashOf("state", text)) }

func (s states) add(ctx context.Context, text string, st state) error {
	st.Item = table.At(stateKey(text), stateVersion)
	if err := s.table.Put(st).Run(ctx); err != nil {
		return fmt.Errorf("identity: state: %w", err)
	}
	return nil
}

// get reads a state. It returns the zero value for a text that is unknown or was spent.
func (s states) get(ctx context.Context, text string) (st state, err error) {
	err = s.table.Get(ctx, stateKey(text), &st)
	if err != nil && !errors.Is(err, table.ErrNotFound) {
		return st, fmt.Errorf("identity: state: %w", err)
	}
	return st, nil
}

// take removes a state. won is true for the one call that removed it.
func (s states) take(ctx context.Context, text string) (won bool, err error) {
	err = s.table.Delete(stateKey(text)).If("attribute_exists(pk)").Run(ctx)
	if dynamo.IsCondCheckFailed(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("identity: state: %w", err)
	}
	return true, nil
}
