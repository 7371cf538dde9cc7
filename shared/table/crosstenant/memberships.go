package crosstenant

import (
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// MembershipsItem is what the authorizer reads about a user with every request, so that a
// change takes effect at once: the companies and the epoch. Whoever changes a membership writes
// the companies in the same transaction. A user has no such item before the first company or
// the first end of an epoch.
//
// An epoch ends when all of a user's sign-ins end, for example with a new password: each
// sign-in carries the number of the epoch in which it began. So the sign-ins need not be found,
// and a sign-in that begins at the same moment, based on the old state, ends too.
type MembershipsItem struct {
	table.Item
	List  []tenant.Membership `dynamo:"m"`
	Epoch int64               `dynamo:"ep,omitempty"`
}

// MembershipsVersion is the schema version of a MembershipsItem.
const MembershipsVersion = 1
