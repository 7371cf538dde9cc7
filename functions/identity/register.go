package identity

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/notify/daily"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/web"
)

type initIn struct {
	Accept string `header:"Accept-Language" doc:"Of a mail, to who has chosen no language: one of those in which the stage answers."`
	Body   struct {
		Email decode.Optional[string] `json:"email" required:"true" format:"email" maxLength:"254" example:"ann@example.com"`
	}
}

type codeSent struct {
	Email string `json:"email"`
}

func (s *service) initRegistration(ctx context.Context, r *web.Request, in *initIn) (codeSent, error) {
	return s.sendCode(ctx, r, register, in)
}

// sendCode does the same for an address with an account and for one without. Only when the message is delivered is it
// known whether there is an account, and the text depends on it. A request that is refused doesn't count for the
// throttles, so a caller who has to wait loses nothing.
func (s *service) sendCode(ctx context.Context, r *web.Request, purpose codePurpose, in *initIn) (codeSent, error) {
	address, now := crosstenant.Fold(in.Body.Email.Value), s.now()
	last, err := s.challenges.get(ctx, purpose, address)
	if err != nil {
		return codeSent{}, err
	}
	next, err := issue(last, s.newUUID().String(), now)
	if err != nil {
		return codeSent{}, err
	}
	next.Language = s.asked(in.Accept)
	m, err := outbox.New(crosstenant.Message, codeMessage, codeBody{purpose, address, next.ID}, now, now)
	if err != nil {
		return codeSent{}, err
	}
	err = s.challenges.replace(ctx, crosstenant.Challenge(string(purpose), address), last, next, func(tx *table.Tx) {
		outbox.Send(tx, s.challenges.table, m)
		s.throttle.With(tx, codeCounts(purpose, address, r.IP)...)
		s.throttle.With(tx, daily.Counts(daily.StrangerMail(s.mailDaily), address)...)
	})
	return codeSent{in.Body.Email.Value}, err
}

// asked is the language in which a request asks to be answered, of those that the stage speaks: that of a mail which it causes to
// somebody who has chosen none.
func (s *service) asked(accept string) say.Language { return say.Preferred(accept, s.languages) }

type confirmIn struct {
	Body struct {
		Email     decode.Optional[string] `json:"email" required:"true" format:"email" maxLength:"254" example:"ann@example.com"`
		Password  decode.Optional[string] `json:"password" required:"true" maxLength:"128" pattern:"^[\\s\\S]{8,}$" patternMessage:"password_too_short" example:"correct horse battery staple"`
		OTP       decode.Optional[string] `json:"otp" required:"true" maxLength:"6" pattern:"^[\\s\\S]{6}$" patternMessage:"code_too_short" example:"123456"`
		FirstName decode.Optional[string] `json:"first_name" required:"true" maxLength:"150" example:"Ann"`
		Phone     decode.Optional[string] `json:"phone" required:"true" pattern:"^\\+?[0-9]{9,15}$" patternMessage:"phone_mismatch" example:"+77011234567"`
		LastName  decode.Optional[string] `json:"last_name" blank:"true" maxLength:"150"`
	}
}

// registration has all six fields of the body. Secrets are empty, because they are never sent back.
type registration struct {
	Email     string `json:"email"`
	Password  string `json:"password"`
	OTP       string `json:"otp"`
	FirstName string `json:"first_name"`
	Phone     string `json:"phone"`
	LastName  string `json:"last_name"`
}

var errCode = fault.Field("otp", say.OneTimeCodeWrong)

func (s *service) confirmRegistration(ctx context.Context, r *web.Request, in *confirmIn) (registration, error) {
	b := &in.Body
	address := crosstenant.Fold(b.Email.Value)
	if err := uncommon(b.Password.Value); err != nil {
		return registration{}, err
	}
	if _, err := s.throttle.Take(ctx, pairCount(tryConfirm, address, r.IP)); err != nil {
		return registration{}, err
	}
	c, right, err := s.guess(ctx, register, address, r.IP, b.OTP.Value)
	if err != nil {
		return registration{}, err
	}
	if !right {
		return registration{}, errCode
	}
	err = s.newUser(ctx, user{Person: crosstenant.Person{
		Email: address, FirstName: b.FirstName.Value, LastName: b.LastName.Value, Phone: b.Phone.Value,
	}}, b.Password.Value, func(tx *table.Tx) { s.challenges.use(tx, c, errCode) })
	if errors.Is(err, errTaken) { // no code was sent to an address with an account, so this one was guessed
		err = errCode
	}
	if err == nil {
		s.tries.Remember(ctx, address, r.IP) // a code proves as much as a password
	}
	return registration{Email: b.Email.Value, FirstName: b.FirstName.Value, Phone: b.Phone.Value, LastName: b.LastName.Value}, err
}

// newUser adds a person with a new number, and the hash of the password.
func (s *service) newUser(ctx context.Context, u user, password string, consume func(*table.Tx)) (err error) {
	if u.Password, err = s.passwords.Hash(ctx, password); err != nil {
		return err
	}
	if u.ID, err = s.users.number(ctx); err != nil {
		return err
	}
	u.Created, u.Revision = s.now().Unix(), 1
	return s.users.add(ctx, u, consume)
}
