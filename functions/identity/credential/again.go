package credential

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/throttle"
)

// Again asks somebody who is signed in for the password again, before something that a stolen sign-in must not be enough for.
type Again struct {
	table     crosstenant.Table
	tries     Tries
	passwords Passwords
}

// Open makes an Again.
func Open(c *table.Conn, now func() time.Time) Again {
	return Again{crosstenant.Open(c), NewTries(throttle.Open(c, now)), New()}
}

// person is what of a person is needed here; functions/identity writes it.
type person struct {
	Email    string `dynamo:"em"`
	Password string `dynamo:"pw"`
}

// Check fails with a fault of the field password unless a user has this one. Tries are counted together with those of signing in, so
// whoever has stolen a sign-in guesses no more here than there.
func (a Again) Check(ctx context.Context, user int64, ip, password string) error {
	var p person
	err := a.table.Get(ctx, crosstenant.User(user), &p)
	if errors.Is(err, table.ErrNotFound) { // nobody who is signed in
		return fault.ErrForbidden
	}
	if err != nil {
		return fmt.Errorf("credential: user %d: %w", user, err)
	}
	try, err := a.tries.Take(ctx, p.Email, ip)
	if err != nil {
		return err
	}
	right, err := a.passwords.Matches(ctx, p.Password, password)
	if err != nil {
		return err
	}
	if !right {
		return fault.Field("password", say.PasswordWrong)
	}
	a.tries.GiveBack(ctx, try)
	return nil
}
