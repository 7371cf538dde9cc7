package identity

import (
	"context"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/shared/notify"
	"github.com/tenantry/tenantry/shared/outbox"
)

// codeMessage asks for the delivery of a one-time code.
const codeMessage outbox.Kind = "identity.code"

// codeBody names the challenge; the code is made when it is delivered.
type codeBody struct {
	Purpose   string `json:"purpose"`
	Address   string `json:"address"`
	Challenge string `json:"challenge"`
}

// deliverCode sends the code of a challenge, as long as it can be used. Whoever
// has an account already is told so instead.
func (s *service) deliverCode(ctx context.Context, m outbox.Message) error {
	var b codeBody
	if err := m.Decode(&b); err != nil {
		return fmt.Errorf("%w: %w", outbox.ErrDrop, err)
	}
	c, err := s.challenges.get(ctx, b.Purpose, b.Address)
	if err != nil {
		return err
	}
	if c.ID != b.Challenge || !c.open(s.now()) {
		return fmt.Errorf("%w: the code was replaced, used or has expired", outbox.ErrDrop)
	}
	owner, err := s.users.owner(ctx, b.Address)
	if err != nil {
		return err
	}
	subject, text := "You already have an account", haveAccount
	if owner == 0 {
		code, err := s.code(ctx, b.Purpose, c.ID)
		if err != nil {
			return err
		}
		subject, text = "Your registration code", fmt.Sprintf(yourCode, code, codeLifetime/time.Minute)
	}
	return s.sender.Send(ctx, notify.Message{ID: m.ID, Channel: notify.Email, To: b.Address, Subject: subject, Text: text})
}

const (
	yourCode = `Your registration code: %s

It is valid for %d minutes. Whoever asks you for it is not us.
If you did not ask for it, you have nothing to do.
`

	haveAccount = `Somebody, perhaps you, asked for a registration code for this address.

There is an account with this address already, so no code was made: just sign in.
If it was not you, you have nothing to do.
`
)
