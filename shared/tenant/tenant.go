// Package tenant says which company a request works for and what its caller
// may do there.
//
// An ID comes from a verified principal, from a record found by an unguessable
// uuid, or from a key the worker was given. Nothing else may make one, so
// there is no parser of user input here.
package tenant

import (
	"strconv"

	"github.com/tenantry/tenantry/shared/enum"
)

// ID is the number of a company. The zero ID is no company.
type ID int64

// String is the ID as it stands in keys.
func (id ID) String() string { return strconv.FormatInt(int64(id), 10) }

// Role is what a member of a company may do, from the lowest to the highest.
type Role string

// The roles.
const (
	ReadOnly Role = "read-only" // GET and HEAD
	Employee Role = "employee"  // all but users, settings, company and finance
	Manager  Role = "manager"   // all but owners and deleting the company
	Owner    Role = "owner"     // all
)

// Values are the roles, from the highest to the lowest.
func (Role) Values() []enum.Value { return enum.Named(Owner, Manager, Employee, ReadOnly) }

// rank orders the roles. A text that is not a role has rank 0.
func (r Role) rank() int {
	switch r {
	case ReadOnly:
		return 1
	case Employee:
		return 2
	case Manager:
		return 3
	case Owner:
		return 4
	}
	return 0
}

// Valid tells whether r is one of the roles.
func (r Role) Valid() bool { return r.rank() > 0 }

// Covers tells whether r may do everything that least may do. An unknown role covers nothing.
func (r Role) Covers(least Role) bool { return r.rank() > 0 && r.rank() >= least.rank() }

// Membership is one company of a user. It is stored with the user, and the authorizer finds a
// request's company only from memberships.
type Membership struct {
	Tenant ID     `dynamo:"t"`
	Role   Role   `dynamo:"r"`
	Host   string `dynamo:"h"` // the company's host name, lower case
	// Finance lets a member whose role does not read finance and metrics read them, and nothing more.
	Finance bool `dynamo:"f,omitempty"`
	Standing
}
