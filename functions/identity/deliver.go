package identity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/say"
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

// letter returns the mail for a challenge, depending on whether the address has an account.
func (s *service) letter(ctx context.Context, b codeBody, account bool) (notify.Letter, error) {
	switch {
	case b.Purpose == register && account:
		return notify.Letter{Subject: say.MailHaveAccountSubject, Text: say.MailHaveAccount}, nil
	case b.Purpose == reset && !account:
		return notify.Letter{Subject: say.MailHaveNoAccountSubject, Text: say.MailHaveNoAccount}, nil
	case b.Purpose != register && b.Purpose != reset:
		return notify.Letter{}, fmt.Errorf("%w: a code for %q", outbox.ErrDrop, b.Purpose)
	}
	code, err := s.code(ctx, b.Purpose, b.Challenge)
	if err != nil {
		return notify.Letter{}, err
	}
	const minutes = int(codeLifetime / time.Minute)
	if b.Purpose == register {
		return notify.Letter{Subject: say.MailRegisterCodeSubject, Text: say.MailRegisterCode(code, minutes)}, nil
	}
	l := notify.Letter{Subject: say.MailResetCodeSubject, Text: say.MailResetCode(code, minutes)}
	if link := s.link("", url.Values{"reset": {b.Address}, "code": {code}}); link != "" {
		l.After = say.MailResetLink(link)
	}
	return l, nil
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
	u, known, err := s.users.byEmail(ctx, b.Address)
	if err != nil {
		return err
	}
	letter, err := s.letter(ctx, b, known)
	if err != nil {
		return err
	}
	return s.sender.Send(ctx, letter.To(m.ID, b.Address, s.languageFor(u, c.Language)))
}

// languageFor is the language of a mail about an account: its owner's choice, else that of the request which caused the mail.
func (s *service) languageFor(u user, asked say.Language) say.Language {
	return cmp.Or(u.Language, asked, s.language)
}

// passwordBody says whose password has changed.
type passwordBody struct {
	Address  string       `json:"address"`
	Language say.Language `json:"language,omitempty"` // of the request that has changed it
}

// deliverPassword tells an address that the password of its account was changed.
func (s *service) deliverPassword(ctx context.Context, m outbox.Message) error {
	var b passwordBody
	if err := m.Decode(&b); err != nil {
		return fmt.Errorf("%w: %w", outbox.ErrDrop, err)
	}
	u, _, err := s.users.byEmail(ctx, b.Address)
	if err != nil {
		return err
	}
	letter := notify.Letter{Subject: say.MailPasswordChangedSubject, Text: say.MailPasswordChanged(say.Moment(m.At.UTC()))}
	return s.sender.Send(ctx, letter.To(m.ID, b.Address, s.languageFor(u, b.Language)))
}

// linkedBody says which identity was linked to whose account.
type linkedBody struct {
	User     int64        `json:"user"`
	Identity string       `json:"identity"` // its e-mail address
	Issuer   string       `json:"issuer"`
	Language say.Language `json:"language,omitempty"` // of the request that has linked it
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
	letter := notify.Letter{
		Subject: say.MailIdentityLinkedSubject, Text: say.MailIdentityLinked(b.Identity, b.Issuer, say.Moment(m.At.UTC())),
	}
	return s.sender.Send(ctx, letter.To(m.ID, u.Email, s.languageFor(u, b.Language)))
}
