package identity

import (
	"context"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/web"
)

type profile struct {
	ID        int64         `json:"id"`
	Email     string        `json:"email" format:"email"`
	FirstName string        `json:"first_name"`
	LastName  string        `json:"last_name"`
	Phone     string        `json:"phone"`
	Language  *say.Language `json:"language" nullable:"true" doc:"In which messages to the person are written; null for that of the company that they are about."`
}

// profileIn has the fields that a person may change; id and email are read-only. A PUT
// requires the same fields as a registration.
type profileIn struct {
	IfMatch string `header:"If-Match"`
	Body    struct {
		FirstName decode.Optional[string]       `json:"first_name" required:"true" maxLength:"150" example:"Ann"`
		LastName  decode.Optional[string]       `json:"last_name" blank:"true" maxLength:"150" example:"Smith"`
		Phone     decode.Optional[string]       `json:"phone" required:"true" pattern:"^\\+?[0-9]{9,15}$" patternMessage:"phone_mismatch" example:"+77011234567"`
		Language  decode.Optional[say.Language] `json:"language" nullable:"true" example:"kk"`
	}
}

// shown returns the answer with a profile, and its ETag.
func shown(u user) *web.Reply[profile] {
	return &web.Reply[profile]{
		Header: map[string]string{"ETag": web.ETag(u.Revision)},
		Body: &profile{
			ID: u.ID, Email: u.Email, FirstName: u.FirstName, LastName: u.LastName, Phone: u.Phone, Language: u.Language.OrNull(),
		},
	}
}

func (s *service) profile(ctx context.Context, r *web.Request, _ *struct{}) (*web.Reply[profile], error) {
	u, err := s.users.byID(ctx, r.Principal.User)
	return shown(u), err
}

// editProfile changes a profile. It also leaves a message for the user's companies, which keep
// copies of the fields that they show.
func (s *service) editProfile(ctx context.Context, r *web.Request, in *profileIn) (*web.Reply[profile], error) {
	var c change
	in.Body.FirstName.IntoNullable(&c.FirstName)
	in.Body.LastName.IntoNullable(&c.LastName)
	in.Body.Phone.IntoNullable(&c.Phone)
	if in.Body.Language.Set {
		c.Language = &in.Body.Language.Value // empty if it was null
	}
	now := s.now()
	m, err := outbox.New(
		crosstenant.Message, crosstenant.ProfileChanged, crosstenant.ProfileChange{User: r.Principal.User, Request: r.ID}, now, now,
	)
	if err != nil {
		return nil, err
	}
	u, err := s.users.edit(ctx, r.Principal.User, c,
		func(u user) error { return r.Match(web.ETag(u.Revision)) },
		func(tx *table.Tx) { outbox.Send(tx, s.users.table, m) })
	return shown(u), err
}
