package identity

import (
	"context"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/notify/daily"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/throttle"
	"github.com/tenantry/tenantry/shared/web"
)

// initReset sends a code if the address has an account. Otherwise it sends a mail which says that there is no account.
// The answer is the same in both cases.
func (s *service) initReset(ctx context.Context, r *web.Request, in *initIn) (codeSent, error) {
	return s.sendCode(ctx, r, reset, in)
}

type verifyIn struct {
	Body struct {
		Email decode.Optional[string] `json:"email" required:"true" format:"email" maxLength:"254" example:"ann@example.com"`
		OTP   decode.Optional[string] `json:"otp" required:"true" maxLength:"6" pattern:"^[\\s\\S]{6}$" patternMessage:"code_too_short" example:"123456"`
	}
}

// verifyReset checks a code without using it up. It counts as a guess, but a correct guess is
// given back: the code still has to be sent together with the password.
func (s *service) verifyReset(ctx context.Context, r *web.Request, in *verifyIn) (codeSent, error) {
	b := &in.Body
	c, _, err := s.guessReset(ctx, r, b.Email.Value, b.OTP.Value)
	if err != nil {
		return codeSent{}, err
	}
	s.challenges.giveBack(ctx, c, throttle.Subject(throttle.Caller(r.IP)))
	return codeSent{b.Email.Value}, nil
}

type resetIn struct {
	Accept string `header:"Accept-Language" doc:"Of a mail, to who has chosen no language: one of those in which the stage answers."`
	Body   struct {
		Email    decode.Optional[string] `json:"email" required:"true" format:"email" maxLength:"254" example:"ann@example.com"`
		OTP      decode.Optional[string] `json:"otp" required:"true" maxLength:"6" pattern:"^[\\s\\S]{6}$" patternMessage:"code_too_short" example:"123456"`
		Password decode.Optional[string] `json:"password" required:"true" maxLength:"128" pattern:"^[\\s\\S]{8,}$" patternMessage:"password_too_short" example:"correct horse battery staple"`
	}
}

// passwordReset has all three fields of the body. Secrets are empty, because they are never sent back.
type passwordReset struct {
	Email    string `json:"email"`
	OTP      string `json:"otp"`
	Password string `json:"password"`
}

// confirmReset sets a new password for an account. The same transaction uses up the code, ends
// every sign-in, and leaves a message that notifies the owner.
func (s *service) confirmReset(ctx context.Context, r *web.Request, in *resetIn) (passwordReset, error) {
	b := &in.Body
	if err := uncommon(b.Password.Value); err != nil {
		return passwordReset{}, err
	}
	c, owner, err := s.guessReset(ctx, r, b.Email.Value, b.OTP.Value)
	if err != nil {
		return passwordReset{}, err
	}
	password, err := s.passwords.Hash(ctx, b.Password.Value)
	if err != nil {
		return passwordReset{}, err
	}
	address, now := crosstenant.Fold(b.Email.Value), s.now()
	m, err := outbox.New(crosstenant.Message, passwordMessage, passwordBody{address, s.asked(in.Accept)}, now, now)
	if err != nil {
		return passwordReset{}, err
	}
	err = s.users.renew(ctx, owner, password, func(tx *table.Tx) {
		s.challenges.use(tx, c, errCode)
		outbox.Send(tx, s.users.table, m)
		s.throttle.With(tx, daily.Counts(daily.StrangerMail(s.mailDaily), address)...)
	})
	if err != nil {
		return passwordReset{}, err
	}
	s.tries.Remember(ctx, address, r.IP) // a code proves as much as a password
	return passwordReset{Email: b.Email.Value}, nil
}

// guessReset returns the challenge of a correct code, and the number of the person who may set
// a new password with it. An address without an account was never sent a code, so a correct
// one was guessed and is refused.
func (s *service) guessReset(ctx context.Context, r *web.Request, email, otp string) (c challenge, owner int64, err error) {
	address := crosstenant.Fold(email)
	if _, err := s.throttle.Take(ctx, pairCount(tryReset, address, r.IP)); err != nil {
		return c, 0, err
	}
	c, right, err := s.guess(ctx, reset, address, r.IP, otp)
	if err != nil {
		return c, 0, err
	}
	if !right {
		return c, 0, errCode
	}
	owner, err = s.users.owner(ctx, address)
	if err == nil && owner == 0 {
		err = errCode
	}
	return c, owner, err
}
