package identity

import (
	"context"
	"errors"
	"fmt"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

// user is a person who can sign in.
type user struct {
	table.Item
	crosstenant.Person
	ID       int64  `dynamo:"id"`
	Password string `dynamo:"pw"`           // its hash
	Created  int64  `dynamo:"c"`            // Unix seconds
	Epoch    int64  `dynamo:"ep,omitempty"` // the epoch of the password, as in crosstenant.MembershipsItem
}

// email is the reservation of an address: it names the user who has it.
type email struct {
	table.Item
	User int64 `dynamo:"u"`
}

const (
	userVersion  = 1
	emailVersion = 1
)

// users stores people.
type users struct{ table crosstenant.Table }

// byEmail finds a person by a folded address. For an unknown address it makes the same reads, so that the time it
// takes doesn't tell.
func (s users) byEmail(ctx context.Context, address string) (u user, known bool, err error) {
	owner, err := s.owner(ctx, address)
	if err != nil {
		return user{}, false, err
	}
	u, err = s.byID(ctx, owner) // there is no person with the number 0
	if errors.Is(err, fault.ErrNotFound) {
		return user{}, false, nil
	}
	return u, err == nil, err
}

// owner returns the number of the person who has an address, or 0 if nobody has it.
func (s users) owner(ctx context.Context, address string) (int64, error) {
	var e email
	err := s.table.Get(ctx, crosstenant.Email(address), &e)
	if err != nil && !errors.Is(err, table.ErrNotFound) {
		return 0, fmt.Errorf("identity: e-mail: %w", err)
	}
	return e.User, nil
}

func (s users) byID(ctx context.Context, id int64) (u user, err error) {
	err = s.table.Get(ctx, crosstenant.User(id), &u)
	if errors.Is(err, table.ErrNotFound) {
		return user{}, fault.ErrNotFound
	}
	if err != nil {
		return user{}, fmt.Errorf("identity: user %d: %w", id, err)
	}
	return u, nil
}

// number allocates the next person's number. A number that is not used is lost.
func (s users) number(ctx context.Context) (int64, error) {
	var counter struct {
		N int64 `dynamo:"n"`
	}
	if err := s.table.Update(crosstenant.Users()).Add("n", 1).Value(ctx, &counter); err != nil {
		return 0, fmt.Errorf("identity: number of a user: %w", err)
	}
	return counter.N, nil
}

// errTaken means that the address has an account already.
var errTaken = errors.New("identity: the address has an account")

// add makes a person. One transaction writes the person, the reservation of the address, and what consume adds. The
// error is errTaken, or the error of a condition that consume added.
func (s users) add(ctx context.Context, u user, consume func(*table.Tx)) error {
	u.Item = table.At(crosstenant.User(u.ID), userVersion)
	err := s.table.Write(ctx, func(tx *table.Tx, _ int) error {
		consume(tx)
		tx.Put(s.table.Create(email{table.At(crosstenant.Email(u.Email), emailVersion), u.ID}), errTaken)
		tx.Put(s.table.Create(u), fmt.Errorf("identity: user %d exists", u.ID))
		return nil
	})
	if err == nil || !table.Unavailable(err) {
		return err
	}
	// The answer may have been lost although the transaction was committed.
	if owner, lookErr := s.owner(ctx, u.Email); lookErr == nil && owner == u.ID {
		return nil
	}
	return err
}

// renew gives a person a new password, and ends all sign-ins. What consume adds is in the same transaction. The error
// is the error of a condition that consume added.
func (s users) renew(ctx context.Context, id int64, password string, consume func(*table.Tx)) error {
	err := s.table.Write(ctx, func(tx *table.Tx, _ int) error {
		consume(tx)
		tx.Update(s.table.Update(crosstenant.User(id)).Set("pw", password).Add("ep", 1).If("attribute_exists(pk)"), fault.ErrNotFound)
		tx.Update(s.table.Update(crosstenant.Memberships(id)).Add("ep", 1).Set("v", crosstenant.MembershipsVersion), nil)
		return nil
	})
	if err == nil || !table.Unavailable(err) {
		return err
	}
	// The answer may have been lost although the transaction was committed.
	if u, lookErr := s.byID(ctx, id); lookErr == nil && u.Password == password {
		return nil
	}
	return err
}

// change holds the fields of a profile that a person may change. nil leaves a field as it is.
type change struct {
	FirstName, LastName, Phone *string
	Language                   *say.Language
}

// of returns the user with the change applied.
func (c change) of(u user) user {
	for to, value := range map[*string]*string{&u.FirstName: c.FirstName, &u.LastName: c.LastName, &u.Phone: c.Phone} {
		if value != nil {
			*to = *value
		}
	}
	if c.Language != nil {
		u.Language = *c.Language
	}
	return u
}

// edit changes the profile of a person if match accepts it, and returns the changed person. If
// another request was faster, match is called again. also adds further writes to the
// transaction.
func (s users) edit(ctx context.Context, id int64, c change, match func(user) error, also func(*table.Tx)) (u user, err error) {
	err = table.Anew(ctx, table.Tries, func() error {
		was, err := s.byID(ctx, id)
		if err != nil {
			return err
		}
		if err := match(was); err != nil {
			return err
		}
		if u = c.of(was); u == was {
			return nil
		}
		u.Revision++
		return s.write(ctx, was, u, also)
	}, nil)
	return u, err
}

func (s users) write(ctx context.Context, was, u user, also func(*table.Tx)) error {
	update := s.table.Update(u.Key()).Set("fn", u.FirstName).Set("ln", u.LastName).Set("ph", u.Phone).Set("rv", u.Revision)
	if u.Language == "" {
		update.Remove("la")
	} else {
		update.Set("la", u.Language)
	}
	if was.Revision == 0 {
		update.If("attribute_exists(pk) AND attribute_not_exists(rv)")
	} else {
		update.If("rv = ?", was.Revision)
	}
	err := s.table.Write(ctx, func(tx *table.Tx, _ int) error {
		tx.Update(update, table.ErrRevision)
		also(tx)
		return nil
	})
	if err != nil && table.Unavailable(err) {
		// The answer may have been lost although the transaction was committed. Nobody else writes the same revision.
		if now, lookErr := s.byID(ctx, u.ID); lookErr == nil && now == u {
			return nil
		}
	}
	if err != nil && !errors.Is(err, table.ErrRevision) {
		return fmt.Errorf("identity: profile of %d: %w", u.ID, err)
	}
	return err
}
