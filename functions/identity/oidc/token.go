package oidc

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/mail"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
)

const (
	skew       = 60 * time.Second // between our clock and the issuer's
	maxSubject = 255
	maxEmail   = 254
)

// ErrUnverified is the fault of an identity without an address that its issuer has verified.
var ErrUnverified = fault.New(fault.Invalid, say.EmailUnverified).Coded()

// claims are those that the library leaves to its caller.
type claims struct {
	Party    string `json:"azp"`
	Email    string `json:"email"`
	Verified any    `json:"email_verified"` // a boolean; some issuers write it as a text
}

// verify returns the identity that an ID token states. Algorithm, signature, issuer, audience
// and expiry are checked by the library, the rest by judge.
func (i *Issuer) verify(ctx context.Context, m *metadata, raw, nonce string) (Identity, error) {
	var names []string
	for _, a := range algorithms() {
		names = append(names, string(a))
	}
	verifier := oidc.NewVerifier(i.config.Issuer, m.keys, &oidc.Config{
		ClientID: i.config.ClientID, SupportedSigningAlgs: names,
		Now: func() time.Time { return i.now().Add(-skew) }, // it knows no skew of an expiry
	})
	token, err := verifier.Verify(ctx, raw)
	if err != nil {
		return Identity{}, unavailable(fmt.Errorf("ID token: %w", err))
	}
	var c claims
	if err := token.Claims(&c); err != nil {
		return Identity{}, unavailable(fmt.Errorf("ID token: %w", err))
	}
	if err := judge(token, c, i.config.ClientID, i.now()); err != nil {
		return Identity{}, unavailable(fmt.Errorf("ID token: %w", err))
	}
	// A code that was made for another attempt is not the issuer's fault.
	if subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(nonce)) != 1 {
		return Identity{}, errCode
	}
	if c.Verified != true && c.Verified != "true" || !isAddress(c.Email) {
		return Identity{}, ErrUnverified
	}
	return Identity{Subject: token.Subject, Email: c.Email}, nil
}

// judge tells what is wrong with the claims of a token that an issuer has signed for us.
func judge(t *oidc.IDToken, c claims, client string, now time.Time) error {
	switch {
	case t.Subject == "" || len(t.Subject) > maxSubject:
		return fmt.Errorf("a subject of %d bytes", len(t.Subject))
	case c.Party != "" && c.Party != client:
		return errors.New("another party is authorized")
	case c.Party == "" && len(t.Audience) > 1:
		return errors.New("of several audiences none is authorized")
	case t.IssuedAt.IsZero() || t.IssuedAt.After(now.Add(skew)):
		return errors.New("it is not issued yet")
	}
	return nil
}

// isAddress tells whether a text is a plain e-mail address, which can be shown and written into
// mails.
func isAddress(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s && len(s) <= maxEmail
}
