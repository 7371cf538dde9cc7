package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/notify"
)

const (
	// codeMessage asks for the delivery of a one-time code.
	codeMessage outbox.Kind = "identity.code"
	// passwordMessage asks to notify an address that its password has changed.
	passwordMessage outbox.Kind = "identity.password"
	// linkedMessage asks to notify a user that an identity was linked to the account.
	linkedMessage outbox.Kind = "identity.linked"
)

// codeBody names the challenge; the code is computed when it is delivered.
type codeBody struct {
	Purpose   codePurpose `json:"purpose"`
	Address   string      `json:"address"`
	Challenge string      `json:"challenge"`
}

// mail is the text of a mail to an address.
type mail struct {
	subject, text string
	code          bool // text has places for the code and for its lifetime in minutes
}

// mailOf returns the mail for a challenge, depending on whether the address has an account.
func mailOf(purpose codePurpose, account bool) (m mail, ok bool) {
	switch {
	case purpose == register && !account:
		return mail{"Your registration code", registrationCode, true}, true
	case purpose == register:
		return mail{"You already have an account", haveAccount, false}, true
	case purpose == reset && account:
		return mail{"Your code for a new password", resetCode, true}, true
	case purpose == reset:
		return mail{"You have no account", haveNoAccount, false}, true
	}
	return mail{}, false
}

// deliverCode sends the code of a challenge, if it is still valid and the address can use it.
// Otherwise the mail explains why there is no code.
func (s *service) deliverCode(ctx context.Context, m outbox.Message) error {
	var b codeBody
	if err := m.Decode(&b); err != nil {
		return fmt.Errorf("%w: %w", outbox.ErrDrop, err)
	}
	c, err := s.challenges.get(ctx, b.Purpose, b.Address)
	if err != nil {
		return err
	}
	if c.ID != b.Challenge || !c.open(b.Purpose, s.now()) {
		return fmt.Errorf("%w: the code was replaced, used or has expired", outbox.ErrDrop)
	}
	owner, err := s.users.owner(ctx, b.Address)
	if err != nil {
		return err
	}
	said, ok := mailOf(b.Purpose, owner != 0)
	if !ok {
		return fmt.Errorf("%w: a code for %q", outbox.ErrDrop, b.Purpose)
	}
	text := said.text
	if said.code {
		code, err := s.code(ctx, b.Purpose, c.ID)
		if err != nil {
			return err
		}
		text = fmt.Sprintf(text, code, codeLifetime/time.Minute)
	}
	return s.sender.Send(ctx, notify.Message{ID: m.ID, Channel: notify.Email, To: b.Address, Subject: said.subject, Text: text})
}

// passwordBody says whose password has changed.
type passwordBody struct {
	Address string `json:"address"`
}

// deliverPassword tells an address that the password of its account was changed.
func (s *service) deliverPassword(ctx context.Context, m outbox.Message) error {
	var b passwordBody
	if err := m.Decode(&b); err != nil {
		return fmt.Errorf("%w: %w", outbox.ErrDrop, err)
	}
	return s.sender.Send(ctx, notify.Message{
		ID: m.ID, Channel: notify.Email, To: b.Address, Subject: "Your password was changed",
		Text: fmt.Sprintf(passwordChanged, m.At.UTC().Format("2 January 2006, 15:04")),
	})
}

// linkedBody says which identity was linked to whose account.
type linkedBody struct {
	User     int64  `json:"user"`
	Identity string `json:"identity"` // its e-mail address
	Issuer   string `json:"issuer"`
}

// deliverLinked tells a user that an identity was linked to the account.
func (s *service) deliverLinked(ctx context.Context, m outbox.Message) error {
	var b linkedBody
	if err := m.Decode(&b); err != nil {
		return fmt.Errorf("%w: %w", outbox.ErrDrop, err)
	}
	u, err := s.users.byID(ctx, b.User)
	if errors.Is(err, fault.ErrNotFound) {
		return fmt.Errorf("%w: there is no user %d", outbox.ErrDrop, b.User)
	}
	if err != nil {
		return err
	}
	return s.sender.Send(ctx, notify.Message{
		ID: m.ID, Channel: notify.Email, To: u.Email, Subject: "Your account has another way to sign in",
		Text: fmt.Sprintf(identityLinked, b.Identity, b.Issuer, m.At.UTC().Format("2 January 2006, 15:04")),
	})
}

const (
	registrationCode = `Your registration code: %s

It is valid for %d minutes. Whoever asks you for it is not us.
If you did not ask for it, you have nothing to do.
`

	haveAccount = `Somebody, perhaps you, asked for a registration code for this address.

There is an account with this address already, so no code was made: just sign in.
If it was not you, you have nothing to do.
`

	resetCode = `Your code for a new password: %s

It is valid for %d minutes. Whoever asks you for it is not us.
If you did not ask for it, you have nothing to do: your password stays as it is.
`

	haveNoAccount = `Somebody, perhaps you, asked for a new password for this address.

There is no account with this address, so no code was made: perhaps you registered with another one.
If it was not you, you have nothing to do.
`

	passwordChanged = `The password of your account was changed on %s (UTC), with a code that was sent to this address.
Everybody who was signed in has been signed out, and no account of Google or another provider is linked any more.

If it was not you, somebody else reads your mail: secure it first, then ask for a new password again.
`

	identityLinked = `%s of %s was linked to your account on %s (UTC).
Whoever can sign in there can now sign in to your account.

If it was not you, ask for a new password: that unlinks it and signs everybody out.
`
)
