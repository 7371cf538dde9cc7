package tenants

import (
	"strings"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// staff is somebody's place in a company as the company sees it: of a member,
// or of an address that was invited.
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

// Staff is somebody's place in a company as callers see it.
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

// staffChange changes a place. The address stays: another one is another
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
		Kind: table.Staff, Path: "/v1/crm/users/", ID: "users", One: "user", Many: "users",
		Doc:  "The people of the company, and those who are invited. `search` looks at names and e-mail addresses.",
		Role: tenant.Manager, Reads: tenant.Manager,
		Apply: func(p *staff, in *staffBody, _ fault.Fields) { p.invite(in) },
		View:  view,
		Name:  func(p *staff) string { return p.Name },
		Unique: func(p *staff) []record.Unique {
			return []record.Unique{{Name: "stf.email", Value: p.Email, Field: "email"}}
		},
	}
}

func view(p *staff) Staff {
	v := Staff{
		ID: p.ID, Email: p.Email, FirstName: p.FirstName, LastName: p.LastName, Phone: p.Phone,
		Role: string(p.Role), Status: "invited", CreatedAt: p.CreatedAt(), UpdatedAt: p.UpdatedAt(),
	}
	if p.active() {
		v.User, v.Status = &p.User, "active"
	}
	return v
}

// active tells a member from somebody who is invited.
func (p *staff) active() bool { return p.User != 0 }

// invite makes the place of an address.
func (p *staff) invite(in *staffBody) {
	p.Email, p.Role = crosstenant.Fold(in.Email.Value), tenant.Role(in.Role.Value)
	in.FirstName.Into(&p.FirstName)
	in.LastName.Into(&p.LastName)
	p.rename()
}

// change is the rule of PUT and PATCH.
func (p *staff) change(in *staffChange) {
	if in.Role.Set {
		p.Role = tenant.Role(in.Role.Value)
	}
	if !p.active() {
		in.FirstName.Into(&p.FirstName)
		in.LastName.Into(&p.LastName)
		p.rename()
	}
}

// is makes the place one of a user.
func (p *staff) is(user int64, who crosstenant.Person) {
	p.User = user
	p.Email, p.FirstName, p.LastName, p.Phone = who.Email, who.FirstName, who.LastName, who.Phone
	p.rename()
}

func (p *staff) rename() {
	p.Name = strings.Join(strings.Fields(p.FirstName+" "+p.LastName+" "+p.Email), " ")
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
