package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

// link is an identity with which a user can sign in. A user has at most one at each issuer.
//
// Like a sign-in, a link is valid for one epoch of its user: a new password begins another epoch, which
// ends both without having to find them. Anybody can replace a link that has ended.
type link struct {
	table.Item
	Identity string `dynamo:"i"`  // the hash of issuer and subject
	Epoch    int64  `dynamo:"ep"` // of the user, when it was made
	Email    string `dynamo:"em"` // as the issuer named it then
	Linked   int64  `dynamo:"c"`  // Unix seconds
}

// holder says which user has linked an identity. It is written and removed together with the link.
type holder struct {
	table.Item
	User  int64 `dynamo:"u"`
	Epoch int64 `dynamo:"ep"` // as in link
}

const (
	linkVersion   = 1
	holderVersion = 1
)

// of tells whether a link still stands: it is there, and its user has the same password as then.
func (l link) of(u user) bool { return l.V > 0 && l.Epoch == u.Epoch }

// of tells whether the user who has linked an identity is u, and the link still stands.
func (h holder) of(u user) bool { return h.V > 0 && h.User == u.ID && h.Epoch == u.Epoch }

var (
	// errTakenIdentity answers somebody who has just proven to have the identity.
	errTakenIdentity = fault.New(fault.Invalid, say.IdentityTaken).Coded()
	errLinked        = fault.New(fault.Invalid, say.IdentityLinked).
				Coded()
	errNoIdentity = fault.New(fault.Invalid, say.IdentityUnknown).
			Coded()
)

// linking is what a link is decided on.
type linking struct {
	user     user
	signIn   crosstenant.FamilyItem // of the caller
	identity string
	has      link   // the user's link at the issuer
	held     holder // who has linked the identity
	owner    user   // the user that held names, if it is somebody else
}

// decide tells whether the same link stands already, or why there can't be one. The sign-in is
// looked at again, because a new password may have ended it since the request was admitted: who
// was signed in before links nothing after it.
func (l linking) decide(now time.Time) (stands bool, err error) {
	switch {
	case !l.signIn.Alive(now, l.user.Epoch):
		return false, fault.ErrBadToken
	case l.has.of(l.user) && l.has.Identity == l.identity:
		return true, nil
	case l.has.of(l.user):
		return false, errLinked
	case l.held.User != l.user.ID && l.held.of(l.owner):
		return false, errTakenIdentity
	}
	return false, nil
}

// links stores links.
type links struct {
	table  crosstenant.Table
	users  users
	issuer string // the hash of the issuer's name
}

// read reads a user, one of the user's sign-ins, the user's link, and who has linked an identity.
func (s links) read(ctx context.Context, id int64, family, identity string) (l linking, err error) {
	l.identity = identity
	to := map[table.Key]any{
		crosstenant.User(id): &l.user, crosstenant.Family(id, family): &l.signIn,
		crosstenant.Link(id, s.issuer): &l.has, crosstenant.Identity(identity): &l.held,
	}
	var keys []table.Key
	for key := range to {
		keys = append(keys, key)
	}
	items, err := s.table.GetMany(ctx, keys...)
	for key, item := range items {
		if err == nil {
			err = dynamo.UnmarshalItem(item, to[key])
		}
	}
	if err != nil {
		return l, fmt.Errorf("identity: link of %d: %w", id, err)
	}
	if l.user.V == 0 {
		return l, fault.ErrNotFound
	}
	if l.held.V > 0 && l.held.User != id {
		l.owner, err = s.users.byID(ctx, l.held.User)
		if errors.Is(err, fault.ErrNotFound) {
			err = nil
		}
	}
	return l, err
}

// claim is an identity that somebody has proven to have, in a sign-in.
type claim struct {
	User            int64
	Family          string
	Identity, Email string
}

// add links an identity to a user, in one transaction with what also adds. If it is linked
// already, nothing is written. If others were faster, it is decided anew.
func (s links) add(ctx context.Context, c claim, now time.Time, also func(*table.Tx)) (made link, err error) {
	err = table.Anew(ctx, table.Tries, func() error {
		l, err := s.read(ctx, c.User, c.Family, c.Identity)
		if err != nil {
			return err
		}
		stands, err := l.decide(now)
		if stands || err != nil {
			made = l.has
			return err
		}
		made = link{
			Item:     table.At(crosstenant.Link(c.User, s.issuer), linkVersion),
			Identity: c.Identity, Epoch: l.user.Epoch, Email: c.Email, Linked: now.Unix(),
		}
		return s.write(ctx, l, made, also)
	}, nil)
	return made, err
}

func (s links) write(ctx context.Context, l linking, made link, also func(*table.Tx)) error {
	key := crosstenant.Identity(l.identity)
	held := holder{Item: table.At(key, holderVersion), User: l.user.ID, Epoch: l.user.Epoch}
	err := s.table.Write(ctx, func(tx *table.Tx, _ int) error {
		tx.Put(unchanged(s.table.Put(made), l.has.V, "i = ? AND ep = ?", l.has.Identity, l.has.Epoch), table.ErrRevision)
		tx.Put(unchanged(s.table.Put(held), l.held.V, "u = ? AND ep = ?", l.held.User, l.held.Epoch), table.ErrRevision)
		tx.Check(s.sameEpoch(l.user), table.ErrRevision)
		also(tx)
		return nil
	})
	if err != nil && table.Unavailable(err) {
		// The answer may have been lost although the transaction was committed.
		if _, now, lookErr := s.linked(ctx, l.user.ID); lookErr == nil && now == made {
			return nil
		}
	}
	if err != nil && !errors.Is(err, table.ErrRevision) {
		return fmt.Errorf("identity: link of %d: %w", l.user.ID, err)
	}
	return err
}

// unchanged adds the condition that nobody has written an item since it was read. An item with the
// version 0 was not there, and must not be there now; same is the condition on any other one.
func unchanged(put *dynamo.Put, version int, same string, values ...any) *dynamo.Put {
	if version == 0 {
		return put.If("attribute_not_exists(pk)")
	}
	return put.If(same, values...)
}

// sameEpoch is the condition that a user has not got a new password.
func (s links) sameEpoch(u user) *dynamo.ConditionCheck {
	check := s.table.Exists(u.Key())
	if u.Epoch == 0 {
		return check.If("attribute_not_exists(ep)")
	}
	return check.If("ep = ?", u.Epoch)
}

// remove unlinks the identity that a user has at the issuer. A user without one gets
// fault.ErrNotFound.
func (s links) remove(ctx context.Context, id int64) error {
	tried := false
	return table.Anew(ctx, table.Tries, func() error {
		u, has, err := s.linked(ctx, id)
		if err != nil {
			return err
		}
		if !has.of(u) {
			if tried { // this request, or another at the same moment, has removed it
				return nil
			}
			return fault.ErrNotFound
		}
		tried = true
		err = s.table.Write(ctx, func(tx *table.Tx, _ int) error {
			tx.Delete(s.table.Delete(has.Key()).If("i = ? AND ep = ?", has.Identity, has.Epoch), table.ErrRevision)
			tx.Delete(s.table.Delete(crosstenant.Identity(has.Identity)).If("u = ? AND ep = ?", id, has.Epoch), table.ErrRevision)
			return nil
		})
		if err != nil && table.Unavailable(err) {
			// The answer may have been lost although the transaction was committed.
			if _, now, lookErr := s.linked(ctx, id); lookErr == nil && now != has {
				return nil
			}
		}
		if err != nil && !errors.Is(err, table.ErrRevision) {
			return fmt.Errorf("identity: unlink of %d: %w", id, err)
		}
		return err
	}, nil)
}

// linked reads a user and the user's link at the issuer. Without a link, has is the zero value.
func (s links) linked(ctx context.Context, id int64) (u user, has link, err error) {
	userKey, linkKey := crosstenant.User(id), crosstenant.Link(id, s.issuer)
	items, err := s.table.GetMany(ctx, userKey, linkKey)
	for key, to := range map[table.Key]any{userKey: &u, linkKey: &has} {
		if item, ok := items[key]; ok && err == nil {
			err = dynamo.UnmarshalItem(item, to)
		}
	}
	if err != nil {
		return u, has, fmt.Errorf("identity: link of %d: %w", id, err)
	}
	return u, has, nil
}

// owner returns the user who has linked an identity.
func (s links) owner(ctx context.Context, identity string) (user, error) {
	var h holder
	err := s.table.Get(ctx, crosstenant.Identity(identity), &h)
	if errors.Is(err, table.ErrNotFound) {
		return user{}, errNoIdentity
	}
	if err != nil {
		return user{}, fmt.Errorf("identity: identity: %w", err)
	}
	u, err := s.users.byID(ctx, h.User)
	if errors.Is(err, fault.ErrNotFound) || err == nil && !h.of(u) {
		return user{}, errNoIdentity
	}
	return u, err
}

// stands adds to a transaction that an identity is still a user's.
func (s links) stands(tx *table.Tx, identity string, u user) {
	tx.Check(s.table.Exists(crosstenant.Identity(identity)).If("u = ? AND ep = ?", u.ID, u.Epoch), errNoIdentity)
}
