package tenants

import (
	"strings"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// staff is a member of a company as the company sees it, or an address that was
// invited.
//
// What a member may do is in three places, always written together: here, where
// the company lists it; in the memberships of the user, where the authorizer
// reads it; and in the memberItem, by which the company's members are found.
type staff struct {
	record.Meta
	Name      string      `dynamo:"n"`            // all that is searched
	User      int64       `dynamo:"us,omitempty"` // 0 while invited
	Email     string      `dynamo:"em"`           // folded
	FirstName string      `dynamo:"fn,omitempty"`
	LastName  string      `dynamo:"ln,omitempty"`
	Phone     string      `dynamo:"ph,omitempty"`
	Role      tenant.Role `dynamo:"ro"`
}

// Staff is a member, or who is invited, as callers see it.
type Staff struct {
	ID        int64  `json:"id"`
	User      *int64 `json:"user" doc:"Number of the user; null while invited."`
	Email     string `json:"email" format:"email"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Phone     string `json:"phone"`
	Role      string `json:"role" enum:"owner,manager,employee,read-only"`
	Status    string `json:"status" enum:"invited,active"`
	CreatedAt string `json:"created_at" format:"date-time"`
	UpdatedAt string `json:"updated_at" format:"date-time"`
}

// staffBody invites somebody.
type staffBody struct {
	Email     decode.Optional[string] `json:"email" required:"true" format:"email" maxLength:"254"`
	Role      decode.Optional[string] `json:"role" required:"true" enum:"owner,manager,employee,read-only"`
	FirstName decode.Optional[string] `json:"first_name" blank:"true" maxLength:"150" doc:"Until the invitation is accepted."`
	LastName  decode.Optional[string] `json:"last_name" blank:"true" maxLength:"150" doc:"Until the invitation is accepted."`
}

// staffChange changes a staff record. The address stays: another one is another
// invitation.
type staffChange struct {
	Role      decode.Optional[string] `json:"role" required:"true" enum:"owner,manager,employee,read-only"`
	FirstName decode.Optional[string] `json:"first_name" blank:"true" maxLength:"150" doc:"Ignored once the invitation is accepted: names are the user's own."`
	LastName  decode.Optional[string] `json:"last_name" blank:"true" maxLength:"150" doc:"Ignored once the invitation is accepted: names are the user's own."`
}

type (
	staffRecords = record.Resource[staff, staffBody, Staff]
	staffWriter  = record.Writer[staff, staffBody, Staff]
)

// newStaffRecords is what staff has in common with every kind of records.
// Inviting, changing and removing reach beyond the record, and are this
// package's own.
func newStaffRecords() staffRecords {
	return staffRecords{
		Kind: kinds.Staff, Path: "/v1/crm/users/", ID: "users", One: "user", Many: "users",
		Doc:  "The people of the company, and those who are invited. `search` looks at names and e-mail addresses.",
		Role: tenant.Manager, Reads: tenant.Manager,
		Apply: func(s *staff, in *staffBody, _ fault.Fields) { s.invite(in) },
		View:  view,
		Name:  func(s *staff) string { return s.Name },
		Unique: func(s *staff) []record.Unique {
			return []record.Unique{{Name: "stf.email", Value: s.Email, Field: "email"}}
		},
	}
}

func view(s *staff) Staff {
	v := Staff{
		ID: s.ID, Email: s.Email, FirstName: s.FirstName, LastName: s.LastName, Phone: s.Phone,
		Role: string(s.Role), Status: "invited", CreatedAt: s.CreatedAt(), UpdatedAt: s.UpdatedAt(),
	}
	if s.active() {
		v.User, v.Status = &s.User, "active"
	}
	return v
}

// active tells a member from somebody who is invited.
func (s *staff) active() bool { return s.User != 0 }

// invite makes the record of an address.
func (s *staff) invite(in *staffBody) {
	s.Email, s.Role = crosstenant.Fold(in.Email.Value), tenant.Role(in.Role.Value)
	in.FirstName.Into(&s.FirstName)
	in.LastName.Into(&s.LastName)
	s.rename()
}

// change is the rule of PUT and PATCH.
func (s *staff) change(in *staffChange) {
	if in.Role.Set {
		s.Role = tenant.Role(in.Role.Value)
	}
	if !s.active() {
		in.FirstName.Into(&s.FirstName)
		in.LastName.Into(&s.LastName)
		s.rename()
	}
}

// setUser makes the record one of a user.
func (s *staff) setUser(user int64, who crosstenant.Person) {
	s.User = user
	s.Email, s.FirstName, s.LastName, s.Phone = who.Email, who.FirstName, who.LastName, who.Phone
	s.rename()
}

func (s *staff) rename() {
	s.Name = strings.Join(strings.Fields(s.FirstName+" "+s.LastName+" "+s.Email), " ")
}

// The refusals.
var (
	errOwners = fault.New(fault.Forbidden, "Only an owner can invite, change or remove an owner, or make somebody one.")
	// errLastOwner keeps a company from having no owner.
	errLastOwner = fault.New(fault.Conflict, "A company keeps at least one owner.").With("code", "last_owner")
)

// mayTouch is the rule of who may invite, change and remove whom: a manager
// neither an owner nor anybody to be one.
func mayTouch(who, before, after tenant.Role) error {
	if who != tenant.Owner && (before == tenant.Owner || after == tenant.Owner) {
		return errOwners
	}
	return nil
}
