// Package staff provides the people of a company to other groups: a record for each member and each invited address,
// and the check whether a user is a member.
//
// What never goes in here: HTTP, and how somebody is invited, joins and leaves, because that
// also writes outside of the company's part of the table.
package staff

import (
	"context"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Staff is a member of a company as the company sees it, or an address that was
// invited.
//
// What a member may do is in three places, always written together: here, where
// the company lists it; in the memberships of the user, where the authorizer
// reads it; and in the Member, by which the company's members are found.
type Staff struct {
	record.Meta
	Name      string      `dynamo:"n"`            // first and last name; empty until they are known
	User      int64       `dynamo:"us,omitempty"` // 0 while invited
	Email     string      `dynamo:"em"`           // folded
	FirstName string      `dynamo:"fn,omitempty"`
	LastName  string      `dynamo:"ln,omitempty"`
	Phone     string      `dynamo:"ph,omitempty"`
	Role      tenant.Role `dynamo:"ro"`
	Finance   bool        `dynamo:"fi,omitempty"` // reads finance and metrics, whatever the role is
}

// Status tells whether a person is a member already.
type Status string

// The statuses of a staff record.
const (
	Invited Status = "invited"
	Active  Status = "active"
)

// Values are the statuses.
func (Status) Values() []enum.Value { return enum.Named(Invited, Active) }

// Shown is a member or an invited person, as managers see it.
type Shown struct {
	ID        int64       `json:"id"`
	User      *int64      `json:"user" doc:"Number of the user; null while invited."`
	Email     *string     `json:"email" format:"email" doc:"Null for who is no manager."`
	FirstName string      `json:"first_name"`
	LastName  string      `json:"last_name"`
	Phone     *string     `json:"phone" doc:"Null for who is no manager."`
	Role      tenant.Role `json:"role"`
	Finance   bool        `json:"finance" doc:"Whether the person may read finance and metrics, such as an accountant, beside what the role may do. Managers and owners may anyway."`
	Status    Status      `json:"status"`
	CreatedAt string      `json:"created_at" format:"date-time"`
	UpdatedAt string      `json:"updated_at" format:"date-time"`
}

// Kind declares the kind of staff records.
func Kind() *record.Kind[*Staff] { return declared.Get(declare) }

var declared record.Declared[*Staff]

func declare() record.Kind[*Staff] {
	return record.Kind[*Staff]{
		Kind: kinds.Of(kinds.Staff), Name: func(s *Staff) string { return s.Name },
		More:  func(s *Staff) string { return s.Email },
		Shown: func(s *Staff) any { return s.Shown() },
		Unique: func(s *Staff) []record.Unique {
			return []record.Unique{{Name: "email", Value: s.Email, Field: "email"}}
		},
	}
}

// Shown returns what callers see of the record.
func (s *Staff) Shown() Shown {
	v := Shown{
		ID: s.ID, Email: &s.Email, FirstName: s.FirstName, LastName: s.LastName, Phone: &s.Phone,
		Role: s.Role, Finance: s.Finance, Status: Invited, CreatedAt: s.CreatedAt(), UpdatedAt: s.UpdatedAt(),
	}
	if s.IsActive() {
		v.User, v.Status = &s.User, Active
	}
	return v
}

// IsActive tells whether the person is a member, and not only invited.
func (s *Staff) IsActive() bool { return s.User != 0 }

// SetUser makes the record belong to a user.
func (s *Staff) SetUser(user int64, who crosstenant.Person) {
	s.User = user
	s.Email, s.Phone = who.Email, who.Phone
	s.Rename(who.FirstName, who.LastName)
}

// Rename sets the name. The address can't be changed; another address needs another
// invitation.
func (s *Staff) Rename(first, last string) {
	s.FirstName, s.LastName = first, last
	s.Name = strings.Join(strings.Fields(first+" "+last), " ")
}

// Member says that a user is a member of a company, and with which role.
type Member struct {
	table.Item
	User int64       `dynamo:"u"`
	Role tenant.Role `dynamo:"r"`
	// Finance is that of the staff record.
	Finance bool      `dynamo:"f,omitempty"`
	At      time.Time `dynamo:"at"`
	Staff   int64     `dynamo:"s"` // number of the staff record
}

// MemberVersion is the schema version of a Member.
const MemberVersion = 1

// IsMember tells whether a user is a member of the company of a unit of work. It costs one
// unit.
func IsMember(ctx context.Context, w *record.Work, user int64) (bool, error) {
	item, err := w.Item(ctx, w.Scope().Table.Member(user))
	return item != nil, err
}

// NameOf is the name of a member of the company of a unit of work as it is now; empty of who is none, and of who has none: it goes to
// where an address of theirs must not. It costs two units.
func NameOf(ctx context.Context, w *record.Work, user int64) (string, error) {
	item, err := w.Item(ctx, w.Scope().Table.Member(user))
	if err != nil || item == nil {
		return "", err
	}
	var m Member
	if err := item.Decode(&m); err != nil {
		return "", err
	}
	s, err := Kind().Read(ctx, w, m.Staff)
	if f, ok := fault.As(err); ok && f.Code == fault.NotFound {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return s.Name, nil
}

// Stands ensures that the actor of a unit of work is still a member of the company, with at
// least the role least, when the transaction is written: the authorizer has checked that some
// time before. Of a program it ensures that its key is not revoked. Otherwise the caller gets
// fault.ErrForbidden. It adds one operation, which costs two units. A unit of work that changes the actor's own Member does not need it.
func Stands(w *record.Work, least tenant.Role) {
	if key := w.Scope().Actor.Key; key != 0 {
		w.Provided(func(tx *table.Tx) {
			t := w.Scope().Table
			k := t.Record(kinds.Key, key)
			tx.Check(t.Table().Check("pk", k.PK).Range("sk", k.SK).If("attribute_exists(pk)"), fault.ErrForbidden)
		})
		return
	}
	var roles []any
	for _, r := range []tenant.Role{tenant.ReadOnly, tenant.Employee, tenant.Manager, tenant.Owner} {
		if r.Covers(least) {
			roles = append(roles, r)
		}
	}
	of := "r IN (?" + strings.Repeat(", ?", len(roles)-1) + ")"
	w.Provided(func(tx *table.Tx) {
		t := w.Scope().Table
		k := t.Member(w.Scope().Actor.User)
		tx.Check(t.Table().Check("pk", k.PK).Range("sk", k.SK).If(of, roles...), fault.ErrForbidden)
	})
}
