package tenants

import (
	"context"

	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// Staff is a member or an invited person, as callers see it.
type Staff struct{ staff.Shown }

// inNames restricts the search to names for callers who do not see addresses: otherwise they
// could find out an address letter by letter.
func inNames(_ context.Context, r *web.Request, q *search.Query, _ fault.FieldErrors) error {
	if !seesAddresses(resource.Viewer{Role: r.Principal.Role}) {
		q.InName, q.Words = append(q.InName, q.Words...), nil
	}
	return nil
}

// seesAddresses tells whether a caller sees the e-mail addresses and phones of others in the
// company.
func seesAddresses(to resource.Viewer) bool { return to.Role.Covers(tenant.Manager) }

func seen(s *staff.Staff, to resource.Viewer) Staff {
	v := s.Shown()
	if !seesAddresses(to) {
		v.Email, v.Phone = nil, nil
	}
	return Staff{v}
}

// staffBody is the body that invites a person.
type staffBody struct {
	Email     decode.Optional[string]      `json:"email" required:"true" format:"email" maxLength:"254" example:"pia@example.com"`
	Role      decode.Optional[tenant.Role] `json:"role" required:"true" example:"employee"`
	Finance   decode.Optional[bool]        `json:"finance" default:"false" doc:"Whether the person may read finance and metrics, such as an accountant"`
	FirstName decode.Optional[string]      `json:"first_name" blank:"true" maxLength:"150" doc:"Until the invitation is accepted."`
	LastName  decode.Optional[string]      `json:"last_name" blank:"true" maxLength:"150" doc:"Until the invitation is accepted."`
}

// staffChange is the body that changes a staff record. The address can't be changed: another address needs another
// invitation.
type staffChange struct {
	Role      decode.Optional[tenant.Role] `json:"role" required:"true" example:"manager"`
	Finance   decode.Optional[bool]        `json:"finance" doc:"Whether the person may read finance and metrics, such as an accountant"`
	FirstName decode.Optional[string]      `json:"first_name" blank:"true" maxLength:"150" doc:"Ignored once the invitation is accepted: names are the user's own."`
	LastName  decode.Optional[string]      `json:"last_name" blank:"true" maxLength:"150" doc:"Ignored once the invitation is accepted: names are the user's own."`
}

type staffRecords = resource.Resource[*staff.Staff, staffBody, Staff]

// newStaffRecords declares what staff has in common with every kind of records. Inviting,
// changing and removing also write outside of the record, so this package does them itself.
func newStaffRecords() staffRecords {
	return staffRecords{
		Kind: staff.Kind(), Role: tenant.Manager,
		Doc: "The people of the company, and those who are invited. `search` looks at names and, from manager up, at e-mail addresses; " +
			"to others `email` and `phone` are null.",
		Apply:   func(s *staff.Staff, in *staffBody, _ fault.FieldErrors) { in.invite(s) },
		View:    seen,
		Filters: []resource.Filter{{Add: inNames}},
	}
}

// invite writes what was sent to a new record.
func (in *staffBody) invite(s *staff.Staff) {
	s.Email, s.Role = crosstenant.Fold(in.Email.Value), in.Role.Value
	in.Finance.Into(&s.Finance)
	s.Rename(in.FirstName.Or(""), in.LastName.Or(""))
}

// change writes what was sent by PUT and PATCH to a record.
func (in *staffChange) change(s *staff.Staff) {
	if in.Role.Set {
		s.Role = in.Role.Value
	}
	in.Finance.Into(&s.Finance)
	if !s.IsActive() {
		s.Rename(in.FirstName.Or(s.FirstName), in.LastName.Or(s.LastName))
	}
}

// These are the faults of changes that are refused.
var (
	errOwners = fault.New(fault.Forbidden, say.OwnersOnly)
	// errLastOwner prevents a company from having no owner.
	errLastOwner = fault.New(fault.Conflict, say.LastOwner).Coded()
)

// toTouch is the lowest role that may invite, change or remove somebody: only an owner may
// change an owner, or make somebody one.
func toTouch(before, after tenant.Role) tenant.Role {
	if before == tenant.Owner || after == tenant.Owner {
		return tenant.Owner
	}
	return tenant.Manager
}

// mayTouch refuses a caller who may not change a staff record as the unit of work does; before is the role that the
// record had. It also makes the transaction fail if the caller loses that right before it is written.
func mayTouch(w *record.Work, r *web.Request, rec *staff.Staff, before tenant.Role) error {
	least := toTouch(before, rec.Role)
	if !r.Principal.Role.Covers(least) {
		return errOwners
	}
	if rec.User != r.Principal.User {
		staff.Stands(w, least)
		return nil
	}
	// The transaction depends on the caller's own record, which says the same as the Member.
	if !before.Covers(least) {
		return fault.ErrForbidden
	}
	return nil
}
