package identity

import (
	"context"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/web"
)

type profileOut struct {
	ID        int64  `json:"id"`
	Email     string `json:"email" format:"email"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Phone     string `json:"phone"`
}

// profileIn takes what a person may change; id and email are read only. What
// registration requires, a PUT requires.
type profileIn struct {
	Body struct {
		FirstName decode.Optional[string] `json:"first_name" required:"true" maxLength:"150"`
		LastName  decode.Optional[string] `json:"last_name" blank:"true" maxLength:"150"`
		Phone     decode.Optional[string] `json:"phone" required:"true" pattern:"^\\+?[0-9]{9,15}$"`
	}
}

func shown(u user) profileOut {
	return profileOut{ID: u.ID, Email: u.Email, FirstName: u.FirstName, LastName: u.LastName, Phone: u.Phone}
}

func (s *service) profile(ctx context.Context, r *web.Request, _ *struct{}) (profileOut, error) {
	u, err := s.users.byID(ctx, r.Principal.User)
	return shown(u), err
}

func (s *service) editProfile(ctx context.Context, r *web.Request, in *profileIn) (profileOut, error) {
	var c change
	in.Body.FirstName.IntoNullable(&c.FirstName)
	in.Body.LastName.IntoNullable(&c.LastName)
	in.Body.Phone.IntoNullable(&c.Phone)
	u, err := s.users.edit(ctx, r.Principal.User, c)
	return shown(u), err
}
